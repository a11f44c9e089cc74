"""Forward sensitivities along a run: linear equations for the derivatives in every step.

A step solves R(x; s, p) = 0 for its unknowns x, from the state s at its start. Its derivatives solve

    dR/dx x' = -(dR/ds s' + dR/dp)

with the right side from the step's kernels with dual numbers, and the matrix as a means only: what is left of R' is
found by the kernels again, and solved for until the unknowns do not change by more than `SMALL` of themselves
(`step_kernels`). So a matrix that is not quite the derivative (redundant constraints regularised, round-off of
factors) costs a pass more and no digit. Each matrix is factorised once, for all directions.

Where a step ends at a kink or jump of a function of time that moves with a parameter, the step ends later and the next
one begins later by as much (`events`); so they do at rigid impacts (`rigid_impacts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.rigid_impacts import RigidImpacts
from fem_mbd.analysis.sensitivity.steps.directions import Directions
from fem_mbd.analysis.sensitivity.steps.stretch import NEAR, Stretch, most_steps
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.solver.simulation import Simulation

UNIT_LATER = np.array(
    [[0.0], [1.0], [1.0]]
)  # what start, end and length of a step change when it ends a second later
Further = Callable[[DualScheme, Indices, int], Sequence[Task]]


class Forward:
    """Derivatives along the steps of a path.

    Parameters
    ----------
    schemes : of the same model, each seeded with up to `DIRECTIONS` derivatives of its arrays at the start
    path : of a simulation of it
    plain : such a simulation at its start, for the matrices; None: that of the first scheme
    further : of a scheme, the number (1,) of a step in its stretch and the most steps of one: calls after each step
    ends : of each scheme, (steps, DIRECTIONS) derivatives of the ends of steps that events decide about; None: zero

    Attributes
    ----------
    ends : of each scheme, those of all steps that have been made, impacts included
    stretch, directions : of the steps that were made last; of each scheme
    """

    def __init__(
        self,
        schemes: Sequence[DualScheme],
        path: Path,
        plain: Simulation | None = None,
        further: Further = lambda scheme, number, most: (),
        ends: Sequence[Array] | None = None,
    ):
        self._path = path
        self.ends = [np.zeros((len(path), DIRECTIONS)) for _ in schemes] if ends is None else list(ends)
        self._rates = [clock_rates(own) for own in self.ends]
        own = schemes[0].simulation
        self._rigid = [] if own.impacts.kind is None else [RigidImpacts(scheme) for scheme in schemes]
        one_by_one = self._rigid or any(scheme.in_python for scheme in schemes)
        most = 1 if one_by_one else most_steps(own.system, NEAR)
        self.stretch = Stretch(own if self._rigid or plain is None else plain, most)
        self._most = most
        # a step's equations have one matrix: the first scheme tells how often they have to be solved
        self.directions = [
            Directions(
                scheme, self.stretch, further(scheme, self.stretch.number, most), bool(k) and not one_by_one
            )
            for k, scheme in enumerate(schemes)
        ]
        # derivatives of the start of the step, where an impact ended the last one
        self._later = [np.zeros(DIRECTIONS) for _ in schemes]

    def steps(self) -> Iterator[tuple[int, int]]:
        """Go through some steps after the other; their first one, and the one behind them.

        Raises
        ------
        SolverFailure
            Where the derivatives of a step are not found.
        """
        for first in range(0, len(self._path), self._most):
            behind = min(first + self._most, len(self._path))
            for rigid in self._rigid:
                rigid.set_closed(self._path.closed[first])
            count = self.stretch.make(self._path, first, behind)
            for k, directions in enumerate(self.directions):
                if self._rigid:
                    self._rigid_step(k, first)
                else:
                    directions.propagate(0, count, self._rates[k][first:behind])
            yield first, behind

    def _rigid_step(self, k: int, number: int) -> None:
        """A step whose start, and whose end if an impact ends it, move with the parameters."""
        directions, rigid, impact = self.directions[k], self._rigid[k], self._path.impacts.get(number)
        end = float(self._path.clocks[number][1])
        rates = self._rates[k][number].copy()
        rates[0] += self._later[k]
        rates[2] -= self._later[k]
        directions.solve(0, rates)
        self._later[k] = np.zeros(DIRECTIONS)
        if impact is not None and impact.opening.any():
            fixed = rigid.gap(impact)
            directions.solve(0, rates + UNIT_LATER)
            self._later[k] = rigid.end_of_step(impact, fixed, rigid.gap(impact), end)
            directions.solve(0, rates + UNIT_LATER * self._later[k])
            self.ends[k][number] += self._later[k]
        directions.finish()
        if impact is not None:
            rigid.jump(impact, end)


def clock_rates(ends: Array) -> Array:
    """(steps, 3, DIRECTIONS) derivatives of the starts, ends and lengths of steps by those of their ends.

    ends : (steps, DIRECTIONS); the start of the first step does not move
    """
    starts = np.concatenate([np.zeros_like(ends[:1]), ends[:-1]])
    return np.stack([starts, ends, ends - starts], axis=1)


def rates_of(clocks: Array, start: float, growth: Array) -> Array:
    """(steps, 3, DIRECTIONS) derivatives of clocks (steps, 3) whose times since a start (s) grow in proportion."""
    return np.asarray((clocks - np.array([start, start, 0.0]))[..., None] * growth)
