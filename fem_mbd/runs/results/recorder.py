"""Recorder: collects accepted steps as rows of named columns, at a few microseconds per step.

Rows are collected in buffers that are allocated once and passed to a store in blocks: in memory
(`fem_mbd.runs.results.store`) or in the results file (`fem_mbd.runs.results.hdf5.writer`). Every accepted step gives a
row of step statistics and of the energy ledger; the outputs (positions, reactions, contacts, ...), which are much
larger, can be thinned and selected.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.core.solver.step_block import Sink
from fem_mbd.runs.results.run_info import RunInfo, record_times
from fem_mbd.runs.results.store import OUTPUT_INDEX, STEP_ROW, Store

if TYPE_CHECKING:
    from fem_mbd.core.solver.step_block import Block as StepBlock
    from fem_mbd.core.stepping.step_record import StepRecord

BLOCK_ROWS = 512  # rows of a block, the smallest part of a file that can be damaged
# Blocks are passed on several at a time: most of the cost of storing a column does not depend on its rows.
BUFFER_ROWS, BUFFER_BYTES = 2048, 16_000_000
# Rows of the first block and of the first transfer, doubled from each to the next: damage to a short run spares its
# beginning.
FIRST_ROWS = 32
FLUSH_SECONDS = 2.0


class Recorder:
    """Collects rows in blocks and passes them to `store` when the buffer is full or two seconds have passed.

    `info` says what to record, `initial` (the outputs before the first step) gives shapes and types of the outputs.

    Attributes
    ----------
    blocks : number of completed blocks
    """

    def __init__(self, store: Store, info: RunInfo, initial: Mapping[str, np.ndarray]) -> None:
        self._store = store
        self._every = info.record_every
        self._record_times = record_times(info)
        self._energy_names = info.energy
        row_bytes = (
            STEP_ROW.itemsize + 8 * len(info.energy) + sum(initial[key].nbytes for key in info.quantities)
        )
        rows = int(np.clip(BUFFER_BYTES // max(row_bytes, 1), 1, BUFFER_ROWS))
        self._rows = rows
        self._block_rows = self._transfer_rows = min(FIRST_ROWS, rows)
        self._block_end = self._block_rows  # row of the buffer before which the block ends
        self._ends: list[tuple[int, int]] = []
        self.blocks = 0
        # not cleared, which would take longer than the steps of a short run: rows are filled before they are read
        self._steps = np.empty(rows, STEP_ROW)
        self._energy = np.empty((rows, len(info.energy)))
        self._output_index = np.empty(rows, np.int64)
        self._outputs = {
            key: np.empty((rows, *initial[key].shape), initial[key].dtype) for key in info.quantities
        }
        self._output_buffers = list(self._outputs.items())
        # outputs at given times are stored from Python, at the ends of blocks
        self.sink = Sink(
            self._outputs, self._every if self._output_buffers and self._record_times is None else 0
        )
        self._filled = 0
        self._filled_outputs = 0
        self._flushed_at = time.perf_counter()

    def wants_outputs(self, index: int, time: float) -> bool:
        """Whether the outputs of step `index`, which ends at `time` (s), are to be recorded."""
        due = index % self._every == 0 if self._record_times is None else time in self._record_times
        return bool(self._output_buffers) and due

    def add(self, record: StepRecord, outputs: Mapping[str, np.ndarray] | None) -> None:
        """Add one accepted step; `outputs` is None when `wants_outputs` returned False."""
        row = self._filled
        self._steps[row] = (
            record.time,
            record.dt,
            record.rule,
            record.newton_iterations,
            record.factorisations,
            record.rejections,
            record.round_off,
        )
        self._energy[row] = record.energy
        self._filled = row + 1
        if outputs is not None:
            self.add_outputs(record.index, outputs)
        self._end_if_due()

    def _end_if_due(self) -> None:
        if self._filled == self._block_end:
            self.end_block()
        if time.perf_counter() - self._flushed_at > FLUSH_SECONDS:
            self.flush()

    @property
    def rows_left(self) -> int:
        """Steps until the block ends."""
        return self._block_end - self._filled

    @property
    def next_outputs(self) -> int:
        """Row of the sink for the next outputs; -1 when the run records none."""
        return self._filled_outputs if self._output_buffers else -1

    def add_block(self, block: StepBlock) -> None:
        """Add accepted steps of the compiled loop; outputs due after a number of steps are in the sink already."""
        first, end = self._filled, self._filled + len(block.statistics)
        steps = self._steps[first:end]
        for name in ("time", "dt", "newton_iterations", "factorisations", "round_off"):
            steps[name] = block.statistics[name]
        steps["rule"] = np.array(block.rules, dtype=STEP_ROW["rule"])[block.statistics["rule"]]
        steps["rejections"] = 0
        self._energy[first:end] = block.energy
        if block.outputs:
            due = range(block.first + -block.first % self._every, block.index + 1, self._every)
            self._output_index[self._filled_outputs : self._filled_outputs + block.outputs] = due
            self._filled_outputs += block.outputs
        self._filled = end
        self._end_if_due()

    def add_outputs(self, index: int, outputs: Mapping[str, np.ndarray]) -> None:
        """Add the outputs of step `index` alone: the last state of a thinned run."""
        row = self._filled_outputs
        self._output_index[row] = index
        for key, buffer in self._output_buffers:
            buffer[row] = outputs[key]
        self._filled_outputs = row + 1

    def end_block(self) -> None:
        """End the current block; rows added from now on belong to the next one."""
        end = self._filled, self._filled_outputs
        if end != (self._ends[-1] if self._ends else (0, 0)):
            self._ends.append(end)
            self.blocks += 1
            self._block_rows = min(2 * self._block_rows, BLOCK_ROWS, self._rows)
        if self._filled >= self._transfer_rows or self._filled + self._block_rows > self._rows:
            self._transfer()
        self._block_end = self._filled + self._block_rows

    def flush(self) -> None:
        """Pass all collected rows to the store."""
        self.end_block()
        self._transfer()

    def _transfer(self) -> None:
        if self._ends:
            steps, outputs = np.array(self._ends).T
            n, m = self._ends[-1]
            blocks = {f"outputs/{key}": (buffer[:m], outputs) for key, buffer in self._output_buffers}
            if self._output_buffers:
                blocks[OUTPUT_INDEX] = self._output_index[:m], outputs
            for i, name in enumerate(self._energy_names):
                blocks[f"energy/{name}"] = self._energy[:n, i], steps
            for name in STEP_ROW.names or ():
                blocks[f"steps/{name}"] = self._steps[name][:n], steps
            self._store.append(blocks)
            self._transfer_rows = min(2 * self._transfer_rows, self._rows)
        self._ends.clear()
        self._filled = self._filled_outputs = 0
        self._block_end = self._block_rows
        self._flushed_at = time.perf_counter()
