"""Arrays of all n nodes that kernels take together: named tuples of those of a `Workspace`."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fem_mbd.core.compiled.signatures import array3, array4, matrix, vector


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
