"""Recorded histories as the source of views by part, and interpolation of states between the recorded ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.node import MOTION, rotation_matrices
from fem_mbd.runs.results.views.part_access import PartAccess
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.states import extract_quantity, not_recorded
from fem_mbd.runs.results.views.step_motion import Motion, within_step

MAX_SINGLE_READS = 16  # instants: up to this number they are read one by one from a file


class Recorded(Protocol):
    """Protocol: the part of `Columns` needed here."""

    def __contains__(self, key: object) -> bool: ...

    def __len__(self) -> int: ...

    def select(self, key: str, items: Indices, start: int = 0, stop: int | None = None) -> Array: ...

    def names(self) -> tuple[str, ...]: ...


class History(PartAccess):
    """All recorded states of a run.

    times : (m,) s; index : (m,) their step numbers; begin : s, time of ``initial``, the state before the first step
    """

    def __init__(
        self,
        table: PartTable,
        outputs: Recorded,
        times: Array,
        index: Indices,
        begin: float,
        initial: Mapping[str, Array],
    ) -> None:
        self.table, self.outputs, self.times, self.index = table, outputs, times, index
        self.begin, self.initial = begin, initial

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        self.check(output)
        return extract_quantity(self.outputs.select(output.name, rows), output, quantity)

    def at(self, time: ArrayLike) -> Instants:
        """States at one time or several (k,); InputError outside the run and between thinned records."""
        return Instants(self, time)

    def check(self, output: Output) -> None:
        """Raise InputError when an output was not recorded."""
        if output.name not in self.outputs:
            raise not_recorded(output.name, self.outputs.names())

    def recorded(self, name: str, records: Indices, rows: Indices) -> Array:
        """(k, rows, …) at the records (k,), counted from 0; -1 is the state before the first."""
        some = np.unique(records[records >= 0])
        # the state before the first step is read only on demand: it may be damaged
        begins = bool((records < 0).any()) or not len(some)
        one = (
            self.initial[name][rows]
            if begins
            else self.outputs.select(name, rows, int(some[0]), int(some[0]) + 1)[0]
        )
        values = np.empty((len(records), *one.shape), one.dtype)
        values[records < 0] = one
        if not len(some):
            return values
        if len(some) <= MAX_SINGLE_READS:
            for record in some:
                values[records == record] = self.outputs.select(name, rows, int(record), int(record) + 1)[0]
        else:
            whole = self.outputs.select(name, rows, int(some[0]), int(some[-1]) + 1)
            values[records >= 0] = whole[records[records >= 0] - some[0]]
        return values


class Instants(PartAccess):
    """States at given times: recorded values at the ends of steps, the scheme's polynomials within steps.

    times : (k,) s, or () for a single time
    """

    def __init__(self, history: History, time: ArrayLike) -> None:
        self.history, self.table = history, history.table
        self.times = np.asarray(time, dtype=float)
        requested, ends = np.atleast_1d(self.times), history.times
        last = float(ends[-1]) if len(ends) else history.begin
        wrong = ~((requested >= history.begin) & (requested <= last))
        if requested.ndim > 1 or wrong.any():
            which = f"t = {float(requested[wrong].flat[0]):.9g} s" if wrong.any() else "times of this shape"
            raise InputError(f"{which}: the run goes from {history.begin:.9g} to {last:.9g} s")
        # record at the end of the step that contains the time; -1 at the start
        self._record = np.where(requested == history.begin, -1, np.searchsorted(ends, requested, side="left"))
        grid = np.concatenate([[history.begin], ends])
        self._dt = np.where(self._record < 0, 1.0, grid[self._record + 1] - grid[self._record])
        self._fraction = np.where(self._record < 0, 1.0, (requested - grid[self._record]) / self._dt)
        self._fraction[requested == grid[self._record + 1]] = 1.0
        self._check_steps(requested)

    def at(self, time: ArrayLike) -> Instants:
        """The same run at other times."""
        return Instants(self.history, time)

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        self.history.check(output)
        if quantity.within == "scheme" and (self._fraction < 1.0).any():
            found = self._of_nodes(output.name, rows)
        else:
            found = self._between(output, quantity, rows)
        return found if self.times.ndim else found[0]

    def _check_steps(self, requested: Array) -> None:
        """Raise InputError for a time between records that are more than one step apart."""
        steps = np.concatenate([[0], self.history.index])
        apart = np.diff(steps)[np.maximum(self._record, 0)] if len(steps) > 1 else np.ones(1)
        inside = (self._fraction < 1.0) & (apart > 1)
        if inside.any():
            raise InputError(
                f"t = {float(requested[inside][0]):.9g} s lies between recorded states that are "
                f"{int(apart[inside][0])} steps apart; states between them are unknown: run with "
                "record_every=1, or choose one of output_time"
            )

    def _between(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        after_all: Any = self.history.recorded(output.name, self._record, rows)
        after = extract_quantity(after_all, output, quantity)
        if quantity.within != "linear" or not (self._fraction < 1.0).any():
            return after
        if quantity.start:
            before = after_all[quantity.start]
        else:
            previous = self.history.recorded(output.name, np.maximum(self._record - 1, -1), rows)
            before = extract_quantity(previous, output, quantity)
        part = self._fraction.reshape(-1, *(1,) * (after.ndim - 1))
        return np.asarray(np.where(part < 1.0, before + part * (after - before), after))

    def _of_nodes(self, name: str, rows: Indices) -> Array:
        for needed in MOTION:
            self.history.check(self.table.outputs[needed])
        centre = np.array([self.table.model["nodes"][n].get("centre", (0.0, 0.0, 0.0)) for n in rows])
        before = self._motion(np.maximum(self._record - 1, -1), rows)
        inside = within_step(
            before, self._motion(self._record, rows), self._dt, self._fraction, centre.reshape(-1, 3)
        )
        exact = self.history.recorded(name, self._record, rows)
        if name == "quaternion":
            q = (
                scipy.spatial.transform.Rotation.from_matrix(inside.rotation.reshape(-1, 3, 3))
                .as_quat()
                .reshape(exact.shape)
            )
            found = np.roll(q, 1, axis=-1)
            found = np.where(found[..., :1] < 0, -found, found)
        else:
            found = getattr(inside, name)
        at_end = (self._fraction == 1.0).reshape(-1, 1, 1)
        return np.asarray(np.where(at_end, exact, found))

    def _motion(self, records: Indices, rows: Indices) -> Motion:
        position, quaternion, velocity, omega = (self.history.recorded(n, records, rows) for n in MOTION)
        return Motion(position, rotation_matrices(quaternion), velocity, omega)
