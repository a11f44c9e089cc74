"""Kernels that propagate derivatives through the steps of a path: the calls of every step, and its linear solution.

A dual number is eight consecutive float64, the value and seven derivatives; arrays of them are flat here.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import run_calls
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.compiled.signatures import array3, boolean, index_rows, indices, int64, matrix, vector, void
from fem_mbd.core.compiled.simd import fetch, load8, store8

PREFETCH_ENTRIES = 48  # entries: distance of the prefetch in a large matrix
TOLERANCE = 1e-11  # of the derivatives of the unknowns of a kind: lengths, angles, multipliers
ROUND_OFF = 1e-14  # of the derivatives of places and turns at the start of the step
FORMER_RATIO = 1e-4  # share of former, larger derivatives: where all have died out their round-off is left
# a pass that leaves more than this ratio of the last change has stalled, which is accepted below the tolerance
STALL_RATIO, STALL_TOLERANCE = 0.3, 1e-4
MAX_PASSES = 40
LENGTH, MASS = range(2)  # of `scales`


@kernel(void(matrix, indices, vector))
def take_row(rows, index, target):
    """Copy row ``index[0]`` of ``rows`` to target (n,)."""
    source = rows[index[0]]
    for k in range(target.shape[0]):
        target[k] = source[k]


@kernel(void(vector, indices, matrix))
def put_row(source, index, rows):
    """Copy source (n,) to row ``index[0]`` of ``rows``."""
    target = rows[index[0]]
    for k in range(source.shape[0]):
        target[k] = source[k]


@kernel(void(matrix, indices, vector))
def take_values(rows, index, target):
    """Copy row ``index[0]`` of ``rows`` (…, n) to the values of target (8 n,)."""
    source = rows[index[0]]
    for k in range(source.shape[0]):
        target[WIDTH * k] = source[k]


@kernel(void(vector, indices, vector))
def gather(data, places, target):
    """Copy the entries of data at the indices ``places`` (n,) to target (n,)."""
    last = places.shape[0] - 1
    for k in range(places.shape[0]):
        fetch(data, places[min(k + PREFETCH_ENTRIES, last)])
        target[k] = data[places[k]]


@kernel(void(vector, indices, indices, matrix))
def gather_lanes(source, places, index, rows):
    """Copy the numbers with derivatives at ``places`` (k,) of source to row ``index[0]`` of ``rows`` (…, 8 k)."""
    target = rows[index[0]]
    for k in range(places.shape[0]):
        store8(target, WIDTH * k, load8(source, places[k]))


@kernel(void(vector, vector, vector, array3, indices, vector))
def energy_of_last(v, omega, mass, inertia, index, sizes):
    """sizes[index[0]] = v' M v of the last derivatives of the velocities v, omega (24 n,) of nodes."""
    energy = 0.0
    for n in range(mass.shape[0]):
        first = 3 * WIDTH * n + WIDTH - 1
        for i in range(3):
            energy += mass[n] * v[first + WIDTH * i] ** 2
            for j in range(3):
                energy += omega[first + WIDTH * i] * inertia[n, i, j] * omega[first + WIDTH * j]
    sizes[index[0]] = energy


@kernel(boolean(index_rows, indices, int64, int64))
def repeat(calls, index, first, stop):
    """Make a list of calls for the steps from ``first`` to ``stop`` - 1, whose number is in ``index``."""
    for k in range(first, stop):
        index[0] = k
        if not run_calls(calls):
            return False
    return True


@kernel
def _largest(numbers, largest):
    """Larger ones of ``largest`` (8,) and the sizes of numbers (8 n,), component by component."""
    for k in range(0, numbers.shape[0], WIDTH):
        for component in range(WIDTH):
            largest[component] = max(largest[component], abs(numbers[k + component]))


@kernel
def _of_state(u, r, scales, largest, floor):
    """floor (3, 8): what round-off makes of derivatives of lengths, angles and multipliers in the step."""
    places, turns = np.zeros(WIDTH), np.zeros(WIDTH)
    _largest(u, places)
    _largest(r, turns)
    length, mass = scales[LENGTH], scales[MASS]
    for component in range(WIDTH):
        size = max(places[component], length * turns[component])
        largest[component] = max(largest[component], size)
        size += FORMER_RATIO * largest[component]
        floor[0, component] = ROUND_OFF * size
        floor[1, component] = ROUND_OFF * size / length
        floor[2, component] = ROUND_OFF * size * mass


@kernel
def _common_size(sizes, scales, component):
    """The derivatives of lengths, angles and multipliers in the step as a length, the largest of the three.

    Multipliers, times dt^2, are masses times lengths. What is exactly zero in one kind of them, as the motion of a
    driven mechanism is, has the round-off of the others.
    """
    length, mass = scales[LENGTH], scales[MASS]
    return max(sizes[0, component], length * sizes[1, component], sizes[2, component] / mass)


