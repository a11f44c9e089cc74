"""Inputs: functions of time whose values are set between the intervals of `Simulation.advance`.

An `Input` can be used as any function of time: for a torque, a force times a direction, the angle or the speed of a
driven joint. `fem_mbd.Simulation.advance` sets its value for an interval of time. Within the interval it is either

    "held"      u(t) = u_1                                            constant
    "linear"    u(t) = u_0 + (u_1 - u_0) (t - t_0) / (t_1 - t_0)      u_0: its value at the end of the interval before

Each simulation keeps the values of its own (`Inputs`). A model, and with it its inputs, may belong to several
simulations, in several threads: an input has the values of the simulation that makes a step in the calling thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fem_mbd.base.lazy import Named, nearest
from fem_mbd.base.validation import finite
from fem_mbd.core.model.time_functions.base import TimeFunction
from fem_mbd.core.model.time_functions.values import Value
from fem_mbd.errors import InputError

INTERPOLATIONS = ("held", "linear")


class Piece(NamedTuple):
    """An input over an interval: linear from ``before`` at ``start`` to ``after`` at ``end`` (s).

    ``integral`` is the integral of the input from time 0 to ``start``.
    """

    start: float
    end: float
    before: float
    after: float
    integral: float

    def value(self, t: float) -> float:
        """Value at time t (s); outside the interval that of the nearer end."""
        if t >= self.end:
            return self.after
        return self.before + self.rate(t) * max(t - self.start, 0.0)

    def rate(self, t: float) -> float:
        """Rate per second at a time t (s) in the interval; 0 after it."""
        return (self.after - self.before) / (self.end - self.start) if t <= self.end else 0.0

    def integral_to(self, t: float) -> float:
        """Integral from time 0 to t (s)."""
        inside = min(t, self.end)
        beyond = (t - inside) * self.after
        return self.integral + 0.5 * (self.before + self.value(inside)) * (inside - self.start) + beyond


@dataclass(eq=False)
class Input(TimeFunction):
    """A function of time for loads and drivers whose value is set between steps.

    Parameters
    ----------
    name : for setting it, ``sim.advance(t, {name: value})``; unique in a model
    unit : SI, of its value
    start : its value until it is set for the first time
    within : "held", constant from the start of the interval on; or "linear" from the former value to the new one at the
        end of the interval. Prescribed angles and displacements must not jump: they need "linear"

    Raises
    ------
    InputError
        For an empty name, a start that is no number, or another ``within``.
    """

    name: str
    unit: str = "1"
    start: float = 0.0
    within: Literal["held", "linear"] = "held"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"Input: its name is {self.name!r}: give a text by which it can be set")
        if self.within not in INTERPOLATIONS:
            raise InputError(
                f"input '{self.name}': within is {self.within!r}; {nearest(str(self.within), INTERPOLATIONS)}"
            )
        self.start = finite(self.start, f"input '{self.name}': start")

    @property
    def piece(self) -> Piece:
        """The input in the simulation that this thread has stepped last; as before it is set where there is none."""
        stepped = _STEPPED.get()
        return self.first_piece if stepped is None else stepped.piece_of(self)

    @property
    def first_piece(self) -> Piece:
        """The input before it is set: constant."""
        return Piece(0.0, 1.0, self.start, self.start, 0.0)

    def value(self, t: float, side: int = 1) -> Value:
        return self.piece.value(t)

    def rate(self, t: float, side: int = 1) -> Value:
        return self.piece.rate(t)

    def inputs(self) -> tuple[TimeFunction, ...]:
        return (self,)


@dataclass(frozen=True, eq=False)
class InputIntegral(TimeFunction):
    """The integral of an input over time, zero at time 0: the angle or displacement of a speed that is an input."""

    of: Input

    def value(self, t: float, side: int = 1) -> Value:
        return self.of.piece.integral_to(t)

    def rate(self, t: float, side: int = 1) -> Value:
        return self.of.value(t, side)

    def inputs(self) -> tuple[TimeFunction, ...]:
        return (self,)


class Inputs(Mapping[str, float]):
    """The inputs of a model in one simulation: their values by name.

    Parameters
    ----------
    functions : of time, all of the model

    Raises
    ------
    InputError
        When two different inputs have the same name.
    """

    def __init__(self, functions: Iterable[TimeFunction]):
        self.declared: Named[Input] = Named("input", {})
        for function in functions:
            for leaf in function.inputs():
                source = leaf.of if isinstance(leaf, InputIntegral) else leaf
                if isinstance(source, Input) and self.declared.setdefault(source.name, source) is not source:
                    raise InputError(
                        f"two inputs of the model are called '{source.name}': give each its own name"
                    )
        self.pieces = {name: declared.first_piece for name, declared in self.declared.items()}
        self.install()

    def __getitem__(self, name: str) -> float:
        declared = self.declared[name]  # raises with the most similar name when there is none
        return self.pieces[declared.name].after

    def __contains__(self, name: object) -> bool:
        return name in self.declared

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def __len__(self) -> int:
        return len(self.declared)

    def install(self) -> None:
        """Make the inputs return the values of this simulation in this thread; called before each of its steps."""
        _STEPPED.set(self)

    def piece_of(self, source: Input) -> Piece:
        """The values of an input in this simulation; the initial ones for an input of another model."""
        declared = self.declared.get(source.name) is source
        return self.pieces[source.name] if declared else source.first_piece

    def set(self, start: float, end: float, values: Mapping[str, float]) -> None:
        """Values for the interval from start to end (s); an input that is not named keeps its value.

        Raises
        ------
        InputError
            For an unknown name, or a value that is not a finite number.
        """
        new = {self.declared[name].name: finite(v, f"input '{name}'") for name, v in values.items()}
        for name, piece in self.pieces.items():
            present, after = piece.value(start), new.get(name, piece.after)
            before = present if self.declared[name].within == "linear" else after
            self.pieces[name] = Piece(start, end, before, after, piece.integral_to(start))


_STEPPED: ContextVar[Inputs | None] = ContextVar("inputs of the simulation stepped last", default=None)


def held(function: TimeFunction) -> list[str]:
    """Names of the inputs in a function of time whose value jumps when they are set."""
    return [leaf.name for leaf in function.inputs() if isinstance(leaf, Input) and leaf.within == "held"]
