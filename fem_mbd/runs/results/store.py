"""Rows of a run: the recorder of accepted steps, the interface of stores, and the store in memory.

Columns have names and types (`step_columns`). Recorded ones can be read by name as a mapping (`Columns`), from memory
(`MemoryStore`) or from a file on demand.

`Recorder` collects accepted steps as rows of named columns, at a few microseconds per step. The rows are put into
buffers that are allocated once, and passed to a store in blocks: in memory or in the results file
(`fem_mbd.runs.results.hdf5.writer`). Every accepted step gives a row of step statistics and of the energy ledger; the
outputs (positions, reactions, contacts, ...), which are much larger, can be thinned and selected. Where statistics are
thinned too, a row stands for all steps since the one before: time, rule, round-off and energies are those of the last
of them, the size of steps is their mean, counts, dissipations and works are sums.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.core.stepping.step_record import Sink
from fem_mbd.runs.results.run_info import RunInfo, record_times
from fem_mbd.runs.results.views.states import NotRecorded

if TYPE_CHECKING:
    from fem_mbd.core.stepping.step_record import Block as StepBlock, StepRecord


# One row per accepted step; field names as in StepRecord. Rule names longer than 32 bytes are cut.
STEP_ROW = np.dtype(
    [
        ("time", "f8"),
        ("dt", "f8"),
        ("rule", "S32"),
        ("newton_iterations", "i4"),
        ("factorisations", "i4"),
        ("rejections", "i4"),
        ("round_off", "f8"),
    ]
)
# Step number of each row of outputs; needed because outputs may be thinned.
OUTPUT_INDEX = "output_index"
# For each column name its rows (m, ...) and, for each block, the index of the row after its last one, (blocks,).
Blocks = Mapping[str, tuple[np.ndarray, np.ndarray]]
# Bytes of a column read at once where only some of its items are needed.
BLOCK_BYTES = 16_000_000


class Store(Protocol):
    """Protocol: receives blocks of rows. A column's name is `group/key`; the first axis of all arrays is the row.

    A checkpoint belongs `blocks_after` blocks before the last one appended.
    """

    def append(self, blocks: Blocks) -> None: ...

    def checkpoint(
        self, step: int, state: np.ndarray, memo: Mapping[str, Any], blocks_after: int
    ) -> None: ...

    def log(self, entries: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


def step_columns(info: RunInfo) -> list[tuple[str, np.dtype]]:
    """Names and types of the columns with one row per accepted step."""
    steps = [(f"steps/{name}", STEP_ROW[name]) for name in STEP_ROW.names or ()]
    return steps + [(f"energy/{name}", np.dtype("f8")) for name in info.energy]


class MemoryStore:
    """Holds the rows of a run in memory; also the source from which `Result` reads them."""

    def __init__(self, info: RunInfo, initial: Mapping[str, np.ndarray]) -> None:
        self.info = info
        self._initial = {key: np.array(initial[key]) for key in info.quantities}
        self._blocks: dict[str, list[np.ndarray]] = {
            name: [np.zeros(0, dtype)] for name, dtype in step_columns(info)
        }
        if info.quantities:
            self._blocks[OUTPUT_INDEX] = [np.zeros(0, np.int64)]
        for key, value in self._initial.items():
            self._blocks[f"outputs/{key}"] = [np.zeros((0, *value.shape), value.dtype)]
        self._log: dict[str, Any] = {}

    def append(self, blocks: Blocks) -> None:
        """Append copies: the recorder reuses its buffers."""
        for name, (rows, _) in blocks.items():
            self._blocks[name].append(rows.copy())

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], blocks_after: int) -> None:
        """No effect: a run without a file cannot be resumed."""

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the entries of the run's log."""
        self._log = dict(entries)

    def close(self) -> None:
        """No effect."""

    def read_log(self) -> dict[str, Any]:
        """The last log entries."""
        return dict(self._log)

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        return self._initial[key]

    def initial_names(self) -> tuple[str, ...]:
        """Names of the outputs known before the first step."""
        return tuple(self._initial)

    def rows(self, name: str) -> int:
        """Number of rows of a column."""
        return sum(len(block) for block in self._blocks[name])

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        blocks = self._blocks[name]
        if len(blocks) > 1:
            self._blocks[name] = blocks = [np.concatenate(blocks)]
        return blocks[0][rows]


