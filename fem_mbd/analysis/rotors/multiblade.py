"""Multi-blade (Coleman) coordinates: a rotating rotor of equal blades on fixed supports, and whether it is isotropic.

The blades of a rotor with N of them, b = 0 … N-1 at azimuth psi_b = Omega t + phi_b, move in their own axes by

    q_b = sqrt(1/N) a_0 + sqrt(2/N) sum_n [a_n cos(n psi_b) + b_n sin(n psi_b)]

(for even N and (-1)^b a_{N/2}/sqrt(N)), and other rotating parts by x = Q(Omega t)^T x_s, with Q the rotation about the
axis. Both are x = T(t) z with T orthogonal and T' = Omega T S. If mass, damping, stiffness and joints do not depend on
time in z (the rotor is isotropic), small motions

    M x'' + (G + D) x' + K x + B^T lambda = 0        x in the rotating frame

become, at t = 0 and with Sigma = T S T^T, x' in the place of T z',

    M x'' + (G + D + 2 Omega M Sigma) x' + (K + Omega (G + D) Sigma + Omega^2 M Sigma^2) x + B^T lambda = 0

with constant coefficients: unknowns and shapes remain those of the nodes at t = 0. Azimuths count from the upright
position. R. P. Coleman and A. M. Feingold, NACA report 1351 (1958); G. Bir, NREL/CP-500-42553 (2008).

`isotropic` tells whether the rotor's matrices are equal in all directions: only then do its equations in multi-blade
coordinates have constant coefficients. Published machines are often slightly anisotropic, as in the inertia of a
generator's rotor across its axis: for such a rotor the mean of its matrices over the azimuth is used
(`mean_over_a_turn`), T^T X T averaged over T(psi), which drops the periodic part.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.linear_model import LinearModel, free_blocks
from fem_mbd.analysis.modal.stiffness_and_damping import null_space, step_matrices
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array, Complex, Indices
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import rotation_about, skew, triad_with_third
from fem_mbd.errors import FemMbdWarning, InputError

# fraction of the rotor's radius, or of the angle between blades: permitted difference of equal blades
EQUALITY_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class MultiBlade:
    """The coordinates of a rotor.

    Attributes
    ----------
    spin : its rotation, whose ``nodes`` rotate
    blades : (N, n) indices of the blades' nodes, in the same order for all
    azimuths : (N,) phi_b, rad, from the upright position, about the axis
    """

    spin: Spin
    blades: Indices
    azimuths: Array

    @classmethod
    def of(cls, spin: Spin, blades: Sequence[Sequence[Node]], standing: bool = False) -> MultiBlade:
        """Create the coordinates from the nodes of the blades.

        Parameters
        ----------
        spin : the rotation
        blades : their nodes
        standing : for a rotor at standstill, which may have one or two blades

        Raises
        ------
        InputError
            For fewer than three blades, or blades whose nodes are not at equal positions; the message says which.
        """
        counts = [len(nodes) for nodes in blades]
        if len(blades) < 3 and not standing:
            raise InputError(
                f"multi-blade coordinates: the rotor has {len(blades)} blades; with fewer than three it is "
                "not isotropic: use Floquet multipliers"
            )
        if len(set(counts)) > 1:
            raise InputError(
                f"multi-blade coordinates: the blades have {counts} nodes: the numbers have to be equal"
            )
        positions = np.array([[node.position for node in nodes] for nodes in blades])
        azimuths = _azimuths(spin, positions)
        arms = positions - spin.place
        radius = float(np.abs(arms).max())
        for b, angle in enumerate(azimuths):
            turn = rotation_about(spin.direction, angle - azimuths[0])
            gap = np.abs(arms[b] - arms[0] @ turn.T).max() / radius
            step = (angle - azimuths[0]) * len(blades) / (2 * np.pi)
            if gap > EQUALITY_TOLERANCE or abs(step - round(step)) > EQUALITY_TOLERANCE:
                raise InputError(
                    f"multi-blade coordinates: blade {b + 1} (node '{blades[b][0].name}') is not blade 1 "
                    f"rotated about the axis (off by {gap:.2g} of the radius): such a rotor is not "
                    "isotropic"
                )
        return cls(spin, np.array([[node.index for node in nodes] for nodes in blades]), azimuths)

    @property
    def harmonics(self) -> int:
        """Pairs of cosine and sine coordinates."""
        return (len(self.azimuths) - 1) // 2

    def weights(self, psi: float) -> Array:
        """(N, N) weights of a_0, a_1, b_1, … for each blade (row) at rotor azimuth psi, rad; orthogonal."""
        n, psi_b = len(self.azimuths), self.azimuths + psi
        columns = [np.full(n, np.sqrt(1.0 / n))]
        for h in range(1, self.harmonics + 1):
            columns += [np.sqrt(2.0 / n) * np.cos(h * psi_b), np.sqrt(2.0 / n) * np.sin(h * psi_b)]
        if n % 2 == 0:
            order = np.rint((self.azimuths - self.azimuths[0]) * n / (2 * np.pi)).astype(int)
            columns.append(np.where(order % 2 == 0, 1.0, -1.0) / np.sqrt(n))
        return np.stack(columns, axis=1)

    def rates(self) -> Array:
        """(N, N) S of the blades' coordinates: weights' = Omega weights S."""
        s = np.zeros((len(self.azimuths),) * 2)
        for h in range(1, self.harmonics + 1):
            s[2 * h - 1, 2 * h], s[2 * h, 2 * h - 1] = h, -h
        return s

    def generator(self, linear: LinearModel) -> csr_matrix:
        """Sigma (n, n) in the free unknowns, at the nodes' orientation of ``linear``."""
        weights = self.weights(0.0)
        return _free_part(linear, _of_nodes(linear, self, weights @ self.rates() @ weights.T, None))

    def turned(self, linear: LinearModel, psi: float) -> csr_matrix:
        """T(psi) T(0)^T (n, n) in the free unknowns, in axes that turn with the rotor.

        Parameters
        ----------
        linear : whose unknowns are used
        psi : rad, by which the rotor turns
        """
        return _free_part(linear, _of_nodes(linear, self, self.weights(psi) @ self.weights(0.0).T, psi))

    def in_axes_of_first(self, motion: Complex) -> Complex:
        """Motion (N, n, 6) of the blades' nodes, global axes, rotated back about the axis to blade 1."""
        turned = np.empty_like(motion)
        for b, angle in enumerate(self.azimuths):
            back = rotation_about(self.spin.direction, self.azimuths[0] - angle)
            turned[b, :, :3], turned[b, :, 3:] = motion[b, :, :3] @ back.T, motion[b, :, 3:] @ back.T
        return turned


