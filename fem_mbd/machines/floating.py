"""Linear models of floating machines: added mass, mooring and hydrostatic stiffness at the platform's node.

With T (6, 6) from the node's unknowns to the motion of the reference point, rho = reference - mass centre of the node:

    u_ref = u + theta x rho,  theta = R theta_node       M += T^T A T,  D += T^T B T,  K += T^T C T + K_W

At rest the platform carries the machine's weight W, a force F = W z at the reference point whose arm rotates with the
node: its moment about the mass centre gives K_W = -F~ rho~. The node's own weight gives such a term where part of its
mass, as water inside, has no weight. Stress due to the weight: `fem_mbd.analysis.rotors.weight`.
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
from fem_mbd.machines.assembly.foundation import mass_with_weight
from fem_mbd.machines.description.parts import Floater


def with_floater(linear: LinearModel, assembly: Assembly, floater: Floater) -> LinearModel:
    """A linear model with the terms of its floating platform added.

    Parameters
    ----------
    linear : of the machine without supports
    assembly : from which it was linearised
    floater : matrices of water and mooring
    """
    node = assembly.node(*floater.end).index
    r, rho = linear.state.r[node], floater.reference - linear.state.u[node]
    motion = np.block([[np.eye(3), -skew(rho) @ r], [np.zeros((3, 3)), r]])
    mass, damping, stiffness = (
        motion.T @ matrix @ motion for matrix in (floater.added_mass, floater.damping, floater.stiffness)
    )
    for load, arm in _unit_forces(linear, assembly, floater):
        stiffness[3:, 3:] -= r.T @ skew(floater.gravity * load) @ skew(arm) @ r
    return replace(
        linear,
        mass=_add_block(linear, node, linear.mass, mass),
        damping=_add_block(linear, node, linear.damping, damping),
        stiffness=_add_block(linear, node, linear.stiffness, stiffness),
    )


def unit_lift(linear: LinearModel, assembly: Assembly, floater: Floater) -> Array:
    """(nodes, 6) forces at mass centres, and moments, node axes, that balance the weight at 1 m/s^2."""
    node = assembly.node(*floater.end).index
    forces = np.zeros((linear.system.work.n, 6))
    (lift, arm), (weight, weight_arm) = _unit_forces(linear, assembly, floater)
    forces[node, :3] = lift
    forces[node, 3:] = linear.state.r[node].T @ (np.cross(arm, lift) + np.cross(weight_arm, weight))
    return forces


def _unit_forces(linear: LinearModel, assembly: Assembly, floater: Floater) -> list[tuple[Array, Array]]:
    """Lift and weight (3,) of the platform's node in a gravity of 1 m/s^2, arms (3,) from its mass centre."""
    node, mass = assembly.node(*floater.end), mass_with_weight(assembly)
    moment = node.rotation @ assembly.model.inertia[node.index].first_moment
    for member in assembly.machine.members:
        for lump in member.lumps:
            if lump.weightless and assembly.node(member.name, lump.node) is node:
                moment = moment - lump.mass * assembly.frames[member.name].rotation @ lump.centre
    centre, up = linear.state.u[node.index], np.array([0.0, 0.0, 1.0])
    weight_arm = node.position + moment / mass[node.index] - centre if mass[node.index] > 0.0 else np.zeros(3)
    return [(mass.sum() * up, floater.reference - centre), (-mass[node.index] * up, weight_arm)]


def platform_description(assembly: Assembly, floater: Floater) -> Platform:
    """Platform data needed to name modes."""
    return Platform(assembly.node(*floater.end), floater.reference, floater.added_mass)


def _add_block(linear: LinearModel, node: int, matrix: csr_matrix, block: Array) -> csr_matrix:
    """The matrix with ``block`` (6, 6) added at a free node."""
    free = ~linear.system.held.ravel()
    index = np.cumsum(free)[6 * node : 6 * node + 6] - 1
    rows, columns = np.meshgrid(index, index, indexing="ij")
    added = coo_matrix((block.ravel(), (rows.ravel(), columns.ravel())), shape=matrix.shape)
    return csr_matrix(matrix + added)
