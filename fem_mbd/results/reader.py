"""Reader of the results file: columns on demand, and the newest checkpoint that is whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.results.recorder import RunInfo
from fem_mbd.results.writer import FORMAT_VERSION, INFO_ATTRIBUTES, SLOTS, seal

RESULTS_NAME = "results.h5"


@dataclass(frozen=True)
class Checkpoint:
    """A state to go on from: `state` is `State.to_flat()` after step number `step`; `memo` is plain data."""

    step: int
    state: np.ndarray
    memo: dict[str, Any]


def results_path(path: str | Path) -> Path:
    """The results file itself, or the one in the run's folder given; InputError when there is none."""
    path = Path(path)
    file = path / RESULTS_NAME if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            f"{path}: there is no results file here; give the folder of a run or its {RESULTS_NAME}"
        )
    return file


def open_for_reading(path: Path) -> h5py.File:
    """Open a results file, finished, running or left by a killed run; InputError when it is none."""
    try:
        try:
            file = h5py.File(path, "r", locking="best-effort")
        except OSError:
            # Still marked as being written: read it as it stands.
            file = h5py.File(path, "r", locking="best-effort", swmr=True)
        file.visititems(_refresh)
        return file
    except OSError as error:
        raise InputError(f"{path}: this cannot be read as a results file ({error})") from error


def _refresh(name: str, item: h5py.Dataset | h5py.Group) -> None:
    """Forget what the library remembers of a dataset from an earlier reading in this process."""
    if isinstance(item, h5py.Dataset):
        item.refresh()


class FileSource:
    """What `Result` reads from: the columns of a results file, nothing kept in memory."""

    def __init__(self, path: str | Path) -> None:
        self.path = results_path(path)
        self._file = open_for_reading(self.path)
        version = self._file.attrs.get("format_version")
        if version != FORMAT_VERSION:
            self._file.close()
            raise InputError(
                f"{self.path}: "
                + (
                    "not written by this package"
                    if version is None
                    else f"written in format {version}, this version of fem_mbd reads format {FORMAT_VERSION}"
                )
            )
        self.info = self._read_info()

    def _read_info(self) -> RunInfo:
        attributes = self._file.attrs
        fields = {name: _plain(attributes[name]) for name in INFO_ATTRIBUTES}
        return RunInfo(
            model=self._json("model"),
            parameters=self._json("parameters"),
            energy=tuple(attributes["energy"]),
            quantities=tuple(json.loads(attributes["quantities"])),
            version=attributes["fem_mbd_version"],
            **fields,
        )

    def _json(self, name: str) -> dict[str, Any]:
        return json.loads(self._file[name][()])

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        return self._file[f"initial/{key}"][()]

    def rows(self, name: str) -> int:
        """Number of rows of a column; after a kill, columns may differ by one block."""
        return self._file[name].shape[0]

    def row_bytes(self, name: str) -> int:
        """Size of one row of a column."""
        dataset = self._file[name]
        return dataset.dtype.itemsize * int(np.prod(dataset.shape[1:]))

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        return self._file[name][rows]

    def read_log(self) -> dict[str, Any]:
        """The run's log; empty when the run was killed while writing it."""
        try:
            return json.loads(_text(self._file["log"][0]))
        except ValueError:
            return {}

    def checkpoint(self) -> Checkpoint | None:
        """The newest checkpoint that is whole, None when there is none yet."""
        found = [self._checkpoint(slot) for slot in range(SLOTS)]
        whole = [checkpoint for checkpoint in found if checkpoint is not None]
        return max(whole, key=lambda checkpoint: checkpoint.step, default=None)

    def _checkpoint(self, slot: int) -> Checkpoint | None:
        state, text = self._file["checkpoint/state"][slot], _text(self._file["checkpoint/memo"][slot])
        if int(self._file["checkpoint/seal"][slot]) != seal(state, text):
            return None
        memo = json.loads(text)
        return Checkpoint(memo.pop("step"), state, memo)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _text(row: np.ndarray) -> bytes:
    return row.tobytes().rstrip(b"\0")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
