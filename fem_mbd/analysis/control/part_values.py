"""Values, components and units of a part's quantities, read from a state by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from fem_mbd.analysis.control.signal_names import XYZ, SignalName
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.node import Wrench

# of quantities along beams: names of the components, units of the first three and of the last three
ALONG = {
    "section_force": (("N", "V2", "V3", "T", "M2", "M3"), ("N", "N m")),
    "section_strain": (("stretch", "shear2", "shear3", "twist", "bending2", "bending3"), ("1", "1/m")),
}
COMPONENTS: dict[int, Sequence[str]] = {1: (), 3: XYZ}
UNITS = {"displacement": "m", "velocity": "m/s", "angle": "rad", "angular_velocity": "rad/s"}


def read(state: Any, name: SignalName) -> Array:
    """(k,) values of a part's quantity in a state.

    Parameters
    ----------
    state : with the method ``of``
    name : of the quantity

    Raises
    ------
    InputError
        For unknown quantities, and those that are not numbers.
    """
    view = state.of(name.part)
    found = getattr(view, name.quantity)
    if callable(found) and not isinstance(found, scipy.spatial.transform.Rotation):
        if name.at is None:
            raise InputError(
                f"output '{name}': add the position along it, e.g. {name.part}@0.{name.quantity}"
            )
        found = found(at=name.at)
    elif name.at is not None:
        raise InputError(
            f"output '{name}': {name.quantity} is not defined along '{name.part}': leave @{name.at:g} out"
        )
    if isinstance(found, Wrench):
        raise InputError(f"output '{name}': choose {name.part}.force or {name.part}.moment")
    if isinstance(found, scipy.spatial.transform.Rotation):
        raise InputError(f"output '{name}': choose the rotation of a node, or for {name.part}.angle")
    values = np.atleast_1d(np.asarray(found, dtype=float))
    if values.ndim > 1:
        raise InputError(f"output '{name}': {name.quantity} is a table of numbers and cannot be an output")
    return values


def components_of(name: SignalName, size: int) -> Sequence[str]:
    """Names of the components of a quantity with ``size`` numbers.

    Parameters
    ----------
    name : of the output
    size : numbers
    """
    if name.quantity in ALONG:
        return ALONG[name.quantity][0]
    return COMPONENTS.get(size, tuple(map(str, range(size))))


def unit_of(name: SignalName, declared: Any, component: int) -> str:
    """Unit of one component of a quantity.

    Parameters
    ----------
    name : of the output
    declared : the quantity as the part declares it, or None
    component : its index
    """
    if name.quantity in ALONG:
        return ALONG[name.quantity][1][component // 3]
    return str(declared.unit) if declared is not None else UNITS.get(name.quantity, "1")
