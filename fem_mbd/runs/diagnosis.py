"""Function `diagnose`: all findings about a run in one object, as text and as plain data, with advice.

`condition` is the condition number of the constraint Jacobian over a run: how close the mechanism comes to a singular
position. The columns of the Jacobian belong to the nodes' velocities and to their angular velocities times the model's
length. Rows are scaled so that their velocity part has norm one, or the whole row where that part is zero: units and
the choice of axes do not matter. Where the smallest singular value goes to zero, two constraints become dependent, the
multipliers grow without bound and the mechanism can branch off. The left singular vector of this value shows which
joints take part.

`last_steps` has the findings of the last steps: sizes, the step rules that decided them, Newton iterations, energy
flow. The `advice` is derived from the findings: sentences that name the option to change.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.linalg import svd

from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.ledger import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part import rotation_matrices

SAMPLES = 20  # number of recorded states examined: evenly spaced over the run, including the last one
MAX_CONSTRAINTS = 3000  # largest number of constraints; more would take too long
# smaller singular values belong to redundant constraints, not to a singular position
REDUNDANCY_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Condition:
    """Ratio of the largest to the smallest singular value (redundant constraints left out).

    Attributes
    ----------
    at_end : at the last recorded state
    worst, worst_time : largest value of the states examined, and its time (s)
    joints : names of the joints that contribute most at the worst position
    """

    at_end: float
    worst: float
    worst_time: float
    joints: tuple[str, ...]


def condition(result: Result, system: System) -> Condition | None:
    """Condition at recorded states; None without ideal joints, with too many, or where positions were not recorded."""
    joints = system.joints
    if (
        joints is None
        or not 0 < system.constraints <= MAX_CONSTRAINTS
        or any(n not in result.outputs for n in ("position", "quaternion"))
    ):
        return None
    count = len(result.output_time)
    if not count:
        return None
    samples = []
    for row in np.unique(np.linspace(0, count - 1, SAMPLES).astype(int)):
        samples.append((float(result.output_time[row]), *_at(result, system, int(row))))
    time, worst, vector = max(samples, key=lambda entry: entry[1])
    share = {
        spec.name: float(np.abs(vector[first : first + n]).max(initial=0.0))
        for spec, first, n in zip(joints.specs, joints.first_row, joints.multipliers, strict=True)
    }
    names = sorted(share, key=lambda name: -share[name])
    contributing = tuple(name for name in names if share[name] > 0.3 * share[names[0]])
    return Condition(samples[-1][1], worst, time, contributing)


def _at(result: Result, system: System, row: int) -> tuple[float, np.ndarray]:
    """Condition and left singular vector (m,) of the smallest singular value at a recorded state."""
    state = system.reference_state()
    state.r[:] = rotation_matrices(result.outputs.read("quaternion", row, row + 1)[0])
    position = result.outputs.read("position", row, row + 1)[0]
    state.u[:] = position + np.einsum("nij,nj->ni", state.r, system.workspace.centre)
    state.time = float(result.output_time[row])
    free = ~system.fixed.ravel()
    is_velocity = np.tile(np.repeat([True, False], 3), system.workspace.n)[free]
    jacobian = constraint_jacobian(system, state)[:, free].toarray() * np.where(
        is_velocity, 1.0, 1.0 / system.length
    )
    row_norm = np.linalg.norm(jacobian[:, is_velocity], axis=1, keepdims=True)
    row_norm = np.where(row_norm > 0, row_norm, np.linalg.norm(jacobian, axis=1, keepdims=True))
    left, values, _ = svd(jacobian / np.where(row_norm > 0, row_norm, 1.0), full_matrices=False)
    independent = np.flatnonzero(values > REDUNDANCY_TOLERANCE * values[0])
    return float(values[0] / values[independent[-1]]), left[:, independent[-1]]


LAST_STEPS = 50
NAMED = 5  # parts that a sentence names
SINGULAR = 1e5
RESIDUAL_LIMIT = 1e-11  # fraction of the energies: the limit that this package sets for a sound run
MANY_ITERATIONS = 8.0
MANY_REJECTED = 0.3  # per step
COLLAPSE_RATIO = 1e-3
RULES = {
    "penetration": "contacts decide the step size: a larger eps_p of Penetration or a softer contact makes it longer",
    "stribeck": "friction decides the step size: a larger tau_min of Stribeck or a smaller sigma_0 makes it longer",
    "error estimate": "the error estimate decides the step size: a larger tolerance of ErrorEstimate makes it longer",
    "rotation": "rotation decides the step size: a larger angle of RotationLimit makes it longer",
    "dt_max": "nearly all steps have the largest size allowed: a larger dt_max of StepControl makes them longer",
}
RULE_SHARE = 0.8


@dataclass(frozen=True)
class Steps:
    """Step statistics.

    Attributes
    ----------
    count : number of recorded steps; last : number of last steps examined
    smallest, largest : s, sizes of the last steps
    rules : share of the last steps by the rule that decided them, the most frequent first
    rules_before : the same for all steps
    iterations : Newton iterations per step, mean of the last steps
    rejected : rejected attempts in the last steps
    shrinking : last step size over the median of all
    """

    count: int
    last: int
    smallest: float
    largest: float
    rules: dict[str, float]
    rules_before: dict[str, float]
    iterations: float
    rejected: int
    shrinking: float


def last_steps(result: Result, last: int = LAST_STEPS) -> Steps:
    """Statistics of a run with at least one step."""
    n = min(last, result.steps)
    sizes, rules = result.step["dt"], result.step["rule"]
    return Steps(
        count=result.steps,
        last=n,
        smallest=float(sizes[-n:].min()),
        largest=float(sizes[-n:].max()),
        rules=_shares(rules[-n:]),
        rules_before=_shares(rules),
        iterations=float(result.step["newton_iterations"][-n:].mean()),
        rejected=int(result.step["rejections"][-n:].sum()),
        shrinking=float(sizes[-1] / np.median(sizes)),
    )


def energy_flow(result: Result, last: int = LAST_STEPS) -> dict[str, float]:
    """J over the last steps: changes of the energies, sums of dissipations and works, and the residual of the
    balance.
    """
    n = min(last, result.steps)
    flow = {
        f"change of {name}": float(result.energy[name][-1] - result.energy[name][-n]) for name in ENERGIES
    }
    # changes and sums begin at the end of the first of these steps
    flow |= {name: float(result.energy[name][-n:][1:].sum()) for name in (*DISSIPATIONS, *WORKS, "residual")}
    return {name: value for name, value in flow.items() if value != 0.0}


def _shares(rules: np.ndarray) -> dict[str, float]:
    return {str(rule): count / len(rules) for rule, count in Counter(rules.tolist()).most_common()}


def advice(result: Result, steps: Steps, condition: Condition | None) -> list[str]:
    """Sentences, the most urgent first; empty when there is nothing to report."""
    sentences = [
        f"{', '.join(map(repr, entry['beyond'][:NAMED]))}: {entry['range']} beyond its limit: {entry['advice']}"
        for entry in result.summary["ranges"]
        if entry["beyond"]
    ]
    if condition is not None and condition.worst > SINGULAR:
        names = ", ".join(map(repr, condition.joints))
        sentences.append(
            f"at t = {condition.worst_time:.6g} s the joints {names} are nearly singular: change a length, "
            "replace one of them by a freer joint, or build the model with allow_redundant=True"
        )
    if result.status == "failed" and steps.shrinking < COLLAPSE_RATIO:
        sentences.append(
            f"steps had shrunk to {steps.shrinking:.1e} of their usual size before the end: something "
            "happens faster than the steps resolve; look at contact stiffness and damping, and give the "
            "beams damping"
        )
    if steps.rejected > MANY_REJECTED * steps.last:
        sentences.append(
            f"{steps.rejected} attempted steps were rejected in the last {steps.last} steps: a smaller "
            "dt_max of StepControl, or the rule NewtonEffort, avoids them"
        )
    if steps.iterations > MANY_ITERATIONS:
        sentences.append(
            f"Newton needs {steps.iterations:.1f} iterations a step: NewtonOptions(reuse=False) makes "
            "a factorisation each, smaller steps need fewer"
        )
    residual = result.summary["energy"]["relative"]
    if residual > RESIDUAL_LIMIT:
        sentences.append(
            f"the energy balance is off by {residual:.1e} of the energies: a smaller tolerance of "
            "NewtonOptions reduces the residual"
        )
    rule, share = next(iter(steps.rules.items()))
    if share > RULE_SHARE and rule in RULES and result.status != "failed":
        sentences.append(f"{RULES[rule]} ({share:.0%} of the last steps)")
    return sentences


@dataclass(frozen=True)
class Diagnosis:
    """Findings about a run.

    Attributes
    ----------
    status, reason : how the run ended; where Newton failed, the reason names part and equation with the largest
        residual
    end_time : s, of the last step
    steps : statistics of the last steps
    energy : J by name, flows over the last steps
    worst_balance : time (s) of the step with the largest energy residual, and this residual (J)
    condition : of the constraint Jacobian; None where it is unknown
    ranges : the largest measure of every range of validity relative to its limit (`fem_mbd.core.model.ranges.Ranges`)
    advice : options to change, the most urgent first
    """

    status: str
    reason: str
    end_time: float
    steps: Steps
    energy: dict[str, float]
    worst_balance: tuple[float, float]
    condition: Condition | None
    ranges: list[dict[str, Any]]
    advice: list[str]

    def to_plain(self) -> dict[str, Any]:
        """The findings as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        s, c = self.steps, self.condition
        lines = [f"{self.status} at t = {self.end_time:.6g} s after {s.count} steps"]
        lines += [f"  {self.reason}"] if self.reason else []
        lines.append(f"last {s.last} steps")
        lines.append(
            f"  size        {s.smallest:.3g} to {s.largest:.3g} s, the last {s.shrinking:.2g} of the run's median"
        )
        lines.append(f"  decided by  {_shares_text(s.rules)}  (whole run: {_shares_text(s.rules_before)})")
        lines.append(f"  Newton      {s.iterations:.1f} iterations a step, {s.rejected} rejected attempts")
        lines.append("energy flow over them [J]")
        lines += [f"  {name.ljust(22)} {value:+.3e}" for name, value in self.energy.items()]
        lines.append(
            f"  largest energy residual at t = {self.worst_balance[0]:.6g} s, by {self.worst_balance[1]:+.1e}"
        )
        if c is not None:
            lines.append("constraints' Jacobian (1: independent joints)")
            lines.append(
                f"  condition   {c.at_end:.3g} at the end; worst {c.worst:.3g} at t = {c.worst_time:.6g} s"
            )
            lines.append(f"  there       {', '.join(c.joints)}")
        if self.ranges:
            lines.append("ranges of validity: largest measure (limit)")
            lines += [f"  {text}" for text in map(_range_text, self.ranges)]
        lines.append("what to change")
        lines += [f"  - {text}" for text in self.advice or ["nothing stands out"]]
        return "\n".join(lines)