def in_fixed_axes(linear: LinearModel, blades: MultiBlade) -> LinearModel:
    """The linear model of a machine with a turning rotor, in multi-blade coordinates.

    linear : from `linearise` with the spin of ``blades``, at any rate; the rotor must be isotropic (`isotropic`)
    """
    rate = float(linear.spin @ blades.spin.direction)
    sigma = blades.generator(linear)
    rates = linear.gyroscopic + linear.damping
    return replace(
        linear,
        gyroscopic=csr_matrix(linear.gyroscopic + 2 * rate * linear.mass @ sigma),
        stiffness=csr_matrix(
            linear.stiffness + rate * rates @ sigma + rate**2 * linear.mass @ (sigma @ sigma)
        ),
        internal=None
        if linear.internal is None
        else _states_in_fixed_axes(linear.internal, blades, linear.system.workspace.n, rate, sigma),
    )


def _states_in_fixed_axes(
    states: InternalStates, blades: MultiBlade, count: int, rate: float, sigma: csr_matrix
) -> InternalStates:
    """States w = T_w z_w of the blades, with w' in the place of T_w z_w'; count of nodes."""
    weights, blade_states = blades.weights(0.0), states.of_blades(blades.blades)
    others = np.setdiff1d(np.arange(len(states)), np.concatenate(blade_states))
    turns = blades.spin.turns(count)[states.nodes[others, 0]] > 0.0
    if turns.any() or len({len(rows) for rows in blade_states}) > 1:
        raise InputError(
            f"multi-blade coordinates: {states.names[0]} and its like are not the same in all blades, or turn with the "
            "hub: their equations are not constant in fixed axes"
        )
    mixed = weights @ blades.rates() @ weights.T
    turning = csr_matrix((len(states), len(states)))
    for b, rows in enumerate(blade_states):
        for c, columns in enumerate(blade_states):
            if mixed[b, c] != 0.0:
                values = np.full(len(rows), mixed[b, c])
                turning = turning + csr_matrix((values, (rows, columns)), shape=turning.shape)
    return replace(
        states,
        own=csr_matrix(states.own - rate * turning),
        by_position=csr_matrix(states.by_position + rate * states.by_velocity @ sigma),
    )


