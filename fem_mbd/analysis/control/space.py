"""Linear state-space model x' = A x + B u, y = C x + D u, with names and units of its signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.npz import write_fields
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError, MissingDependency


@dataclass(frozen=True, eq=False)
class StateSpace:
    """x' = A x + B u, y = C x + D u: small deviations from an equilibrium or a steady rotation.

    Attributes
    ----------
    A, B, C, D : (s, s), (s, m), (p, s), (p, m)
    inputs, outputs, states : names
    input_units, output_units : SI
    input_values, output_values : (m,) and (p,) at the equilibrium, relative to which u and y are given
    name : of the model
    frame : "standing", "rotating" (axes turn with the structure) or "multi-blade"
    speed : of the rotation, rad/s
    second_order : (s,) whether a state belongs to an equation of second order, whose rate is a state too
    """

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    input_values: Array
    output_values: Array
    name: str = "model"
    frame: str = "standing"
    speed: float = 0.0
    second_order: tuple[bool, ...] = field(default=())

    @property
    def eigenvalues(self) -> Complex:
        """(s,) rad/s, by ascending magnitude."""
        values = np.linalg.eigvals(self.A).astype(complex)
        return values[np.argsort(np.abs(values), kind="stable")]

    def transfer(self, s: complex) -> Complex:
        """(p, m) C (s I - A)^-1 B + D.

        Parameters
        ----------
        s : rad/s; j omega for the frequency response, 0 for constant inputs
        """
        return np.asarray(
            self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B) + self.D, dtype=complex
        )

    def chosen(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> StateSpace:
        """The model reduced to some of its inputs and outputs.

        Parameters
        ----------
        inputs, outputs : names; by default all

        Raises
        ------
        InputError
            For an unknown name.
        """
        u = _indices(self.inputs, inputs, "input")
        y = _indices(self.outputs, outputs, "output")
        return StateSpace(
            self.A, self.B[:, u], self.C[y], self.D[np.ix_(y, u)],
            tuple(self.inputs[k] for k in u), tuple(self.outputs[k] for k in y), self.states,
            tuple(self.input_units[k] for k in u), tuple(self.output_units[k] for k in y),
            self.input_values[u], self.output_values[y], self.name, self.frame, self.speed, self.second_order,
        )  # fmt: skip

    def with_states(self, outputs: Sequence[str]) -> StateSpace:
        """The same model with outputs and their time derivatives as states, as in a textbook.

        Parameters
        ----------
        outputs : half as many displacements or angles as there are states; their rates follow in the same order

        Raises
        ------
        InputError
            When these outputs do not determine the state.
        """
        rows = self.C[_indices(self.outputs, outputs, "output")]
        change = np.concatenate([rows, rows @ self.A])
        if change.shape[0] != len(self.A) or np.linalg.cond(change) > 1e12:
            raise InputError(
                f"with_states: {', '.join(outputs)} and their rates do not determine the {len(self.A)} "
                f"states: give {len(self.A) // 2} displacements or angles that do"
            )
        back = np.linalg.inv(change)
        names = (*outputs, *(f"rate of {name}" for name in outputs))
        return replace(
            self, A=change @ self.A @ back, B=change @ self.B, C=self.C @ back, states=names,
            second_order=(True,) * len(names),
        )  # fmt: skip

    def to_control(self) -> Any:
        """The model as ``control.StateSpace`` of python-control, with its signal names, in which _ replaces each dot.

        Raises
        ------
        MissingDependency
            Without python-control.
        """
        try:
            import control
        except ImportError as error:
            raise MissingDependency(
                "to_control needs python-control: pip install 'fem_mbd[control]'; A, B, C and D are "
                "available without it"
            ) from error
        return control.StateSpace(
            self.A, self.B, self.C, self.D,
            inputs=_without_dots(self.inputs), outputs=_without_dots(self.outputs), states=_without_dots(self.states),
            remove_useless_states=False,
        )  # fmt: skip

    def save(self, file: str | Path) -> Path:
        """Write a NumPy file (.npz): the four matrices and everything else under the names of the attributes.

        Parameters
        ----------
        file : name of the file

        Returns
        -------
        Path
            The file.
        """
        return write_fields(self, file)

    @classmethod
    def load(cls, file: str | Path) -> StateSpace:
        """Read a file written by `save`.

        Parameters
        ----------
        file : name of the file

        Raises
        ------
        InputError
            When it is not such a file.
        """
        with np.load(Path(file)) as data:
            missing = [f.name for f in fields(cls) if f.name not in data]
            if missing:
                raise InputError(f"{file}: not a state space: {', '.join(missing)} are missing")
            values: dict[str, Any] = {f.name: data[f.name] for f in fields(cls)}
        for name, value in values.items():
            if value.dtype.kind in "Ub":
                values[name] = tuple(value.tolist()) if value.ndim else value.item()
        return cls(**values)


def _without_dots(names: tuple[str, ...]) -> list[str]:
    """python-control uses the dot for signals of subsystems."""
    return [name.replace(".", "_") for name in names]


def _indices(known: tuple[str, ...], names: Sequence[str] | None, kind: str) -> list[int]:
    for name in names or ():
        if name not in known:
            raise InputError(f"there is no {kind} '{name}'; {nearest(name, known)}")
    return list(range(len(known))) if names is None else [known.index(name) for name in names]
