"""Measured histories of a mechanism's quantities, from arrays or a CSV file, and the same quantities of a run.

A file has one line of names followed by numbers in SI units; ``#`` begins a comment. The first column is ``time`` (s),
the others are quantities, ``PART.QUANTITY`` or ``PART.QUANTITY[COMPONENT]``, as in the outputs of a sweep. An empty
entry is a missing value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.applications.fitting.number_table import number_table
from fem_mbd.applications.sweeps.outputs import Quantities, check_outputs
from fem_mbd.applications.sweeps.reduction import LOADS, Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, positive
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result

TIME = "time"
VALUE_TOLERANCE = 1e-12  # share of a history's size by which values that are all the same may differ
Given = Mapping[str, tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]]


@dataclass(frozen=True, eq=False)
class History:
    """Measured values of one quantity.

    Attributes
    ----------
    name : PART.QUANTITY or PART.QUANTITY[COMPONENT]
    time : (n,) s
    values : (n,) in the quantity's unit
    sigma : (n,) standard deviations of the values, in the same unit: the weight of a value is 1/sigma
    """

    name: str
    time: Array
    values: Array
    sigma: Array


def histories(data: Given | str | Path) -> list[History]:
    """Measured histories.

    Parameters
    ----------
    data : name of a quantity to (time, values) or (time, values, sigma), or the path of a CSV file. Sigma, the
        standard deviation of a value, is one number or one for each value; by default it is the standard deviation of
        the history, which gives all histories the same weight whatever their units.

    Raises
    ------
    InputError
        For arrays of unequal length, entries that are not finite, times that do not increase, and unreadable files.
    """
    measured = read_csv(Path(data)) if isinstance(data, (str, Path)) else data
    if not isinstance(measured, Mapping):
        raise InputError(
            f"calibrate: data is {measured!r}: give names of quantities with (times, values), or a file"
        )
    if not measured:
        raise InputError("calibrate: there are no measured histories: give at least one")
    return [_history(name, *arrays) for name, arrays in measured.items()]


def _history(name: str, time: ArrayLike, values: ArrayLike, sigma: ArrayLike | None = None) -> History:
    try:
        t, y = np.array(time, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"history {name}: times and values must be arrays of numbers ({error})") from error
    if t.ndim != 1 or t.shape != y.shape or not len(t):
        raise InputError(f"history {name}: times have shape {t.shape}, values {y.shape}: give (n,) for both")
    if not (np.isfinite(t).all() and np.isfinite(y).all()):
        raise InputError(f"history {name}: not all times and values are finite: leave those rows out")
    if np.any(np.diff(t) <= 0.0):
        raise InputError(f"history {name}: times must increase from row to row")
    spread, size = float(np.std(y)), float(np.abs(y).max())
    spread = spread if spread > VALUE_TOLERANCE * size else size or 1.0
    return History(name, t, y, _deviations(name, len(t), spread if sigma is None else sigma))


def _deviations(name: str, count: int, sigma: Any) -> Array:
    """(count,) standard deviations from one number or one for each value."""
    if np.ndim(sigma) == 0:
        return np.full(count, positive(sigma, f"sigma of history {name}"))
    found = array(sigma, (count,), f"sigma of history {name}")
    if not (found > 0.0).all():
        raise InputError(f"sigma of history {name}: {found.min():g} is not above zero: leave such values out")
    return found


def read_csv(file: Path) -> dict[str, tuple[Array, Array]]:
    """Histories of a file, by the names of its columns; InputError naming the line for invalid entries."""
    names, _, rows = number_table(file, str.strip, lambda _, entry: not entry.strip())
    if not names:
        raise InputError(f"{file}: it is empty")
    if names[0] != TIME or len(names) < 2:
        raise InputError(
            f"{file}: the first line must be '{TIME}' and names of quantities, separated by commas"
        )
    table = np.array(rows).reshape(len(rows), len(names))
    measured = {name: ~np.isnan(table[:, k]) for k, name in enumerate(names)}
    return {name: (table[measured[name], 0], table[measured[name], k]) for k, name in enumerate(names) if k}


class Comparison:
    """Evaluates the quantities of measured histories in a run.

    Parameters
    ----------
    measured : histories
    quantities : of the model's parts
    end_time : s, of the run

    Raises
    ------
    InputError
        For quantities that the model does not have, and times outside the run.
    """

    def __init__(self, measured: list[History], quantities: Quantities, end_time: float):
        self._measured = measured
        reductions: Any = check_outputs({h.name: f"final({h.name})" for h in measured}, quantities)
        self._quantities: dict[str, Reduction] = reductions
        for h in measured:
            if self._quantities[h.name].part == LOADS:
                raise InputError(
                    f"history {h.name}: a load channel cannot be evaluated between steps: use a quantity of a part"
                )
            if h.time[0] < 0.0 or h.time[-1] > end_time:
                raise InputError(
                    f"history {h.name}: it is measured from {h.time[0]:g} to {h.time[-1]:g} s, the run takes 0 to "
                    f"{end_time:g} s: shift the times, or run longer"
                )

    def calculated(self, result: Result) -> Array:
        """(n,) values of the run at the measured times, one history after the other."""
        return np.concatenate([self._quantities[h.name].values_at(result, h.time) for h in self._measured])

    @property
    def values(self) -> Array:
        """(n,) measured values."""
        return np.concatenate([h.values for h in self._measured])

    @property
    def sigma(self) -> Array:
        """(n,) their standard deviations."""
        return np.concatenate([h.sigma for h in self._measured])

    def split(self, values: Array) -> dict[str, Array]:
        """(n,) numbers by the name of their history."""
        ends = np.cumsum([len(h.time) for h in self._measured])[:-1]
        return dict(zip((h.name for h in self._measured), np.split(values, ends), strict=True))
