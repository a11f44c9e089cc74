"""Class `SavedState`: complete state of a simulation between two steps, for `Simulation.save` and `restore`.

Its serialised form, as bytes or in a file, is a NumPy archive (`numpy.savez`) of plain arrays; reading it executes no
code.
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
    """State of a simulation at an instant.

    Attributes
    ----------
    model : digest of the model's description
    state : all numbers of the state, the time first
    controller : state of step control and energy balance
    inputs : (start, end, before, after, integral) of every input's interval, by name
    ledger : (len(LEDGER),) energies, and amounts since the start of the run, J
    outputs : quantities at that instant, by name
    """

    model: str
    state: Array
    controller: Mapping[str, float]
    inputs: Mapping[str, tuple[float, ...]]
    ledger: Array
    outputs: Mapping[str, Any]

    @property
    def time(self) -> float:
        """Time of the state, s."""
        return float(self.state[0])

    def to_bytes(self) -> bytes:
        """The saved state as bytes, for `from_bytes`."""
        buffer = io.BytesIO()
        head = {"model": self.model, "controller": dict(self.controller), "inputs": dict(self.inputs)}
        arrays = {OUTPUT + name: values for name, values in self.outputs.items()}
        np.savez(buffer, head=json.dumps(head), state=self.state, books=self.ledger, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> SavedState:
        """The saved state of the bytes returned by `to_bytes`.

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
        """Write the saved state to a file; an existing file is replaced.

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
            raise InputError(f"{file}: the saved state cannot be written ({error.strerror})") from error

    @classmethod
    def read(cls, file: str | Path) -> SavedState:
        """Read a saved state that `write` has written.

        Parameters
        ----------
        file : its path

        Raises
        ------
        InputError
            When there is no such file, or it contains something else.
        """
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise InputError(f"{file}: the saved state cannot be read ({error.strerror})") from error
        try:
            return cls.from_bytes(data)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error


def digest(description: Mapping[str, Any]) -> str:
    """Hash of a model's description: equal models have equal ones."""
    text = json.dumps(description, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