def diagnose(result: Result, system: System | None = None) -> Diagnosis:
    """Diagnose a run: finished, failed, interrupted or still running.

    Parameters
    ----------
    result : the run
    system : ``simulation.system`` of the same model, for the condition of its constraints

    Raises
    ------
    InputError
        When no step of the run was recorded.
    """
    if not result.steps:
        raise InputError(
            f"no step of this run was recorded ({result.status}: {result.reason or 'no reason recorded'})"
        )
    steps = last_steps(result)
    conditioning = None if system is None else condition(result, system)
    residual = result.energy["residual"]
    worst = int(abs(residual).argmax())
    return Diagnosis(
        status=result.status,
        reason=result.reason,
        end_time=float(result.time[-1]),
        steps=steps,
        energy=energy_flow(result),
        worst_balance=(float(result.time[worst]), float(residual[worst])),
        condition=conditioning,
        ranges=result.summary["ranges"],
        advice=advice(result, steps, conditioning),
    )


def _range_text(finding: dict[str, Any]) -> str:
    unit = "" if finding["unit"] == "1" else f" {finding['unit']}"
    element = f", element {finding['element']}" if finding["element"] else ""
    sign = "BEYOND " if finding["beyond"] else ""
    return (
        f"{sign}{finding['kind']} {finding['range']} {finding['value']:.3g} ({finding['limit']:.3g}){unit} "
        f"at t = {finding['time']:.6g} s, '{finding['part']}'{element}"
    )


def _shares_text(rules: dict[str, float]) -> str:
    return ", ".join(f"{rule} {share:.0%}" for rule, share in list(rules.items())[:4])
