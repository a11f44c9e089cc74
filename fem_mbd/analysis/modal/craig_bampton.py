"""Craig-Bampton reduction of a structure to the motion of its interface and its modes with the interface fixed.

With the interface's unknowns b and all others i (free, constraints of joints eliminated), M x'' + D x' + K x = f,

    x = [ I    0  ] (x_b)        Psi = -K_ii^-1 K_ib        constraint modes: static response to the interface
        [ Psi  Phi] (q  )        K_ii Phi = M_ii Phi w^2    modes with the interface fixed, Phi^T M_ii Phi = I

M, D and K become T^T M T, T^T D T and T^T K T; K is block diagonal, with the exact static stiffness K_bb + K_bi Psi of
the interface and w^2. Forces on the interface have exact static responses, whatever modes are retained. R. R. Craig, M.
C. C. Bampton, AIAA Journal 6 (1968) 1313.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, symmetric
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices, write_fields
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Node, Point, as_point
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

COMPONENTS = ("ux", "uy", "uz", "rx", "ry", "rz")
SYMMETRY_TOLERANCE = 1e-8  # fraction of the largest entry: permitted asymmetry of K


@dataclass(frozen=True, eq=False)
class CraigBampton:
    """A reduced structure; b unknowns of the interface, k modes.

    Attributes
    ----------
    mass, damping, stiffness : (b + k, b + k), first the interface, then the modes; SI
    names : (b + k,) of the unknowns: NODE.ux … NODE.rz, global axes, m and rad; mode 1 …
    frequencies_hz : (k,) with the interface fixed
    nodes : names of all nodes
    shapes : (nodes, 6, b + k) displacements and rotations of all nodes per unit of each unknown, global axes
    positions : (nodes, 3) m, at the equilibrium about which the structure was linearised
    """

    mass: Array
    damping: Array
    stiffness: Array
    names: tuple[str, ...]
    frequencies_hz: Array
    nodes: tuple[str, ...]
    shapes: Array
    positions: Array

    @property
    def interface(self) -> int:
        """Number of unknowns of the interface."""
        return len(self.names) - len(self.frequencies_hz)

    def frequencies(self, held: Sequence[str] = ()) -> Array:
        """Hz, ascending, of the reduced structure without damping.

        Parameters
        ----------
        held : names of fixed unknowns; () for a free interface

        Raises
        ------
        InputError
            For an unknown name.
        """
        for name in held:
            if name not in self.names:
                raise InputError(f"craig_bampton: there is no unknown '{name}'")
        free = [k for k, name in enumerate(self.names) if name not in held]
        at = np.ix_(free, free)
        squares = eigh(self.stiffness[at], self.mass[at], eigvals_only=True)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi))

    def save(self, file: str | Path) -> Path:
        """Write a NumPy file (.npz) with everything under the names of the attributes.

        Parameters
        ----------
        file : name of the file

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For a file name with another ending.
        """
        return write_fields(self, file)


@arguments()
def craig_bampton(
    model: Model,
    interface: Sequence[Attachment],
    modes: int,
    *,
    at: State | Equilibrium | None = None,
) -> CraigBampton:
    """Reduce a structure to some of its nodes and its lowest modes with these nodes fixed.

        reduced = fem_mbd.craig_bampton(model, [blade.start], modes=10)
        reduced.mass, reduced.stiffness, reduced.names

    Parameters
    ----------
    model : the structure alone: a part that is free at its interface
    interface : nodes, points of them or handles of bodies, by which it is joined to others; free, and not part of a
        joint of the model. The unknowns of a point are its displacements and the rotations of its node
    modes : number of lowest modes with the interface fixed that are retained
    at : equilibrium about which it is linearised, as for `fem_mbd.modes`; by default the reference configuration, if
        that is an equilibrium

    Raises
    ------
    InputError
        When no interface is given, one with a support or in a joint, or two points of one node, or when the stiffness
        is not symmetric (follower loads).
    """
    if not interface:
        raise InputError("craig_bampton: give the interface: the nodes by which the part is joined to others")
    whole_number(modes, "craig_bampton: modes")
    points = _points(model, interface)
    linear = linearise(model, at)
    stiffness = linear.reduced(linear.stiffness)
    if abs(stiffness - stiffness.T).max() > SYMMETRY_TOLERANCE * abs(stiffness).max():
        raise InputError(
            f"craig_bampton: the stiffness of model '{model.name}' is not symmetric: follower loads"
        )
    chosen = np.concatenate([_unknowns(linear, point.node) for point in points])
    basis, squares = _basis(
        linear, chosen, block_diag(*(_to_global(linear, point) for point in points)), modes
    )
    mass, damping = linear.reduced(linear.mass), linear.reduced(linear.damping)
    projected = [np.asarray(basis.T @ (matrix @ basis)) for matrix in (mass, damping, stiffness)]
    names = [f"{point.node.name}.{c}" for point in points for c in COMPONENTS]
    names += [f"mode {n + 1}" for n in range(len(squares))]
    m, d, k = (0.5 * (matrix + matrix.T) for matrix in projected)
    shapes = np.stack([linear.displacements(column).real for column in basis.T], axis=-1)
    positions = linear.state.u - np.einsum("nij,nj->ni", linear.state.r, linear.system.workspace.centre)
    frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)
    node_names = tuple(node.name for node in model.nodes)
    return CraigBampton(m, d, k, tuple(names), frequencies, node_names, shapes, positions)


def _basis(linear: LinearModel, chosen: Indices, interface: Array, modes: int) -> tuple[Array, Array]:
    """T (r, b + k) and the squared frequencies (k,), rad^2/s^2, of the modes; interface (b, b) maps named to reduced
    unknowns.
    """
    mass, stiffness = linear.reduced(linear.mass), linear.reduced(linear.stiffness)
    others, b = np.setdiff1d(np.arange(linear.freedoms), chosen), len(chosen)
    inner, across = csr_matrix(stiffness[others][:, others]), stiffness[others][:, chosen].toarray()
    squares, shapes = symmetric(inner, csr_matrix(mass[others][:, others]), min(modes, len(others)))
    basis = np.zeros((linear.freedoms, b + len(squares)))
    basis[chosen, :b] = interface
    basis[others, :b] = -factorise(inner).solve(across) @ interface
    basis[others, b:] = shapes
    return basis, squares


def _unknowns(linear: LinearModel, node: Node) -> Indices:
    """(6,) indices of a node's reduced unknowns: displacement of its mass centre, rotation in node axes."""
    fixed, name = linear.system.fixed, node.name
    if fixed[node.index].any():
        raise InputError(
            f"craig_bampton: node '{name}' of the interface has a support: remove it, the interface has to "
            "be free"
        )
    first = int((~fixed).ravel()[: 6 * node.index].sum())
    rows = csr_matrix(linear.basis[first : first + 6])
    if np.any(np.diff(rows.indptr) != 1):
        raise InputError(
            f"craig_bampton: node '{name}' of the interface belongs to a joint: choose a node without joints"
        )
    return np.asarray(rows.indices, dtype=np.int64)


def _points(model: Model, interface: Sequence[Attachment]) -> list[Point]:
    """The points of the interface, each once; InputError for two on one node, whose motions depend on each other."""
    points: dict[int, Point] = {}
    for attachment in interface:
        point = as_point(attachment)
        node = model.registry.node_of(point.node, "craig_bampton: interface")
        known = points.setdefault(node.index, point)
        if not np.array_equal(known.offset, point.offset):
            raise InputError(
                f"craig_bampton: the interface has two points on node '{node.name}', which move together: give one"
            )
    return list(points.values())


def _to_global(linear: LinearModel, point: Point) -> Array:
    """(6, 6) map from displacement and rotation of a point, global axes, to its node's own unknowns."""
    r = linear.state.r[point.node.index]
    arm = r @ (linear.system.workspace.centre[point.node.index] - point.offset)
    return np.block([[np.eye(3), -skew(arm)], [np.zeros((3, 3)), r.T]])
