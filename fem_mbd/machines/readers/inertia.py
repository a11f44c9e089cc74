"""Correction of inertia tensors read from files, which rounding of their digits may have made impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array

# permitted excess of the largest principal moment over the sum of the others, as a fraction of it
ROUNDING = 0.01


def corrected_inertia(inertia: Array, fail: Callable[[str], NoReturn], what: str) -> Array:
    """The inertia (3, 3) with its largest principal moment at most the sum of the others, as for every body.

    A small excess, from rounding, is removed; an inertia about one axis only is not changed.

    Parameters
    ----------
    inertia : (3, 3) kg m^2, about the mass centre
    fail : raises an error that names file and line
    what : name of the body, for messages

    Raises
    ------
    InputError
        Naming file and line, for an inertia that no body can have.
    """
    moments, axes = np.linalg.eigh(inertia)
    size = float(np.abs(moments).max())
    if moments[0] < -1e-9 * size:
        fail(f"{what}: its inertia has a negative principal moment, {moments[0]:g} kg m^2")
    bound = float(moments[0] + moments[1])
    if moments[1] <= 1e-9 * size or moments[2] <= bound:
        return inertia
    if moments[2] - bound > ROUNDING * moments[2]:
        fail(
            f"{what}: a principal moment of inertia, {moments[2]:g} kg m^2, is {100 * (moments[2] / bound - 1):.0f} % "
            f"above the sum of the other two, {moments[0]:g} and {moments[1]:g}, which is impossible: correct a "
            "mistyped value, or take the inertia about the mass centre"
        )
    return np.asarray(axes @ np.diag([moments[0], moments[1], bound]) @ axes.T)
