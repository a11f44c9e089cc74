"""Effect of weight on a machine with an isotropic rotor: steady motion, and stiffness due to its stress.

In multi-blade coordinates z (see `fem_mbd.analysis.rotors.multiblade`) gravity is a constant force f, across the axis
too, and the motion that it causes is constant: K z + B^T lambda = f. In the axes of a blade it is a sway once per
revolution, x(psi) = T(psi) z, with the inertia and the gyroscopic forces of that sway in K.

The stress of this motion, to first order, changes the stiffness by K_g(psi) = T^T K_g[T z] T, with the period
2 pi/N of a rotor of N blades. Its mean over the azimuth is used, as is usual for multi-blade coordinates (G. Bir,
NREL/CP-500-42553, 2008): couplings that oscillate N, 2N, … times per revolution are dropped. A rotor at
standstill is taken in its actual position. Deflections by weight enter by their stress alone.

A balanced rotor has no azimuth at which its weight would hold or drive it. The effect of K_g on a mere rotation of the
shaft is of the order of the neglected deflections: K_g acts on motions relative to that rotation.

That a machine under its weight starts in steady motion is checked by residual forces of the nonlinear equations. With
constant multi-blade coordinates z, in the rotor's axes at azimuth 0, x = z moves by x' = Omega Sigma z and x'' =
Omega^2 Sigma^2 z (see `fem_mbd.analysis.rotors.multiblade`). The elastic and centrifugal forces of the initial
positions, the weight, and the inertial, gyroscopic and damping forces of that motion are in balance up to the terms
that the sway, which is of first order in the weight, neglects.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix, identity

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.linear_model import (
    LinearModel,
    balancing,
    close_joints,
    free_blocks,
    linearise_at,
    out_of_balance,
)
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.analysis.statics.bordered_newton import bordered
from fem_mbd.analysis.statics.static_forces import StaticForces, turned
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import rotation_about, rotation_from_vector
from fem_mbd.core.scheme.initial import InitialVelocityWarning, make_consistent
from fem_mbd.core.scheme.state import State

AZIMUTHS = 4  # per period 2 pi/N: exact for the harmonics of a stress that varies once per revolution
# fraction of the lowest frequency: stiffness added to motions without any while the weight is applied
HOLDING_RATIO = 1e-4
FREE_SHAFT_TOLERANCE = 1e-6  # fraction of the largest entry: permitted restriction of a free shaft by joints


def start_imbalance(
    linear: LinearModel, blades: MultiBlade, motion: Array, weight: Array, state: State
) -> float:
    """Displacement (machine lengths, or rad) that the unbalanced forces at ``state`` would cause.

    Parameters
    ----------
    linear : the machine in multi-blade coordinates, without weight
    blades : those coordinates
    motion : (n,) the constant z represented by ``state``
    weight : (n,) N, N m; both in the free unknowns
    state : positions and rotations at azimuth 0
    """
    rate = float(linear.spin @ blades.spin.direction)
    at_start, force = linearise_at(linear.system, state.copy(), replace(blades.spin, rate=rate))
    sigma = blades.generator(linear)
    velocity = rate * (sigma @ motion)
    inertia = (
        at_start.mass @ (rate * (sigma @ velocity)) + (at_start.gyroscopic + at_start.damping) @ velocity
    )
    moved, _ = out_of_balance(at_start, np.asarray(force + inertia - weight))
    return moved


def shaft_motion(linear: LinearModel, spin: Spin) -> Array:
    """(n,) rotation of all rotating nodes by 1 rad about the axis, in the free unknowns."""
    turning = spin.turns(linear.system.workspace.n)[:, None]
    axes = np.einsum("nij,i->nj", linear.state.r, spin.direction)
    arms = np.cross(spin.direction, linear.state.u - spin.place)
    return np.asarray((turning * np.concatenate([arms, axes], axis=1))[~linear.system.fixed])


@dataclass(frozen=True, eq=False)
class SteadySway:
    """Steady motion of a machine under its weight.

    Attributes
    ----------
    linear : the machine in multi-blade coordinates, without weight
    blades : those coordinates
    motion : (n,) z in the free unknowns at azimuth 0
    reaction : (n,) forces of the joints B^T lambda, likewise
    """

    linear: LinearModel
    blades: MultiBlade
    motion: Array
    reaction: Array

    @classmethod
    def of(
        cls, linear: LinearModel, blades: MultiBlade, weight: Array, scale: float | None = None
    ) -> SteadySway:
        """Compute the sway under steady forces.

        Parameters
        ----------
        linear : from `fem_mbd.analysis.rotors.multiblade.in_fixed_axes`; its own model has no gravity
        blades : the rotor's
        weight : (nodes, 6) N at the mass centres, global axes, and N m, node axes
        scale : rad/s, approximately the lowest elastic frequency; by default it is computed
        """
        force = weight[~linear.system.fixed]
        stiffness, mass = linear.reduced(linear.stiffness), linear.reduced(linear.mass)
        shift = (HOLDING_RATIO * (scale or lowest_frequency(stiffness, mass))) ** 2
        matrix, pull = csr_matrix(stiffness + shift * mass), linear.basis.T @ force
        shaft = shaft_motion(linear, blades.spin)
        turn = linear.basis.T @ shaft
        if np.abs(linear.basis @ turn - shaft).max() < FREE_SHAFT_TOLERANCE * np.abs(shaft).max():
            # The shaft is free, and weight does not turn it; round-off can make its stiffness the negative of the
            # stiffness `shift` added there. That rotation is removed: x^T M s = 0.
            matrix, pull = bordered(matrix, mass @ turn, mass @ turn), np.append(pull, 0.0)
        motion = linear.basis @ factorise(matrix).solve(pull)[: len(turn)]
        return cls(linear, blades, motion, force - linear.stiffness @ motion)

    def stiffness(self, azimuths: Array) -> csr_matrix:
        """(n, n) stiffness due to the stress by weight in multi-blade coordinates, mean over azimuths.

        Parameters
        ----------
        azimuths : (k,) rad, from the rotor's position in the model
        """
        mean = csr_matrix(self.linear.mass.shape)
        forces = StaticForces(self.linear.system.model, self.linear.state.time)
        for psi in azimuths:
            state, axes = self._turned(float(psi))
            mean = mean + axes.T @ self._geometric(forces, state, axes) @ axes / len(azimuths)
        free = self._without_spin()
        return csr_matrix(free.T @ mean @ free)

    def with_weight(self) -> LinearModel:
        """The linear model with the effect of weight, at the speed of ``linear``."""
        period = 2 * np.pi / len(self.blades.azimuths)
        turning = bool(np.any(self.linear.spin))
        azimuths = np.arange(AZIMUTHS) * period / AZIMUTHS if turning else np.zeros(1)
        return replace(self.linear, stiffness=csr_matrix(self.linear.stiffness + self.stiffness(azimuths)))

    def softened(self) -> SteadySway:
        """The motion with the stiffness due to the stress by weight, which decides how far a floating machine tilts."""
        weight = self._full(self.reaction + self.linear.stiffness @ self.motion)
        return SteadySway.of(self.with_weight(), self.blades, weight)

    def start(self, carrier: Node | None = None) -> State:
        """Positions, rotations and velocities at azimuth 0, to first order in the motion; joints are closed.

        Parameters
        ----------
        carrier : a node, such as that of a floating platform, whose motion is applied to all nodes as a finite one;
            the motion relative to it is of first order
        """
        linear, spin = self.linear, self.blades.spin
        rate = float(linear.spin @ spin.direction)
        state, motion = linear.state.copy(), self._full(self.motion)
        rigid = np.zeros_like(motion) if carrier is None else _rigid_motion(state, motion, carrier.index)
        relative = (motion - rigid)[~linear.system.fixed]
        moved, sway = (self._full(x) for x in (relative, rate * self.blades.generator(linear) @ relative))
        state.u += moved[:, :3]
        state.r[:] = turned(state.r, moved[:, 3:])
        close_joints(linear.system, state)
        state.v[:], state.omega[:] = replace(spin, rate=rate).velocities(state)
        state.v += sway[:, :3]
        state.omega += sway[:, 3:]
        if carrier is not None:
            _carry(state, motion[carrier.index], carrier.index, ~linear.system.fixed.all(axis=1))
        with warnings.catch_warnings():
            # of second order, like the correction that closes the joints
            warnings.simplefilter("ignore", InitialVelocityWarning)
            make_consistent(linear.system, state)
        return state

    def out_of_balance(self, state: State) -> float:
        """Unbalanced forces at ``state`` as a fraction of the weight: 1 at the shape that carries none.

        Zero in a steady motion; of first order in the deflections at `start`, which neglects their squares.

        Parameters
        ----------
        state : of the model of the sway, at azimuth 0
        """
        weight = self.reaction + self.linear.stiffness @ self.motion
        unloaded = start_imbalance(self.linear, self.blades, 0.0 * self.motion, weight, self.linear.state)
        loaded = start_imbalance(self.linear, self.blades, self.motion, weight, state)
        return loaded / unloaded if unloaded > 0.0 else 0.0

    def _full(self, x: Array) -> Array:
        full = np.zeros((self.linear.system.workspace.n, 6))
        full[~self.linear.system.fixed] = x
        return full

    def _turned(self, psi: float) -> tuple[State, csr_matrix]:
        """The shape linearised about, with its rotor at ``psi``, and T(psi) (n, n) with displacements in global
        axes.
        """
        linear, spin, state = self.linear, self.blades.spin, self.linear.state.copy()
        turning = spin.turns(linear.system.workspace.n) > 0.0
        q = rotation_about(spin.direction, psi)
        state.r[turning] = q @ state.r[turning]
        state.u[turning] = spin.place + (state.u[turning] - spin.place) @ q.T
        pairs = [(q if t else np.eye(3), np.eye(3)) for t in turning]
        axes = free_blocks(linear.system, [block for pair in pairs for block in pair])
        return state, csr_matrix(axes @ self.blades.turned(linear, psi))

    def _geometric(self, forces: StaticForces, state: State, axes: csr_matrix) -> csr_matrix:
        """(n, n) stiffness due to the stress of the sway at ``state``, unknowns of the nodes there."""
        unstressed = forces.tangent(state)
        n = forces.n
        stress = forces.extrapolated_stress(state, np.concatenate([axes @ self.motion, np.zeros(forces.m)]))
        loaded = state.copy()
        if forces.m:
            loaded.multipliers[:, 0] += balancing(csr_matrix(unstressed[n:, :n]), axes @ self.reaction)
        return csr_matrix((forces.tangent(loaded, 1.0, stress) - unstressed)[:n, :n])

    def _without_spin(self) -> csr_matrix:
        """(n, n) projector onto motions relative to the rotation of the shaft, which is that of the first rotating
        node.
        """
        linear, spin = self.linear, self.blades.spin
        shaft = shaft_motion(linear, spin)
        full = np.zeros_like(linear.system.fixed, dtype=float)
        node = int(np.argmax(spin.turns(len(full))))
        full[node, 3:] = linear.state.r[node].T @ spin.direction
        rotation = csr_matrix(full[~linear.system.fixed][None, :])
        return csr_matrix(identity(len(shaft)) - csr_matrix(shaft[:, None]) @ rotation)


def _rigid_motion(state: State, motion: Array, node: int) -> Array:
    """(nodes, 6) of all nodes as one body with that of one node; node axes for turns."""
    turn = state.r[node] @ motion[node, 3:]
    moved = motion[node, :3] + np.cross(turn, state.u - state.u[node])
    return np.concatenate([moved, np.einsum("nij,i->nj", state.r, turn)], axis=1)


def _carry(state: State, motion: Array, node: int, free: Array) -> None:
    """Move all ``free`` nodes (n,) of a state as one body by the finite motion (6,) of one that has not moved yet."""
    centre, axes = state.u[node].copy(), state.r[node]
    q = axes @ rotation_from_vector(motion[3:]) @ axes.T
    state.u[free] = centre + motion[:3] + (state.u[free] - centre) @ q.T
    state.v[free] = state.v[free] @ q.T
    state.r[free] = q @ state.r[free]
