"""Reactions at the start of a run, before any step: multipliers from the equations of motion at that instant.

With M the mass matrix, J the Jacobian of the constraint rates, F the forces of parts and loads, gamma the part of the
constraints' second rate that velocities and drivers determine:

    M a + J^T lambda = F        J a = gamma        so  J M^-1 J^T lambda = J M^-1 F - gamma

F and gamma come from the kernels of a step: its equations at the ballistic motion, positions moved by dt v and
velocities unchanged, without multipliers, are -dt^2 F, and the rates of the constraints -dt^2 gamma. Both have an error
of first order in dt, which is extrapolated to zero from two steps; at rest there is none. Friction in joints depends on
lambda, which is iterated then.
Source: Bauchau, Flexible Multibody Dynamics, 2011, section 11.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.initial import constraint_entries
from fem_mbd.core.scheme.tdg import Scheme

STEP = 2.0**-20  # s; powers of two cause no round-off
MAX_DENSE = 1_000_000  # entries of a dense Jacobian
RANK = 1e-12  # smaller singular values are those of redundant constraints: reactions of minimum norm
MAX_ITERATIONS, CONVERGED = 50, 1e-13  # of multipliers that friction in joints depends on
MASSLESS = (
    1e-12  # of the model's largest mass or moment of inertia, for nodes that have none; of the node's own
)


def set_start_reactions(scheme: Scheme) -> None:
    """Put the forces of the state before the first step where outputs find those of a step.

    Reactions of joints and supports, of a state whose velocities fulfil the constraints, and records of contacts. The
    state is not changed.
    """
    work, system = scheme.work, scheme.system
    lam, force, gamma = work.lam.copy(), *_instant(scheme, np.zeros_like(work.lam))
    if system.constraints:
        constraints = _Constraints(scheme)
        coupled = any(kind.read_rows is not None for kind in system.kinds)
        for _ in range(MAX_ITERATIONS if coupled else 1):
            before, lam = lam, constraints.multipliers(-force, gamma, lam)
            if not coupled or np.abs(lam - before).max() <= CONVERGED * np.abs(lam).max():
                break
            force = _instant(scheme, lam)[0] - constraints.forces(lam)
        force = force + constraints.forces(lam)
    _record_contacts(scheme, lam)
    for gather in scheme.calls.gather_contacts:
        gather()
    scheme.load_state()
    kept = work.accepted
    kept.x[:], kept.rows[:] = 0.0, 0.0
    kept.rows[:, :6] = force
    kept.multipliers[:, 0], kept.multipliers[:, 1] = lam, 0.0
    kept.clock[:] = work.t_i, work.t_i, 1.0
    work.lam[:] = lam
    if system.joints is not None:
        system.joints.hold_drives()


def _instant(scheme: Scheme, lam: Array) -> tuple[Array, Array]:
    """Forces (n, 6) on the nodes, internal less applied, with given multipliers (m,), and gamma (m,)."""
    (coarse, rates), (fine, fine_rates) = (_over(scheme, lam, dt) for dt in (STEP, 0.5 * STEP))
    return 2.0 * fine - coarse, rates - 2.0 * fine_rates


def _record_contacts(scheme: Scheme, lam: Array) -> None:
    """Fill the records of contacts, extrapolated to the instant as the forces are."""
    kinds, found = [kind for kind in scheme.system.kinds if kind.has_contacts], []
    for dt in (STEP, 0.5 * STEP) if kinds else ():
        _over(scheme, lam, dt)
        for kind in kinds:
            kind.record_contacts(scheme.work)
        found.append([kind.contact_records().copy() for kind in kinds])
    for kind, coarse, fine in zip(kinds, *found, strict=True):
        record = kind.contact_records()
        record["gap_f"] = record["gap_i"]
        closed = (coarse["normal_force"] != 0.0) & (fine["normal_force"] != 0.0)
        for name in ("normal_force", "friction_force"):
            record[name][closed] = (2.0 * fine[name] - coarse[name])[closed]
        record["slip_velocity"] = 2.0 * fine["slip_velocity"] - coarse["slip_velocity"]


def _over(scheme: Scheme, lam: Array, dt: float) -> tuple[Array, Array]:
    """Mean forces (n, 6), and rates of the constraints (m,) less gamma, over a ballistic step of dt (s)."""
    work, system = scheme.work, scheme.system
    time = scheme.state.time
    y, f = scheme.begin(time + dt), np.zeros(system.size)
    work.dt = dt  # exactly
    x = work.x.copy()
    x[:, :6], x[:, 6:] = dt * np.concatenate([scheme.state.v, scheme.state.omega], axis=1), 0.0
    unknown = system.equation >= 0
    y[system.equation[unknown]] = x[unknown]
    y[system.constraint_equation[:, 0]], y[system.constraint_equation[:, 1]] = dt**2 * lam, 0.0
    scheme.residual(y, f)
    return work.rows[:, :6] / dt**2, work.constraints[:, 1] / dt**2


class _Constraints:
    """Jacobian J (m, 6 n) of the bilateral constraints of a state, dense where it is small, and J M^-1."""

    def __init__(self, scheme: Scheme) -> None:
        state, system = scheme.state, scheme.system
        entries = constraint_entries(system, state)
        self.rows = np.unique(entries.row)  # unilateral constraints have none
        inverse = _inverse_mass(scheme)
        self.jacobian: Any
        if entries.shape[0] * entries.shape[1] <= MAX_DENSE:
            self.jacobian = np.zeros(entries.shape)
            np.add.at(self.jacobian, (entries.row, entries.column), entries.value)
            in_blocks = self.jacobian.reshape(entries.shape[0], -1, 6)
            self.by_mass: Any = np.einsum("mni,nij->mnj", in_blocks, inverse).reshape(entries.shape)
        else:
            from scipy.sparse import bsr_matrix  # not at the top: small models do not need SciPy

            self.jacobian = entries.matrix()
            n = len(inverse)
            blocks = bsr_matrix((inverse, np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n))
            self.by_mass = self.jacobian @ blocks.tocsr()

    def forces(self, lam: Array) -> Array:
        """(n, 6) forces J^T lambda of the bilateral constraints on the nodes."""
        own = np.zeros_like(lam)
        own[self.rows] = lam[self.rows]
        return np.asarray(self.jacobian.T @ own).reshape(-1, 6)

    def multipliers(self, force: Array, gamma: Array, others: Array) -> Array:
        """(m,) lambda of J M^-1 J^T lambda = J M^-1 F - gamma; those of unilateral constraints as in ``others``."""
        rows, lam = self.rows, others.copy()
        mobility = (self.by_mass @ self.jacobian.T)[rows][:, rows]
        target = (self.by_mass @ force.ravel() - gamma)[rows]
        if isinstance(mobility, np.ndarray):
            size = np.sqrt(np.maximum(mobility.diagonal(), np.finfo(float).tiny))
            scaled = mobility / np.outer(size, size)
            lam[rows] = np.linalg.lstsq(scaled, target / size, rcond=RANK)[0] / size
        else:
            from scipy.sparse import identity
            from scipy.sparse.linalg import splu

            shift = RANK * float(mobility.diagonal().mean())
            lam[rows] = splu((mobility + shift * identity(len(rows))).tocsc()).solve(target)
        return lam


def _inverse_mass(scheme: Scheme) -> Array:
    """(n, 6, 6) inverse mass of the nodes, zero for components that are held."""
    work, held = scheme.work, scheme.system.held
    mass = np.zeros((work.n, 6, 6))
    moment = np.einsum("nii->n", work.inertia)
    mass[:, [0, 1, 2], [0, 1, 2]] = np.where(work.mass > 0.0, work.mass, MASSLESS * _largest(work.mass))[
        :, None
    ]
    usual = np.where(moment > 0.0, moment, _largest(moment))
    mass[:, 3:, 3:] = work.inertia + MASSLESS * usual[:, None, None] * np.eye(3)
    both = held[:, :, None] | held[:, None, :]
    inverse = np.linalg.inv(np.where(both, np.eye(6), mass))
    return np.where(both, 0.0, inverse)


def _largest(amounts: Array) -> float:
    """The largest of the nodes' masses or moments; one where there are none, as of nodes that are all held."""
    largest = float(amounts.max(initial=0.0))
    return largest if largest > 0.0 else 1.0
