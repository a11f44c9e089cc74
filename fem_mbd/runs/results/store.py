"""Store of a run's rows: the interface, names and types of the columns, and the store in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from fem_mbd.runs.results.run_info import RunInfo

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


class Store(Protocol):
    """Protocol: receives blocks of rows. A column's name is `group/key`; the first axis of all arrays is the row.

    A checkpoint belongs `behind` blocks before the last one appended.
    """

    def append(self, blocks: Blocks) -> None: ...

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None: ...

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

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None:
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
