"""`continuation`: periodic motions along a branch, over a parameter of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.periodic.branches.walk import OnBranch, StepLengths, Walk
from fem_mbd.analysis.periodic.family import Family
from fem_mbd.analysis.periodic.newton import solve
from fem_mbd.analysis.periodic.orbit import Orbit
from fem_mbd.analysis.periodic.shooting import PERIOD, Shooting
from fem_mbd.applications.continuation.branch import Branch
from fem_mbd.applications.continuation.resumption import Resumption
from fem_mbd.applications.sweeps.outputs import check_outputs, evaluate, quantities_of
from fem_mbd.applications.sweeps.reduction import Reduction
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.errors import InputError

FREQUENCY = "frequency"  # what changes along a family of free motions


def continuation(
    orbit: Orbit,
    along: str,
    within: tuple[float, float],
    *,
    of: Mapping[str, str] | None = None,
    down: bool = False,
    points: int = 500,
    step: float = 0.01,
    largest_step: float = 0.05,
    bifurcations: bool = True,
    folder: str | Path | None = None,
) -> Branch:
    """Periodic motions that a motion goes over into as a parameter changes, around folds too.

    Parameters
    ----------
    orbit : to begin with; also a bifurcation's `OnBranch.switched`
    along : name of a parameter, or "frequency" of a family of free motions
    within : values of it between which motions are wanted
    of : outputs by name: texts as of a sweep's outputs, ``"max(Q.normal_force)"``, of a run over one period
    down : whether the parameter decreases at first
    points : at most
    step, largest_step : first and largest steps of the parameter, or of the motion relative to its amplitude, over the
        width of ``within``
    bifurcations : whether they are located
    folder : for the table, written as the branch is followed; a call that finds one there goes on from its last motion

    Raises
    ------
    InputError
        For invalid arguments, and parameters and outputs that the model does not have.
    SolverFailure
        When derivatives at the first motion are not found. A branch that is lost later is no error: `Branch.lost`.
    """
    low, high = (finite(one, "continuation: within") for one in within)
    if not low < high:
        raise InputError(f"continuation: within is ({low:g}, {high:g}): give the smaller value first")
    lengths = StepLengths(
        positive(step, "continuation: step"),
        1e-3 * step,
        positive(largest_step, "continuation: largest_step"),
    )
    orbit = _in_phase(orbit, along, (low, high))
    family = family_of(orbit, along, high - low)
    read = _outputs(orbit, of or {})
    most = whole_number(points, "continuation: points", 2)
    with one_blas_thread():
        walk = Walk(Shooting(orbit.problem), family, (low, high), lengths, locate=bifurcations)
        return _followed(walk, orbit, along, read, down, most, folder)


def _followed(
    walk: Walk,
    orbit: Orbit,
    along: str,
    read: dict[str, Reduction | str],
    down: bool,
    most: int,
    folder: str | Path | None,
) -> Branch:
    """The branch of at most ``most`` motions, from the last one in ``folder`` on if its table has begun there."""
    saved = None if folder is None else Resumption(Path(folder), along, tuple(read))
    branch = Branch(along, tuple(read)) if saved is None else saved.branch()
    if not branch.rows:
        here = walk.first(orbit.solution, -1.0 if down else 1.0)
        _add(branch, walk, here, read)
    else:
        assert saved is not None
        if saved.complete:
            return branch
        here = saved.last(walk)
    for there in walk.go(here, most - len(branch.rows)):
        _add(branch, walk, there, read)
        if saved is not None and not there.event:
            saved.write(branch, there, walk)
    branch.lost = walk.lost
    if saved is not None:
        saved.write(branch, branch.points[-1] if branch.points else here, walk, complete=walk.ended)
    return branch


def family_of(orbit: Orbit, along: str, width: float) -> Family:
    """What changes along a branch from a motion."""
    moving, free = orbit.problem.period_of is None, orbit.problem.free
    if along == FREQUENCY and free and along not in orbit.values:
        return Family(PERIOD, 1.0, moving=False, free=True)
    if along not in orbit.values:
        raise InputError(
            f"continuation: there is no parameter {along!r}; {nearest(along, list(orbit.values))}"
        )
    return Family(along, width, moving=moving, free=free)


def _in_phase(orbit: Orbit, along: str, within: tuple[float, float]) -> Orbit:
    """The motion so many periods after time zero that those of the whole range begin after the problem's start."""
    problem = orbit.problem
    if not problem.before or along not in orbit.values:
        return orbit
    periods = [problem.period({**orbit.values, along: value}) for value in (*within, orbit.values[along])]
    before = int(np.ceil(problem.start / min(periods) - 1e-9))
    if before <= problem.before:
        return orbit
    later = replace(problem, before=before, cache={})
    states = orbit.states
    for state in states:
        state.time += (before - problem.before) * orbit.period
    point = orbit.solution.point.with_values(states=tuple(states))
    with one_blas_thread():
        return Orbit(later, solve(Shooting(later), point))


def _outputs(orbit: Orbit, of: Mapping[str, str]) -> dict[str, Reduction | str]:
    simulation = orbit.simulation()
    return check_outputs(of, quantities_of(simulation.system.describe), checks=False)


def _add(branch: Branch, walk: Walk, there: OnBranch, read: Mapping[str, Reduction | str]) -> None:
    outputs: dict[str, Any] = {}
    if read:
        result = there.orbit.result()
        outputs = evaluate(read, result, result.summary)
    branch.add(there, walk.value(there), outputs)
