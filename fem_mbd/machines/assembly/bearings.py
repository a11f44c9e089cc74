"""Links and foundations of a machine in its model: joints, springs to the ground, soil and water.

Links are joints: fixed, free with spring and damper, fixed at an angle, driven in time.

Foundations are springs to the ground at single nodes (`add_ground_spring`), and soil and water along a member, at its
nodes (`add_soil`, `add_water`). A distribution k(s) along the member gives k_i = int N_i k ds at node i. N_i are the
element's shape functions if the soil covers it entirely; at an edge of the soil, where these could make k_i negative,
N_i are linear between nodes. Lateral and axial springs are ARM long, so that a deflection hardly rotates them: 1 m
changes the stiffness across by a fraction of 5e-7.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.analysis.statics.equilibrium import EquilibriumWarning
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.time_functions import TimeFunction, as_time_function
from fem_mbd.elements.loads.loads import Force
from fem_mbd.elements.quadrature import LOBATTO_NODES, lagrange
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.elements.springs.springs import RotationalSpringDamper, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.joints.ideal import DrivenRevolute, Revolute, RigidOffset
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.description.machine import Machine, blades_of, rotor_of
from fem_mbd.machines.description.parts import GroundSpring, Link, Soil, Water

if TYPE_CHECKING:
    from fem_mbd.machines.assembly.assembled import Assembly


MAX_SMALL_ROTATION = 1.0  # rad: larger rotations are beyond a linear model


@dataclass(frozen=True, eq=False)
class Bearing:
    """A link between two nodes.

    Attributes
    ----------
    link : its description
    first, second : the nodes
    at : (3,) m, its place, global axes
    axis : (3,) global axes, as built
    angle : rad, of the second node as assembled; the spring has no torque at zero
    """

    link: Link
    first: Node
    second: Node
    at: Array
    axis: Array
    angle: float

    def add_to(self, model: Model, motion: TimeFunction | None, locked: bool, damped: bool) -> None:
        """Add its joint to a model.

        Parameters
        ----------
        model : of the nodes
        motion : rad, prescribed rotation, which replaces a speed, and spring and damper of a free bearing; where it is
            left out, bearings with a set angle are fixed
        locked : fix it at its angle, whatever its kind
        damped : with its damper
        """
        link, name = self.link, self.link.name
        if locked or link.kind == "fixed" or (link.kind == "angle" and motion is None):
            model.add(RigidOffset(self.first, self.second, name=name))
            return
        hinge: dict[str, Any] = {"at": self.at, "axis": self.axis, "name": name}
        if motion is not None:
            model.add(DrivenRevolute(self.first, self.second, **hinge, angle=motion))
        elif link.kind == "speed":
            model.add(DrivenRevolute(self.first, self.second, **hinge, speed=link.speed))
        else:
            model.add(Revolute(self.first, self.second, **hinge))
            self._add_spring(model, link.damping if damped else 0.0)

    def _add_spring(self, model: Model, damping: float) -> None:
        if self.link.stiffness or damping or self.link.parallel:
            spring = RotationalSpringDamper(
                self.first,
                self.second,
                self.axis,
                self.link.stiffness,
                damping,
                angle=-self.angle,
                parallel=self.link.parallel,
                name=f"{self.link.name} spring",
            )
            model.add(spring)


def initial_angles(
    machine: Machine, angles: Mapping[str, float], motions: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, TimeFunction]]:
    """Angles (rad) of the bearings at time 0, and the prescribed rotations relative to them.

    Parameters
    ----------
    machine : whose bearings they are
    angles : rad, by name
    motions : rad, functions of time, by name; they add to the angles

    Raises
    ------
    InputError
        For a motion of something that is no bearing.
    """
    bearings = [link.name for link in machine.links if link.kind != "fixed"]
    bearing_angles, bearing_motions = dict(angles), {}
    for name, motion in motions.items():
        if name not in bearings:
            raise InputError(f"machine '{machine.name}' has no bearing '{name}'; {nearest(name, bearings)}")
        function = as_time_function(motion, (), f"machine '{machine.name}': motion of '{name}' (rad)")
        start = float(function.value(0.0))
        bearing_angles[name] = bearing_angles.get(name, 0.0) + start
        bearing_motions[name] = function - start
    return bearing_angles, bearing_motions


def free_bearings(machine: Machine) -> list[Link]:
    """Free bearings without a spring below the rotor, such as the yaw bearing of a nacelle that is free to yaw.

    Parameters
    ----------
    machine : with a rotor
    """
    shaft = rotor_of(machine)
    rotating = machine.downstream(shaft.second[0])
    return [
        link
        for link in machine.links
        if link.kind == "free"
        and link.stiffness == 0.0
        and link is not shaft
        and link.second[0] not in rotating
    ]


def warn_fixed_bearings(machine: Machine) -> None:
    """Warn (`EquilibriumWarning`) of free bearings without a spring, which are fixed for an equilibrium.

    Parameters
    ----------
    machine : with a rotor
    """
    names = [link.name for link in free_bearings(machine)]
    if names:
        warnings.warn(
            f"machine '{machine.name}': nothing resists the rotation of {', '.join(names)}: fixed for the equilibrium",
            EquilibriumWarning,
            stacklevel=3,
        )


def check_rotation_under_weight(assembly: Assembly, motion: Array) -> None:
    """Raise InputError when a bearing rotates farther under the weight than a linear model allows.

    Parameters
    ----------
    assembly : the machine's model
    motion : (nodes, 6) displacements and rotations, global axes

    Raises
    ------
    InputError
        Says which bearing turns.
    """
    turns = {}
    for link in assembly.machine.links:
        if link.kind == "free" and link.first is not None:
            first, second = (assembly.node(*end).index for end in (link.first, link.second))
            turns[link.name] = float(np.linalg.norm(motion[second, 3:] - motion[first, 3:]))
    name = max(turns, key=turns.__getitem__, default="")
    if name and turns[name] > MAX_SMALL_ROTATION:
        raise InputError(
            f"machine '{assembly.machine.name}': the weight turns '{name}' by far more than small deflections, since "
            "hardly anything resists: there is no equilibrium near this position; leave gravity out, fix "
            f"'{name}', or give it a spring"
        )


def on_all_blades(machine: Machine, names: Sequence[str]) -> list[str]:
    """Names of bearings, with those at the same position on the other blades.

    Parameters
    ----------
    machine : with a rotor
    names : of bearings of kind "angle"

    Raises
    ------
    InputError
        For an unknown bearing, or one that is not of kind "angle".
    """
    set_angle = {link.name: link for link in machine.links if link.kind == "angle"}
    blades = blades_of(machine)
    selected: dict[str, None] = {}
    for name in names:
        if name not in set_angle:
            raise InputError(
                f"machine '{machine.name}' has no bearing '{name}' of kind 'angle'; {nearest(name, set_angle)}"
            )
        selected[name] = None
        for blade in blades:
            if set_angle[name].second[0] in blade:
                at = blade.index(set_angle[name].second[0])
                members = {other[at] for other in blades if len(other) > at}
                selected |= {link.name: None for link in set_angle.values() if link.second[0] in members}
    return list(selected)


Distribution = Callable[[Array], tuple[Array, Any]]
ARM = 1000.0  # m
INTEGRATION_PIECES = 400  # intervals per element for the integral
UP = np.array([0.0, 0.0, 1.0])
DIRECTIONS = {"lateral": np.eye(3)[:2], "axial": UP[None]}


def add_soil(assembly: Assembly, soil: Soil) -> None:
    """Add its springs to the model.

    Raises
    ------
    InputError
        When no node of the member is in the soil.
    """
    beam = assembly.beams[soil.member]
    stiffness = nodal_values(
        np.array([node.position for node in beam.nodes]), beam.elements, soil_stiffness(soil)
    )
    if not stiffness.any():
        raise InputError(
            f"machine '{assembly.machine.name}': member '{soil.member}' has no node in its soil, from "
            f"{soil.heights[0]:g} to {soil.heights[-1]:g} m"
        )
    for node, k in zip(beam.nodes, stiffness, strict=True):
        if k > 0.0:
            _add_soil_spring(assembly, soil, node, float(k))


def add_water(assembly: Assembly, water: Water, gravity: float) -> None:
    """Add its mass to the model, and with ``gravity`` (m/s^2) the loads that cancel its weight."""
    for node, mass in zip(assembly.beams[water.member].nodes, water_at_nodes(assembly, water), strict=True):
        if mass > 0.0:
            name = f"{node.name} water"
            assembly.model.add(RigidBody(float(mass), np.zeros((3, 3)), node=node, name=name))
            if gravity:
                assembly.model.add(Force(node, mass * gravity * UP, name=f"{name} buoyancy"))


def water_at_nodes(assembly: Assembly, water: Water) -> Array:
    """(n,) kg at the nodes of the member's beam."""
    beam = assembly.beams[water.member]
    positions = np.array([node.position for node in beam.nodes])

    def distribution(points: Array) -> tuple[Array, Any]:
        distance = np.linalg.norm(points - positions[0], axis=1)
        inside = (water.levels[0] <= points[:, 2]) & (points[:, 2] <= water.levels[1])
        inside &= (water.distances[0] <= distance) & (distance <= water.distances[-1])
        return np.interp(distance, water.distances, water.mass) * inside, inside

    return nodal_values(positions, beam.elements, distribution)


