"""Recorder: turns accepted steps into rows of named columns, at a few microseconds per step.

Rows are collected in buffers that are allocated once and handed to a store in blocks: the memory store below,
or the results file (`fem_mbd.results.writer`). Every accepted step gives a row of step statistics and of the
energy ledger; the outputs (positions, reactions, contacts, ...), which are much larger, can be thinned and
selected.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.results.record_times import RecordTimes
from fem_mbd.solver.step_block import Sink
from fem_mbd.suggestions import nearest

if TYPE_CHECKING:
    from fem_mbd.solver.step_block import Block as StepBlock
    from fem_mbd.stepping.step_record import StepRecord

# One row per accepted step; the names are those of StepRecord. A rule's name longer than 32 bytes is cut.
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
# Index of the step that a row of outputs belongs to; kept because outputs may be thinned.
OUTPUT_INDEX = "output_index"
BLOCK_ROWS = 512  # of the smallest part of a file that can be damaged
# Blocks are handed over several at a time: most of what it costs to store a column does not depend on the rows.
BUFFER_ROWS, BUFFER_BYTES = 2048, 16_000_000
# Of the first block and the first hand-over; doubled from one to the next: damage to a short run spares its beginning.
FIRST_ROWS = 32
FLUSH_SECONDS = 2.0

# By the column's name its rows (m, ...), and of each block in them the row before which it ends, (blocks,).
Blocks = Mapping[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class RunInfo:
    """What is known of a run before its first step; stored with the results, all of it plain data.

    `case` is empty for a model built in Python; `model` is `System.describe()`; `energy` the ledger's names;
    `record_at` an interval (s), instants, or None where `record_every` counts steps.
    """

    case: str
    parameters: dict[str, Any]
    model: dict[str, Any]
    energy: tuple[str, ...]
    start_time: float
    end_time: float
    checkpoint_every: int
    record_every: int
    quantities: tuple[str, ...]
    version: str
    created: str = field(default_factory=lambda: time.strftime("%Y-%m-%dT%H:%M:%S%z"))
    host: str = field(default_factory=platform.node)
    record_at: float | tuple[float, ...] | None = None

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.__dict__, default=to_plain)

    @staticmethod
    def from_json(text: str) -> RunInfo:
        """The run described by `to_json`'s text."""
        data = json.loads(text)
        tuples = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
        return RunInfo(**{**data, **tuples})


def to_plain(value: Any) -> Any:
    """numpy numbers and arrays as Python's own; the `default` of `json.dumps`."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(
        f"{value!r} of type {type(value).__name__} cannot be written as JSON: "
        "use numbers, texts, lists and dictionaries"
    )


class Store(Protocol):
    """Where blocks of rows go. A column's name is `group/key`; all arrays have the row as first axis.

    A checkpoint lies `behind` blocks before the last one that was appended.
    """

    def append(self, blocks: Blocks) -> None: ...

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None: ...

    def log(self, entries: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


def select_quantities(outputs: Mapping[str, np.ndarray], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the outputs to record, all of them for `None`; InputError for a name that the model does not
    give.
    """
    if wanted is None:
        return tuple(outputs)
    for name in wanted:
        if name not in outputs:
            raise InputError(f"quantities: this model gives no output {name!r}; {nearest(name, outputs)}")
    return tuple(dict.fromkeys(wanted))


def record_times(info: RunInfo) -> RecordTimes | None:
    """The instants at which the run records states; None when it does so every so many steps."""
    return None if info.record_at is None else RecordTimes(info.record_at, info.start_time, info.end_time)


