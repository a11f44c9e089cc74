"""Records of a block of steps made in compiled code, and arrays for their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fem_mbd.base.arrays import Array
from fem_mbd.core.stepping.step_record import StepRecord


@dataclass(frozen=True, eq=False)
class Sink:
    """Arrays for the outputs of a run.

    Attributes
    ----------
    rows : (…, *shape) by the names of outputs: arrays whose rows are filled one after the other
    every : steps of the run from one row to the next; 0: the block ends at output times, where Python stores outputs
    """

    rows: Mapping[str, Any]
    every: int


@dataclass(frozen=True, eq=False)
class Block:
    """Steps made one after the other in compiled code.

    Attributes
    ----------
    first : index of the first of them in the run
    statistics : (n,) dtype `time_loop.STATISTICS`
    energy : (n, len(LEDGER)) J
    contacts : (n, contacts) dtype `CONTACT_RECORD`
    rules : names of the rules, numbered by ``statistics["rule"]``
    outputs : number of rows of outputs that were stored
    next_begun : whether the next step has been begun
    """

    first: int
    statistics: Any
    energy: Array
    contacts: Any
    rules: tuple[str, ...]
    outputs: int
    next_begun: bool

    @property
    def index(self) -> int:
        """Index of the last step in the run."""
        return self.first + len(self.statistics) - 1

    @property
    def time(self) -> float:
        """End of the last step, s."""
        return float(self.statistics["time"][-1])

    def record(self, row: int) -> StepRecord:
        """Record of one of the steps.

        Parameters
        ----------
        row : its index in the block, from 0
        """
        end, dt, rule, iterations, factorisations, round_off, rotation = self.statistics[row].item()
        return StepRecord(
            self.first + row, end, dt, self.rules[rule], iterations, factorisations, 0, self.energy[row].copy(),
            round_off, self.contacts[row].copy(), rotation,
        )  # fmt: skip

    def records(self) -> Iterator[StepRecord]:
        """Records of the steps."""
        return map(self.record, range(len(self.statistics)))