def mass_with_weight(assembly: Assembly) -> Array:
    """(nodes,) kg, mass subject to gravity: without the water that moves with the machine."""
    mass = np.array([lump.mass for lump in assembly.model.inertia])
    for water in assembly.machine.water:
        at = [node.index for node in assembly.beams[water.member].nodes]
        mass[at] -= water_at_nodes(assembly, water)
    for member in assembly.machine.members:
        for lump in member.lumps:
            if lump.weightless:
                mass[assembly.node(member.name, lump.node).index] -= lump.mass
    return mass


def soil_stiffness(soil: Soil) -> Distribution:
    """The soil's stiffness per length at points, and whether they are in it."""

    def distribution(points: Array) -> tuple[Array, Any]:
        heights = points[:, 2]
        inside = (soil.heights[0] <= heights) & (heights <= soil.heights[-1])
        return np.interp(heights, soil.heights, soil.stiffness, left=0.0, right=0.0), inside

    return distribution


def nodal_values(positions: Array, elements: Indices, distribution: Distribution) -> Array:
    """(n,) nodal values of a distribution along elements (m, nn); node positions (n, 3)."""
    values = np.zeros(len(positions))
    xi = (np.arange(INTEGRATION_PIECES) + 0.5) * 2 / INTEGRATION_PIECES - 1
    lobatto = LOBATTO_NODES[elements.shape[1]]
    smooth = np.array([lagrange(lobatto, x)[0] for x in xi])
    linear = np.array([np.interp(xi, lobatto, row) for row in np.eye(len(lobatto))]).T
    for nodes in elements:
        per_length, inside = distribution(smooth @ positions[nodes])
        chord = float(np.linalg.norm(np.diff(smooth @ positions[nodes], axis=0), axis=1).sum())
        length = chord * INTEGRATION_PIECES / (INTEGRATION_PIECES - 1)
        values[nodes] += per_length @ (smooth if inside.all() else linear) * length / INTEGRATION_PIECES
    return values


def add_ground_spring(assembly: Assembly, spring: GroundSpring, damped: bool) -> None:
    """Add the springs of one node to the model."""
    node = assembly.node(*spring.end)
    for direction, k, c in zip(np.eye(3), spring.stiffness, spring.damping, strict=True):
        if k > 0.0 or c > 0.0:
            _add_spring(
                assembly, node, direction, float(k), float(c) if damped else 0.0, f"{spring.end[0]} support"
            )


def _add_soil_spring(assembly: Assembly, soil: Soil, node: Node, k: float) -> None:
    model, name, damping = assembly.model, f"{node.name} {soil.kind} soil", soil.damping * k
    if soil.kind == "turn":
        model.add(RotationalSpringDamper(model.ground, node, UP, k, damping, name=name))
        return
    for direction in DIRECTIONS[soil.kind]:
        _add_spring(assembly, node, direction, k, damping, name)


def _add_spring(assembly: Assembly, node: Node, direction: Array, k: float, c: float, name: str) -> None:
    """Add a spring along a direction (3,) whose other end is ARM away."""
    ground = assembly.model.ground
    anchor = Point(ground, node.position - ARM * direction - ground.position)
    assembly.model.add(SpringDamper(anchor, node, k, c, name=name))
