"""Class `Entries`: mappings of a YAML file that know their path, for messages about missing or wrong entries.

Also the points of a reference axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError


class Entries(dict[str, Any]):
    """A mapping of a file, and those inside it; a missing key is an InputError that names its path.

    Schemas leave many keys and the lengths of lists open; entries are checked here when they are used.

    Attributes
    ----------
    where : the file's path and the keys of the mapping
    """

    def __init__(self, part: dict[str, Any], where: str, mark: str = ": ") -> None:
        super().__init__()
        self.where = where
        for key, value in part.items():
            nested = isinstance(value, dict)
            self[key] = Entries(value, f"{where}{mark}{key}", ".") if nested else value

    def __missing__(self, key: str) -> Any:
        raise InputError(f"{self.where}: there is no '{key}'")

    def part(self, key: str) -> Entries:
        """The mapping `key`; an empty one where it is missing."""
        value = self.get(key, Entries({}, f"{self.where}.{key}"))
        if not isinstance(value, Entries):
            raise InputError(f"{self.where}: '{key}' must be a mapping, not {value!r:.60}")
        return value

    def number(self, key: str, otherwise: float | None = None) -> float:
        """The finite number `key`; `otherwise`, if given, where it is missing."""
        value = self[key] if otherwise is None else self.get(key, otherwise)
        return float(self._finite(key, value, 1, 1)[0])

    def numbers(self, key: str, least: int, most: int, otherwise: Array | None = None) -> Array:
        """(most,) finite numbers of the list `key`, which has `least` of them or more; missing ones are zero."""
        value = self[key] if otherwise is None else self.get(key, otherwise)
        numbers = self._finite(key, value, least, most)
        return np.concatenate([numbers, np.zeros(most - numbers.size)])

    def table(self, *needed: str) -> dict[str, Array]:
        """The columns of a table over its grid; InputError for different lengths or entries that are not numbers."""
        try:
            columns = {key: np.asarray(self[key], dtype=float) for key in ("grid", *needed, *self)}
        except InputError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{self.where}: give lists of numbers") from error
        grid = columns["grid"]
        for key, values in columns.items():
            if values.shape != grid.shape or not np.all(np.isfinite(values)):
                raise InputError(
                    f"{self.where}: '{key}' has to be {grid.size} finite numbers, one for each of 'grid'"
                )
        if grid.ndim != 1 or grid.size < 2 or np.any(np.diff(grid) < 0.0):
            raise InputError(f"{self.where}: 'grid' has to be two numbers or more that ascend")
        return columns

    def _finite(self, key: str, value: Any, least: int, most: int) -> Array:
        try:
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError, OverflowError):
            numbers = np.array([np.nan])
        if numbers.ndim != 1 or not least <= numbers.size <= most or not np.all(np.isfinite(numbers)):
            count = f"{least}" if least == most else f"{least} to {most}"
            raise InputError(
                f"{self.where}: '{key}' has to be finite numbers, {count} of them, not {value!r:.60}"
            )
        return numbers


def reference_points(axis: Entries) -> tuple[Array, Array]:
    """Grid (n,) and points (n, 3) of a reference axis, m."""
    tables = [axis.part(c).table("values") for c in "xyz"]
    grid = np.unique(np.concatenate([table["grid"] for table in tables]))
    points = [np.interp(grid, table["grid"], table["values"]) for table in tables]
    return grid, np.stack(points, axis=1)
