"""LU of equations whose nodes have turned since their factorisation.

The stiffness of a beam hardly changes in the axes of its nodes, but in global axes it turns with them: a thousand times
stiffer along than across, it is another one after a hundredth of a radian. In the tangent rotations and moments have
the axes of their node; displacements, forces, and the multipliers of points that coincide have the global ones. So the
factors of a tangent A_k at rotations R_k of the nodes serve at rotations R as those of

    A = C A_k C^T        C = R R_k^T at vectors in global axes, 1 elsewhere        A y = f:    y = C A_k^-1 C^T f

Displacements of which a part is held are not turned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import array3, index_rows, indices, vector, void
from fem_mbd.core.linear_solvers.linear_solver import LU
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind
from fem_mbd.core.scheme.system import System


@kernel
def _differ(r, s):
    for i in range(3):
        for j in range(3):
            if r[i, j] != s[i, j]:
                return True
    return False


@kernel(void(array3, array3, indices, index_rows, vector))
def turn(to, since, node, equation, values):
    """Turn vectors among values (size,), equations (m, 3), by to since^T of nodes (m,); rotations (n, 3, 3)."""
    for k in range(node.shape[0]):
        r, s = to[node[k]], since[node[k]]
        if not _differ(r, s):
            continue
        a, b, c = equation[k, 0], equation[k, 1], equation[k, 2]
        x, y, z = values[a], values[b], values[c]
        u = s[0, 0] * x + s[1, 0] * y + s[2, 0] * z
        v = s[0, 1] * x + s[1, 1] * y + s[2, 1] * z
        w = s[0, 2] * x + s[1, 2] * y + s[2, 2] * z
        values[a] = r[0, 0] * u + r[0, 1] * v + r[0, 2] * w
        values[b] = r[1, 0] * u + r[1, 1] * v + r[1, 2] * w
        values[c] = r[2, 0] * u + r[2, 1] * v + r[2, 2] * w


class Turning(NamedTuple):
    """What turns.

    Attributes
    ----------
    rotations : (n, 3, 3) of the nodes at the iterate
    node : (m,) with which a vector turns
    equation : (m, 3) of its components along the global axes
    """

    rotations: Array
    node: Indices
    equation: Indices


def turning_of(system: System) -> Turning | None:
    """What turns in a model whose stiffness turns with its nodes; None for other models."""
    if not system.turns_with_nodes:
        return None
    displacements = system.equation.reshape(-1, 4, 3)[:, ::2]
    turned = (displacements >= 0).all(axis=2)
    node, vectors = [np.nonzero(turned)[0]], [displacements[turned]]
    for kind in system.kinds:
        if isinstance(kind, ConstraintKind):
            first, ends = kind.vector_rows()
            # with the node whose forces they are: an error in their direction would move nothing, and stay
            with_l = turned[ends[:, 1]].all(axis=1)
            owner = np.where(with_l, ends[:, 1], ends[:, 0])
            turning = with_l | turned[ends[:, 0]].all(axis=1)
            rows = system.constraint_equation[first[turning, None] + np.arange(3)]
            node.append(owner[turning].repeat(2))
            vectors.append(np.swapaxes(rows, 1, 2).reshape(-1, 3))
    return Turning(system.workspace.r_f, np.concatenate(node), np.concatenate(vectors))


class TurnedLU:
    """An LU that follows the rotations of the nodes from its factorisation on, as `BlockLU`.

    Parameters
    ----------
    lu : of the matrix
    turning : what turns
    """

    def __init__(self, lu: LU, turning: Turning):
        self._lu, self._turning = lu, turning
        self.failed = lu.failed
        self._kept = np.zeros_like(turning.rotations)

    @property
    def releases_gil(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil

    @property
    def releases_gil_later(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil_later

    def factorise(self) -> list[Task]:
        """Calls that factorise the present values, and store the rotations of the nodes."""
        return [
            Call(copy, self._turning.rotations.reshape(-1), self._kept.reshape(-1)),
            *self._lu.factorise(),
        ]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        (rotations, *vectors), kept = self._turning, self._kept
        return [
            Call(copy, f, y),
            Call(turn, kept, rotations, *vectors, y),
            *self._lu.solve(y, y),
            Call(turn, rotations, kept, *vectors, y),
        ]
