"""One quantity of one part given by its path, a text: "hinge.angle", "bob.position[2]", "arm.section_force(0.5)[4]".

The form is PART.QUANTITY as in ``result.of(PART).QUANTITY``; (s) for beam quantities at the fraction s of the length;
[k] for the k-th component, counted from 0. Quantities of the current state of a simulation have the same paths.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fem_mbd.base.suggestions import nearest
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.advancing import Advancing
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import PartView
from fem_mbd.runs.results.views.part_access import PartAccess, SingleState
from fem_mbd.runs.results.views.part_table import PartTable

FORM = re.compile(r"\s*(?P<part>.+)\.(?P<name>\w+)(?:\((?:at=)?(?P<at>[-+.\deE]+)\))?(?:\[(?P<k>\d+)\])?\s*")
# units of quantities that views derive from recorded ones; two where a force is followed by a moment
DERIVED = {
    "angle": "rad", "displacement": "m", "position": "m", "velocity": "m/s", "velocity_in_body": "m/s",
    "angular_velocity": "rad/s", "angular_velocity_in_body": "rad/s", "section_force": ("N", "N m"),
    "section_strain": ("1", "1/m"),
}  # fmt: skip
# cache of model descriptions, which take long to compute
_TABLES: WeakKeyDictionary[System, PartTable] = WeakKeyDictionary()


@dataclass(frozen=True)
class QuantityPath:
    """A parsed path.

    Attributes
    ----------
    text : the path as given
    part, name : of the quantity
    at : fraction of a beam's length, None for all others
    component : counted from 0, None for all
    """

    text: str
    part: str
    name: str
    at: float | None
    component: int | None

    @classmethod
    def read(cls, text: str) -> QuantityPath:
        """Parse a path; InputError when it is not valid."""
        match = FORM.fullmatch(text)
        if match is None:
            raise InputError(f"{text!r} is not a path of a quantity: write PART.QUANTITY or PART.QUANTITY[k]")
        at, k = match["at"], match["k"]
        try:
            position = None if at is None else float(at)
        except ValueError:
            raise InputError(f"{text!r}: {at} is not a fraction of a beam's length") from None
        return cls(text.strip(), match["part"], match["name"], position, None if k is None else int(k))

    def value(self, states: PartAccess) -> Any:
        """A float, or an array of all components, of one state.

        Raises
        ------
        InputError
            When there is no such part, quantity or component; the message suggests the nearest name.
        """
        values = np.asarray(self._evaluate(states.of(self.part)))
        if self.component is not None:
            if values.ndim != 1 or self.component >= len(values):
                size = f"{len(values)} components, counted from 0" if values.ndim == 1 else "no components"
                raise InputError(f"{self.text!r}: {self.name} has {size}")
            values = values[self.component]
        return float(values) if values.ndim == 0 else values

    def unit(self, states: PartAccess) -> str:
        """SI unit, "1" for dimensionless numbers."""
        view = states.of(self.part)
        unit = DERIVED.get(self.name)
        if unit is None or self.name in view.quantities:
            return str(view.quantities[self.name].unit) if self.name in view.quantities else "1"
        return unit if isinstance(unit, str) else unit[(self.component or 0) >= 3]

    def _evaluate(self, view: PartView) -> Any:
        known = [name for name in dir(view) if not name.startswith("_")]
        if self.name not in known:
            raise InputError(
                f"{self.text!r}: '{view.name}' has no {self.name!r}; {nearest(self.name, known)}"
            )
        value = getattr(view, self.name)
        if callable(value):
            value = value() if self.at is None else value(self.at)
        elif self.at is not None:
            raise InputError(
                f"{self.text!r}: {self.name} is not a quantity along a beam: leave ({self.at:g}) out"
            )
        if not isinstance(value, float | np.ndarray | np.floating):
            raise InputError(f"{self.text!r}: {self.name} is not a number: choose a quantity with a unit")
        return value


def current_state(sim: Advancing) -> SingleState:
    """The simulation's current state."""
    table = _TABLES.get(sim.system)
    if table is None:
        table = _TABLES[sim.system] = PartTable(sim.system.describe())
    return SingleState(table, sim.outputs(), sim.time)


def of_part(sim: Advancing, part: Any) -> Any:
    """`Simulation.of`."""
    return current_state(sim).of(part)


def value_at(sim: Advancing, path: str) -> Any:
    """`Simulation.value`."""
    return QuantityPath.read(path).value(current_state(sim))
