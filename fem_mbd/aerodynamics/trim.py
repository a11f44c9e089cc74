"""Function `trim`: the controls with which a rotor has given mean loads or flapping, found with its periodic motion.

Unknowns are the state at the start of a revolution and the controls e, which are parameters of the model; equations,
that the state after the revolution is that at its start, and

    g(S(T) - S(0), e) = 0

with S the sums over time of the aerodynamic forces, moments and flap angles, which are among the states of the loads
(`disks`). Newton's method takes the derivatives of both from the same dual numbers (`fem_mbd.periodic`). In a
periodic motion the mean loads of the hub are those of the air and the weight: those of inertia vanish.

Targets of a wind tunnel are numbers (`TARGETS`), or the equilibrium of a `FreeFlight`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.free_flight import FreeFlight
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.analysis.periodic.newton import Condition, Solution, solve
from fem_mbd.analysis.periodic.orbit import Orbit
from fem_mbd.analysis.periodic.periodic import first_point, posed
from fem_mbd.analysis.periodic.shooting import Evaluation, Linearised, Shooting
from fem_mbd.analysis.periodic.tangent_space import flat_history
from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.runs.results.result import Result

# of the sums: place and sign
TARGETS = {
    "thrust": (2, 1.0),  # N, along the axis of rotation
    "drag": (0, 1.0),  # N, downstream in the disk
    "side_force": (1, 1.0),  # N, to the advancing side of a rotor that turns with its axis up
    "roll_moment": (3, 1.0),  # N m, the advancing side up
    "pitch_moment": (4, 1.0),  # N m, nose up
    "torque": (5, -1.0),  # N m, to drive the rotor
    "coning": (6, 1.0),  # rad
    "longitudinal_flapping": (7, 1.0),  # rad, a_1: the disk tilts aft
    "lateral_flapping": (8, 1.0),  # rad, b_1: the disk tilts to the advancing side
}
SUMS = 9
CONTROL_SCALE = 1.0  # rad, of the controls
FLAP_SCALE = 0.1  # rad
FORCE_SCALE = 0.01  # of rho pi R^2 (Omega R)^2
KEPT = 1e-9  # change of the unknowns up to which derivatives are kept
FAST_RATIO = 0.5  # as in `newton`: derivatives of elastic blades cost as much as twenty revolutions


@dataclass(frozen=True, eq=False)
class _Tunnel:
    """Targets that are numbers."""

    targets: Mapping[str, float]
    scales: Array

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.targets)

    @property
    def units(self) -> Array:
        """(targets,) what `misses` are measured in."""
        return np.asarray(self.scales[[TARGETS[name][0] for name in self.targets]])

    def misses(self, mean: Any, values: Mapping[str, Any]) -> Any:
        at = [TARGETS[name] for name in self.targets]
        means = np.array([sign * mean[k] for k, sign in at])
        return (means - np.array(list(self.targets.values()))) / self.units


class TrimFailure(SolverFailure):
    """No controls were found that reach the targets.

    Attributes
    ----------
    controls, reached : of the state that came nearest, by name
    missed : by name of the targets, in their units
    sensitivity : (targets, controls) derivatives of the targets by the controls, of periodic motions; None where none
        were found
    state : at the start of the revolution that came nearest
    """

    def __init__(
        self,
        message: str,
        controls: dict[str, float],
        reached: dict[str, float],
        missed: dict[str, float],
        sensitivity: Array | None,
        state: State | None,
    ):
        self.controls, self.reached, self.missed = controls, reached, missed
        self.sensitivity, self.state = sensitivity, state
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Trim:
    """A trimmed rotor.

    Attributes
    ----------
    controls : values by name
    loads : mean loads and flapping over the revolution, by the names of `TARGETS`
    roll : rad, of the aircraft in free flight; 0 in a wind tunnel
    iterations : of Newton's method
    joint : name of the joint that carries the rotor
    equations, shooting, condition, solution : what was solved, and its solution
    """

    controls: dict[str, float]
    loads: dict[str, float]
    roll: float
    iterations: int
    joint: str
    equations: _Equations
    shooting: Shooting
    condition: Condition
    solution: Solution

    @property
    def power(self) -> float:
        """W, to drive the rotor."""
        return self.loads["torque"] * 2.0 * np.pi / self.solution.point.period

    @property
    def state(self) -> State:
        """At the start of the revolution; ``at`` of the next trim."""
        return self.solution.point.states[0].copy()

    @cached_property
    def result(self) -> Result:
        """A run over the revolution."""
        return Orbit(self.shooting.problem, self.solution).result()

    @cached_property
    def _exact(self) -> Solution:
        with one_blas_thread():
            return solve(self.shooting, self.solution.point, self.condition)

    @property
    def orbit(self) -> Orbit:
        """The periodic motion with its Floquet multipliers, calculated when first asked for."""
        return Orbit(self.shooting.problem, self._exact)

    @cached_property
    def sensitivity(self) -> Array:
        """(targets, controls) derivatives of the targets by the controls, of periodic motions."""
        return self.equations.sensitivity(self._exact.linear)

    def hub_loads(self, joint: str = "") -> Array:
        """(steps, 6) N and N m, of the rotor on its support, global axes, means of the steps of the revolution.

        Parameters
        ----------
        joint : name of the joint that carries the rotor, if that is not ``joint``
        """
        reaction = self.result.of(joint or self.joint).reaction
        both = np.concatenate([reaction.force, reaction.moment], axis=1)
        return np.asarray(-both[-self.shooting.problem.steps :])

    def harmonics(self, count: int, joint: str = "") -> Array:
        """(count + 1, 6) amplitudes of the hub's loads by harmonics of the revolution, from the mean on.

        Parameters
        ----------
        count : the last harmonic
        joint : as of `hub_loads`
        """
        loads = self.hub_loads(joint)
        amplitudes = np.abs(np.fft.rfft(loads, axis=0)) / len(loads)
        amplitudes[1:] *= 2.0
        return np.asarray(amplitudes[: count + 1])

    def section_loads(self, beam: str) -> tuple[Array, Array]:
        """Fractions of a beam's length (n,), and least, mean and largest N and N m there over the revolution (n, 3, 6).

        Parameters
        ----------
        beam : its name; its sections are those of integration, whose loads are the most accurate, section axes
        """
        of = self.result.of(beam)
        loads = of.section_force()[-self.shooting.problem.steps :]
        return of.gauss_at, np.stack([loads.min(axis=0), loads.mean(axis=0), loads.max(axis=0)], axis=1)

    def __repr__(self) -> str:
        controls = ", ".join(f"{name} {value:.6g}" for name, value in self.controls.items())
        return f"<Trim {controls}; thrust {self.loads['thrust']:.6g} N, power {self.power:.6g} W>"


class _Sums:
    """The mean rates of a rotor's sums over a revolution, and their derivatives."""

    def __init__(self, system: System):
        kinds = [kind for kind in system.kinds if kind.history is not None]
        loads = [kind for kind in kinds if isinstance(kind, RotorLoadsKind)]
        disks: Any = loads[0].disks if loads else []
        if len(disks) != 1:
            raise InputError(
                f"trim: the model has {len(disks)} rotors with mean loads: give one RotorLoads, with the inflow of a "
                "rotorcraft or mean_loads=True"
            )
        before = sum(kind.history.nbytes // 8 for kind in kinds[: kinds.index(loads[0])])
        first = before + int(disks[0]["row"]) * loads[0].history.shape[1]
        self.places = np.arange(first, first + SUMS)
        rotor = loads[0].rotors[disks[0]["blade"]]
        tip = float(disks[0]["tip_speed"])
        size = FORCE_SCALE * rotor["density"] * np.pi * rotor["radius"] ** 2 * tip * tip
        self.scales = np.repeat([size, size * rotor["radius"], FLAP_SCALE], 3)

    def mean(self, evaluation: Evaluation) -> Array:
        """(9,) over the period."""
        arc = evaluation.arcs[0]
        gained = flat_history(arc.end) - flat_history(arc.start)
        return np.asarray(gained[self.places] / evaluation.point.period)

    def rows(self, linear: Linearised) -> Array:
        """(9, active + controls) derivatives of the means by the unknowns."""
        space = linear.of.spaces[0]
        at = 2 * space.motions + self.places
        both = np.concatenate([linear.blocks[0][at][:, linear.active], linear.columns[0][at]], axis=1)
        return np.asarray(both * space.sizes[self.places, None] / linear.of.point.period)


class _Equations:
    """The equations of a trim; remembers what came nearest."""

    def __init__(self, aim: Any, controls: Sequence[str], sums: _Sums):
        self.aim, self.controls, self.sums = aim, tuple(controls), sums
        self.best: tuple[float, Evaluation] | None = None
        self.linear: Linearised | None = None

    def missing(self, evaluation: Evaluation) -> Array:
        misses = self._misses(evaluation)
        size = float(np.abs(misses).max())
        if self.best is None or size < self.best[0]:
            self.best = size, evaluation
        return -misses

    def _misses(self, evaluation: Evaluation) -> Array:
        return np.asarray(self.aim.misses(self.sums.mean(evaluation), evaluation.point.values))

    def rows(self, linear: Linearised) -> Array:
        self.linear = linear
        values, mean = linear.of.point.values, self.sums.mean(linear.of)
        h = 1e-40
        moved = [mean + 1j * h * np.eye(SUMS)[k] for k in range(SUMS)]
        by_mean = np.array([np.imag(self.aim.misses(sums, values)) / h for sums in moved]).T
        derivatives = np.asarray(by_mean @ self.sums.rows(linear))
        for k, name in enumerate(self.controls):
            at = {**values, name: values[name] + 1j * h}
            by_control = np.imag(self.aim.misses(mean + 0j, at)) / h
            derivatives[:, k - len(self.controls)] += CONTROL_SCALE * by_control
        return derivatives

    def sensitivity(self, linear: Linearised) -> Array:
        """(targets, controls) of periodic motions."""
        count, rows = int(linear.active.sum()), self.rows(linear)
        columns = linear.columns[0][linear.active]
        by_control = np.linalg.solve(np.eye(count) - linear.reduced()[0], columns)
        derivatives = (rows[:, :count] @ by_control + rows[:, count:]) / CONTROL_SCALE
        return np.asarray(self.aim.units[:, None] * derivatives)

    def failure(self, why: SolverFailure) -> TrimFailure:
        """What came nearest, and how it depends on the controls."""
        if self.best is None:
            return TrimFailure(f"trim: the first revolution failed: {why}", {}, {}, {}, None, None)
        best = self.best[1]
        relative = self._misses(best)
        missed = dict(zip(self.aim.names, (relative * self.aim.units).tolist(), strict=True))
        controls = {name: best.point.values[name] for name in self.controls}
        reached = named(self.sums.mean(best))
        try:
            sensitivity = None if self.linear is None else self.sensitivity(self.linear)
        except np.linalg.LinAlgError:
            sensitivity = None
        worst = self.aim.names[int(np.abs(relative).argmax())]
        at = ", ".join(f"{name} {value:.5g}" for name, value in controls.items())
        loads = ", ".join(f"{name} {value:.5g}" for name, value in reached.items())
        return TrimFailure(
            f"trim: no controls were found that reach the targets. Nearest was {at}, with {loads}: it misses "
            f"{worst} by {missed[worst]:.4g} (SI units). Begin nearer (controls, at), or ask for less: {why}",
            controls, reached, missed, sensitivity, best.point.states[0].copy(),
        )  # fmt: skip


def named(mean: Array) -> dict[str, float]:
    """Mean rates of the sums (9,) by the names of `TARGETS`."""
    return {name: float(sign * mean[k]) for name, (k, sign) in TARGETS.items()}


def _checked(targets: Any, controls: Mapping[str, float]) -> None:
    names = targets.names if isinstance(targets, FreeFlight) else tuple(targets)
    if not isinstance(targets, FreeFlight):
        for name in names:
            if name not in TARGETS:
                raise InputError(f"trim: there is no target {name!r}; {nearest(name, list(TARGETS))}")
            finite(targets[name], f"trim: target {name}")
    elif targets.shaft_angle not in controls:
        raise InputError(
            f"trim: free flight needs the control {targets.shaft_angle!r}: {list(controls)} are given"
        )
    if len(names) != len(controls):
        raise InputError(
            f"trim: {len(names)} targets ({', '.join(names)}) and {len(controls)} controls ({', '.join(controls)}): "
            "give as many controls as targets"
        )


def trim(
    rotor: Any,
    targets: Mapping[str, float] | FreeFlight,
    controls: Mapping[str, float],
    *,
    values: Mapping[str, float] | None = None,
    speed: float | None = None,
    at: State | None = None,
    start: float | None = None,
    settle: int = 4,
    steps: int = 120,
    newton: NewtonOptions | None = None,
) -> Trim:
    """The controls with which a rotor has mean loads or flapping, and its periodic motion with them.

    Parameters
    ----------
    rotor : what makes its Model from the values of controls and other parameters, ``build({"collective": 0.1, ...})``;
        with one `RotorLoads`, of an inflow or with ``mean_loads=True``
    targets : values by the names of `TARGETS`, or the flight of an aircraft
    controls : as many, with values near those that are sought
    values : of other parameters of ``rotor`` by name
    speed : rad/s, of rotation; that of ``rotor`` where it has one (`fem_mbd.machines.Rotorcraft`)
    at : a state near the motion, as ``orbit.state`` of another trim
    start : s, from where on the model is periodic; that of ``rotor`` where it has one, else 0
    settle : revolutions of a run with the first controls, where ``at`` is left out
    steps : of a revolution
    newton : options of the runs' solver

    Raises
    ------
    InputError
        For other targets than controls, unknown ones, a model without a rotor, and as `fem_mbd.periodic`.
    TrimFailure
        When the targets are not reached: it has what came nearest, with its controls, state and sensitivity.
    """
    _checked(targets, controls)
    turns = positive(getattr(rotor, "speed", None) if speed is None else speed, "trim: speed (rad/s)")
    problem, parameters = posed(
        rotor, {**(values or {}), **controls}, period=2.0 * np.pi / turns, frequency=None, multiple=1, autonomous=False,
        start=getattr(rotor, "start", 0.0) if start is None else start, steps=steps, segments=1, newton=newton,
    )  # fmt: skip
    whole_number(settle, "trim: settle", 0)
    with one_blas_thread():
        length = problem.period(parameters)
        problem.check_drivers(parameters, length)
        point = first_point(problem, parameters, length, at, settle)
        shooting = Shooting(problem)
        shooting.evaluate(point)  # the speed of the tips is known then
        sums = _Sums(shooting.arcs_of(point).system)
        aim = targets if isinstance(targets, FreeFlight) else _Tunnel(dict(targets), sums.scales)
        equations = _Equations(aim, list(controls), sums)
        condition = Condition(tuple(controls), equations.rows, equations.missing, CONTROL_SCALE)
        try:
            solution = solve(shooting, point, condition, kept=KEPT, exact=False, fast=FAST_RATIO)
        except SolverFailure as why:
            raise equations.failure(why) from why
    mean = sums.mean(solution.linear.of)
    trimmed = {name: solution.point.values[name] for name in controls}
    roll = targets.roll(mean, solution.point.values) if isinstance(targets, FreeFlight) else 0.0
    loads, count = named(mean), solution.iterations
    joint = str(getattr(rotor, "joint", "shaft"))
    return Trim(trimmed, loads, roll, count, joint, equations, shooting, condition, solution)


@dataclass(frozen=True, eq=False)
class TrimTask:
    """Arguments of `trim`, which see: what a case offers to `fem-mbd trim`.

    ``beam`` is the name of a blade whose section loads are shown; none when left out.
    """

    rotor: Any
    targets: Mapping[str, float] | FreeFlight
    controls: Mapping[str, float]
    values: Mapping[str, float] = field(default_factory=dict)
    steps: int = 120
    beam: str = ""


def run_task(task: TrimTask, near: Trim | None = None) -> Trim:
    """Trim.

    Parameters
    ----------
    task : what to trim
    near : a trim of a rotor with the same parts nearby, whose controls and state it begins with
    """
    controls = task.controls if near is None else near.controls
    state = None if near is None else near.state
    return trim(task.rotor, task.targets, controls, values=task.values, at=state, steps=task.steps)
