"""Class `Workspace`: the arrays that the scheme and the element classes share during a step.

Arrays of all n nodes that kernels take together are named tuples: `Motion`, `Configuration`, `Rotations`, `Maps`,
`Forces`, `Masses`, `Accepted`, `StateArrays`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Number
from fem_mbd.core.compiled.signatures import array3, array4, matrix, vector
from fem_mbd.core.model.node import Point


class Motion(NamedTuple):
    """Ambient vectors of the nodes: position of the mass centre (m) and directors."""

    q_i: Annotated[Any, array3]  # (n, 4, 3) at t_i
    q_f: Annotated[Any, array3]  # (n, 4, 3) at t_f
    p: Annotated[Any, array3]  # (n, 4, 3) dt times the rate at t_f


class Configuration(NamedTuple):
    """Unknowns of the nodes, and their configuration at both ends of the step."""

    x: Annotated[Any, matrix]  # (n, 12) unknowns
    r_i: Annotated[Any, array3]  # (n, 3, 3) rotations at t_i
    q_i: Annotated[Any, array3]  # (n, 4, 3) ambient vectors at t_i
    r_f: Annotated[Any, array3]  # (n, 3, 3) at t_f
    q_f: Annotated[Any, array3]  # (n, 4, 3)


class Rotations(NamedTuple):
    """What the derivatives of rotated vectors depend on."""

    x: Annotated[Any, matrix]  # (n, 12) unknowns
    r_f: Annotated[Any, array3]  # (n, 3, 3) rotations at t_f
    spin: Annotated[Any, array3]  # (n, 3, 6) derivatives of their spins by the unknowns


class Maps(NamedTuple):
    """Derivatives of the directors, as of `fem_mbd.core.scheme.nodes.node_map`."""

    w_m: Annotated[Any, array4]  # (n, 3, 3, 6) conjugate to forces on the mean configuration
    w_f: Annotated[Any, array4]  # (n, 3, 3, 6) to those on the configuration at t_f
    d_q: Annotated[Any, array4]  # (n, 3, 3, 6) of q_f by the unknowns
    d_p: Annotated[Any, array4]  # (n, 3, 3, 6) of p


class Forces(NamedTuple):
    """Ambient forces times dt^2, N s^2 on positions and N m s^2 on directors."""

    m: Annotated[Any, array3]  # (n, 4, 3) on the mean configuration
    f: Annotated[Any, array3]  # (n, 4, 3) on the configuration at t_f


class Masses(NamedTuple):
    """Mass and moments of inertia."""

    mass: Annotated[Any, vector]  # (n,) kg
    inertia: Annotated[Any, array3]  # (n, 3, 3) kg m^2 about the mass centre, in node axes


class Accepted(NamedTuple):
    """The last accepted step, from which outputs take means over the step; its length is zero before the first."""

    x: Annotated[Any, matrix]  # (n, 12) unknowns of the nodes
    rows: Annotated[
        Any, matrix
    ]  # (n, 12) equations of the nodes: of held ones the forces of supports, times dt^2
    multipliers: Annotated[Any, matrix]  # (m, 2) times dt^2
    clock: Annotated[Any, vector]  # (3,) start, end and length, s


class StateArrays(NamedTuple):
    """Arrays of the accepted state (`fem_mbd.core.scheme.state.State`), in global axes unless stated otherwise."""

    u: Annotated[Any, matrix]  # (n, 3) m, positions of the mass centres
    r: Annotated[Any, array3]  # (n, 3, 3) rotations
    v: Annotated[Any, matrix]  # (n, 3) m/s
    omega: Annotated[Any, matrix]  # (n, 3) rad/s, in node axes
    slope: Annotated[Any, matrix]  # (n, 6) m/s^2 and rad/s^2, rates of v and omega over the last step


class Workspace:
    """Node data of one step; n nodes, all arrays allocated once.

    Attributes
    ----------
    mass (n,), inertia (n, 3, 3) about the mass centre in node axes, centre (n, 3) mass centre in node axes
    q_i, q_f, p : (n, 4, 3) ambient vectors at t_i and t_f, and dt times the rate at t_f
    r_i, r_f : (n, 3, 3) rotations
    x : (n, 12) unknowns
    x_i : (n, 6) dt (v_i, Omega_i)
    w_m, w_f, d_q, d_p : (n, 3, 3, 6) maps of the directors (see `node_map`)
    spin : (n, 3, 6)
    force_m, force_f, lin_m, lin_f : (n, 4, 3) ambient forces times dt^2, and those with extrapolated stresses
    rows : (n, 12) node equations
    multipliers, constraints : (m, 2)
    lam : (m,) accepted multipliers at t_i, unscaled
    accepted : the last accepted step
    column : (n, 12) index of an unknown among those of its node, -1 where it is fixed; set by the system
    data : matrix values; the last entry collects the contributions of fixed unknowns
    ledger : the step's row of the energy balance by the names of its columns, ``ledger["elastic"] += 1.0``
    amounts : (columns,) the same as plain numbers; both are created by the system
    motion, configuration, rotations, maps, masses, forces, lin : those of these arrays that kernels take together
    clock : (3,) t_i, t_f and the length of the step, s
    step : the length of the step as an argument of a `Call`
    rotation : (1,) rad, the largest rotation of a node in the step that has converged, as step rules count it
        (`NodeRanges`)
    """

    def __init__(self, mass: Array, inertia: Array, centre: Array, gravity: Array):
        n = len(mass)
        self.mass, self.inertia, self.centre, self.gravity = mass, inertia, centre, gravity
        self.n = n
        self.clock = np.zeros(3)
        self.step = Number(self.clock, 2)
        self.rotation = np.zeros(1)
        self.q_i, self.q_f, self.p = np.zeros((n, 4, 3)), np.zeros((n, 4, 3)), np.zeros((n, 4, 3))
        self.dq, self.dp = np.zeros((n, 4, 3)), np.zeros((n, 4, 3))
        self.r_i, self.r_f = np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
        self.x, self.x_old, self.x_i = np.zeros((n, 12)), np.zeros((n, 12)), np.zeros((n, 6))
        self.w_m, self.w_f = np.zeros((n, 3, 3, 6)), np.zeros((n, 3, 3, 6))
        self.d_q, self.d_p = np.zeros((n, 3, 3, 6)), np.zeros((n, 3, 3, 6))
        self.spin = np.zeros((n, 3, 6))
        self.motion = Motion(self.q_i, self.q_f, self.p)
        self.configuration = Configuration(self.x, self.r_i, self.q_i, self.r_f, self.q_f)
        self.rotations = Rotations(self.x, self.r_f, self.spin)
        self.maps = Maps(self.w_m, self.w_f, self.d_q, self.d_p)
        self.masses = Masses(mass, inertia)
        self.force_m, self.force_f = np.zeros((n, 4, 3)), np.zeros((n, 4, 3))
        self.lin_m, self.lin_f = np.zeros((n, 4, 3)), np.zeros((n, 4, 3))
        self.forces, self.lin = Forces(self.force_m, self.force_f), Forces(self.lin_m, self.lin_f)
        self.rows = np.zeros((n, 12))
        self.multipliers = np.zeros((0, 2))
        self.constraints = np.zeros((0, 2))
        self.lam = np.zeros(0)
        self.accepted = Accepted(np.zeros((n, 12)), np.zeros((n, 12)), np.zeros((0, 2)), np.zeros(3))
        self.column = np.zeros((0, 12), dtype=np.int64)
        self.data = np.zeros(1)
        self.ledger: Any = np.zeros(0)
        self.amounts = np.zeros(0)

    @property
    def t_i(self) -> float:
        """Start of the step, s."""
        return float(self.clock[0])

    @t_i.setter
    def t_i(self, time: float) -> None:
        self.clock[0] = time

    @property
    def t_f(self) -> float:
        """End of the step, s."""
        return float(self.clock[1])

    @t_f.setter
    def t_f(self, time: float) -> None:
        self.clock[1] = time

    @property
    def dt(self) -> float:
        """Length of the step, s; t_f - t_i in a run."""
        return float(self.clock[2])

    @dt.setter
    def dt(self, length: float) -> None:
        self.clock[2] = length

    def offset_from_centre(self, node: int, offset: Array) -> Array:
        """Offset of a point from the node's mass centre, given that from the node's position; node axes."""
        return np.asarray(offset, dtype=float) - self.centre[node]

    def put_points(self, record: Any, k: Point, l: Point) -> None:
        """Put the nodes of two points, and the points' offsets from the mass centres, into ``nodes`` and ``arm``."""
        for side, point in enumerate((k, l)):
            record["nodes"][side] = point.node.index
            record["arm"][side] = self.offset_from_centre(point.node.index, point.offset)

    def node_positions(self, u: Array, rotation: Array) -> Array:
        """Global positions (n, 3) of the nodes, given their mass centres (n, 3) and rotations (n, 3, 3)."""
        return u - np.einsum("nij,nj->ni", rotation, self.centre)
