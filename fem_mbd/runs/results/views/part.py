"""Base class of views: quantities of one part, or several of one kind, as attributes under their declared names."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import Entry, own_quantities
from fem_mbd.runs.results.views.states import States, part_dataset, part_table

XYZ_SIZE = 3
# attributes that group a force and a moment, by their ending in the names of both
GROUPS = {
    "reaction": "", "reaction_in_k": "_in_k", "reaction_in_l": "_in_l", "reaction_at_end": "_at_end",
}  # fmt: skip


def canonical(name: str) -> str:
    """The declared name of a quantity: "moment_in_l" of "reaction_in_l.moment", others as they are."""
    group, dot, own = name.partition(".")
    return f"{own}{GROUPS[group]}" if dot and group in GROUPS else name


class UnknownQuantity(InputError, AttributeError):
    """A quantity that a part does not have."""


class PartView:
    """View of one part: every quantity is an attribute, an array with the time as first axis.

    A spring, for instance, has ``length``, ``rate`` and ``force``; a contact ``gap``, ``normal_force``,
    ``friction_force``, ``slip_velocity``, ``normal`` and ``bristle``. `quantities` lists them with units and meanings.
    Several parts add an axis after the time.

    Attributes
    ----------
    name : of the part
    quantities : the available quantities, by name
    """

    def __init__(self, states: States, entry: Entry) -> None:
        self._states = states
        self._entry = entry
        self.name = entry.name
        self._cache: dict[str, Array] = {}
        self._declarations: dict[str, tuple[Output, Quantity, Quantity]] = {}
        for output, declared, own in self._declared():
            self._declarations[own.name] = (output, declared, own)

    @property
    def derived(self) -> dict[str, Quantity]:
        """Quantities that are computed from recorded ones, attributes of the view, by name."""
        return {}

    def _declared(self) -> list[tuple[Output, Quantity, Quantity]]:
        """Outputs of the part, their declared quantities, and these by the names that they have for this part."""
        if not self._entry.members:
            return []
        part = self._entry.members[0]
        outputs = [self._states.table.outputs[name] for name in part["rows"]]
        return [
            (o, q, own) for o in outputs for q, own in zip(o.quantities, own_quantities(part, o), strict=True)
        ]

    @property
    def quantities(self) -> dict[str, Quantity]:
        """Name, unit and meaning of every available quantity."""
        return {name: own for name, (_, _, own) in self._declarations.items()} | self.derived

    def has_rows(self, name: str) -> bool:
        """Whether a quantity has an axis before its components: several positions along the part, or several parts."""
        return self._entry.several or (name in self._declarations and self._declarations[name][0].many)

    def row_title(self, name: str, row: int) -> str:
        """Label of a row of a quantity in figures, e.g. "contribution 2": kind and number, counted from 1."""
        kind = self._declarations[name][0].row if name in self._declarations else "part"
        return f"{kind.replace('_', ' ')} {row + 1}"

    @property
    def time(self) -> Array:
        """(k,) s, times of the values; () for a single time."""
        return self._states.times

    def at(self, time: ArrayLike) -> Self:
        """The same part at the time (s), or at several: see `Result.at`."""
        return type(self)(self._states.at(time), self._entry)

    def value(self, name: str) -> Array:
        """A quantity by name: (time, numbers); for several parts, or several rows of one part, with their axis before
        the numbers.

        Raises
        ------
        InputError
            When the part has no such quantity (the message suggests the nearest one), or it was not recorded.
        """
        name = canonical(name)
        if name in self.derived:
            return np.asarray(attrgetter(name)(self))
        if name not in self._declarations:
            raise UnknownQuantity(f"'{self.name}' has no {name!r}: {nearest(name, self._names())}")
        output, declared, _ = self._declarations[name]
        if name not in self._cache:
            values = self._states.values(output, declared, self._entry.rows(output.name))
            if not (output.many or self._entry.several):
                values = np.take(values, 0, axis=values.ndim - 1 - bool(declared.components))
            self._cache[name] = values
        return self._cache[name]

    def sum(self, name: str) -> Array:
        """Sum over all places (contacts, Gauss points, parts) of a quantity that is one number there, (time,)."""
        if self._over_places("sum", name).components:
            raise InputError(f"'{self.name}': {name} is a vector: resultant({name!r}) is the sum of vectors")
        return np.asarray(self.value(name).sum(axis=-1))

    def resultant(self, name: str) -> Array:
        """Sum over all places of a quantity that is a vector in global axes, (time, 3): force of all contacts."""
        quantity = self._over_places("resultant", name)
        if quantity.width != XYZ_SIZE or quantity.axes != "global":
            in_axes = f"in {quantity.axes} axes" if quantity.axes else "one number"
            raise InputError(
                f"'{self.name}': {name} is {in_axes}: only vectors in global axes have a resultant"
            )
        return np.asarray(self.value(name).sum(axis=-2))

    def largest(self, name: str) -> Array:
        """Largest over all places of a quantity's amount, of vectors of their length, (time,)."""
        quantity = self._over_places("largest", name)
        values = self.value(name)
        return np.asarray(
            np.linalg.norm(values, axis=-1).max(axis=-1)
            if quantity.components
            else np.abs(values).max(axis=-1)
        )

    def _over_places(self, word: str, name: str) -> Quantity:
        """The quantity, checked to have several places."""
        quantity = self.quantities.get(canonical(name))
        if quantity is None:
            raise UnknownQuantity(f"'{self.name}' has no {name!r}: {nearest(name, self._names())}")
        if not self.has_rows(canonical(name)):
            raise InputError(f"'{self.name}': {name} has one place only: leave {word} out")
        return quantity

    def to_pandas(self) -> Any:
        """A table of all quantities, indexed by the time, with units in the columns' names. Needs pandas."""
        return part_table(self)

    def to_xarray(self) -> Any:
        """A Dataset of all quantities with units, meanings and named components. Needs xarray."""
        return part_dataset(self)

    def __getitem__(self, name: str) -> Array:
        return self.value(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.value(name)

    def _names(self) -> list[str]:
        own = [name for name in vars(type(self)) if not name.startswith("_")]
        return sorted({*self._declarations, *self.derived, *own})

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._declarations})

    def __repr__(self) -> str:
        lines = [f"  {name} [{q.unit}]: {q.meaning}" for name, q in self.quantities.items()]
        return "\n".join([f"<{type(self).__name__} of '{self.name}'>", *lines])
