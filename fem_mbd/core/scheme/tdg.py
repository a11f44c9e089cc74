"""One step of the energy-decaying time-discontinuous Galerkin scheme, as a nonlinear problem and its energy balance.

The unknowns of a step are X = (a, b, c, e) of every node and two multipliers per constraint; forces and tangents are
evaluated by the kinds of parts. Source: theory.md, sections 1 to 3, 6, 9.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList, Task
from fem_mbd.core.scheme import ledger, round_off_sensitivity, step_calls
from fem_mbd.core.scheme.ledger_names import ENERGIES
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.step_calls import StepCalls
from fem_mbd.core.scheme.system import System

REGULARISATION = 1e-7  # fraction of the constraints' mobility B M^-1 B^T
NEAR_SINGULAR = 1e-11  # smaller one, tried where the first fails


class Scheme:
    """Residual, tangent, ledger and update of a step; `begin` first, then any number of evaluations, then `accept`."""

    def __init__(self, system: System, state: State):
        self.system, self.state = system, state
        self.work = system.work
        self.calls = StepCalls(system, state)
        self.regularise(REGULARISATION)
        self._begin, self._ledger, self._accept = map(
            CallList, (self.calls.begin, self.calls.ledger, self.calls.accept)
        )
        self.restart()

    @property
    def energy(self) -> float:
        """Energy of the state, J."""
        return float(self.calls.numbers[step_calls.ENERGY])

    @energy.setter
    def energy(self, amount: float) -> None:
        self.calls.numbers[step_calls.ENERGY] = amount

    @property
    def round_off(self) -> float:
        """Bound of the part of the residual in the last `ledger` that round-off causes, J."""
        return float(self.calls.numbers[step_calls.ROUND_OFF])

    # -- before the step ------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Start a run from the present state."""
        self.load_state()
        self.energy = self._initial_energy()

    def load_state(self) -> None:
        """Copy the state into the workspace (at the start, and after a restart)."""
        work, state = self.work, self.state
        work.q_i[:, 0] = state.u
        work.q_i[:, 1:] = np.swapaxes(state.r, 1, 2)
        work.r_i[:] = state.r
        work.lam[:] = state.multipliers.sum(axis=1)
        work.t_i = state.time
        work.accepted.clock[:] = 0.0
        kinds = [kind for kind in self.system.kinds if kind.history is not None]
        for kind, stored in zip(kinds, state.history, strict=True):
            kind.history[...] = stored

    def begin(self, t_f: float) -> Array:
        """Begin a step to t_f; return the predictor, (size,)."""
        work = self.work
        work.t_i, work.t_f, work.dt = self.state.time, t_f, t_f - self.state.time
        self._begin()
        self.calls.after_tangent[0] = 0
        return self.calls.y.copy()

    # -- evaluations ----------------------------------------------------------------------------------------

    def residual(self, y: Array, f: Array) -> None:
        """Fill f (size,) with the equations at y."""
        self.calls.y[:] = y
        after = self.calls.after_tangent[0]
        for call in self.calls.residual_after_tangent if after else self.calls.residual:
            call()
        self.calls.after_tangent[0] = 0
        f[:] = self.calls.f

    def tangent(self) -> Array:
        """Matrix values (CSR order of the system) at the last residual's iterate."""
        for call in self.calls.tangent:
            call()
        self.calls.after_tangent[0] = 1
        return self.calls.values

    def regularise(self, fraction: float) -> None:
        """Minimum-norm multipliers of redundant constraints: a small -eps on their diagonal of the tangent only.

        The residual is not changed, so constraints are fulfilled as accurately as without; updates of the multipliers,
        which start from zero, stay in the range of the constraint Jacobian, so they have minimum norm.

        The constraints' round-off u L over eps times the mobility enters the multipliers, so eps should not be smaller
        than necessary. An update leaves eps / (eps + sigma) of a constraint's error, sigma being its mobility. At an
        angle phi from a singular position sigma is about phi^2, so steps that end within a few sqrt(eps) of it fail:
        3e-4 rad with the usual number, 3e-6 rad with `near_singular`. The smallest eps above the round-off of the
        factorisation, u times the growth of its pivots (about 1e3), is 1e-12.
        """
        mass = self.work.mass
        self.calls.numbers[step_calls.REGULARISATION] = (
            fraction / float(mass[mass > 0].mean()) if self.system.redundant else 0.0
        )

    @contextlib.contextmanager
    def near_singular(self) -> Iterator[None]:
        """Regularise redundant constraints inside the context as little as round-off allows."""
        self.regularise(NEAR_SINGULAR)
        try:
            yield
        finally:
            self.regularise(REGULARISATION)

    # -- after the step -------------------------------------------------------------------------------------

    def ledger(self) -> Array:
        """The step's row of the energy ledger, shape (len(LEDGER),), at the last residual's iterate."""
        self._ledger()
        return self.work.amounts.copy()

    def unresolved_work(self, noise: float = round_off_sensitivity.UNIT) -> float:
        """Change of the balance by round-off of positions and rotations at the last residual's iterate, J.

        ``noise`` : its relative size. Called after `ledger`. Evaluates the tangent there, which overwrites the matrix
        values.
        """
        for call in self.calls.tangent:
            call()
        self.calls.after_tangent[0] = 1
        return round_off_sensitivity.unresolved_work(self.system, self.calls.f, self.calls.y, noise)

    def _initial_energy(self) -> float:
        work, state, row = self.work, self.state, self.work.amounts
        row[:] = 0.0
        row[ledger.GRAVITY] = -float(work.mass @ (work.q_i[:, 0] @ work.gravity))
        with np.errstate(over="ignore"):  # energies that are not finite are an error of the run
            spin = np.einsum("ni,nij,nj", state.omega, work.inertia, state.omega)
            row[ledger.KINETIC] = 0.5 * float(work.mass @ (state.v**2).sum(axis=1) + spin)
        for kind in self.system.kinds:
            kind.initial_energy(work)
        self.initial_row = row.copy()
        return float(row[: len(ENERGIES)].sum())

    def before_accepting(self, task: Task) -> None:
        """Do a task at each accepted step, before its end becomes the state; call this before the first step."""
        self.calls.accept.insert(0, task)
        self._accept = CallList(self.calls.accept)

    def accept(self, row: Array) -> None:
        """Copy the end of the step to the state; ``row`` is its ledger row."""
        self._accept()
        self.state.time = self.work.t_f
        self.energy = float(row[: len(ENERGIES)].sum())
