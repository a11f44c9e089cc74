"""A simulation between two of its steps, whole: what `Simulation.save` gives and `Simulation.restore` takes.

As bytes or in a file it is a NumPy archive (`numpy.savez`) of plain arrays, readable without running anything.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

OUTPUT = "output "


@dataclass(frozen=True, eq=False)
class SavedState:
    """A simulation as it stood at an instant.

    Attributes
    ----------
    model : digest of what the model consists of
    state : all numbers of the state, the time first
    controller : memory of step control and energy balance
    inputs : (start, end, before, after, integral) of every input's interval, by name
    books : (len(LEDGER),) energies, and amounts since the start of the run, J
    outputs : quantities at that instant, by name
    """

    model: str
    state: Array
    controller: Mapping[str, float]
    inputs: Mapping[str, tuple[float, ...]]
    books: Array
    outputs: Mapping[str, Any]

    @property
    def time(self) -> float:
        """Of the state, s."""
        return float(self.state[0])

    def to_bytes(self) -> bytes:
        """All of it in one string of bytes, for `from_bytes`."""
        room = io.BytesIO()
        head = {"model": self.model, "controller": dict(self.controller), "inputs": dict(self.inputs)}
        arrays = {OUTPUT + name: values for name, values in self.outputs.items()}
        np.savez(room, head=json.dumps(head), state=self.state, books=self.books, **arrays)
        return room.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> SavedState:
        """What `to_bytes` gave.

        Parameters
        ----------
        data : the bytes

        Raises
        ------
        InputError
            When they are not those of a saved state.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as stored:
                head = json.loads(str(stored["head"]))
                outputs = {k.removeprefix(OUTPUT): stored[k] for k in stored.files if k.startswith(OUTPUT)}
                inputs = {name: tuple(piece) for name, piece in head["inputs"].items()}
                return cls(
                    head["model"], stored["state"], head["controller"], inputs, stored["books"], outputs
                )
        except (KeyError, ValueError, OSError, EOFError, TypeError, BadZipFile) as error:
            raise InputError(
                f"these bytes are not a saved state ({type(error).__name__}: {error})"
            ) from error

    def write(self, file: str | Path) -> None:
        """Keep it in a file, which is replaced.

        Parameters
        ----------
        file : its path

        Raises
        ------
        InputError
            When the file cannot be written.
        """
        try:
            Path(file).write_bytes(self.to_bytes())
        except OSError as error:
            raise InputError(f"{file}: a saved state cannot be written there ({error.strerror})") from error

    @classmethod
    def read(cls, file: str | Path) -> SavedState:
        """What `write` kept.

        Parameters
        ----------
        file : its path

        Raises
        ------
        InputError
            When there is no such file, or it holds something else.
        """
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise InputError(f"{file}: no saved state can be read there ({error.strerror})") from error
        try:
            return cls.from_bytes(data)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error


def digest(description: Mapping[str, Any]) -> str:
    """A short name of what a model consists of: equal models have equal ones."""
    text = json.dumps(description, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
