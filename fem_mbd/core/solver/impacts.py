"""Impacts of rigid contacts as events between steps: the step ends where a gap closes, then velocities jump.

A rigid contact is open, or closed like an ideal joint until its force would become tensile. An attempt at a step in
which an open gap becomes negative, or the force of a closed contact tensile, is shortened to the instant of the first
such event. There a law of impulses gives the velocities after the impact. The loss of kinetic energy is dissipation of
contact in the ledger.

Chattering is an infinite number of impacts in finite time (Zeno behaviour). A rebound slower than the contact's
``rest_speed`` is set to zero: the contact closes.

The laws `newton`, `poisson` and `sequential` give the impulses of simultaneous impacts without friction in a mechanism
of rigid bodies with ideal joints. With mass matrix M, the joints' Jacobian J (J v is given and does not change) and the
contacts' N (u = N v, negative while they approach), the impulses p >= 0 of the contacts and P of the joints change the
velocities v by

    M dv = N^T p + J^T P,    J dv = 0,    so that    u+ = u- + G p,    G = N dM N^T

    Newton:   0 <= p  perpendicular to  u+ + e min(u-, 0) >= 0                  (Moreau's form for several contacts)
    Poisson:  0 <= c  perpendicular to  u- + G c >= 0, the end of compression;  then p = (1 + e) c + s,
              0 <= s  perpendicular to  u- + G p >= 0: the impulse of restitution is e times that of compression, and
              larger where contacts would approach again.

"Sequential": one contact after the other, the fastest approach first, until none approaches. SI units.
Sources: J. J. Moreau in Nonsmooth Mechanics and Applications (1988); C. Glocker and F. Pfeiffer, Multiple impacts with
friction in rigid multibody systems, Nonlinear Dynamics 7 (1995) 471.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.scheme.initial import ambient_vectors, constraint_jacobian
from fem_mbd.core.scheme.ledger import LEDGER, ROUND_OFF
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError, SolverFailure

SINGULAR = 1e-12  # fraction of G's largest eigenvalue: smaller ones are zero, of dependent contacts
ZERO_SPEED_RATIO = 1e-12  # fraction of the fastest approach: a slower one counts as zero
MAX_IMPACTS = 2000  # per contact in one sequence


def velocities_per_impulse(mass: Array, joints: Array, contacts: Array) -> Array:
    """(f, k) velocities caused by unit impulses of the contacts, with the impulses of the joints.

    Parameters
    ----------
    mass : (f, f) of the free velocities
    joints : (m, f) Jacobian of the ideal joints, dependent rows allowed
    contacts : (k, f) Jacobian of the gaps
    """
    f, m = len(mass), len(joints)
    matrix = np.zeros((f + m, f + m))
    matrix[:f, :f], matrix[f:, :f], matrix[:f, f:] = mass, joints, joints.T
    right = np.zeros((f + m, len(contacts)))
    right[:f] = contacts.T
    # least squares: with redundant joints their impulses are not unique, but the velocities are
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-13)[0][:f])


def complementary(g: Array, q: Array) -> Array:
    """p >= 0 with g p + q >= 0 and p . (g p + q) = 0, g (k, k) symmetric, semidefinite: a least-squares problem."""
    values, vectors = np.linalg.eigh(0.5 * (g + g.T))
    regular = values > SINGULAR * max(values[-1], 0.0)
    root = np.sqrt(values[regular])
    p, _ = scipy.optimize.nnls(root[:, None] * vectors[:, regular].T, -(vectors[:, regular].T @ q) / root)
    return np.asarray(p)


def newton(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, impulses by Newton's law; u (k,) m/s before the impact, e (k,) coefficients of restitution."""
    return complementary(g, u + e * np.minimum(u, 0.0))


