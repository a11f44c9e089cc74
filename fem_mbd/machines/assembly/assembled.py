"""Class `Assembly`: a machine's finite-element model, with its beams by member, its frames and its rotor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.time_functions import TimeFunction
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads.generator import Generator, TorqueLaw
from fem_mbd.errors import InputError
from fem_mbd.machines.description.machine import Machine, axis_of, blades_of, rotor_of
from fem_mbd.machines.description.parts import Frame, Link


@dataclass(frozen=True, eq=False)
class RotorParts:
    """The rotor of an assembly.

    Attributes
    ----------
    point, axis : (3,) of its bearing, global axes; it rotates about +axis
    nodes : all that rotate
    blades : nodes of each blade, from root to tip, without the shared node at the hub
    hub : the node shared by the blades
    axes : (3, 3) columns flapwise (to the suction side), edgewise, along blade 1; global axes
    """

    point: Array
    axis: Array
    nodes: tuple[Node, ...]
    blades: tuple[tuple[Node, ...], ...]
    hub: Node
    axes: Array

    def spin(self, rate: float) -> Spin:
        """Steady rotation of the rotor alone.

        Parameters
        ----------
        rate : rad/s
        """
        return Spin(self.point, self.axis, rate, nodes=self.nodes)


@dataclass(frozen=True, eq=False)
class Guide:
    """A body that represents added mass: it follows a platform along a direction (3,), or about it.

    Attributes
    ----------
    node : of the body
    point : of the platform, whose motion it follows
    direction : (3,) global axes
    turns : whether it follows the rotation about the direction
    """

    node: Node
    point: Point
    direction: Array
    turns: bool


@dataclass(frozen=True, eq=False)
class Assembly:
    """The model of a machine.

    Attributes
    ----------
    machine : its description
    model : beams under the names of the members, joints under those of the links
    beams : by name of the member
    frames : of the members, by name
    angles, motions : rad, of bearings by name: as assembled, and functions of time added to them
    guides : of a platform in still water
    """

    machine: Machine
    model: Model
    beams: dict[str, BeamHandle]
    frames: dict[str, Frame]
    angles: dict[str, float]
    motions: dict[str, TimeFunction]
    guides: list[Guide] = field(default_factory=list)

    def node(self, member: str, number: int) -> Node:
        """Node of a member.

        Parameters
        ----------
        member : its name
        number : of the node in the machine's description, from 0
        """
        handle = self.beams[member]
        at = float(self.machine.member(member).nodes[number])
        k = int(np.argmin(np.abs(handle.bounds - at)))
        return handle.nodes[int(handle.elements[k, 0]) if k < len(handle.elements) else -1]

    def place(self, member: str, number: int) -> Array:
        """(3,) m, global axes, where a member's node is in the machine's description.

        The node of the beam is beside it where a body of HAWC2 has its elastic centre away from the half chord.

        Parameters
        ----------
        member, number : as of `node`
        """
        frame = self.frames[member]
        return np.asarray(frame.origin + frame.rotation @ self.machine.member(member).node_position(number))

    @property
    def rotor(self) -> RotorParts:
        """The parts that rotate about the machine's free bearing."""
        link, machine = rotor_of(self.machine), self.machine
        rotating = machine.downstream(link.second[0])
        nodes = {node.index: node for name in rotating for node in self.beams[name].nodes}
        blades = []
        for members in blades_of(machine):
            shared = self.node(*first_end(machine, members[0]))
            nodes_of_blade = {
                n.index: n for name in members for n in self.beams[name].nodes if n is not shared
            }
            blades.append(tuple(nodes_of_blade.values()))
        first = blades_of(machine)[0][-1]
        point = self.place(*first_end(machine, link.second[0]))
        axis = self.axis(link)
        return RotorParts(
            point, axis, tuple(nodes.values()), tuple(blades), shared, self.frames[first].rotation
        )

    def add_generator(self, law: TorqueLaw) -> Generator:
        """Add a torque between nacelle and rotor that brakes the rotor and depends on its speed.

        Parameters
        ----------
        law : torque (N m) over the rotor's speed (rad/s), see `fem_mbd.elements.Generator`. Behind a gearbox of ratio
            n give n times the generator's torque at n times the rotor's speed

        Returns
        -------
        Generator
            Its results are speed, torque and power.

        Raises
        ------
        InputError
            When the shaft is locked or driven at a speed.
        """
        link = rotor_of(self.machine)
        carrier = self.node(*first_end(self.machine, link.second[0]))
        generator = Generator(carrier, self.node(*link.second), self.axis(link), law)
        return self.model.add(generator)

    def axis(self, link: Link) -> Array:
        """(3,) unit axis of a bearing, global axes.

        Parameters
        ----------
        link : the bearing
        """
        first = np.eye(3) if link.first is None else self.frames[link.first[0]].rotation
        axis = axis_of(link, first, self.frames[link.second[0]].rotation)
        return np.asarray(axis / np.linalg.norm(axis))


def first_end(machine: Machine, member: str) -> tuple[str, int]:
    """Parent end (member, node) of a member's link."""
    for link in machine.links:
        if link.second[0] == member and link.first is not None:
            return link.first
    raise InputError(f"machine '{machine.name}': member '{member}' is not connected to any other member")
