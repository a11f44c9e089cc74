"""Forward sensitivities along a run: linear equations for the derivatives in every step.

A step solves R(x; s, p) = 0 for its unknowns x, from the state s at its start. Its derivatives solve

    dR/dx x' = -(dR/ds s' + dR/dp)

with the right side from the step's kernels with dual numbers, and the matrix as a means only: what is left of R' is
found by the kernels again, and solved for until the unknowns do not change by more than `SMALL` of themselves. So a
matrix that is not quite the derivative (stresses extrapolated by Newton's method, redundant constraints regularised,
factors kept from an earlier step) costs a pass more and no digit. Where passes become many, factors are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.factors import Factors
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.rigid_impacts import RigidImpacts
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.solver.impacts import Impact
from fem_mbd.errors import SolverFailure

SMALL = 1e-11  # of the derivatives of the unknowns of a kind: lengths, angles, multipliers
ROUND_OFF = 1e-14  # of the derivatives of places and turns at the start of the step
FORMER = 1e-4  # share of former, larger derivatives: where all have died out their round-off is left
STALLED, LEFT = (
    0.3,
    1e-4,
)  # what a pass has to leave of the last change, and what may be left where it does not
MOST = 40  # passes with new factors
PHASES = ("begin", "residual", "residual_after_tangent", "tangent", "accept")
UNIT_LATER = np.array(
    [[0.0], [1.0], [1.0]]
)  # what start, end and length of a step change when it ends a second later
PATIENCE, REST = 2, 30  # steps that try kept factors in vain, and that do not try them then


class Forward:
    """Derivatives along the steps of a path, in up to `DIRECTIONS` directions.

    Parameters
    ----------
    scheme : seeded with the derivatives of its arrays at the start
    path : of the same simulation

    Attributes
    ----------
    passes, factorisations : so far
    clock_rates : (3, DIRECTIONS) derivatives of a step's start, end and length from these times (3,); none: zero
    always_new : whether every step has factors of its own; else those of an earlier one serve where that is cheaper
    """

    def __init__(self, scheme: DualScheme, path: Path):
        self.scheme, self.path = scheme, path
        simulation = scheme.simulation
        self._plain = simulation.scheme
        calls = self._plain.calls
        self._lists = {name: CallList(getattr(calls, name)) for name in PHASES}
        self._factors = Factors(simulation.system, calls.values, DIRECTIONS)
        kinds = [(k, np.flatnonzero(simulation.system.unit == k)) for k in range(3)]
        self._kinds = [(k, kind) for k, kind in kinds if len(kind)]
        state = simulation.state
        self._state = scheme.shadow.duals(state.u), scheme.shadow.duals(state.r)
        self._length = max(simulation.system.length, 1.0)
        self._mass = float(simulation.system.work.mass.sum())
        self._patience, self._rest = (
            0,
            0,
        )  # steps that may try kept factors in vain, steps until it is tried again
        self.passes = self.factorisations = 0
        self.always_new = False
        self.clock_rates: Callable[[Array], Array] | None = None
        self._largest = np.zeros(DIRECTIONS)  # derivative of a place in any step so far
        self._rigid = None if simulation.impacts.kind is None else RigidImpacts(scheme)
        self._later = np.zeros(
            DIRECTIONS
        )  # derivatives of the start of the step, where an impact ended the last one

    def steps(self) -> Iterator[float]:
        """The ends (s) of the steps, when their derivatives have been found.

        Raises
        ------
        SolverFailure
            Where the derivatives of a step are not found.
        """
        work, calls = self._plain.work, self._plain.calls
        self._largest, self._later = np.zeros(DIRECTIONS), np.zeros(DIRECTIONS)
        for step, (clock, unknowns) in enumerate(zip(self.path.clocks, self.path.unknowns, strict=True)):
            if self._rigid is not None:
                self._rigid.set_closed(self.path.closed[step])
            work.clock[:] = clock
            self._lists["begin"]()
            calls.y[:] = unknowns
            self._lists["residual"]()
            impact = self.path.impacts.get(step)
            self._solve_step(clock, unknowns, impact)
            self.scheme.accept()
            self._lists["accept"]()
            if self._rigid is not None and impact is not None:
                self._rigid.jump(impact, float(clock[1]))
            yield float(clock[1])

    def _solve_step(self, clock: Array, unknowns: Array, impact: Impact | None) -> None:
        """Derivatives of a step's unknowns; the end of one that ends with an impact moves with the parameters."""
        rates = np.zeros((3, DIRECTIONS))
        if self.clock_rates is not None:
            rates += self.clock_rates(clock)
        rates[0] += self._later
        rates[2] -= self._later
        self._solve(clock, rates, unknowns)
        self._later = np.zeros(DIRECTIONS)
        if self._rigid is None or impact is None or not impact.opening.any():
            return
        fixed = self._rigid.gap(impact)
        self._solve(clock, rates + UNIT_LATER, unknowns)
        self._later = self._rigid.end_of_step(impact, fixed, self._rigid.gap(impact), float(clock[1]))
        self._solve(clock, rates + UNIT_LATER * self._later, unknowns)

    def _solve(self, clock: Array, rates: Array, unknowns: Array) -> None:
        """Derivatives of the unknowns, with those of all arrays at them; rates (3, DIRECTIONS) of the clock."""
        scheme, time = self.scheme, float(clock[1])
        scheme.begin(clock, rates)
        scheme.y[:, 0] = unknowns
        fresh = self.always_new or self._patience == 0
        if fresh:
            self._factorise()
        of_state, done, last = self._of_state(), 0, np.inf
        while True:
            scheme.residual()
            change = self._factors.solve(scheme.f[:, 1:])
            self.passes += 1
            left = self._left(change, of_state)
            stalled = done > 1 and not left < STALLED * last
            if done and (left <= 1.0 or (stalled and fresh and left * SMALL < LEFT)):
                break
            if fresh and (stalled or done > MOST or not np.isfinite(change).all()):
                raise SolverFailure(
                    f"the derivatives of the step that ends at t = {time:.9g} s were not found: at its solution the "
                    "matrix of the step is nearly singular"
                )
            if not fresh and done and not left * (left / last) <= 1.0:  # one pass more would not do
                fresh, done, last = True, 0, np.inf
                self._factorise()
                continue
            last, done = left, done + 1
            scheme.y[:, 1:] -= change
        self._learn(fresh)

    def _learn(self, fresh: bool) -> None:
        """Whether the next step begins with the factors that there are: not where they served no other step lately."""
        if not fresh:
            self._patience = PATIENCE
        elif self._patience > 0:
            self._patience -= 1
            self._rest = REST
        elif self._rest > 0:
            self._rest -= 1
        else:
            self._patience = 1

    def _of_state(self) -> Array:
        """(3, directions) what round-off makes of derivatives of lengths, angles and multipliers in the step."""
        places, turns = (np.abs(one[..., 1:]).reshape(-1, DIRECTIONS).max(axis=0) for one in self._state)
        size = np.maximum(places, self._length * turns)
        self._largest = np.maximum(self._largest, size)
        size += FORMER * self._largest
        return ROUND_OFF * np.array([size, size / self._length, size * self._mass])

    def _left(self, change: Array, of_state: Array) -> float:
        """The change of the derivatives in units of what may be left, the worst of all directions."""
        y, left = self.scheme.y, 0.0
        for k, kind in self._kinds:
            allowed = SMALL * np.abs(y[kind, 1:]).max(axis=0) + of_state[k]
            largest = np.abs(change[kind]).max(axis=0)
            beyond = np.divide(
                largest, allowed, out=np.where(largest > 0.0, np.inf, 0.0), where=allowed > 0.0
            )
            left = max(left, float(beyond.max()))
        return left

    def linearise(self) -> None:
        """Put the matrix of the step at its unknowns into the values, with the stresses there.

        They begin with those at the start of the step; evaluated at the same place once more they are those of it.
        """
        self._lists["residual_after_tangent"]()
        self._lists["tangent"]()

    def _factorise(self) -> None:
        self.linearise()
        self._factors.make()
        self.factorisations += 1
