"""Jumps of motions that are given: refused, or carried out by one step whose energy balance counts them.

A body cannot be in two places at one instant. Where a jump is allowed, the step that begins there starts from the value
before it and ends at a value behind it: the scheme moves the body through the jump within that step. The driver's work
is exact for it, like that of any other motion. What the body's own inertia takes of it is lost again within the step
and grows as the step shrinks (a mass m shifted by d in a step of dt takes 2 m d^2/dt^2); what springs and beams take
stays, and does not depend on the step as the step shrinks.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from fem_mbd.core.model.time_functions.base import TimeFunction
from fem_mbd.core.model.time_functions.inputs import held
from fem_mbd.core.model.time_functions.values import is_at
from fem_mbd.errors import InputError

JUMP = 1e-9  # of the function's size at the instant, or of 1 m or rad: what round-off may leave between the two sides
TURN = 0.9 * np.pi  # rad: most that the scheme turns a node in a step


def jumps_of(function: TimeFunction | None, what: str, allowed: bool, most: float = inf) -> tuple[float, ...]:
    """The instants (s) among a function's breakpoints at which its value jumps.

    Jumps of the rate are none: they are impacts, which the scheme resolves. Jumps of a plain callable cannot be seen.

    Parameters
    ----------
    function : of time; None has no jumps
    what : is given by it, for messages
    allowed : whether it may jump
    most : largest jump that a step can carry out

    Raises
    ------
    InputError
        For an input that is held, and for a jump that is not allowed, is too large, or is not behind t = 0, where runs
        start from the reference configuration.
    """
    found: list[float] = []
    if function is None:
        return ()
    if jumping := held(function):
        raise InputError(
            f"{what}: input '{jumping[0]}' jumps when it is set, a motion that is given cannot: make it with "
            'within="linear", or give a speed'
        )
    for t in function.breakpoints():
        before, after = np.asarray(function.value(t, -1)), np.asarray(function.value(t, +1))
        jump = float(np.abs(after - before).max())
        if jump <= JUMP * max(1.0, float(np.abs(before).max())):
            continue
        said = f"{what} jumps by {jump:.3g} at t = {t:g} s"
        if not allowed:
            raise InputError(
                f"{said}: the work of a motion that is given is infinite there; lead over from one value to the other, "
                "e.g. with SmoothStep or a linear Table, or give allow_jumps=True: the step that begins there then "
                "carries the jump out"
            )
        if t <= 0.0:
            raise InputError(f"{said}: a jump must be later than t = 0; build the model where it leads")
        if not jump <= most:
            raise InputError(f"{said}: a step turns by {most:.3g} rad at most; divide the jump")
        found.append(t)
    return tuple(found)


def side_at_start(t: float, jumps: Iterable[float]) -> int:
    """The side of time t (s) from which a step that begins there sees a motion with jumps at these instants (s).

    -1, that before the jump, at one of them: the step carries the jump out. +1 anywhere else.
    """
    return -1 if any(is_at(t, instant) for instant in jumps) else +1
