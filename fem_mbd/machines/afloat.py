"""Linear models of floating machines: added mass, mooring and hydrostatic stiffness at the platform's node.

With T the motion (6,) of the reference point by the unknowns of the node, rho = reference - mass centre of the node:

    u_ref = u + theta x rho,  theta = R theta_node       M += T^T A T,  D += T^T B T,  K += T^T C T + K_W

A platform at rest carries the weight W of all that floats, a force F = W z at the reference point, whose arm turns with
the node: K_W = -F~ rho~ of moments about the mass centre; likewise the node's own weight where part of its mass, as the
water inside, does not weigh. The weights themselves are in `fem_mbd.analysis.rotors.weight`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.rotors.mode_kinds import Platform
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.foundation import weighing
from fem_mbd.machines.description.parts import Floater


def afloat(linear: LinearModel, made: Assembly, floater: Floater) -> LinearModel:
    """A linear model of the machine with its platform in the water.

    Parameters
    ----------
    linear : of the machine that nothing holds
    made : the assembly that it is of
    floater : what holds it
    """
    node = made.node(*floater.end).index
    r, arm = linear.state.r[node], floater.reference - linear.state.u[node]
    motion = np.block([[np.eye(3), -skew(arm) @ r], [np.zeros((3, 3)), r]])
    mass, damping, stiffness = (
        motion.T @ matrix @ motion for matrix in (floater.added_mass, floater.damping, floater.stiffness)
    )
    for force, at in _forces(linear, made, floater):
        stiffness[3:, 3:] -= r.T @ skew(floater.gravity * force) @ skew(at) @ r
    return replace(
        linear,
        mass=_with(linear, node, linear.mass, mass),
        damping=_with(linear, node, linear.damping, damping),
        stiffness=_with(linear, node, linear.stiffness, stiffness),
    )


def lift_at(linear: LinearModel, made: Assembly, floater: Floater) -> Array:
    """(nodes, 6) forces at mass centres and moments, node axes, with which the platform carries 1 m/s^2 of weight."""
    node = made.node(*floater.end).index
    found = np.zeros((linear.system.work.n, 6))
    (lift, arm), (weight, own) = _forces(linear, made, floater)
    found[node, :3] = lift
    found[node, 3:] = linear.state.r[node].T @ (np.cross(arm, lift) + np.cross(own, weight))
    return found


def _forces(linear: LinearModel, made: Assembly, floater: Floater) -> list[tuple[Array, Array]]:
    """Lift and weight (3,) of the platform's node in a gravity of 1 m/s^2, arms (3,) from its mass centre."""
    place, mass = made.node(*floater.end), weighing(made)
    moment = place.rotation @ made.model.inertia[place.index].first_moment
    for member in made.machine.members:
        for lump in member.lumps:
            if lump.weightless and made.node(member.name, lump.node) is place:
                moment = moment - lump.mass * made.frames[member.name].rotation @ lump.centre
    centre, up = linear.state.u[place.index], np.array([0.0, 0.0, 1.0])
    own = place.position + moment / mass[place.index] - centre if mass[place.index] > 0.0 else np.zeros(3)
    return [(mass.sum() * up, floater.reference - centre), (-mass[place.index] * up, own)]


def platform_of(made: Assembly, floater: Floater) -> Platform:
    """What names of modes need to know of the platform."""
    return Platform(made.node(*floater.end), floater.reference, floater.added_mass)


def _with(linear: LinearModel, node: int, matrix: csr_matrix, block: Array) -> csr_matrix:
    """The matrix with ``block`` (6, 6) added at a node, which is free."""
    free = ~linear.system.held.ravel()
    at = np.cumsum(free)[6 * node : 6 * node + 6] - 1
    rows, columns = np.meshgrid(at, at, indexing="ij")
    added = coo_matrix((block.ravel(), (rows.ravel(), columns.ravel())), shape=matrix.shape)
    return csr_matrix(matrix + added)
