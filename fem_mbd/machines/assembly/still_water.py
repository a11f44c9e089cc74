"""A floating platform in the finite-element model: hydrostatics, mooring, added mass and damping in still water.

For statics and runs with gravity. Parts of the model represent the matrices (6, 6) of a `Floater`, exactly for small
motions about the position in the files. With n_i the principal directions of a matrix's translational part, and m_i the
moments of unit forces along n_i,

    A = sum a_i w_i w_i^T + [0 0; 0 R],  w_i = (n_i, m_i),  m_i = p_i x n_i

- stiffness and damping: long springs and dampers along n_i at p_i, and torsion springs for R;
- added mass: bodies a_i guided along n_i, each following a point of the platform, and bodies guided about the principal
  axes of R that follow its rotation. Forces cancel the weight of these bodies;
- buoyancy equal to the machine's weight W, a dead force at the depth z below the reference point. Its arm rotates with
  the platform: the negative stiffness W z is subtracted from R.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, unit_vector
from fem_mbd.core.scheme.constraints.forms import point
from fem_mbd.core.scheme.state import State
from fem_mbd.elements.loads.loads import Force
from fem_mbd.elements.rigid_body import Box, RigidBody
from fem_mbd.elements.springs.springs import RotationalSpringDamper, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.joints.ideal import Prismatic, Revolute
from fem_mbd.joints.pair import Condition, Joint, PairFrame
from fem_mbd.machines.assembly.assembled import Assembly, Guide
from fem_mbd.machines.assembly.bearings import mass_with_weight
from fem_mbd.machines.description.parts import Floater

SPRING_LENGTH = 1e5  # m: 10 m of motion across stretch a spring by 5e-4 m
ZERO_TOLERANCE = 1e-9  # fraction of the largest entry: no stiffness, mass or damping
# m, or fraction of the arm: neglected coupling of a translation with the rotation about the same axis
SCREW_TOLERANCE = 0.02
SHAPE = Box(sides=(1.0, 1.0, 1.0))
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class PointInPlane(Joint):
    """A point of L stays in a plane of K. One condition: (x_L - x_K) . e3K = 0.

    Parameters
    ----------
    k, l, at, name : as for `Joint`
    direction : (3,) e3, global axes
    """

    direction: Any = (0.0, 0.0, 1.0)
    kind: ClassVar[str] = "point in plane"

    def axis_direction(self) -> Array:
        return unit_vector(self.direction, f"direction of {self.label}")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [(0, gap.dot(frame.of_k(3)))]


@dataclass(frozen=True, eq=False)
class EqualRotation(PointInPlane):
    """L has the same rotation about the direction e3 as K. One condition: e1K . e2L = 0."""

    kind: ClassVar[str] = "equal turn"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return [(0, frame.of_k(1).dot(frame.of_l(2)))]


@dataclass(frozen=True, eq=False)
class ForceLines:
    """A matrix (6, 6) in the form of the module's docstring.

    Attributes
    ----------
    values : (k,) a_i
    directions, arms : (k, 3) n_i and p_i, from the reference point
    rotational : (3, 3) R
    """

    values: Array
    directions: Array
    arms: Array
    rotational: Array

    def each(self) -> Iterator[tuple[float, Array, Array]]:
        """Value, direction (3,) and arm (3,) of each line."""
        for value, direction, arm in zip(self.values, self.directions, self.arms, strict=True):
            yield float(value), direction, arm


def decompose(matrix: Array, what: str) -> ForceLines:
    """Decompose a matrix as in the module's docstring; of one that is not symmetric, the symmetric part.

    Parameters
    ----------
    matrix : (6, 6) of translations and rotations
    what : its name, for messages

    Raises
    ------
    InputError
        When a translation has a negative value, or is coupled with the rotation about its own direction.
    """
    symmetric = 0.5 * (matrix + matrix.T)
    values, axes = np.linalg.eigh(symmetric[:3, :3])
    if values[0] < -ZERO_TOLERANCE * np.abs(values).max():
        raise InputError(
            f"{what}: {values[0]:g} of a translation is negative: remove this term from its files"
        )
    positive = values > ZERO_TOLERANCE * values.max(initial=0.0)
    arms, rotational = [], symmetric[3:, 3:].copy()
    for value, direction in zip(values[positive], axes.T[positive], strict=True):
        couple = symmetric[3:, :3] @ direction / value
        screw = abs(float(couple @ direction))
        if screw > SCREW_TOLERANCE * max(1.0, float(np.linalg.norm(couple))):
            raise InputError(
                f"{what}: a motion along {np.round(direction, 3)} is coupled with the rotation about it by "
                f"{screw:.3g} m: only its modes can be computed"
            )
        arms.append(np.cross(direction, couple))
        across = np.cross(arms[-1], direction)
        rotational -= value * np.outer(across, across)
    return ForceLines(values[positive], axes.T[positive], np.reshape(arms, (-1, 3)), rotational)


def add_still_water(assembly: Assembly, floater: Floater, gravity: float, damped: bool) -> None:
    """Add water, mooring lines and buoyancy to the model.

    Parameters
    ----------
    assembly : with all other masses
    floater : its matrices
    gravity : m/s^2
    damped : with the linear damping of the platform

    Raises
    ------
    InputError
        When the platform is not supported along a direction, and as `decompose`.
    """
    name = f"machine '{assembly.machine.name}': platform"
    platform, model = assembly.node(*floater.end), assembly.model
    stiffness = decompose(floater.stiffness, f"{name} stiffness")
    if len(stiffness.values) < 3:
        raise InputError(f"{name}: it has no mooring lines and can drift: only its modes can be computed")
    lift = gravity * float(mass_with_weight(assembly).sum())
    depth = min(0.0, float(np.linalg.eigvalsh(stiffness.rotational[:2, :2])[0])) / lift
    stiffness.rotational[:2, :2] -= lift * depth * np.eye(2)
    model.add(Force(platform.at_global(floater.reference + depth * UP), lift * UP, name="buoyancy"))
    _add_springs(assembly, floater, stiffness, (1.0, 0.0), "mooring and water plane")
    if damped and floater.damping.any():
        lines = decompose(floater.damping, f"{name} damping")
        _add_springs(assembly, floater, lines, (0.0, 1.0), "platform damping")
    _add_mass(assembly, floater, gravity, decompose(floater.added_mass, f"{name} added mass"))


def _add_springs(
    assembly: Assembly, floater: Floater, lines: ForceLines, share: tuple[float, float], name: str
) -> None:
    """Add springs or dampers: stiffness and damping are the values times ``share``."""
    platform, model, (k, c) = assembly.node(*floater.end), assembly.model, share
    for value, direction, arm in lines.each():
        at = floater.reference + arm
        anchor = model.ground.at_global(at - SPRING_LENGTH * direction)
        model.add(SpringDamper(anchor, platform.at_global(at), k * value, c * value, name=name))
    for value, axis in _principal(lines.rotational, assembly, name):
        model.add(
            RotationalSpringDamper(model.ground, platform, axis, k * value, c * value, name=f"{name}, turn")
        )


def _principal(rotational: Array, assembly: Assembly, name: str) -> list[tuple[float, Array]]:
    values, axes = np.linalg.eigh(rotational)
    largest = float(np.abs(values).max(initial=0.0))
    if values[0] < -1e-6 * largest:
        raise InputError(
            f"machine '{assembly.machine.name}': {name}: {values[0]:g} of a rotation is negative: "
            "only its modes can be computed"
        )
    return [
        (float(value), axis)
        for value, axis in zip(values, axes.T, strict=True)
        if value > ZERO_TOLERANCE * largest
    ]


def _add_mass(assembly: Assembly, floater: Floater, gravity: float, lines: ForceLines) -> None:
    platform, model = assembly.node(*floater.end), assembly.model
    for value, direction, arm in lines.each():
        at = floater.reference + arm
        body = model.add(RigidBody(value, value * np.ones(3), position=at, name="added mass", shape=SHAPE))
        model.add(Prismatic(model.ground, body.node, at=at, axis=direction, name=f"{body.name} guide"))
        point_of = platform.at_global(at)
        model.add(PointInPlane(body.node, point_of, direction=direction, name=f"{body.name} plane"))
        model.add(Force(body.node, value * gravity * UP, name=f"{body.name} buoyancy"))
        assembly.guides.append(Guide(body.node, point_of, direction, turns=False))
    for value, axis in _principal(lines.rotational, assembly, "added inertia"):
        at, inertia = floater.reference, value * np.ones(3)
        body = model.add(RigidBody(1.0, inertia, position=at, name="added inertia", shape=SHAPE))
        model.add(Revolute(model.ground, body.node, at=at, axis=axis, name=f"{body.name} guide"))
        point_of = platform.at_global(at)
        model.add(EqualRotation(body.node, point_of, direction=axis, name=f"{body.name} turn"))
        assembly.guides.append(Guide(body.node, point_of, axis, turns=True))


def move_guides(assembly: Assembly, state: State) -> None:
    """Set the state of the guided bodies to follow the platform's motion, to first order.

    Parameters
    ----------
    assembly : with the platform in still water
    state : of its model
    """
    for guide in assembly.guides:
        body, node, axis = guide.node.index, guide.point.node, guide.direction
        rotation, omega = state.r[node.index] @ node.rotation.T, state.r[node.index] @ state.omega[node.index]
        if guide.turns:
            state.r[body] = rotation_about(axis, float(axis @ Rotation.from_matrix(rotation).as_rotvec()))
            state.omega[body] = axis * (axis @ omega)
            continue
        arm = state.r[node.index] @ (guide.point.offset - assembly.model.inertia[node.index].centre)
        displacement, speed = state.u[node.index] + arm - guide.point.position, np.cross(omega, arm)
        state.u[body] = guide.node.position + axis * (axis @ displacement)
        state.v[body] = axis * (axis @ (state.v[node.index] + speed))