class Source(Protocol):
    """Protocol: source of a result's columns, `MemoryStore` or `FileSource`."""

    info: RunInfo

    def initial(self, key: str) -> np.ndarray: ...

    def initial_names(self) -> tuple[str, ...]: ...

    def rows(self, name: str) -> int: ...

    def read(self, name: str, rows: slice) -> np.ndarray: ...

    def read_log(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Columns(Mapping[str, np.ndarray]):
    """Arrays by name, each read on demand; InputError (which suggests the nearest name) for an unknown name."""

    def __init__(self, source: Source, group: str, names: tuple[str, ...], rows: int) -> None:
        self._source = source
        self._group = group
        self._names = names
        self._rows = rows

    def __getitem__(self, key: str) -> np.ndarray:
        return self.read(key)

    def read(self, key: str, start: int = 0, stop: int | None = None, every: int = 1) -> np.ndarray:
        """Rows `start`, `start + every`, ... below `stop` of one column, without reading all of it."""
        if key not in self._names:
            raise UnknownColumn(f"{self._group}: nothing is recorded as {key!r}; {nearest(key, self._names)}")
        rows = self._source.read(
            f"{self._group}/{key}", slice(*slice(start, stop, every).indices(self._rows))
        )
        return np.char.decode(rows, "ascii") if rows.dtype.kind == "S" else rows

    def select(self, key: str, items: Indices, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Some items along the second axis, of all rows or of those from ``start``; read in blocks to save memory."""
        first, last, _ = slice(start, stop).indices(self._rows)
        row_bytes = self.read(key, first, first + 1).nbytes
        rows = max(1, BLOCK_BYTES // max(row_bytes, 1))
        starts = range(first, last, rows) or (first,)
        return np.concatenate([self.read(key, k, min(k + rows, last))[:, items] for k in starts])

    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._names

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class InitialOutputs(Mapping[str, np.ndarray]):
    """Outputs before the first step by name, each read on demand, so that damage to one does not affect the others.

    In a file opened with `scan`, outputs known to be damaged are not among the names.
    """

    def __init__(self, source: Source) -> None:
        self._source, self._names = source, source.initial_names()

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._source.info.quantities:
            raise UnknownColumn(
                f"nothing is recorded as {key!r}; {nearest(key, self._source.info.quantities)}"
            )
        return self._source.initial(key)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class UnknownColumn(NotRecorded, KeyError):
    """A quantity that the result does not hold; also a KeyError, as `Mapping.get` expects."""

    __str__ = Exception.__str__


BLOCK_ROWS = 512  # rows of a block, the smallest part of a file that can be damaged
# Blocks are passed on several at a time: most of the cost of storing a column does not depend on its rows.
BUFFER_ROWS, BUFFER_BYTES = 2048, 16_000_000
# Rows of the first block and of the first transfer, doubled from each to the next: damage to a short run spares its
# beginning.
FIRST_ROWS = 32
FLUSH_SECONDS = 2.0


class StepGroup:
    """Sums the rows of consecutive steps to one.

    energy : names of the ledger's columns
    """

    def __init__(self, energy: Sequence[str]) -> None:
        self._last = np.array([name in ENERGIES for name in energy])
        self._steps = np.zeros(0, STEP_ROW)
        self._energy = np.zeros((0, len(energy)))
        self._count = 0

    def add(self, steps: np.ndarray, energy: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the groups that end within some steps, where ``ends`` (k,) is set; the rest is kept."""
        at = np.flatnonzero(ends)
        cut = int(at[-1]) + 1 if len(at) else 0
        counts = np.ones(len(steps))
        if self._count:
            steps, energy = np.concatenate([self._steps, steps]), np.concatenate([self._energy, energy])
            counts, at, cut = np.insert(counts, 0, self._count), at + 1, cut + 1 if len(at) else 0
        group_rows = self._sums(steps[:cut], energy[:cut], counts[:cut], at)
        self._steps, self._energy, self._count = np.zeros(0, STEP_ROW), self._energy[:0], 0
        if cut < len(steps):
            last = np.array([len(steps) - cut - 1])
            self._steps, self._energy = self._sums(steps[cut:], energy[cut:], counts[cut:], last)
            self._count = int(counts[cut:].sum())
        return group_rows

    def rest(self) -> tuple[np.ndarray, np.ndarray]:
        """The row of the steps that are left, or none."""
        row = self._steps, self._energy
        self._steps, self._energy, self._count = np.zeros(0, STEP_ROW), self._energy[:0], 0
        return row

    def numbers(self) -> list[float]:
        """What is kept, as plain numbers; empty without any."""
        if not self._count:
            return []
        row = self._steps[0]
        of_row = [float(row[name]) for name in STEP_ROW.names or () if name != "rule"]
        return [float(self._count), *of_row, *self._energy[0].tolist()]

    def restore(self, numbers: list[float]) -> None:
        """Take over what `numbers` returned."""
        if not numbers:
            return
        self._count = int(numbers[0])
        self._steps = np.zeros(1, STEP_ROW)
        names = [name for name in STEP_ROW.names or () if name != "rule"]
        for name, value in zip(names, numbers[1:], strict=False):
            self._steps[name] = value
        self._energy = np.array(numbers[1 + len(names) :])[None]

    def _sums(
        self, steps: np.ndarray, energy: np.ndarray, counts: np.ndarray, at: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the groups that end at the steps ``at``, the last of which is the last step."""
        rows = steps[at]
        if not len(at):
            return rows, energy[:0]
        first = np.insert(at[:-1] + 1, 0, 0)
        for name in ("newton_iterations", "factorisations", "rejections"):
            rows[name] = np.add.reduceat(steps[name], first)
        rows["dt"] = np.add.reduceat(steps["dt"] * counts, first) / np.add.reduceat(counts, first)
        sums = np.add.reduceat(energy, first, axis=0)
        return rows, np.where(self._last, energy[at], sums)


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
        self._every_step, self._group = info.every_step, StepGroup(info.energy)
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
        step = np.array(
            [(
                record.time, record.dt, record.rule, record.newton_iterations, record.factorisations,
                record.rejections, record.round_off,
            )],
            STEP_ROW,
        )  # fmt: skip
        due = self.wants_outputs(record.index, record.time) or not self._output_buffers
        self._add_rows(step, np.array(record.energy)[None], np.array([due and self._is_due(record.index)]))
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
        left = self._block_end - self._filled
        return left if self._every_step else left * self._every

    @property
    def next_outputs(self) -> int:
        """Row of the sink for the next outputs; -1 when the run records none."""
        return self._filled_outputs if self._output_buffers else -1

    def add_block(self, block: StepBlock) -> None:
        """Add accepted steps of the compiled loop; outputs due after a number of steps are in the sink already."""
        steps = np.empty(len(block.statistics), STEP_ROW)
        for name in ("time", "dt", "newton_iterations", "factorisations", "round_off"):
            steps[name] = block.statistics[name]
        steps["rule"] = np.array(block.rules, dtype=STEP_ROW["rule"])[block.statistics["rule"]]
        steps["rejections"] = 0
        due = range(block.first + -block.first % self._every, block.index + 1, self._every)
        if block.outputs:
            self._output_index[self._filled_outputs : self._filled_outputs + block.outputs] = due
            self._filled_outputs += block.outputs
        if self._record_times is not None:
            due = range(block.index, block.index + self.wants_outputs(block.index, block.time))
        ends = np.zeros(len(steps), dtype=bool)
        ends[np.array(due, dtype=np.int64) - block.first] = True
        self._add_rows(steps, block.energy, ends)
        self._end_if_due()

    def _is_due(self, index: int) -> bool:
        """Whether the statistics of a step are stored, where those of every step are not."""
        return self._record_times is not None or index % self._every == 0

    def _add_rows(self, steps: np.ndarray, energy: np.ndarray, ends: np.ndarray) -> None:
        """Add the rows of steps (k,), or those of groups of steps that end where ``ends`` (k,) is set."""
        if not self._every_step:
            steps, energy = self._group.add(steps, energy, ends)
        first, end = self._filled, self._filled + len(steps)
        self._steps[first:end], self._energy[first:end] = steps, energy
        self._filled = end

    def add_outputs(self, index: int, outputs: Mapping[str, np.ndarray]) -> None:
        """Add the outputs of step `index` alone: the last state of a thinned run, or one at a given time."""
        row = self._filled_outputs
        self._output_index[row] = index
        for key, buffer in self._output_buffers:
            buffer[row] = outputs[key]
        self._filled_outputs = row + 1

    def end_group(self) -> None:
        """Store the row of the steps that no row stands for yet: at the end of a run."""
        steps, energy = self._group.rest()
        if len(steps):
            self._steps[self._filled : self._filled + 1] = steps
            self._energy[self._filled : self._filled + 1] = energy
            self._filled += 1

    def pending(self) -> list[float]:
        """Numbers of the steps that no row stands for yet, for a checkpoint."""
        return self._group.numbers()

    def resume_group(self, numbers: list[float]) -> None:
        """Continue from the numbers of a checkpoint."""
        self._group.restore(numbers)

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