def _azimuths(spin: Spin, positions: Array) -> Array:
    """(N,) of the blades' mean positions, from upright (or from blade 1, where the axis is upright)."""
    up = np.array([0.0, 0.0, 1.0])
    first = up - spin.direction * float(spin.direction @ up)
    triad = triad_with_third(spin.direction)
    if np.linalg.norm(first) < 1e-3:
        first = triad[:, 0]
    first = first / np.linalg.norm(first)
    second = np.cross(spin.direction, first)
    mean = positions.mean(axis=1) - spin.place
    return np.asarray(np.arctan2(mean @ second, mean @ first))


def _of_nodes(linear: LinearModel, blades: MultiBlade, mixed: Array, psi: float | None) -> csr_matrix:
    """(6 n, 6 n) for all nodes: ``mixed`` (N, N) between corresponding nodes of the blades, others rotated by -psi, or
    (psi None) with its rate.
    """
    count, spin, state = linear.system.workspace.n, blades.spin, linear.state
    turns = spin.turns(count) > 0.0
    others = np.setdiff1d(np.arange(count), blades.blades)
    blocks = np.zeros((len(others), 6, 6))
    for block, node in zip(blocks, others, strict=True):
        if psi is not None:
            block[:] = np.eye(6)
        if turns[node]:
            local_axis = state.r[node].T @ spin.direction
            for part, axis in ((slice(0, 3), spin.direction), (slice(3, 6), local_axis)):
                block[part, part] = -skew(axis) if psi is None else rotation_about(axis, -psi)
    parts = [_blocks(count, others, others, blocks)]
    for b, angle_b in enumerate(blades.azimuths):
        for c, angle_c in enumerate(blades.azimuths):
            # from one blade to the other; rotations are in node axes
            turn = mixed[b, c] * rotation_about(spin.direction, angle_b - angle_c)
            rows, columns = blades.blades[b], blades.blades[c]
            blocks = np.zeros((len(rows), 6, 6))
            blocks[:, :3, :3] = turn
            blocks[:, 3:, 3:] = np.einsum("nji,jk,nkl->nil", state.r[rows], turn, state.r[columns])
            parts.append(_blocks(count, rows, columns, blocks))
    return csr_matrix(sum(parts[1:], parts[0]))


def _blocks(count: int, rows: Indices, columns: Indices, blocks: Array) -> csr_matrix:
    """(6 n, 6 n) with blocks (k, 6, 6) between the nodes ``rows`` (k,) and ``columns`` (k,)."""
    k, i, j = np.nonzero(blocks)
    at = 6 * rows[k] + i, 6 * columns[k] + j
    return csr_matrix((blocks[k, i, j], at), shape=(6 * count, 6 * count))


def _free_part(linear: LinearModel, matrix: csr_matrix) -> csr_matrix:
    keep = np.flatnonzero(~linear.system.fixed.ravel())
    return csr_matrix(matrix[keep][:, keep])


# fraction of the largest entry: permitted change of an isotropic rotor's matrices under rotation
ISOTROPIC_TOLERANCE = 1e-6
# fraction of the diagonal: permitted change of a rotor treated as isotropic, with a warning
NEARLY_ISOTROPIC_TOLERANCE = 0.05
TEST_ROTATION = 0.7  # rad, rotation applied for the test


def _constraints_turned(linear: LinearModel, blades: MultiBlade) -> csr_matrix:
    """(m, n) Jacobian of the joints with the rotor rotated by TEST_ROTATION, unknowns in axes that rotate with it."""
    system, spin, state = linear.system, blades.spin, linear.state.copy()
    turning = spin.turns(system.workspace.n) > 0.0
    q = rotation_about(spin.direction, TEST_ROTATION)
    state.r[turning] = q @ state.r[turning]
    state.u[turning] = spin.place + (state.u[turning] - spin.place) @ q.T
    rotated = step_matrices(system, state, np.zeros(system.constraints)).constraints
    pairs = [(q if t else np.eye(3), np.eye(3)) for t in turning]
    return csr_matrix(rotated @ free_blocks(system, [block for pair in pairs for block in pair]))


