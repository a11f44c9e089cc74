"""Steps made without Python: what a block of them tells, and where their outputs go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fem_mbd.base.arrays import Array
from fem_mbd.core.stepping.step_record import StepRecord


@dataclass(frozen=True, eq=False)
class Sink:
    """Where the outputs of a run go.

    Attributes
    ----------
    rows : (…, *shape) by the names of outputs: arrays whose rows are filled one after the other
    every : steps of the run from one row to the next; 0: the block ends at output times, where Python stores them
    """

    rows: Mapping[str, Any]
    every: int


@dataclass(frozen=True, eq=False)
class Block:
    """Steps made one after the other without Python.

    Attributes
    ----------
    first : number of the first of them in the run
    notes : (n,) dtype `time_loop_kernels.NOTE`
    energy : (n, len(LEDGER)) J
    contacts : (n, contacts) dtype `CONTACT_RECORD`
    rules : names that ``notes["rule"]`` numbers
    outputs : rows of outputs that were stored
    begun : whether the step after them has been begun
    """

    first: int
    notes: Any
    energy: Array
    contacts: Any
    rules: tuple[str, ...]
    outputs: int
    begun: bool

    @property
    def index(self) -> int:
        """Of the last step."""
        return self.first + len(self.notes) - 1

    @property
    def time(self) -> float:
        """End of the last step, s."""
        return float(self.notes["time"][-1])

    def record(self, row: int) -> StepRecord:
        """One of the steps.

        Parameters
        ----------
        row : its number among them, from 0
        """
        end, dt, rule, iterations, factorisations, round_off = self.notes[row].item()
        return StepRecord(
            self.first + row, end, dt, self.rules[rule], iterations, factorisations, 0, self.energy[row].copy(),
            round_off, self.contacts[row].copy(),
        )  # fmt: skip

    def records(self) -> Iterator[StepRecord]:
        """The steps, one by one."""
        return map(self.record, range(len(self.notes)))
