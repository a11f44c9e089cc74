"""One step of the energy-decaying time-discontinuous Galerkin scheme, as a nonlinear problem and its energy balance.

The scheme keeps, per step, the unknowns X = (a, b, c, e) of every node and two multipliers per constraint; it asks the
kinds of parts for forces and tangents and knows nothing about them. Source: docs/theory.md, sections 1 to 3, 6, 9.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.model.prescription import Prescription
from fem_mbd.scheme import node_kernels as nodes
from fem_mbd.scheme.ledger_names import DISSIPATIONS, ENERGIES, LEDGER, ROUND_OFF, WORKS
from fem_mbd.scheme.state import State
from fem_mbd.scheme.step_calls import StepCalls
from fem_mbd.scheme.system import System

REGULARISATION = 1e-7  # of the constraints' mobility B M^-1 B^T
NEAR_SINGULAR = 1e-11  # the same where the larger one fails
LEDGER_ROW = np.dtype([(name, "f8") for name in LEDGER])
# signs of a row's amounts: with the energy before the step they add up to the residual
BALANCE = np.array([(n in ENERGIES) + (n in DISSIPATIONS) - (n in WORKS) for n in LEDGER], dtype=float)


class Scheme:
    """Residual, tangent, ledger and update of a step; `begin` first, then any number of evaluations, then `accept`."""

    def __init__(self, system: System, state: State):
        self.system = system
        self.state = state
        self.work = system.work
        self.prescriptions: list[Prescription] = system.model.prescribed
        self.with_history = [k for k in system.kinds if k.history is not None]
        self._regularisation = np.zeros(1)
        self._regularise(REGULARISATION)
        self.calls = StepCalls(system, self._regularisation)
        self._pair = np.zeros(2)
        slots = np.einsum("nii->ni", system.node_slots)
        self._diagonal = slots[system.equation >= 0]  # of the nodes' unknowns in the tangent
        self.load_state()
        self.energy = self._initial_energy()

    # -- before the step ------------------------------------------------------------------------------------

    def load_state(self) -> None:
        """Copy the state into the workspace (at the start, and after a restart)."""
        work, state = self.work, self.state
        work.q_i[:, 0] = state.u
        work.q_i[:, 1:] = np.swapaxes(state.r, 1, 2)
        work.r_i[:] = state.r
        work.lam[:] = state.multipliers.sum(axis=1)
        work.t_i = state.time
        for kind, stored in zip(self.with_history, state.history, strict=True):
            kind.history[...] = stored

    def begin(self, t_f: float) -> Array:
        """Start a step to t_f; returns the predictor, (size,)."""
        work, state, system = self.work, self.state, self.system
        work.t_i, work.t_f = state.time, t_f
        work.dt = dt = t_f - state.time
        nodes.predict(state.v, state.omega, state.slope, system.equation, dt, work.x_i, work.x)
        for prescription in self.prescriptions:
            prescription.fill(work)
        for kind in system.kinds:
            kind.begin_step(work)
        y = np.empty(system.size)
        # redundant constraints start from none: the part of the multipliers that does nothing is round-off divided by
        # the regularisation, and would add up from step to step
        guess = 0.0 if system.redundant else dt * dt
        nodes.pack(work.x, guess * state.multipliers, system.equation, system.constraint_equation, y)
        self.calls.after_tangent[0] = 0
        return y

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

    def _regularise(self, share: float) -> None:
        """Minimum-norm multipliers of redundant constraints: a small -eps on their diagonal of the tangent only.

        The residual stays as it is, so constraints hold as exactly as ever; updates of the multipliers, which start
        from zero, stay in the range of the constraint Jacobian, which is what makes them the smallest ones.

        The constraints' round-off u L over eps times the mobility is let into the multipliers, so eps is not small
        without need. An update leaves eps / (eps + sigma) of a constraint's error, sigma its own mobility. At an angle
        phi from a singular position sigma is about phi^2, so that steps which end within a few sqrt(eps) of it fail:
        3e-4 rad with the usual number, 3e-6 rad with `near_singular`. The least eps that can be told from the
        round-off of the factorisation, u times the growth of its pivots (some 1e3), is 1e-12.
        """
        mass = self.work.mass
        self._regularisation[0] = share / float(mass[mass > 0].mean()) if self.system.redundant else 0.0

    @contextlib.contextmanager
    def near_singular(self) -> Iterator[None]:
        """Within the block redundant constraints are regularised as little as round-off allows."""
        self._regularise(NEAR_SINGULAR)
        try:
            yield
        finally:
            self._regularise(REGULARISATION)

    # -- after the step -------------------------------------------------------------------------------------

    def ledger(self) -> Array:
        """The step's row of the energy ledger, shape (len(LEDGER),), at the last residual's iterate."""
        row: Any = np.zeros(1, dtype=LEDGER_ROW)
        amounts: Array = row.view(np.float64)
        work = self.work
        nodes.kinetic_and_jump(work.x, work.x_i, work.mass, work.inertia, self._pair)
        row["kinetic"] = self._pair[0] / work.dt**2
        row["dissipation_scheme"] = self._pair[1] / work.dt**2
        row["gravity"] = -float(work.mass @ (work.q_f[:, 0] @ work.gravity))
        for kind in self.system.kinds:
            kind.ledger(work, row)
        row["work_drivers"] += self._work_of_prescribed_motion()
        row["residual"] = float(amounts @ BALANCE) - self.energy
        return amounts

    def round_off(self) -> float:
        """What round-off can make of a step's residual (J), at the last residual's iterate.

        Forces times the round-off of places and turns; where all forces are round-off themselves, so is their part in
        the tangent times that of the motion.
        """
        work, length = self.work, max(self.system.length, 1.0)
        size = length * float(np.abs(work.multipliers).sum())
        for force in (work.force_m, work.force_f):
            size += length * float(np.abs(force[:, 0]).sum()) + float(np.abs(force[:, 1:]).sum())
        stiffness = float(np.abs(work.data[self._diagonal]).sum())
        size = (size + ROUND_OFF * length**2 * stiffness) / work.dt**2
        return ROUND_OFF * (size + float(np.abs(work.mass @ (work.q_f[:, 0] * work.gravity)).sum()))

    def _work_of_prescribed_motion(self) -> float:
        work = self.work
        total = 0.0
        for p in self.prescriptions:
            n = p.node.index
            total += float(work.rows[n] @ work.x[n])
        return total / work.dt**2

    def _initial_energy(self) -> float:
        row: Any = np.zeros(1, dtype=LEDGER_ROW)
        work, state = self.work, self.state
        row["gravity"] = -float(work.mass @ (work.q_i[:, 0] @ work.gravity))
        with np.errstate(over="ignore"):  # the run refuses energies that are not finite
            spin = np.einsum("ni,nij,nj", state.omega, work.inertia, state.omega)
            row["kinetic"] = 0.5 * float(work.mass @ (state.v**2).sum(axis=1) + spin)
        for kind in self.system.kinds:
            kind.initial_energy(work, row)
        self.initial_row = row.view(np.float64).reshape(-1)
        return float(self.initial_row[: len(ENERGIES)].sum())

    def accept(self, row: Array) -> None:
        """Make the end of the step the new state; ``row`` is its ledger row."""
        work, state = self.work, self.state
        state.time = work.t_f
        nodes.finish_step(
            work.x, work.q_f, work.r_f, work.dt,
            state.u, state.r, state.v, state.omega, state.slope, work.q_i, work.r_i,
        )  # fmt: skip
        np.divide(work.multipliers, work.dt**2, out=state.multipliers)
        np.add(state.multipliers[:, 0], state.multipliers[:, 1], out=work.lam)
        for kind, stored in zip(self.with_history, state.history, strict=True):
            kind.accept(work)
            stored[...] = kind.history
        self.energy = float(row[: len(ENERGIES)].sum())
