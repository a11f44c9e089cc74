"""One quantity of one part given by its path, a text: "hinge.angle", "bob.position[2]", "arm.section_force(0.5)[4]".

    PART.QUANTITY               as `result.of(PART).QUANTITY`: hinge.angle, motor.reaction.moment (or motor.moment)
    PART.QUANTITY[k]            component k, counted from 0
    BEAM.QUANTITY(s)[k]         at the fraction s of a beam's length
    PART.QUANTITY[p][k]         at place p, counted from 0, of a quantity with several: contacts of a face, Gauss points
    PART.largest(QUANTITY)      over all places, as `result.of(PART).largest(QUANTITY)`; likewise sum and resultant

Quantities of the current state of a simulation have the same paths.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Advancing
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import GROUPS, PartView, canonical
from fem_mbd.runs.results.views.part_access import PartAccess, SingleState
from fem_mbd.runs.results.views.part_table import PartTable

WORDS = ("largest", "sum", "resultant")  # reductions over several places, methods of `PartView`
_NAME = rf"(?:(?:{'|'.join((*GROUPS, 'support'))})\.)?\w+"
PATH = (
    rf"(?P<part>.+?)\.(?:(?P<word>{'|'.join(WORDS)})\(\s*(?P<of>{_NAME})\s*\)|(?P<name>{_NAME})"
    r"(?:\(\s*(?:at=)?(?P<at>[-+.\deE]+)\s*\))?)\s*(?P<indices>(?:\[\d+\]\s*)*)"
)
FORM = re.compile(rf"\s*{PATH}\s*")
UNITS_ALONG = {  # of quantities at a fraction of a beam's length; two where a force is followed by a moment
    "position": "m", "section_force": ("N", "N m"), "section_strain": ("1", "1/m"),
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
    word : reduction over all places, "" for none
    at : fraction of a beam's length, None for all others
    indices : place and component, as far as they are given
    """

    text: str
    part: str
    name: str
    word: str = ""
    at: float | None = None
    indices: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> QuantityPath:
        """Parse a path; InputError when it is not valid."""
        match = FORM.fullmatch(text)
        if match is None:
            raise InputError(f"{text!r} is not a path of a quantity: write PART.QUANTITY or PART.QUANTITY[k]")
        return cls.of_match(text.strip(), match)

    @classmethod
    def of_match(cls, text: str, match: re.Match[str]) -> QuantityPath:
        """The path of a match of `PATH`; InputError for a position that is not a fraction of a beam's length."""
        at = match["at"]
        try:
            position = None if at is None else float(at)
        except ValueError:
            position = math.nan
        if position is not None and not 0.0 <= position <= 1.0:
            raise InputError(
                f"{text!r}: ({at}) is not a position along a beam: give a fraction of its length, 0 to 1"
            )
        indices = tuple(map(int, re.findall(r"\d+", match["indices"])))
        name = canonical(match["of"] or match["name"])
        return cls(text, match["part"], name, match["word"] or "", position, indices)

    def value(self, states: PartAccess) -> Any:
        """A float, or an array of all places and components, of one state.

        Raises
        ------
        InputError
            When there is no such part, quantity or component; the message suggests the nearest name.
        """
        values = np.asarray(self.values(states.of(self.part)))
        return float(values) if values.ndim == 0 else values

    def values(self, view: PartView) -> Array:
        """(time, places, components) of a part's view, without the axes that it does not have or indices remove.

        Raises
        ------
        InputError
            As for `value`.
        """
        values = np.asarray(self._evaluate(view))
        axes = values.ndim - view.time.ndim
        if len(self.indices) > axes:
            what = "no components" if not axes else f"{axes} indices at most"
            raise InputError(f"{self.text!r}: {self.name} has {what}")
        for index in self.indices:
            size = values.shape[view.time.ndim]
            if index >= size:
                what = "components" if values.ndim == view.time.ndim + 1 else "places"
                raise InputError(f"{self.text!r}: {self.name} has {size} {what}, counted from 0")
            values = values[(slice(None),) * view.time.ndim + (index,)]
        return values

    def unit(self, states: Any) -> str:
        """SI unit, "1" for dimensionless numbers; ``states`` have views of parts (`of`)."""
        unit = UNITS_ALONG.get(self.name)
        if unit is None or self.at is None:
            view = states.of(self.part)
            if self.name in view.quantities:
                return str(view.quantities[self.name].unit)
            if unit is None:
                return "1"
        return unit if isinstance(unit, str) else unit[bool(self.indices) and self.indices[-1] >= 3]

    def _evaluate(self, view: PartView) -> Any:
        if self.word:
            return getattr(view, self.word)(self.name)
        if self.name in view.quantities and self.at is None:
            return view.value(self.name)
        known = [name for name in dir(view) if not name.startswith("_")]
        if self.name not in known:
            raise InputError(
                f"{self.text!r}: '{view.name}' has no {self.name!r}; {nearest(self.name, [*known, *view.quantities])}"
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