@kernel
def _left(y, change, unit, scales, floor, sizes, changes):
    """The change in units of what may be left, the worst of all directions and kinds; nan where it is not finite."""
    for kind in range(3):
        for component in range(WIDTH):
            sizes[kind, component] = changes[kind, component] = 0.0
    finite = 0.0
    for k in range(unit.shape[0]):
        kind, first = unit[k], WIDTH * k
        for component in range(WIDTH):
            sizes[kind, component] = max(sizes[kind, component], abs(y[first + component]))
            changes[kind, component] = max(changes[kind, component], abs(change[first + component]))
            finite += 0.0 * change[first + component]
    if not finite == 0.0:
        return np.nan
    left, units = 0.0, (1.0, 1.0 / scales[LENGTH], scales[MASS])
    for component in range(1, WIDTH):
        common = ROUND_OFF * _common_size(sizes, scales, component)
        for kind in range(3):
            size = changes[kind, component]
            allowed = TOLERANCE * sizes[kind, component] + floor[kind, component] + common * units[kind]
            if size > 0.0:
                left = max(left, size / allowed if allowed > 0.0 else np.inf)
    return left


@kernel
def _subtract(change, y):
    """Subtract from derivatives, not from values."""
    for first in range(0, y.shape[0], WIDTH):
        for component in range(1, WIDTH):
            y[first + component] -= change[first + component]


@kernel
def _solve(residual, solve, y, change, unit, scales, largest, floor):
    """Solve for the derivatives of the unknowns of a step until what is left of the equations changes them no more.

    How often that was done; zero where it does not succeed.
    """
    sizes, changes = np.zeros((3, WIDTH)), np.zeros((3, WIDTH))
    done, last = 0, np.inf
    while True:
        if not (run_calls(residual) and run_calls(solve)):
            return 0
        left = _left(y, change, unit, scales, floor, sizes, changes)
        stalled = done > 1 and not left < STALL_RATIO * last
        if done > 0 and (left <= 1.0 or (stalled and left * TOLERANCE < STALL_TOLERANCE)):
            for component in range(WIDTH):
                largest[component] = max(largest[component], _common_size(sizes, scales, component))
            return done
        if stalled or done > MAX_PASSES or np.isnan(left):
            return 0
        last = left
        done += 1
        _subtract(change, y)


@kernel
def _solve_as_often(residual, solve, ending, y, change, times):
    """The same so many times, and then what the end of the step needs of the equations."""
    for _ in range(times):
        if not (run_calls(residual) and run_calls(solve)):
            return False
        _subtract(change, y)
    return run_calls(ending)


class Lists(NamedTuple):
    """Lists of the calls of a step, the tables of `CallList` objects."""

    before: Annotated[Any, index_rows]  # up to the unknowns
    residual: Annotated[Any, index_rows]  # the equations
    solve: Annotated[Any, index_rows]  # for the change of the unknowns
    ending: Annotated[Any, index_rows]  # those of the equations that the end of a step needs
    after: Annotated[Any, index_rows]  # from there on


class Unknowns(NamedTuple):
    """Unknowns of a step with derivatives, m, rad and multipliers times dt^2."""

    y: Annotated[Any, vector]  # (8 size,)
    change: Annotated[Any, vector]  # (8 size,) what is subtracted from the derivatives
    unit: Annotated[Any, indices]  # (size,) kind of each


class Start(NamedTuple):
    """The start of a step, with derivatives."""

    u: Annotated[Any, vector]  # (24 n,) m, positions of n nodes
    r: Annotated[Any, vector]  # (72 n,) rotations


@kernel(int64(Lists, indices, int64, int64, Unknowns, Start, vector, vector, indices))
def propagate(lists, index, first, stop, unknowns, start, scales, largest, solutions):
    """Carry derivatives through the steps from ``first`` to ``stop`` - 1; the step that failed, else ``stop``.

    Parameters
    ----------
    index : (1,) is given the number of the step
    scales, largest : (2,) the model's length (m) and mass (kg); (8,) derivatives in any step so far, as lengths
    solutions : (steps,) how often each step's equations are solved; zero: until nothing changes, and it is put down
    """
    before, residual, solve, ending, after = lists
    (y, change, unit), (u, r) = unknowns, start
    floor = np.zeros((3, WIDTH))
    for k in range(first, stop):
        index[0] = k
        if not run_calls(before):
            return k
        if solutions[k] > 0:
            if not _solve_as_often(residual, solve, ending, y, change, solutions[k]):
                return k
        else:
            _of_state(u, r, scales, largest, floor)
            solutions[k] = _solve(residual, solve, y, change, unit, scales, largest, floor)
            if solutions[k] == 0:
                return k
        if not run_calls(after):
            return k
    return stop
