"""Propagation of derivatives of states, and by parameters, through consecutive stretches of a run's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from fem_mbd.analysis.periodic.state_changes import Changes, StateDuals
from fem_mbd.analysis.periodic.tangent_space import TangentSpace
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

ALIKE = 1e-9  # of the largest: directions found in two ways
Restart = Callable[[Simulation, State], None]


class Seed(Protocol):
    """A quantity by which derivatives are wanted."""

    def put(self, scheme: DualScheme, start: State, lane: int) -> float:
        """Put its derivatives of the arrays of a scheme at ``start`` into a lane; returns what all times since the
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
            for lane, seed in enumerate(others, 1):
                growth[lane - 1] = seed.put(self._others, start, lane)
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

    def states(self, space: TangentSpace, y: Array, after: TangentSpace) -> Array:
        """(after.size, k) directions (size, k) of a space carried through the stretch, in another space there.

        Many of them by the matrices of the steps, unless these do not give what dual numbers do for the first ones.
        """
        assert self._stretch is not None
        if not self._many.worthwhile(y.shape[1], self._stretch, DIRECTIONS):
            return self._by_duals(space, y, after)
        few = self._by_duals(space, y[:, :DIRECTIONS], after)
        numbers = self._many.matrices.numbers
        ends = self._many.carry(self._stretch, self._count, self._begin, space.numbers(y, numbers))
        found = after.along_numbers(self._duals.r[..., 0], numbers, ends)
        if np.abs(found[:, :DIRECTIONS] - few).max() <= ALIKE * np.abs(few).max():
            return found
        return self._by_duals(space, y, after)

    def _by_duals(self, space: TangentSpace, y: Array, after: TangentSpace) -> Array:
        along, ends = space.changes(y), []
        for k in range(0, y.shape[1], DIRECTIONS):
            for duals, values in self._start:
                duals[..., 0], duals[..., 1:] = values, 0.0
            own = Changes(*(one[..., k : k + DIRECTIONS] for one in along))
            self._duals.put(slice(1, 1 + own.u.shape[-1]), own)
            self._directions.forget()
            self._directions.go(0, self._count)
            ends.append(self._duals.get())
        together = Changes(*(np.concatenate(several, axis=-1) for several in zip(*ends, strict=True)))
        return after.along(self._duals.r[..., 0], together)[:, : y.shape[1]]

    def others(self, rates: Callable[[Array], Array], after: TangentSpace) -> Array:
        """(after.size, DIRECTIONS) coordinates of the other quantities' directions behind the stretch.

        ``rates`` : (steps, 3, DIRECTIONS) derivatives of clocks (steps, 3)
        """
        assert self._stretch is not None and self._others is not None
        if self._of_others is None:
            self._of_others = Directions(self._others, self._stretch)
            self._of_others.forget()
        self._of_others.go(0, self._count, rates(self._stretch.clocks[: self._count]))
        duals = StateDuals(self._others)
        return after.along(duals.r[..., 0], duals.get())
