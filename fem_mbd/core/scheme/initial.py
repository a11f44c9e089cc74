"""Initial conditions: checks of closure and redundancy of constraints, projection of velocities onto constraints.

In large models the check of redundancy is made for each set of constraints that have unknowns in common, directly or
through other constraints (`connected_rows`).

Reactions at the start of a run, before any step: multipliers from the equations of motion at that instant.

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

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.scheme.constraints.constraint_kind import CLOSURE
from fem_mbd.core.scheme.matrix_structure import connected_rows
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.errors import FemMbdWarning, InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


# model lengths or rad per second: rates of drivers that start from rest, as 1 - cos, have such round-off. It has no
# scale of its own, and the first step closes what it leaves
ROUND_OFF = 1e-13
MAX_DENSE_ENTRIES = 10_000  # constraints times unknowns of a model whose constraints are checked together
BLOCK = 32  # block size of LAPACK's QR
INDEPENDENT = 1e-8  # squared singular value of independent rows: far above RANK^2 and round-off
MASSLESS = 1e-9  # of the largest mass or moment of inertia, where a velocity has none
RANK = 1e-9  # fraction of the largest pivot: a constraint with a smaller pivot depends on the others


class InitialVelocityWarning(FemMbdWarning):
    """The given initial velocities did not fulfil the constraints and were changed, or tear a beam."""


def make_consistent(system: System, state: State) -> str:
    """Check the start configuration and make ``state``'s velocities consistent with constraints and prescribed motions.

    Returns a message on changes, "" if there are none (the same text is issued as an `InitialVelocityWarning`).

    Raises
    ------
    InputError
        Joints that do not close, redundant or contradictory constraints, prescribed motions that do not start
        from the reference configuration; the message names the parts.
    """
    message = " ".join(filter(None, (_stop_fixed(system, state), _ask_for_centre(system))))
    _start_prescribed(system, state)
    if not system.constrained:
        return message
    q = ambient_vectors(state)
    _set_drivers(system, state.time)
    for kind in system.constrained:
        kind.check_closure(q, system.small_length(CLOSURE) / CLOSURE)
    rows = _velocity_rows(system, q)
    _check_rank(system, rows)
    return " ".join(filter(None, (message, _project(system, state, rows))))


def _stop_fixed(system: System, state: State) -> str:
    """Set the velocities of fixed components to zero; return a message if a fixed node had an initial velocity."""
    fixed = system.fixed.all(axis=1)
    speed = np.abs(state.v).max(axis=1) + np.abs(state.omega).max(axis=1)
    state.v[system.fixed[:, :3]] = 0.0
    state.omega[system.fixed[:, 3:]] = 0.0
    driven = {p.node.index for p in system.model.prescribed}
    names = [
        n.name for n in system.model.nodes if fixed[n.index] and speed[n.index] > 0 and n.index not in driven
    ]
    if not names:
        return ""
    message = (
        f"the initial velocities given to the fixed nodes {', '.join(map(repr, names))} were set to zero"
    )
    warnings.warn(message, InitialVelocityWarning, stacklevel=6)
    return message


def _ask_for_centre(system: System) -> str:
    """Message on a beam whose nodes have an angular velocity, but not the velocities of this rotation."""
    velocities = system.model.velocities
    for kind in system.kinds if velocities else ():
        if kind.drawn != "line":
            continue
        for first, last in zip(kind.nodes[:, 0].tolist(), kind.nodes[:, -1].tolist(), strict=True):
            if first not in velocities or last not in velocities:
                continue
            (v, omega), (other, other_omega) = velocities[first], velocities[last]
            nodes = system.model.nodes
            turning = np.cross(omega, nodes[last].position - nodes[first].position)
            # one rotation for all, and one velocity; a wave along the beam has others at every node
            alike = np.array_equal(v, other) and np.array_equal(omega, other_omega)
            if alike and np.linalg.norm(turning) > 0.0:
                message = (
                    f"nodes '{nodes[first].name}' and '{nodes[last].name}' of a beam have an angular velocity, but not "
                    "the velocities of a rotation, so that the run starts with an impact: did you mean "
                    "set_velocity(nodes, omega=…, about=POINT), which moves all nodes as one body about a point?"
                )
                warnings.warn(message, InitialVelocityWarning, stacklevel=6)
                return message
    return ""


def _start_prescribed(system: System, state: State) -> None:
    for p in system.model.prescribed:
        n = p.node.index
        x, v, r, w = p.frame(state.time, +1, system.workspace.centre[n])
        if (
            np.abs(x - state.u[n]).max() > system.small_length(CLOSURE)
            or np.abs(r - state.r[n]).max() > CLOSURE
        ):
            raise InputError(
                f"motion prescribed at node '{p.node.name}' does not start from the reference configuration: "
                "displacement and angle must be zero at t = 0"
            )
        state.v[n], state.omega[n] = v, w


class _Rows(NamedTuple):
    """Jacobian (m, 6 n) of all constraint rates with respect to (v, Omega) of the nodes, by entries, and their targets.

    Attributes
    ----------
    shape : (m, 6 n)
    row, column, value : of the entries
    target : (m,) required rates
    """

    shape: tuple[int, int]
    row: Indices
    column: Indices
    value: Array
    target: Array

    def times(self, velocity: Array) -> Array:
        """(m,) rates of the constraints at velocities (6 n,)."""
        rates = np.zeros(self.shape[0])
        np.add.at(rates, self.row, self.value * velocity[self.column])
        return rates

    def matrix(self) -> csr_matrix:
        """The Jacobian, sparse."""
        from scipy.sparse import csr_matrix  # not at the top: consistent models do not need SciPy

        return csr_matrix((self.value, (self.row, self.column)), shape=self.shape)


def _velocity_rows(system: System, q: Array) -> _Rows:
    """The rows at q (n, 4, 3)."""
    none = np.zeros(0, dtype=np.int64)  # of a model without joints
    rows, columns, values = [none], [none], [np.zeros(0)]
    target = np.zeros(system.constraints)
    for kind in system.constrained:
        nodes = np.repeat(kind.nodes, kind.multipliers, axis=0)  # of each constraint
        jacobian, first = kind.velocity_jacobian(q), int(kind.first_row[0])
        target[first : first + len(nodes)] = kind.velocity_target(q)
        rows.append(np.repeat(first + np.arange(len(nodes)), jacobian[0].size))
        columns.append((6 * nodes[:, :, None] + np.arange(6)).ravel())
        values.append(jacobian.ravel())
    shape = (system.constraints, 6 * system.workspace.n)
    return _Rows(shape, np.concatenate(rows), np.concatenate(columns), np.concatenate(values), target)


def constraint_entries(system: System, state: State) -> _Rows:
    """The Jacobian of all constraint rates at a state, by entries."""
    _set_drivers(system, state.time)
    return _velocity_rows(system, ambient_vectors(state))


def constraint_jacobian(system: System, state: State) -> csr_matrix:
    """(m, 6 n) Jacobian of all constraint rates with respect to (v, Omega) of the nodes, at a state."""
    from scipy.sparse import csr_matrix

    if not system.constrained:
        return csr_matrix((system.constraints, 6 * system.workspace.n))
    return constraint_entries(system, state).matrix()


def _set_drivers(system: System, time: float) -> None:
    if system.joints is not None:
        system.joints.set_instant(time)


def _check_rank(system: System, entries: _Rows) -> None:
    constraints = np.concatenate(
        [k.first_row[0] + np.arange(k.multipliers.sum()) for k in system.constrained]
    )
    dependent = [
        int(rows[k])
        for rows, dense in _coupled_rows(entries, constraints, system.fixed)
        for k in _dependent_rows(dense)
    ]
    system.redundant = len(dependent)
    if dependent and not system.model.allow_redundant:
        raise InputError(
            f"{len(dependent)} of {system.constraints} constraints are redundant, in "
            f"{_joint_names(system, dependent)}: replace a joint by a freer one (for instance a revolute of a planar "
            "loop by a spherical joint), or build the model with allow_redundant=True for minimum-norm reactions"
        )


def _coupled_rows(entries: _Rows, constraints: Indices, fixed: Flags) -> Iterator[tuple[Indices, Array]]:
    """Sets of the ``constraints`` that have unknowns in common, and their rows.

    In a small model all constraints are one set: finding the sets takes longer than factorising all together. The rows
    are dense, with a column for every unknown of the set.
    """
    count, unknowns = entries.shape
    included = np.zeros(count, dtype=bool)
    included[constraints] = True
    used = included[entries.row] & ~fixed.ravel()[entries.column] & (entries.value != 0.0)
    row, column, value = entries.row[used], entries.column[used], entries.value[used]
    if count * unknowns <= MAX_DENSE_ENTRIES:
        yield constraints, _dense(constraints, row, column, value)
        return
    group = connected_rows(row, column, count, unknowns)
    for g in np.unique(group[constraints]):
        rows, inside = constraints[group[constraints] == g], group[row] == g
        yield rows, _dense(rows, row[inside], column[inside], value[inside])


def _dense(rows: Indices, row: Indices, column: Indices, value: Array) -> Array:
    """Dense matrix of some rows, ascending, with a column for each unknown in them."""
    columns, index = np.unique(column, return_inverse=True)
    dense = np.zeros((len(rows), max(len(columns), 1)))
    np.add.at(dense, (np.searchsorted(rows, row), index), value)
    return dense


def _dependent_rows(rows: Array) -> list[int]:
    """Indices of rows that depend on the others, by a pivoted QR factorisation of the transpose."""
    scale = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit = rows / np.where(scale > 0, scale, 1.0)
    if _are_independent(unit):
        return []
    from scipy.linalg.lapack import dgeqp3  # not at the top: most models do not need SciPy

    # LAPACK's own function: for a small model scipy's `qr` takes ten times as long
    lwork = 2 * len(rows) + (len(rows) + 1) * BLOCK
    r, order, *_ = dgeqp3(unit.T, lwork=lwork)
    pivots = np.zeros(len(rows))
    diagonal = np.abs(r.diagonal())
    pivots[: len(diagonal)] = diagonal
    return sorted(int(k) - 1 for k in order[pivots <= RANK * max(pivots.max(), 1e-300)])


def _are_independent(unit: Array) -> bool:
    """Whether rows of unit length are so independent that all pivots of their factorisation are far above `RANK`.

    The pivots, the largest of which is one, are not below the smallest singular value s. s^2, an eigenvalue of the Gram
    matrix of the rows, is above `INDEPENDENT` if this matrix minus `INDEPENDENT` on its diagonal has a Cholesky
    factorisation.
    """
    try:
        np.linalg.cholesky(unit @ unit.T - INDEPENDENT * np.eye(len(unit)))
    except np.linalg.LinAlgError:
        return False
    return True


def _joint_names(system: System, rows: list[int]) -> str:
    """Kind and name of the joints with the constraints ``rows``."""
    names = []
    for kind in system.constrained:
        for part, first, count in zip(kind.describe(), kind.first_row, kind.multipliers, strict=True):
            if any(first <= row < first + count for row in rows):
                names.append(f"{part['type']} joint '{part['name']}'")
    return ", ".join(names)


def _project(system: System, state: State, rows: _Rows) -> str:
    """Project the velocities onto the constraints with the smallest change in the norm of the kinetic energy."""
    velocity, target = np.concatenate([state.v, state.omega], axis=1).ravel(), rows.target
    length, sizes = system.length, np.where(system.are_lengths, system.length, 1.0)
    rates = np.abs(velocity.reshape(-1, 2, 3)).max(axis=(0, 2)) / (length, 1.0)
    speed = max(float(rates.max()), float((np.abs(target) / sizes).max()))  # 1/s
    if speed == 0.0:  # everything is at rest, consistently
        return ""
    allowed = max(1e-10 * speed, ROUND_OFF) * sizes
    if (np.abs(target - rows.times(velocity)) <= allowed).all():
        return ""
    jacobian = rows.matrix()
    defect = target - jacobian @ velocity
    root = _inverse_root_mass(system)
    weighted = (jacobian @ root).toarray()
    change, *_ = np.linalg.lstsq(weighted, defect, rcond=1e-12)
    velocity = velocity + root @ change
    violated = np.abs(target - jacobian @ velocity) > np.maximum(1e-8 * speed * sizes, allowed)
    if violated.any():
        contradictory = [int(k) for k in np.flatnonzero(violated)]
        raise InputError(
            f"no initial velocity fulfils all constraints: {_joint_names(system, contradictory)} contradict each other "
            "or a fixed node: remove one of them"
        )
    both = velocity.reshape(-1, 6)
    state.v[:], state.omega[:] = both[:, :3], both[:, 3:]
    inconsistent = [int(k) for k in np.flatnonzero(np.abs(defect) > allowed)]
    message = (
        f"the initial velocities did not fulfil {_joint_names(system, inconsistent)} (error "
        f"{np.abs(defect).max():.3g}); they were changed as by an impact. Give consistent ones with Model.set_velocity "
        "to avoid this"
    )
    warnings.warn(message, InitialVelocityWarning, stacklevel=5)
    return message


def _inverse_root_mass(system: System) -> csr_matrix:
    """Sparse (6 n, 6 n) W with W W^T the inverse mass, zero for fixed components."""
    n = system.workspace.n
    blocks = np.zeros((n, 6, 6))
    # nodes and axes without inertia get a small one: a fraction of the largest, of a part of the node's own
    least_mass = MASSLESS * (float(system.workspace.mass.max()) or 1.0)
    least_inertia = MASSLESS * (
        float(np.trace(system.workspace.inertia, axis1=1, axis2=2).max()) or least_mass
    )
    for k in range(n):
        mass, inertia = system.workspace.mass[k], system.workspace.inertia[k]
        size = float(np.trace(inertia)) or least_inertia
        values, vectors = np.linalg.eigh(inertia + MASSLESS * size * np.eye(3))
        blocks[k, :3, :3] = np.eye(3) / np.sqrt(mass if mass > 0.0 else least_mass)
        blocks[k, 3:, 3:] = vectors / np.sqrt(values)
        blocks[k, system.fixed[k]] = 0.0
    from scipy.sparse import csr_matrix

    index = np.arange(6 * n).reshape(n, 6)
    rows, cols = np.repeat(index, 6, axis=1).ravel(), np.tile(index, (1, 6)).ravel()
    return csr_matrix((blocks.ravel(), (rows, cols)), shape=(6 * n, 6 * n))


STEP = 2.0**-20  # s; powers of two cause no round-off
MAX_DENSE = 1_000_000  # entries of a dense Jacobian
REDUNDANT_ROWS = (
    1e-12  # smaller singular values are those of redundant constraints: reactions of minimum norm
)
MAX_ITERATIONS, CONVERGED = 50, 1e-13  # of multipliers that friction in joints depends on
SMALLEST_MASS = (
    1e-12  # of the model's largest mass or moment of inertia, for nodes that have none; of the node's own
)


def set_start_reactions(scheme: Scheme) -> None:
    """Put the forces of the state before the first step where outputs find those of a step.

    Reactions of joints and supports, of a state whose velocities fulfil the constraints, and records of contacts. The
    state is not changed.
    """
    workspace, system = scheme.workspace, scheme.system
    lam, force, gamma = workspace.lam.copy(), *_instant(scheme, np.zeros_like(workspace.lam))
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
    kept = workspace.accepted
    kept.x[:], kept.rows[:] = 0.0, 0.0
    kept.rows[:, :6] = force
    kept.multipliers[:, 0], kept.multipliers[:, 1] = lam, 0.0
    kept.clock[:] = workspace.t_i, workspace.t_i, 1.0
    workspace.lam[:] = lam
    if system.joints is not None:
        system.joints.hold_drives()


def _instant(scheme: Scheme, lam: Array) -> tuple[Array, Array]:
    """Forces (n, 6) on the nodes, internal less applied, with given multipliers (m,), and gamma (m,)."""
    (coarse, rates), (fine, fine_rates) = (_over(scheme, lam, dt) for dt in (STEP, 0.5 * STEP))
    return 2.0 * fine - coarse, rates - 2.0 * fine_rates


def _record_contacts(scheme: Scheme, lam: Array) -> None:
    """Fill the records of contacts, extrapolated to the instant as the forces are."""
    kinds, records = [kind for kind in scheme.system.kinds if kind.has_contacts], []
    for dt in (STEP, 0.5 * STEP) if kinds else ():
        _over(scheme, lam, dt)
        for kind in kinds:
            kind.record_contacts(scheme.workspace)
        records.append([kind.contact_records().copy() for kind in kinds])
    for kind, coarse, fine in zip(kinds, *records, strict=True):
        record = kind.contact_records()
        record["gap_f"] = record["gap_i"]
        closed = (coarse["normal_force"] != 0.0) & (fine["normal_force"] != 0.0)
        for name in ("normal_force", "friction_force"):
            record[name][closed] = (2.0 * fine[name] - coarse[name])[closed]
        record["slip_velocity"] = 2.0 * fine["slip_velocity"] - coarse["slip_velocity"]


def _over(scheme: Scheme, lam: Array, dt: float) -> tuple[Array, Array]:
    """Mean forces (n, 6), and rates of the constraints (m,) less gamma, over a ballistic step of dt (s)."""
    workspace, system = scheme.workspace, scheme.system
    time = scheme.state.time
    y, f = scheme.begin(time + dt), np.zeros(system.size)
    workspace.dt = dt  # exactly
    x = workspace.x.copy()
    x[:, :6], x[:, 6:] = dt * np.concatenate([scheme.state.v, scheme.state.omega], axis=1), 0.0
    unknown = system.equation >= 0
    y[system.equation[unknown]] = x[unknown]
    y[system.constraint_equation[:, 0]], y[system.constraint_equation[:, 1]] = dt**2 * lam, 0.0
    scheme.residual(y, f)
    return workspace.rows[:, :6] / dt**2, workspace.constraints[:, 1] / dt**2


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
        bilateral = np.zeros_like(lam)
        bilateral[self.rows] = lam[self.rows]
        return np.asarray(self.jacobian.T @ bilateral).reshape(-1, 6)

    def multipliers(self, force: Array, gamma: Array, others: Array) -> Array:
        """(m,) lambda of J M^-1 J^T lambda = J M^-1 F - gamma; those of unilateral constraints as in ``others``."""
        rows, lam = self.rows, others.copy()
        mobility = (self.by_mass @ self.jacobian.T)[rows][:, rows]
        target = (self.by_mass @ force.ravel() - gamma)[rows]
        if isinstance(mobility, np.ndarray):
            size = np.sqrt(np.maximum(mobility.diagonal(), np.finfo(float).tiny))
            scaled = mobility / np.outer(size, size)
            lam[rows] = np.linalg.lstsq(scaled, target / size, rcond=REDUNDANT_ROWS)[0] / size
        else:
            from scipy.sparse import identity
            from scipy.sparse.linalg import splu

            shift = REDUNDANT_ROWS * float(mobility.diagonal().mean())
            lam[rows] = splu((mobility + shift * identity(len(rows))).tocsc()).solve(target)
        return lam


def _inverse_mass(scheme: Scheme) -> Array:
    """(n, 6, 6) inverse mass of the nodes, zero for components that are held."""
    workspace, fixed = scheme.workspace, scheme.system.fixed
    mass = np.zeros((workspace.n, 6, 6))
    moment = np.einsum("nii->n", workspace.inertia)
    mass[:, [0, 1, 2], [0, 1, 2]] = np.where(
        workspace.mass > 0.0, workspace.mass, SMALLEST_MASS * _largest(workspace.mass)
    )[:, None]
    usual = np.where(moment > 0.0, moment, _largest(moment))
    mass[:, 3:, 3:] = workspace.inertia + SMALLEST_MASS * usual[:, None, None] * np.eye(3)
    both = fixed[:, :, None] | fixed[:, None, :]
    inverse = np.linalg.inv(np.where(both, np.eye(6), mass))
    return np.where(both, 0.0, inverse)


def _largest(amounts: Array) -> float:
    """The largest of the nodes' masses or moments; one where there are none, as of nodes that are all held."""
    largest = float(amounts.max(initial=0.0))
    return largest if largest > 0.0 else 1.0