class AnisotropyWarning(FemMbdWarning):
    """A rotor is not quite the same in all directions: the mean over a revolution is used."""


def isotropic(linear: LinearModel, blades: MultiBlade) -> bool:
    """Whether mass, stiffness, damping and joints are unchanged when the rotor turns, up to round-off.

    Raises
    ------
    InputError
        When they change by more than `NEARLY_ISOTROPIC_TOLERANCE`; the message says what, where and by how much.

    Warns
    -----
    AnisotropyWarning
        When they change by less, up to `NEARLY_ISOTROPIC_TOLERANCE`, with the same information.
    """
    turn = blades.turned(linear, TEST_ROTATION)
    name = linear.system.model.name
    differing = []
    for quantity in ("mass", "stiffness", "damping"):
        share, node = _change(getattr(linear, quantity), turn, linear)
        if share > NEARLY_ISOTROPIC_TOLERANCE:
            raise InputError(
                f"rotor of model '{name}': its {quantity} is not the same for all blades or in all directions, "
                f"most at node '{node}' ({100 * share:.2g} %): its equations in fixed axes are periodic; "
                "use Floquet multipliers"
            )
        if share > 0.0:
            differing.append(f"its {quantity} by up to {100 * share:.2g} % (at node '{node}')")
    if linear.system.constraints:
        violation = abs(_constraints_turned(linear, blades) @ turn @ null_space(linear.constraints))
        if violation.nnz and violation.max() > ISOTROPIC_TOLERANCE:
            raise InputError(
                f"rotor of model '{name}': a joint of it is not the same in all directions, or prevents it "
                "from turning"
            )
    if differing:
        warnings.warn(
            f"rotor of model '{name}' is not the same for all blades or in all directions: it differs in "
            f"{', '.join(differing)}. The mean over a revolution is used; the periodic part is dropped",
            AnisotropyWarning,
            stacklevel=3,
        )
    return not differing


def _change(matrix: csr_matrix, turn: csr_matrix, linear: LinearModel) -> tuple[float, str]:
    """Change of a matrix when the rotor turns, relative to its diagonal there, 0 for round-off; and the node."""
    turned = csr_matrix(turn.T @ matrix @ turn)
    change = (turned - matrix).tocoo()
    large = (
        np.abs(change.data) > ISOTROPIC_TOLERANCE * abs(matrix).max()
        if matrix.nnz
        else np.zeros(0, dtype=bool)
    )
    if not large.any():
        return 0.0, ""
    size = np.sqrt(np.maximum(matrix.diagonal(), turned.diagonal()))
    row, col, data = (
        change.row[large],
        change.col[large],
        np.abs(change.data[large]),
    )
    scale = size[row] * size[col]
    share = np.divide(data, scale, out=np.full(len(data), np.inf), where=scale > 0)
    worst = int(np.argmax(share))
    free = np.flatnonzero(~linear.system.fixed.ravel())
    return float(share[worst]), linear.system.model.nodes[int(free[row[worst]]) // 6].name


def mean_over_a_turn(linear: LinearModel, blades: MultiBlade) -> LinearModel:
    """The linear model of a nearly isotropic rotor, with its matrices averaged over the azimuth."""
    # products of two harmonics of the blades, and of two rotations of the parts between them
    count = 2 * max(blades.harmonics, 1) + 3 + len(blades.azimuths)
    turns = [blades.turned(linear, 2 * np.pi * k / count) for k in range(count)]

    def mean(matrix: csr_matrix) -> csr_matrix:
        return csr_matrix(sum((t.T @ matrix @ t for t in turns[1:]), turns[0].T @ matrix @ turns[0]) / count)

    return replace(
        linear,
        mass=mean(linear.mass),
        gyroscopic=mean(linear.gyroscopic),
        damping=mean(linear.damping),
        stiffness=mean(linear.stiffness),
    )