class Recorder:
    """Collects rows in blocks and hands them to `store` when the buffer is full or two seconds have passed.

    `info` says what to record, `initial` gives shapes and types of the outputs (the state before the first
    step).

    Attributes
    ----------
    blocks : number of blocks that have ended
    """

    def __init__(self, store: Store, info: RunInfo, initial: Mapping[str, np.ndarray]) -> None:
        self._store = store
        self._every = info.record_every
        self._at = record_times(info)
        self._energy_names = info.energy
        row_bytes = (
            STEP_ROW.itemsize + 8 * len(info.energy) + sum(initial[key].nbytes for key in info.quantities)
        )
        rows = int(np.clip(BUFFER_BYTES // max(row_bytes, 1), 1, BUFFER_ROWS))
        self._rows = rows
        self._block_rows = self._full = min(FIRST_ROWS, rows)
        self._block_end = self._block_rows  # the row of the buffer before which the block ends
        self._ends: list[tuple[int, int]] = []
        self.blocks = 0
        self._steps = np.zeros(rows, STEP_ROW)
        self._energy = np.zeros((rows, len(info.energy)))
        self._output_index = np.zeros(rows, np.int64)
        self._outputs = {
            key: np.zeros((rows, *initial[key].shape), initial[key].dtype) for key in info.quantities
        }
        self._pairs = list(self._outputs.items())
        # outputs at instants are stored from Python, at the ends of blocks
        self.sink = Sink(self._outputs, self._every if self._pairs and self._at is None else 0)
        self._filled = 0
        self._filled_outputs = 0
        self._flushed_at = time.perf_counter()

    def wants_outputs(self, index: int, time: float) -> bool:
        """Whether step `index`, which ends at `time` (s), is one whose outputs are recorded."""
        due = index % self._every == 0 if self._at is None else time in self._at
        return bool(self._pairs) and due

    def add(self, record: StepRecord, outputs: Mapping[str, np.ndarray] | None) -> None:
        """One accepted step; `outputs` is None when `wants_outputs` said no."""
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
    def room(self) -> int:
        """Steps until the block ends."""
        return self._block_end - self._filled

    @property
    def next_outputs(self) -> int:
        """Row of the sink for the outputs that come next; -1 where the run has none."""
        return self._filled_outputs if self._pairs else -1

    def add_block(self, block: StepBlock) -> None:
        """Accepted steps whose outputs, where they are due after so many steps, stand in the sink already."""
        first, behind = self._filled, self._filled + len(block.notes)
        steps = self._steps[first:behind]
        for name in ("time", "dt", "newton_iterations", "factorisations", "round_off"):
            steps[name] = block.notes[name]
        steps["rule"] = np.array(block.rules, dtype=STEP_ROW["rule"])[block.notes["rule"]]
        steps["rejections"] = 0
        self._energy[first:behind] = block.energy
        if block.outputs:
            due = range(block.first + -block.first % self._every, block.index + 1, self._every)
            self._output_index[self._filled_outputs : self._filled_outputs + block.outputs] = due
            self._filled_outputs += block.outputs
        self._filled = behind
        self._end_if_due()

    def add_outputs(self, index: int, outputs: Mapping[str, np.ndarray]) -> None:
        """Outputs of step `index` alone: the last state of a thinned run."""
        row = self._filled_outputs
        self._output_index[row] = index
        for key, buffer in self._pairs:
            buffer[row] = outputs[key]
        self._filled_outputs = row + 1

    def end_block(self) -> None:
        """What is added from now on belongs to another block."""
        end = self._filled, self._filled_outputs
        if end != (self._ends[-1] if self._ends else (0, 0)):
            self._ends.append(end)
            self.blocks += 1
            self._block_rows = min(2 * self._block_rows, BLOCK_ROWS, self._rows)
        if self._filled >= self._full or self._filled + self._block_rows > self._rows:
            self._hand_over()
        self._block_end = self._filled + self._block_rows

    def flush(self) -> None:
        """Hand over what has been collected."""
        self.end_block()
        self._hand_over()

    def _hand_over(self) -> None:
        if self._ends:
            steps, outputs = np.array(self._ends).T
            n, m = self._ends[-1]
            blocks = {f"outputs/{key}": (buffer[:m], outputs) for key, buffer in self._pairs}
            if self._pairs:
                blocks[OUTPUT_INDEX] = self._output_index[:m], outputs
            for i, name in enumerate(self._energy_names):
                blocks[f"energy/{name}"] = self._energy[:n, i], steps
            for name in STEP_ROW.names or ():
                blocks[f"steps/{name}"] = self._steps[name][:n], steps
            self._store.append(blocks)
            self._full = min(2 * self._full, self._rows)
        self._ends.clear()
        self._filled = self._filled_outputs = 0
        self._block_end = self._block_rows
        self._flushed_at = time.perf_counter()


class MemoryStore:
    """Keeps the rows of a run without a file; also the source that `Result` reads them from."""

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
        """Keep copies: the recorder uses its buffers again."""
        for name, (rows, _) in blocks.items():
            self._blocks[name].append(rows.copy())

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None:
        """Nothing to do: a run without a file cannot be resumed."""

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the entries of the run's log."""
        self._log = dict(entries)

    def close(self) -> None:
        """Nothing to close."""

    def read_log(self) -> dict[str, Any]:
        """The entries logged last."""
        return dict(self._log)

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        return self._initial[key]

    def initial_names(self) -> tuple[str, ...]:
        """Outputs that are known before the first step."""
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


def step_columns(info: RunInfo) -> list[tuple[str, np.dtype]]:
    """Names and types of the columns that have one row per accepted step."""
    steps = [(f"steps/{name}", STEP_ROW[name]) for name in STEP_ROW.names or ()]
    return steps + [(f"energy/{name}", np.dtype("f8")) for name in info.energy]
