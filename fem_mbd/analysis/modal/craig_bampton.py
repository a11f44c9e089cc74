"""Craig-Bampton reduction: a structure by what its interface does and by its modes with the interface held.

With the interface's unknowns b and all others i (free, constraints of joints eliminated), M x'' + D x' + K x = f,

    x = [ I    0  ] (x_b)        Psi = -K_ii^-1 K_ib        constraint modes: statics with the interface moved
        [ Psi  Phi] (q  )        K_ii Phi = M_ii Phi w^2    modes with the interface held, Phi^T M_ii Phi = I

M, D and K become T^T M T, T^T D T and T^T K T; K is block diagonal, with the exact static stiffness K_bb + K_bi Psi of
the interface and w^2. Forces on the interface have exact static responses, whatever modes are kept.
R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968) 1313.
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
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.npz import write_fields
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Node
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

COMPONENTS = ("ux", "uy", "uz", "rx", "ry", "rz")
SYMMETRIC = 1e-8  # of the largest entry: what K may miss of being symmetric


@dataclass(frozen=True, eq=False)
class CraigBampton:
    """A reduced structure; b unknowns of the interface, k modes.

    Attributes
    ----------
    mass, damping, stiffness : (b + k, b + k), first the interface, then the modes; SI
    names : (b + k,) of the unknowns: NODE.ux … NODE.rz, global axes, m and rad; mode 1 …
    frequencies_hz : (k,) with the interface held
    nodes : names of all nodes
    shapes : (nodes, 6, b + k) displacements and turns of all nodes by each unknown, global axes
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
        held : names of unknowns that do not move; () for a free interface

        Raises
        ------
        InputError
            For a name that there is not.
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
        file : its name

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For another ending.
        """
        return write_fields(self, file)


@arguments("model interface modes at")
def craig_bampton(
    model: Model,
    interface: Sequence[Attachment],
    modes: int,
    *,
    at: State | Equilibrium | None = None,
) -> CraigBampton:
    """Reduce a structure to some of its nodes and its lowest modes with these held.

        reduced = fem_mbd.craig_bampton(model, [blade.start], modes=10)
        reduced.mass, reduced.stiffness, reduced.names

    Parameters
    ----------
    model : the structure alone: a part that is free at its interface
    interface : nodes, or handles of bodies, by which it is joined to others; free, and not part of a joint of the model
    modes : how many of the lowest modes with the interface held are kept
    at : equilibrium about which it is linearised, as for `fem_mbd.modes`; the reference configuration when it is one

    Raises
    ------
    InputError
        When no interface is given, or one that is held or belongs to a joint, or when the stiffness is not symmetric
        (follower loads).
    """
    if not interface:
        raise InputError("craig_bampton: give the interface: the nodes by which the part is joined to others")
    whole_number(modes, "craig_bampton: modes")
    nodes = list(dict.fromkeys(model.registry.node_of(one, "craig_bampton: interface") for one in interface))
    linear = linearise(model, at)
    stiffness = linear.reduced(linear.stiffness)
    if abs(stiffness - stiffness.T).max() > SYMMETRIC * abs(stiffness).max():
        raise InputError(
            f"craig_bampton: the stiffness of model '{model.name}' is not symmetric: follower loads"
        )
    chosen = np.concatenate([_unknowns(linear, node) for node in nodes])
    basis, squares = _basis(linear, chosen, block_diag(*(_to_global(linear, node) for node in nodes)), modes)
    mass, damping = linear.reduced(linear.mass), linear.reduced(linear.damping)
    small = [np.asarray(basis.T @ (matrix @ basis)) for matrix in (mass, damping, stiffness)]
    names = [f"{node.name}.{c}" for node in nodes for c in COMPONENTS]
    names += [f"mode {n + 1}" for n in range(len(squares))]
    m, d, k = (0.5 * (matrix + matrix.T) for matrix in small)
    moved = np.stack([linear.displacements(column).real for column in basis.T], axis=-1)
    places = linear.state.u - np.einsum("nij,nj->ni", linear.state.r, linear.system.work.centre)
    held = np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)
    return CraigBampton(m, d, k, tuple(names), held, tuple(n.name for n in model.nodes), moved, places)


def _basis(linear: LinearModel, chosen: Indices, interface: Array, modes: int) -> tuple[Array, Array]:
    """T (r, b + k) and the squares (k,), rad^2/s^2, of the modes; interface (b, b) takes its names to its unknowns."""
    mass, stiffness = linear.reduced(linear.mass), linear.reduced(linear.stiffness)
    rest, b = np.setdiff1d(np.arange(linear.freedoms), chosen), len(chosen)
    inner, across = csr_matrix(stiffness[rest][:, rest]), stiffness[rest][:, chosen].toarray()
    squares, shapes = symmetric(inner, csr_matrix(mass[rest][:, rest]), min(modes, len(rest)))
    basis = np.zeros((linear.freedoms, b + len(squares)))
    basis[chosen, :b] = interface
    basis[rest, :b] = -factorise(inner).solve(across) @ interface
    basis[rest, b:] = shapes
    return basis, squares


def _unknowns(linear: LinearModel, node: Node) -> Indices:
    """(6,) numbers of a node's own reduced unknowns: displacement of its mass centre, turn in node axes."""
    held, name = linear.system.held, node.name
    if held[node.index].any():
        raise InputError(
            f"craig_bampton: node '{name}' of the interface is held: leave it free, its users hold it"
        )
    first = int((~held).ravel()[: 6 * node.index].sum())
    rows = csr_matrix(linear.basis[first : first + 6])
    if np.any(np.diff(rows.indptr) != 1):
        raise InputError(
            f"craig_bampton: node '{name}' of the interface belongs to a joint: take a node without joints"
        )
    return np.asarray(rows.indices, dtype=np.int64)


def _to_global(linear: LinearModel, node: Node) -> Array:
    """(6, 6) from displacement and turn of a node's place, global axes, to its own unknowns."""
    r = linear.state.r[node.index]
    arm = r @ linear.system.work.centre[node.index]
    return np.block([[np.eye(3), -skew(arm)], [np.zeros((3, 3)), r.T]])
