"""Jumps of prescribed motions: an error, or carried out by one step with its work in the energy balance.

A body cannot be at two positions at one instant. Where a jump is allowed, the step that begins there starts from the
value before it and ends at a value after it: the scheme moves the body through the jump within that step. The driver's
work is exact for it, as for any other motion. The work on the body's own inertia is dissipated within the step and
grows as the step decreases (a mass m displaced by d in a step of dt needs 2 m d^2/dt^2); the work on springs and beams
is stored, and converges as the step decreases.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import inf

import numpy as np

from fem_mbd.core.model.time_functions.base import TimeFunction
from fem_mbd.core.model.time_functions.inputs import held
from fem_mbd.core.model.time_functions.values import is_at
from fem_mbd.errors import InputError

JUMP = 1e-9  # fraction of the function's largest value near its breakpoints: smaller jumps are round-off
MAX_ROTATION = 0.9 * np.pi  # rad: largest rotation of a node in a step of the scheme


def jumps_of(function: TimeFunction | None, what: str, allowed: bool, most: float = inf) -> tuple[float, ...]:
    """The times (s) among a function's breakpoints at which its value jumps.

    Jumps of the rate do not count: they are impacts, which the scheme resolves. Jumps of a plain callable are not
    detected.

    Parameters
    ----------
    function : of time; None has no jumps
    what : the prescribed quantity, for messages
    allowed : whether it may jump
    most : largest jump that a step can carry out

    Raises
    ------
    InputError
        For a piecewise constant input, and for a jump that is not allowed, is too large, or is not after t = 0, where
        runs start from the reference configuration.
    """
    jumps: list[float] = []
    if function is None:
        return ()
    if jumping := held(function):
        raise InputError(
            f"{what}: input '{jumping[0]}' jumps when it is set, which a prescribed motion must not: create it with "
            'within="linear", or prescribe a speed'
        )
    size = _size(function)
    for t in function.breakpoints():
        before, after = np.asarray(function.value(t, -1)), np.asarray(function.value(t, +1))
        jump = float(np.abs(after - before).max())
        if jump <= JUMP * size:
            continue
        message = f"{what} jumps by {jump:.3g} at t = {t:g} s"
        if not allowed:
            raise InputError(
                f"{message}: the work of a prescribed motion is infinite there; use a continuous transition, e.g. "
                "SmoothStep or a linear Table, or give allow_jumps=True: the step that begins there then carries the "
                "jump out"
            )
        if t <= 0.0:
            raise InputError(
                f"{message}: a jump must be later than t = 0; build the model in the position after the jump"
            )
        if not jump <= most:
            raise InputError(f"{message}: a step rotates by at most {most:.3g} rad; divide the jump")
        jumps.append(t)
    return tuple(jumps)


def _size(function: TimeFunction) -> float:
    """Largest magnitude of a function at its breakpoints and between them."""
    points = sorted(function.breakpoints())
    between = [0.5 * (a + b) for a, b in pairwise([0.0, *points])]
    values = [function.value(t, side) for t in points for side in (-1, +1)] + [
        function.value(t, +1) for t in between
    ]
    return max((float(np.abs(value).max()) for value in values), default=0.0)


def side_at_start(t: float, jumps: Iterable[float]) -> int:
    """The side of time t (s) for the start of a step with a motion that jumps at these instants (s).

    -1, before the jump, at one of them: the step carries the jump out. +1 at any other time.
    """
    return -1 if any(is_at(t, instant) for instant in jumps) else +1
