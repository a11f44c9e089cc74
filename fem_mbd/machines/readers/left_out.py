"""Reports of readers on a machine's files: data left out, with the consequences, and corrected inertia tensors.

A `LeftOutWarning` is about data that a reader does not use. `corrected_inertia` corrects tensors that rounding of their
digits in a file may have made impossible.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Literal, NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning

Platform = Literal["as in the files", "held"]


class LeftOutWarning(FemMbdWarning):
    """Data of a machine's files are not used, or missing; the message states the consequence."""


def leave_out_advice(block: str) -> str:
    """End of a message about a HAWC2 block that is not supported: how to read the machine without it.

    Parameters
    ----------
    block : its name
    """
    return (
        f"to read the machine without it: leave_out=('{block}',) (command line: --leave-out {block}, or of other "
        f"commands than import --set leave_out={block})"
    )


def warn_left_out(source: str, remarks: Iterable[str]) -> None:
    """Issue one warning per remark.

    Parameters
    ----------
    source : the file
    remarks : unused data with their consequences
    """
    for remark in remarks:
        warnings.warn(f"{source}: {remark}", LeftOutWarning, stacklevel=3)


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
