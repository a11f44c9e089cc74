"""Motions that are given must be continuous: a body cannot be in two places at one instant."""

from __future__ import annotations

import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.model.time_functions import TimeFunction

JUMP = 1e-9  # of the function's size at the instant, or of 1 m or rad: what round-off may leave between the two sides


def refuse_jumps(function: TimeFunction | None, what: str) -> None:
    """InputError, naming ``what`` is given, when the function jumps at one of its breakpoints.

    Jumps of the rate pass: they are impacts, which the scheme resolves. Jumps of a plain callable cannot be seen.
    """
    if function is None:
        return
    for t in function.breakpoints():
        before, after = np.asarray(function.value(t, -1)), np.asarray(function.value(t, +1))
        jump = float(np.abs(after - before).max())
        if not jump <= JUMP * max(1.0, float(np.abs(before).max())):
            raise InputError(
                f"{what} jumps by {jump:.3g} at t = {t:g} s: a motion that is given must be continuous, or its work is "
                "infinite; lead over from one value to the other, e.g. with SmoothStep or a linear Table"
            )
