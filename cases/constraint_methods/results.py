"""Checks: properties of this package's scheme, and the source's statements on the classical methods."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.constraint_methods.histories import RK4, History, classical, own_history
from fem_mbd.cases.constraint_methods.model import Parameters
from fem_mbd.runs.results.checks import SCHEME, Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result

SOURCE = "Marques 2015, section 2.4"
STABILISED = ("Baumgarte", "penalty", "augmented Lagrangian")
ELIMINATED = ("direct correction", "coordinate partitioning")
DRIFTING_METHODS = ("standard", "projection matrix R", "Arabyan-Wu")
# s of motion, some ten revolutions of the crank, needed to distinguish growth from bounded oscillation
SHORTEST = 10.0


def checks(result: Result, p: Parameters) -> list[Check]:
    """Checks of the scheme; with enough motion, also the source's statements."""
    history = own_history(result, every=0.0)
    total = result.energy["kinetic"] + result.energy["gravity"]
    gain = float(np.diff(total).max()) / result.summary["energy"]["scale"]
    checks = [
        *balance(result.summary),
        at_most("energy gained in a step / scale", gain, 1e-11, SCHEME),
        at_most("position constraints of this package [m]", float(history.position.max()), 1e-11, SCHEME),
        at_most("velocity constraints of this package [m/s]", float(history.velocity.max()), 1e-11, SCHEME),
    ]
    if p.end_time >= SHORTEST:
        checks += source_checks(classical(p), p)
    return checks


def source_checks(runs: dict[tuple[str, str], History], p: Parameters) -> list[Check]:
    """Violation, energy and cost of the classical methods."""
    by_rk4 = {method: run for (method, integrator), run in runs.items() if integrator == RK4}
    checks = [check for run in runs.values() for check in _violation(run, p)]
    return checks + _same_drift(by_rk4) + _energy(by_rk4) + _cost(by_rk4)


def _violation(run: History, p: Parameters) -> list[Check]:
    """Check of unbounded growth, bounded oscillation, or no violation."""
    label = f"{run.method}, {run.integrator}: "
    if run.method in DRIFTING_METHODS:
        # a constant mean error of the accelerations makes the velocities drift as t and the positions as t^2
        return [
            near(
                label + "order of growth of the position violation",
                growth(run.time, run.position),
                2.0,
                0.2,
                SOURCE,
            ),
            near(
                label + "order of growth of the velocity violation",
                growth(run.time, run.velocity),
                1.0,
                0.3,
                SOURCE,
            ),
        ]
    if run.method in ELIMINATED:
        return [
            at_most(
                label + "position violation [m]", float(run.position.max()), p.correction_tolerance, SOURCE
            ),
            at_most(label + "velocity violation [m/s]", float(run.velocity.max()), 1e-13, SOURCE),
        ]
    checks = []
    for name, values in (("position", run.position), ("velocity", run.velocity)):
        # root mean squares, 2.6 where it grows with the time: the largest violation is that of a single step, which
        # round-off of the state moves by a factor of two with an integrator that chooses its steps
        first, second = (np.sqrt(np.mean(half**2)) for half in np.array_split(values, 2))
        checks += [
            at_most(
                f"{label}{name} violation, r.m.s. of second half / first half", second / first, 1.5, SOURCE
            ),
            at_least(
                f"{label}{name} violation crosses its mean, 1/s", crossings(run.time, values), 1.0, SOURCE
            ),
        ]
    return checks


def crossings(time: Array, violation: Array) -> float:
    """Number of times per second that the violation in the second half of a run crosses its mean there: it
    oscillates.
    """
    late = violation[time >= 0.5 * time[-1]]
    above = late > late.mean()
    return float(np.count_nonzero(above[1:] != above[:-1]) / (0.5 * time[-1]))


def growth(time: Array, violation: Array) -> float:
    """Exponent of time with which the largest violation so far grows, over the last three quarters of the run."""
    largest = np.maximum.accumulate(violation)
    late = time >= 0.25 * time[-1]
    return float(np.polyfit(np.log(time[late]), np.log(largest[late]), 1)[0])


def _same_drift(runs: dict[str, History]) -> list[Check]:
    """R and Arabyan-Wu compute the same accelerations and leave the drift to a stabilisation (section 2.3)."""
    reference = runs["standard"].position
    return [
        at_most(
            f"{method}: violation minus that of standard / its largest",
            float(np.abs(runs[method].position - reference).max() / reference.max()),
            0.01,
            "Marques 2015, section 2.3",
        )
        for method in DRIFTING_METHODS[1:]
    ]


def _energy(runs: dict[str, History]) -> list[Check]:
    """Sign of the change at the end, and the method with the largest: that fails (constraint_methods.md explains
    why).
    """
    rising, falling = ("standard", "Baumgarte", "augmented Lagrangian"), ("penalty", "direct correction")
    source = SOURCE + ", fig. 2.9"
    gained = {m: float(runs[m].energy[-1]) for m in (*rising, *falling)}
    corrected = abs(gained["direct correction"])
    others = max(abs(change) for m, change in gained.items() if m != "direct correction")
    return [
        *(at_least(f"{m}: energy gained [J]", gained[m], 0.0, source) for m in rising),
        *(at_most(f"{m}: energy gained [J]", gained[m], 0.0, source) for m in falling),
        at_least(
            "change of energy, direct correction / largest of the others", corrected / others, 1.0, source
        ),
    ]


def _cost(runs: dict[str, History]) -> list[Check]:
    """Work in linear algebra of the five methods whose time the source gives."""
    source = SOURCE + ", fig. 2.10"
    work = {method: runs[method].work for method in ("standard", *STABILISED, "direct correction")}
    similar = [work[method] for method in STABILISED]
    return [
        at_least("smallest work of the other four / standard", min(similar) / work["standard"], 1.0, source),
        at_most(
            "largest work of the stabilised methods / smallest", max(similar) / min(similar), 1.5, source
        ),
        at_least(
            "work of direct correction / largest of the others",
            work["direct correction"] / max(similar),
            1.0,
            source,
        ),
    ]
