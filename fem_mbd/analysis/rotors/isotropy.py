"""Isotropy of a rotor: whether its matrices are equal in all directions; their mean if they nearly are.

Only then do its equations in multi-blade coordinates have constant coefficients (`fem_mbd.analysis.rotors.multiblade`).
Published machines are often slightly anisotropic, as in the inertia of a generator's rotor across its axis: for such a
rotor the mean of its matrices over the azimuth is used, T^T X T averaged over T(psi), which drops the periodic part.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.null_space import null_space
from fem_mbd.analysis.modal.rotating import free_blocks
from fem_mbd.analysis.modal.step_matrices import step_matrices
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import FemMbdWarning, InputError

# fraction of the largest entry: permitted change of an isotropic rotor's matrices under rotation
ISOTROPIC_TOLERANCE = 1e-6
# fraction of the diagonal: permitted change of a rotor treated as isotropic, with a warning
NEARLY_ISOTROPIC_TOLERANCE = 0.05
TEST_ROTATION = 0.7  # rad, rotation applied for the test


def _constraints_turned(linear: LinearModel, blades: MultiBlade) -> csr_matrix:
    """(m, n) Jacobian of the joints with the rotor rotated by TEST_ROTATION, unknowns in axes that rotate with it."""
    system, spin, state = linear.system, blades.spin, linear.state.copy()
    turning = spin.turns(system.work.n) > 0.0
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
    free = np.flatnonzero(~linear.system.held.ravel())
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
