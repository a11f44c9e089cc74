"""Correction of inertia tensors read from files, which rounding may have made physically impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array

ROUNDING = 0.01  # of the largest principal moment: what it may lie above the sum of the others


def possible_inertia(inertia: Array, fail: Callable[[str], NoReturn], what: str) -> Array:
    """The inertia (3, 3), its largest principal moment no more than the sum of the others, as every body has it.

    What is too much by rounding is taken off; a moment about one axis alone is left as it is.

    Parameters
    ----------
    inertia : (3, 3) kg m^2, about the mass centre
    fail : raises an error that names file and line
    what : has this inertia, for messages

    Raises
    ------
    InputError
        Naming file and line, for one that is not that of any body.
    """
    moments, axes = np.linalg.eigh(inertia)
    size = float(np.abs(moments).max())
    if moments[0] < -1e-9 * size:
        fail(f"{what}: its inertia has a negative principal moment, {moments[0]:g} kg m^2")
    others = float(moments[0] + moments[1])
    if moments[1] <= 1e-9 * size or moments[2] <= others:
        return inertia
    if moments[2] - others > ROUNDING * moments[2]:
        fail(
            f"{what}: a principal moment of inertia, {moments[2]:g} kg m^2, is {100 * (moments[2] / others - 1):.0f} % "
            f"above the sum of the other two, {moments[0]:g} and {moments[1]:g}, which is impossible: correct a "
            "mistyped value, or take the inertia about the mass centre"
        )
    return np.asarray(axes @ np.diag([moments[0], moments[1], others]) @ axes.T)
