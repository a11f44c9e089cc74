"""Steady rotation: centrifugal forces and their stiffness on nodes, in the frame that rotates with the structure.

A node with mass m at x (mass centre) and inertia J about it, rotating with the frame at w, adds to the internal forces

    m w x (w x (x - x_0))        on displacements, global axes
    w_b x J w_b, w_b = R^T w     on rotations, node axes

and to their derivatives m w~ w~ and [w_b~ J - (J w_b)~] w_b~ (a rotation phi, node axes, changes w_b by w_b x phi).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import rotation_about, skew, unit_vector
from fem_mbd.core.scheme.state import State


@dataclass(frozen=True, eq=False)
class Spin:
    """A steady rotation about a fixed axis.

    Parameters
    ----------
    point, axis : (3,) a point of the axis (m) and its direction, global axes
    rate : rad/s
    azimuth : rad by which structure and frame have turned from the reference configuration: gravity then acts in this
        position, across the axis too. Without it only gravity along the axis acts (the other component rotates in the
        rotating frame, so that no equilibrium exists, and averages out)
    nodes : rotating nodes, where the rest of the structure does not rotate; by default all. Unknowns of rotating nodes
        are in the rotating frame, those of others in fixed axes

    Raises
    ------
    InputError
        For numbers that are not finite or an axis without direction.
    """

    point: ArrayLike
    axis: ArrayLike
    rate: float
    azimuth: float | None = None
    nodes: Iterable[Node] | None = None
    place: Array = field(init=False, repr=False)
    direction: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", array(self.point, (3,), "spin: point of the axis"))
        object.__setattr__(self, "direction", unit_vector(self.axis, "spin: axis"))
        object.__setattr__(self, "rate", finite(self.rate, "spin: rate"))
        if self.azimuth is not None:
            object.__setattr__(self, "azimuth", finite(self.azimuth, "spin: azimuth"))
        if self.nodes is not None:
            object.__setattr__(self, "nodes", tuple(self.nodes))

    def turns(self, count: int) -> Array:
        """(count,) 1.0 for each rotating node, 0.0 for a fixed one.

        Parameters
        ----------
        count : nodes of the model
        """
        if self.nodes is None:
            return np.ones(count)
        rotating = np.zeros(count)
        rotating[[node.index for node in self.nodes]] = 1.0
        return rotating

    @property
    def omega(self) -> Array:
        """(3,) angular velocity, rad/s."""
        return self.rate * self.direction

    def gravity(self, gravity: Array, count: int) -> Array:
        """(count, 3) m/s^2, gravity that acts on each node, in axes that are the global ones at azimuth 0.

        Parameters
        ----------
        gravity : (3,) m/s^2, global axes
        count : number of nodes of the model
        """
        if self.azimuth is None:
            acting = self.direction * float(self.direction @ gravity)
        else:
            acting = rotation_about(self.direction, -self.azimuth) @ gravity
        rotating = self.turns(count)[:, None]
        return np.asarray(rotating * acting + (1.0 - rotating) * gravity)

    def velocities(self, state: State) -> tuple[Array, Array]:
        """(n, 3) velocities of mass centres, and the angular ones in node axes, of nodes that rotate together.

        Parameters
        ----------
        state : its state
        """
        rotating = self.turns(len(state.u))[:, None]
        v = np.cross(self.omega, state.u - self.place)
        return rotating * v, rotating * np.einsum("nij,i->nj", state.r, self.omega)


def forces(spin: Spin, workspace: Workspace, u: Array, r: Array) -> Array:
    """(n, 6) forces and moments for the positions u (n, 3) of the mass centres and rotations r (n, 3, 3)."""
    w = spin.omega
    w_b = np.einsum("nij,i->nj", r, w)
    momentum = np.einsum("nij,nj->ni", workspace.inertia, w_b)
    centrifugal = workspace.mass[:, None] * np.cross(w, np.cross(w, u - spin.place))
    return spin.turns(workspace.n)[:, None] * np.concatenate([centrifugal, np.cross(w_b, momentum)], axis=1)


def stiffness(spin: Spin, workspace: Workspace, r: Array) -> Array:
    """(n, 6, 6) derivative of `forces` by the node's displacement and rotation."""
    w = skew(spin.omega)
    w_b = np.einsum("nij,i->nj", r, spin.omega)
    w_b_cross = skew(w_b)
    momentum = skew(np.einsum("nij,nj->ni", workspace.inertia, w_b))
    k = np.zeros((workspace.n, 6, 6))
    k[:, :3, :3] = workspace.mass[:, None, None] * (w @ w)
    k[:, 3:, 3:] = (w_b_cross @ workspace.inertia - momentum) @ w_b_cross
    return spin.turns(workspace.n)[:, None, None] * k