def poisson(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, impulses by Poisson's law; arguments as in `newton`."""
    p = (1.0 + e) * complementary(g, u)
    return p + complementary(g, u + g @ p)


def sequential(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, sums of the impulses of one impact after the other, the fastest approach first.

    Raises
    ------
    SolverFailure
        When the impacts do not come to an end.
    """
    p, speeds = np.zeros_like(u), u.copy()
    tolerance = ZERO_SPEED_RATIO * max(float(np.abs(u).max()), 1e-300)
    for _ in range(MAX_IMPACTS * len(u)):
        k = int(np.argmin(speeds))
        if speeds[k] >= -tolerance:
            return p
        impulse = -(1.0 + e[k]) * speeds[k] / g[k, k]
        p[k] += impulse
        speeds += impulse * g[:, k]
    raise SolverFailure(
        f"{MAX_IMPACTS * len(u)} impacts one after the other have not separated {len(u)} contacts: "
        "use sequence='simultaneous'"
    )


TOUCHING = 1e-10  # fraction of the model's length: smaller gaps count as closed
TENSILE = 1e-9  # fraction of the largest force of a closed contact: smaller tensile forces count as zero
IMPACT = "impact"  # name of the rule in the records of such steps
KINETIC, DISSIPATION = LEDGER.index("kinetic"), LEDGER.index("dissipation_contact")


@dataclass(frozen=True, eq=False)
class Impact:
    """Contacts with impulses at one instant.

    Attributes
    ----------
    contacts : (k,) their indices
    opening : (k,) whether they were open before
    elastic : (k,) whether they rebound; otherwise they close
    impulses : (k,) N s
    """

    contacts: Indices
    opening: Flags
    elastic: Flags
    impulses: Array


class Impacts:
    """The rigid contacts of a run, if it has any. Impacts of contacts that touch at its start are applied first."""

    def __init__(self, system: System, state: State):
        self.system, self.state = system, state
        kinds: list[Any] = [kind for kind in system.kinds if kind.unilateral]
        self.kind: Any = kinds[0] if kinds else None
        self.observer: Callable[[Impact], None] | None = None  # informed of every impact
        if self.kind is None:
            return
        if system.model.lines:
            raise InputError(
                f"model '{system.model.name}' has beams: an impulse on a beam's node acts on its lumped mass, which "
                "decreases with mesh refinement; give the contact a law (fem_mbd.joints.PointOnPlane) instead"
            )
        self._touching = system.small_length(TOUCHING)
        gaps = self.kind.gaps(ambient_vectors(state))
        self.kind.check_apart(gaps, self._touching)
        self.apply_impacts(at_start=True)

    # -- end of the step ------------------------------------------------------------------------------------

    def values(self) -> Array:
        """(k,) values of the last attempt that must not be negative: gaps (m) at its end, forces (N) if closed.

        The force is the mean force or the one at the end, whichever is smaller.
        """
        workspace = self.system.workspace
        gaps = self.kind.gaps(workspace.q_f)
        first = int(self.kind.first_row[0])
        mean, change = workspace.multipliers[first : first + len(gaps)].T / workspace.dt**2
        return np.where(self.kind.closed, -np.maximum(mean, mean + change), gaps)

    def violated(self, values: Array) -> Indices:
        """Indices of contacts that the last attempt violates."""
        closed, workspace = self.kind.closed, self.system.workspace
        largest = float(np.abs(values[closed]).max(initial=0.0))
        # inertial force of all masses that corresponds to round-off of positions
        noise = ROUND_OFF * float(workspace.mass.sum()) * self.system.coordinates / workspace.dt**2
        return np.flatnonzero(values < -np.where(closed, TENSILE * largest + noise, self._touching))

    def first_event(self, dt: float, attempt: Callable[[float], bool]) -> float:
        """Length (s) of the step that ends with the first event in a step of ``dt``, ``dt`` if there is none.

        A closed contact whose force is tensile from the start of the step opens at once: 0.0, the step is repeated.

        Parameters
        ----------
        dt : s, of the last attempt, which has converged
        attempt : makes an attempt at a step of the given length and returns whether it has converged
        """
        located: list[int] = []  # contacts whose event is at the end of a step of ``dt``, to round-off
        while True:
            values = self.values()
            violated = [int(k) for k in self.violated(values) if k not in located]
            if not violated:
                return dt
            k = violated[0]
            low = self._length_before_event(k, dt, attempt)
            if low < 0.0:
                self._open(k)
                return 0.0

            def value(length: float, k: int = k) -> float:
                return float(self.values()[k]) if attempt(length) else float("nan")

            dt = float(scipy.optimize.brentq(value, low, dt, xtol=1e-16, rtol=1e-14))
            attempt(dt)
            located.append(k)

    def _open(self, k: int) -> None:
        if not self.kind.closed[k]:
            raise SolverFailure(
                f"rigid contact '{self.kind.specs[k].name}': at t = {self.state.time:.6g} s its bodies penetrate each "
                "other from the start of the step; let given motions change their speed smoothly, or give the contact "
                "a law (fem_mbd.joints.PointOnPlane)"
            )
        self.set_closed(k, False)

    def _length_before_event(self, k: int, dt: float, attempt: Callable[[float], bool]) -> float:
        """A length below ``dt`` after which contact k is not violated; -1 when there is none."""
        length = dt
        for _ in range(40):
            # after a rebound the gap is zero at first and then opens: halving finds a length at which it is open
            length *= 0.5
            if attempt(length) and self.values()[k] > 0.0:
                return length
        return -1.0

    # -- impact ---------------------------------------------------------------------------------------------

    def apply_impacts(self, at_start: bool = False) -> float:
        """Apply the impacts of touching contacts to the velocities of the accepted state; return the energy loss, J.

        There is an impact when a touching open contact approaches, or, at the start of a run, when it is at rest.
        """
        if self.kind is None:
            return 0.0
        closed = self.kind.closed
        touching = np.flatnonzero((self.kind.gaps(ambient_vectors(self.state)) <= self._touching) | closed)
        velocity, rows, mobility = self._response(touching)
        u = rows @ velocity
        # round-off of contacts at rest
        u[np.abs(u) <= ZERO_SPEED_RATIO * np.abs(u).max(initial=0.0)] = 0.0
        approaching = self._slow(touching, u) if at_start else u <= 0.0
        if not (approaching & ~closed[touching]).any():
            return 0.0
        e = self.kind.restitution[touching]
        slow = (u < 0.0) & (-e * u < self.kind.rest_speed[touching])  # the rebound would be too slow
        p = self.kind.law(rows @ mobility, u, np.where(slow, 0.0, e))
        after = velocity + mobility @ p
        loss = self._kinetic_energy(velocity) - self._kinetic_energy(after)
        rates = after.reshape(-1, 6)
        self.state.v[:], self.state.omega[:] = rates[:, :3], rates[:, 3:]
        self.kind.impulse[touching] = p
        opening = ~closed[touching]
        self.set_closed(touching, self._slow(touching, rows @ after))
        if self.observer is not None:
            hit = p > 0.0
            self.observer(Impact(touching[hit], opening[hit], ~slow[hit], p[hit]))
        return loss

    def rebound(self, contacts: Indices, restitution: Array) -> tuple[Array, Array]:
        """Velocities (6 n,) after an impact of given contacts (k,), and impulses (k,): a smooth function of the state.

        For contacts whose impulses are all positive, and coefficients of restitution (k,): by Newton's law, and by
        Poisson's where no contact needs a second impulse.
        """
        velocity, rows, mobility = self._response(contacts)
        p = np.linalg.solve(rows @ mobility, -(1.0 + restitution) * (rows @ velocity))
        return velocity + mobility @ p, p

    def _response(self, contacts: Indices) -> tuple[Array, Array, Array]:
        """Velocities (6 n,), derivatives of the gap rates of contacts by them (k, 6 n), and velocities per impulse."""
        velocity = np.concatenate([self.state.v, self.state.omega], axis=1).ravel()
        rows = self._rows(ambient_vectors(self.state))[contacts]
        mass, free = self._mass()
        joints = constraint_jacobian(self.system, self.state).toarray()[:, free]
        mobility = np.zeros((len(velocity), len(contacts)))
        mobility[free] = velocities_per_impulse(mass, joints, rows[:, free])
        return velocity, rows, mobility

    def _kinetic_energy(self, velocity: Array) -> float:
        mass, free = self._mass()
        return 0.5 * float(velocity[free] @ mass @ velocity[free])

    def set_closed(self, contacts: Any, closed: Any) -> None:
        """Close or open contacts, in the state too."""
        self.kind.history[contacts, 0] = closed
        self.history_of_state[...] = self.kind.history

    @property
    def history_of_state(self) -> Array:
        """(contacts, 1) as `ImpactKind.history`, in the state."""
        with_history = [kind for kind in self.system.kinds if kind.history is not None]
        return self.state.history[with_history.index(self.kind)]

    def _slow(self, touching: Indices, u: Array) -> Array:
        return np.asarray(u < self.kind.rest_speed[touching])

    def _rows(self, q: Array) -> Array:
        """(k, 6 n) derivative of the gap rates with respect to (v, Omega) of all nodes."""
        jacobian = self.kind.gap_jacobian(q)
        rows = np.zeros((len(jacobian), self.system.workspace.n, 6))
        for k, nodes in enumerate(self.kind.nodes):
            for side, node in enumerate(nodes):
                rows[k, node] += jacobian[k, side]
        return rows.reshape(len(jacobian), -1)

    def _mass(self) -> tuple[Array, Indices]:
        workspace = self.system.workspace
        blocks = [
            b for m, j in zip(workspace.mass, workspace.inertia, strict=True) for b in (m * np.eye(3), j)
        ]
        free = np.flatnonzero(~self.system.fixed.ravel())
        return scipy.linalg.block_diag(*blocks)[np.ix_(free, free)], free
