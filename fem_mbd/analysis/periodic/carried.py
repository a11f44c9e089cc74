"""Propagation of derivatives of states, and by parameters, through consecutive stretches of a run's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from fem_mbd.analysis.periodic.state_changes import StateDuals
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.matrices.propagation import Propagation
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.state_vector import StateVector
from fem_mbd.analysis.sensitivity.steps.directions import Directions
from fem_mbd.analysis.sensitivity.steps.stretch import Stretch
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation

AGREEMENT = 1e-9  # of the largest: directions found in two ways
Restart = Callable[[Simulation, State], None]


class Seed(Protocol):
    """A quantity by which derivatives are wanted."""

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """Put its derivatives of the arrays of a scheme at ``start`` into a component; returns what all times since the
        start of the period grow by, in proportion, 1/s of time.
        """
        ...


class Carried:
    """Two schemes: one for the states, whose directions begin anew in each stretch, one for other quantities.

    Parameters
    ----------
    simulation : of the model, made within `one_by_one`
    restart : puts a state into one

    Attributes
    ----------
    scheme : of the states
    """

    def __init__(self, simulation: Simulation, restart: Restart):
        self._simulation, self._restart = simulation, restart
        self.scheme = DualScheme(simulation)
        self._duals = StateDuals(self.scheme)
        self._vector, self._many = StateVector(simulation), Propagation(simulation)
        arrays = self._vector.arrays
        self._kept = [(plain, self.scheme.shadow.duals(view)) for plain, views in arrays for view in views]
        self._start: list[tuple[Any, Array]] = []
        self._stretch: Stretch | None = None
        self._count = 0
        self._others: DualScheme | None = None
        self._of_others: Directions | None = None

    def begin(self, others: Sequence[Seed], start: State) -> Array:
        """Seed the other quantities at the start of the run; (DIRECTIONS,) growth of times, as of `Seed`."""
        growth = np.zeros(DIRECTIONS)
        if others:
            self._others = self._others or DualScheme(self._simulation)
            self._restart(self._simulation, start)
            for block in self._others.shadow.blocks:
                block.refresh()
            for component, seed in enumerate(others, 1):
                growth[component - 1] = seed.put(self._others, start, component)
            self._of_others = None  # it forgets what was before
        return growth

    def stretch_to(self, path: Path, first: int, behind: int, state: State) -> None:
        """Factorise the matrices of some steps of a path, from the state before them."""
        self._restart(self._simulation, state)
        self._begin = self._vector.get()
        self._start = [(duals, plain.reshape(duals.shape[:-1]).copy()) for plain, duals in self._kept]
        if self._stretch is None or len(self._stretch.clocks) < behind - first:
            self._stretch = Stretch(self._simulation, behind - first)
            self._directions = Directions(self.scheme, self._stretch, alike=True)
            self._of_others = None
        self._count = self._stretch.make(path, first, behind)

    def states(self, directions: Array, checked: bool) -> Array:
        """Directions (numbers, k) of the state (`state_changes`) carried through the stretch.

        Many of them by the matrices of the steps, unless, where it is ``checked``, these do not give what dual numbers
        do for the first ones.
        """
        assert self._stretch is not None
        if not self._many.worthwhile(directions.shape[1], self._stretch, DIRECTIONS):
            return self._by_duals(directions)
        found = self._many.carry(self._stretch, self._count, self._begin, directions)
        if not checked or self._alike(found[:, :DIRECTIONS], self._by_duals(directions[:, :DIRECTIONS])):
            return found
        return self._by_duals(directions)

    def _alike(self, found: Array, expected: Array) -> bool:
        """Whether directions agree: displacements, turns, velocities, angular velocities, each history."""
        numbers, kinds = self._many.matrices.numbers, []
        for both in (found, expected):
            nodes = both[numbers.of_nodes].reshape(-1, 4, 3, both.shape[1])
            kinds.append([nodes[:, k] for k in range(4)] + [both[own] for _, own in numbers.of_histories])
        return all(
            np.abs(a - b).max(initial=0.0) <= AGREEMENT * np.abs(b).max(initial=0.0)
            for a, b in zip(*kinds, strict=True)
        )

    def _by_duals(self, directions: Array) -> Array:
        ends = []
        for k in range(0, directions.shape[1], DIRECTIONS):
            for duals, values in self._start:
                duals[..., 0], duals[..., 1:] = values, 0.0
            own = directions[:, k : k + DIRECTIONS]
            self._duals.put(slice(1, 1 + own.shape[1]), own)
            self._directions.forget()
            self._directions.propagate(0, self._count)
            ends.append(self._duals.get()[:, : own.shape[1]])
        return np.concatenate(ends, axis=1)

    def others(self, rates: Callable[[Array], Array]) -> Array:
        """(numbers, DIRECTIONS) the other quantities' directions behind the stretch.

        ``rates`` : (steps, 3, DIRECTIONS) derivatives of clocks (steps, 3)
        """
        assert self._stretch is not None and self._others is not None
        if self._of_others is None:
            self._of_others = Directions(self._others, self._stretch)
            self._of_others.forget()
        self._of_others.propagate(0, self._count, rates(self._stretch.clocks[: self._count]))
        return StateDuals(self._others).get()
