"""Function `continuation`: branch of periodic motions over a parameter of the model.

The last motion is stored beside a branch's table; a later call continues from it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.periodic.arc_length import ArcLengthContinuation, OnBranch, StepLengths
from fem_mbd.analysis.periodic.newton import solve
from fem_mbd.analysis.periodic.orbit import Family, Orbit
from fem_mbd.analysis.periodic.problem import Point
from fem_mbd.analysis.periodic.shooting import PERIOD, Shooting
from fem_mbd.applications.continuation.branch import ORBIT_COLUMNS, TABLE, Branch
from fem_mbd.applications.sweeps.outputs import Reduction, check_outputs, evaluate, quantities_of, unit_of
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.errors import InputError
from fem_mbd.runs.running.interruption import Interrupted
from fem_mbd.runs.running.progress import StatusLine

LAST = "last.npz"
RANGE_TOLERANCE = 1e-6  # fraction of the range by which a branch may begin outside of it
FIRST_STEP, LARGEST_STEP = 0.05, 0.2  # over the range of the parameter, or the amplitude
SMALLEST_SHARE = 1e-3  # of the first step: the shortest one
FREQUENCY = "frequency"  # continuation parameter of a family of free motions


class Resumption:
    """Table and last motion stored in a folder, to continue a branch.

    Parameters
    ----------
    folder : created if necessary
    along, outputs : columns of the table

    Attributes
    ----------
    complete : whether the branch has reached its end

    Raises
    ------
    InputError
        When the folder holds a branch with other columns, or files that cannot be read.
    """

    def __init__(self, folder: Path, along: str, outputs: tuple[str, ...]):
        self._folder, self._along, self._outputs = folder, along, outputs
        folder.mkdir(parents=True, exist_ok=True)
        self._rows: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {}
        self.complete = False
        if (folder / LAST).exists():
            self._read()

    def _read(self) -> None:
        try:
            with np.load(self._folder / LAST, allow_pickle=False) as stored:
                self._last = {name: stored[name] for name in stored.files}
            with (self._folder / TABLE).open(newline="", encoding="utf-8") as stream:
                self._rows = [_numbers(row) for row in csv.DictReader(stream)]
            self.complete = bool(self._last["complete"])
            del self._rows[
                int(self._last["rows"]) :
            ]  # written by a process that was ended before the motion was
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                f"{self._folder}: the branch in it cannot be read ({error}): give another folder, or remove it"
            ) from error
        expected = list(dict.fromkeys([self._along, *ORBIT_COLUMNS, *self._outputs]))
        if self._rows and list(self._rows[0]) != expected:
            raise InputError(
                f"{self._folder} holds a branch with the columns {', '.join(self._rows[0])}: give another folder, or "
                "the same parameter and outputs"
            )

    def branch(self) -> Branch:
        """A branch with the stored rows."""
        return Branch(self._along, self._outputs, rows=list(self._rows))

    def last(self, arc_length: ArcLengthContinuation) -> OnBranch:
        """The last motion, run again.

        Raises
        ------
        InputError
            When it belongs to another model.
        """
        stored = self._last
        names = [str(name) for name in stored["names"]]
        values = dict(zip(names, stored["values"].tolist(), strict=True))
        model = arc_length.shooting.problem.arcs(values, float(stored["period"]))
        states = []
        for flat in stored["states"]:
            state = model.reference()
            state.fill_from_flat(flat)
            states.append(state)
        point = Point(tuple(states), values, float(stored["period"]), float(stored["gain"]))
        arc_length.length = float(stored["length"])
        return arc_length.restored(
            point, stored["y"], dict(zip(arc_length.family.names, stored["others"].tolist(), strict=True))
        )

    def write(
        self, branch: Branch, last: OnBranch, arc_length: ArcLengthContinuation, complete: bool = False
    ) -> None:
        """Write the table and a motion; both replace earlier ones."""
        branch.write(self._folder)
        point, direction = last.orbit.solution.point, last.direction
        new = self._folder / f"{LAST}.new.npz"
        np.savez(
            new,
            states=np.array([state.to_flat() for state in point.states]),
            names=np.array(list(point.values), dtype=str),
            values=np.array(list(point.values.values()), dtype=float),
            period=point.period,
            gain=point.gain,
            y=direction.y,
            others=np.array([direction.others[name] for name in arc_length.family.names]),
            length=arc_length.length,
            complete=complete,
            rows=len(branch.rows),
        )
        os.replace(new, self._folder / LAST)


def _numbers(row: dict[str, str]) -> dict[str, Any]:
    """Cells of the table, converted to numbers where possible."""
    numbers: dict[str, Any] = {}
    for name, cell in row.items():
        try:
            numbers[name] = int(cell) if name == "stable" else cell if name == "event" else float(cell)
        except ValueError:
            numbers[name] = None if cell == "" else cell
    return numbers


def continuation(
    orbit: Orbit,
    along: str,
    within: tuple[float, float],
    *,
    of: Mapping[str, str] | None = None,
    down: bool = False,
    points: int = 500,
    step: float | tuple[float, float] = (FIRST_STEP, LARGEST_STEP),
    bifurcations: bool = True,
    folder: str | Path | None = None,
    progress: bool | None = None,
) -> Branch:
    """Follow a branch of periodic motions as a parameter changes, also around folds.

    Parameters
    ----------
    orbit : first motion; also a bifurcation's `OnBranch.switched`
    along : name of a parameter, or "frequency" of a family of free motions
    within : range of its values, in which the branch is followed in one direction from the first motion (``down``)
    of : outputs by name: texts as of a sweep's outputs, ``"max(Q.normal_force)"``, of a run over one period
    down : whether the parameter decreases at first; of free motions the amplitude, down to rest
    points : largest number of motions
    step : first step, or first and largest one, of the parameter over the width of ``within``, or of the motion
        relative to its amplitude; where the branch bends, steps are shorter
    bifurcations : whether they are located
    folder : for the table, written as the branch is followed; a table in it is continued from its last motion
    progress : None shows motions, the parameter and the remaining time on a terminal, True also elsewhere, False
        nowhere

    Raises
    ------
    InputError
        For invalid arguments, and parameters and outputs that the model does not have.
    SolverFailure
        When there are no derivatives at the first motion. A branch that is lost later is not an error: `Branch.lost`.
    Interrupted
        On Ctrl-C; its ``kept`` is the branch so far, and with a ``folder`` the same call goes on.
    """
    low, high = (finite(value, "continuation: within") for value in within)
    if not low < high:
        raise InputError(f"continuation: within is ({low:g}, {high:g}): give the smaller value first")
    lengths = _lengths(step)
    family = family_of(orbit, along, high - low)
    first = orbit.values.get(along, orbit.frequency)
    if not low - RANGE_TOLERANCE * family.scale <= first <= high + RANGE_TOLERANCE * family.scale:
        raise InputError(
            f"continuation: the branch begins at {along} = {first:.9g}, outside of within, {low:g} to {high:g}"
        )
    orbit = _in_phase(orbit, along, (low, high))
    reductions, units = _outputs(orbit, of or {})
    max_points = whole_number(points, "continuation: points", 2)
    with one_blas_thread():
        arc_length = ArcLengthContinuation(
            Shooting(orbit.problem), family, (low, high), lengths, locate=bifurcations
        )
        branch = _follow(arc_length, orbit, along, reductions, down, max_points, folder, progress)
    branch.units |= units
    return branch


def _lengths(step: float | tuple[float, float]) -> StepLengths:
    """Steps along the branch, from the first one or the first and the largest one."""
    lengths = tuple(step) if isinstance(step, tuple | list) else (step, None)
    if len(lengths) != 2:
        raise InputError(f"continuation: step is {step!r}: give the first step, or (first, largest)")
    first = positive(lengths[0], "continuation: step")
    largest = (
        max(first, LARGEST_STEP) if lengths[1] is None else positive(lengths[1], "continuation: largest step")
    )
    if largest < first:
        raise InputError(f"continuation: step is ({first:g}, {largest:g}): give the smaller one first")
    return StepLengths(first, SMALLEST_SHARE * first, largest)


def _follow(
    arc_length: ArcLengthContinuation,
    orbit: Orbit,
    along: str,
    reductions: dict[str, Reduction | str],
    down: bool,
    max_points: int,
    folder: str | Path | None,
    progress: bool | None,
) -> Branch:
    """The branch of at most ``max_points`` motions, continued from a table in ``folder`` if there is one."""
    saved = None if folder is None else Resumption(Path(folder), along, tuple(reductions))
    branch = Branch(along, tuple(reductions)) if saved is None else saved.branch()
    if not branch.rows:
        start = arc_length.first(orbit.solution, -1.0 if down else 1.0)
        _add(branch, arc_length, start, reductions)
    else:
        assert saved is not None
        if saved.complete:
            return branch
        start = saved.last(arc_length)
    display = _Display(branch, arc_length.bounds, max_points, progress)
    try:
        for motion in arc_length.motions(start, max_points - len(branch.rows)):
            _add(branch, arc_length, motion, reductions)
            if saved is not None and not motion.event:
                saved.write(branch, motion, arc_length)
            display.show()
    except KeyboardInterrupt as interrupt:
        where = "in error.kept; with folder= the same call would go on" if folder is None else f"in {folder}"
        more = "" if folder is None else ": repeat the same call, which goes on from the last one"
        raise Interrupted(
            f"continuation: interrupted; {len(branch.rows)} motions are kept {where}{more}", branch
        ) from interrupt
    display.finish()
    branch.lost = arc_length.lost
    if saved is not None:
        saved.write(
            branch, branch.points[-1] if branch.points else start, arc_length, complete=arc_length.ended
        )
    return branch


class _Display:
    """Shows how far a branch has been followed.

    Parameters
    ----------
    branch : it grows while it is followed
    bounds : of the parameter
    most : largest number of motions
    progress : as for `StatusLine`
    """

    def __init__(self, branch: Branch, bounds: tuple[float, float], most: int, progress: bool | None):
        self._branch, self._bounds, self._most = branch, bounds, most
        self._line, self._before = StatusLine(progress), len(branch.rows)

    def show(self) -> None:
        """After a motion was found."""
        self._line.update(self._text)

    def finish(self) -> None:
        """The branch has ended."""
        self._line.finish(f"{self._branch!r}"[1:-1])

    def _text(self) -> str:
        rows, along = self._branch.rows, self._branch.along
        first, last = rows[0][along], rows[-1][along]
        end = self._bounds[int(last > first)]
        # a branch turns round at folds, so that the time is an estimate from the part of the range that is covered
        covered = (last - first) / (end - first) if end != first else 0.0
        made = max(len(rows) - self._before, 1)
        text = f"continuation: {len(rows)} motions of at most {self._most}, {along} = {last:.6g}, "
        return text + f"{self._line.seconds / made:.2g} s each, {self._line.left(covered)}"


def family_of(orbit: Orbit, along: str, width: float) -> Family:
    """The family of problems along a branch from a motion: its continuation parameter and unknowns."""
    moving, free = orbit.problem.period_of is None, orbit.problem.free
    if along == FREQUENCY and free and along not in orbit.values:
        return Family(PERIOD, 1.0, moving=False, free=True)
    if along not in orbit.values:
        raise InputError(
            f"continuation: there is no parameter {along!r}; {nearest(along, list(orbit.values))}"
        )
    return Family(along, width, moving=moving, free=free)


def _in_phase(orbit: Orbit, along: str, within: tuple[float, float]) -> Orbit:
    """The motion, shifted by whole periods so that motions of the whole range begin after the problem's start."""
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


def _outputs(orbit: Orbit, of: Mapping[str, str]) -> tuple[dict[str, Reduction | str], dict[str, str]]:
    """The outputs and their units, by name."""
    quantities = quantities_of(orbit.simulation().system.describe)
    reductions = check_outputs(of, quantities, checks=False)
    return reductions, {name: unit_of(output, quantities) for name, output in reductions.items()}


def _add(
    branch: Branch,
    arc_length: ArcLengthContinuation,
    motion: OnBranch,
    reductions: Mapping[str, Reduction | str],
) -> None:
    outputs: dict[str, Any] = {}
    if reductions:
        result = motion.orbit.result()
        outputs = evaluate(reductions, result, result.summary)
    branch.add(motion, arc_length.value(motion), outputs)
