"""Class `Assembly`, a machine's finite-element model: its beams by member, frames, rotor and load stations.

Load stations of a turbine or a rotor (`add_load_stations`) have the positions and channel names of OpenFAST's ElastoDyn
for section loads. Every channel is a force, or a moment about the station, exerted by the part farther from the ground
on the part nearer to it: by a blade on the hub, the rotor on the shaft, the nacelle on the tower, the turbine on the
ground. Units N and N m (ElastoDyn's output files: kN, kN m). k is the number of the blade, j that of the station along
it.

    root of blade k       RootFxck … RootMzck    c: z along the pitch axis to the tip, y normal to shaft and pitch axis,
                                                 towards the trailing edge; not pitched
                          RootFxbk … RootMzbk    b: z as c, x to the suction side where the twist is zero; pitched
    1/4, 1/2, 3/4 along   Spn1FLxbk … Spn3MLzbk  local: section axes, twisted and bent: x to the suction side, z along
    shaft, at hub or pin  LSShftFxa, LSShftFya, LSShftFza, LSShftMxa, LSSTipMya, LSSTipMza
                                                 a: x along the shaft, z to blade 1; rotate with the rotor
                          RotThrust, LSShftFys, LSShftFzs, RotTorq, LSSTipMys, LSSTipMzs
                                                 s: x along the shaft, z up; do not rotate
    tower's top           YawBrFxp … YawBrMzp    p: x downwind, z up, fixed to the tower's top
                          YawBrFxn … YawBrMzn    n: p turned by the yaw angle
    half the tower up     TwHt1FLxt … TwHt1MLzt  local: x downwind, z up, bent with the tower
    tower's foot          TwrBsFxt … TwrBsMzt    t: x downwind, z up

The hub's mass is included, as in ElastoDyn. Loads at the tower's top include the mass of the yaw bearing, which
ElastoDyn leaves out. For an upright shaft (helicopter), z of s is the z axis of blade 1 as built.
Source: OpenFAST, modules/elastodyn (ED_CalcOutput), and NREL/EL-500-38230, "Coordinate Systems".
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.time_functions import TimeFunction
from fem_mbd.core.rotations import rotation_about, triad_with_first
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.load_station import LoadStation
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
    plates : rotating plate of a swashplate, which turns with the rotor
    """

    machine: Machine
    model: Model
    beams: dict[str, BeamHandle]
    frames: dict[str, Frame]
    angles: dict[str, float]
    motions: dict[str, TimeFunction]
    guides: list[Guide] = field(default_factory=list)
    plates: list[Node] = field(default_factory=list)

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
            point, axis, (*nodes.values(), *self.plates), tuple(blades), shared, self.frames[first].rotation
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


ALONG_BLADE = (0.25, 0.5, 0.75)
ALONG_TOWER = (0.5,)
UP = np.array([0.0, 0.0, 1.0])
MIN_SHAFT_SINE = 0.1  # sine of the shaft's angle from the vertical; a steeper shaft has no z axis "up"


def add_load_stations(assembly: Assembly) -> None:
    """Add the stations of a machine to its model; none where it has no rotor with blades.

    Parameters
    ----------
    assembly : machine and model
    """
    machine = assembly.machine
    if not has_rotor(machine):
        return
    for k, members in enumerate(blades_of(machine), start=1):
        _add_blade(assembly, members, k)
    _add_shaft(assembly)
    tower_members = _tower_members(machine)
    if len(tower_members) > 1:
        # where there is a monopile below it, the tower is not the last member
        at = tower_members.index("tower") if "tower" in tower_members[1:] else len(tower_members) - 1
        _add_tower(assembly, tower_members[at], tower_members[at - 1])


def has_rotor(machine: Machine) -> bool:
    """Whether the machine has a free or driven bearing with blades.

    Parameters
    ----------
    machine : with or without a rotor
    """
    if not any(link.kind in ("free", "speed") and link.first is not None for link in machine.links):
        return False
    return bool(machine.children(rotor_of(machine).second[0]))


def _tower_members(machine: Machine) -> list[str]:
    """Members between shaft and ground, from the top down."""
    first = rotor_of(machine).first
    members = [first[0]] if first is not None else []
    parents = {p.member: p.parent for p in machine.placements}
    while members and (parent := parents[members[-1]]) is not None:
        members.append(parent)
    return members


def _channels(force: str, moment: str) -> list[str]:
    """Names of six channels from patterns with * for the axis."""
    return [pattern.replace("*", axis) for pattern in (force, moment) for axis in "xyz"]


def _root_link(machine: Machine, members: list[str]) -> Link:
    """The pitch bearing of a blade, the outermost bearing of its members; without one the link at its root."""
    links = [link for name in members for link in machine.links if link.second[0] == name]
    bearings = [link for link in links if link.kind != "fixed"]
    return (bearings or links)[-1]


def blade_root(assembly: Assembly, members: list[str]) -> tuple[str, Array]:
    """The member beyond the pitch bearing of a blade, and its pitch axis (3,) towards the tip, global axes, as built.

    Parameters
    ----------
    assembly : machine and model
    members : of the blade, from the hub on
    """
    link = _root_link(assembly.machine, members)
    name = link.second[0]
    blade_axis = assembly.frames[name].rotation[:, 2]
    z = assembly.axis(link) if link.kind == "angle" else blade_axis
    return name, z if z @ blade_axis > 0.0 else -z


def shaft_axes(assembly: Assembly) -> Array:
    """(3, 3) columns x along the shaft, z up, as built; of an upright shaft z is along blade 1.

    Parameters
    ----------
    assembly : machine and model
    """
    x = assembly.rotor.axis
    upright = np.linalg.norm(np.cross(x, UP)) < MIN_SHAFT_SINE
    return _along_x(x, assembly.rotor.axes[:, 2] if upright else UP)


def _add_blade(assembly: Assembly, members: list[str], k: int) -> None:
    name, z = blade_root(assembly, members)
    beam, blade_axes = assembly.beams[name], assembly.frames[name].rotation
    hub = assembly.node(*first_end(assembly.machine, name))
    axes_c, axes_b = _along_z(z, assembly.rotor.axis), _along_z(z, blade_axes[:, 0])
    add = assembly.model.add
    add(
        LoadStation(
            beam,
            0.0,
            _channels(f"RootF*c{k}", f"RootM*c{k}"),
            axes=axes_c,
            turning_with=hub,
            name=f"root of {name}, c axes",
        )
    )
    add(
        LoadStation(
            beam, 0.0, _channels(f"RootF*b{k}", f"RootM*b{k}"), axes=axes_b, name=f"root of {name}, b axes"
        )
    )
    for j, at in enumerate(ALONG_BLADE, start=1):
        names = _channels(f"Spn{j}FL*b{k}", f"Spn{j}ML*b{k}")
        add(LoadStation(beam, at, names, name=f"{name} at {at:g}"))


def _along_z(z: Array, towards: Array) -> Array:
    """(3, 3) columns x, y, z: x normal to z, as close as possible to ``towards`` (3,)."""
    return triad_with_first(z, towards)[:, [1, 2, 0]]


def _along_x(x: Array, towards: Array) -> Array:
    """(3, 3) columns x, y, z: z normal to x, as close as possible to ``towards`` (3,)."""
    first, third, back = triad_with_first(x, towards).T
    return np.column_stack([first, -back, third])


def _add_shaft(assembly: Assembly) -> None:
    machine, rotor, link = assembly.machine, assembly.rotor, rotor_of(assembly.machine)
    carrier, number = _shaft_end(machine)
    beam, at = assembly.beams[carrier], float(machine.member(carrier).nodes[number])
    rotating, fixed = _along_x(rotor.axis, rotor.axes[:, 2]), shaft_axes(assembly)
    forces = ["LSShftFxa", "LSShftFya", "LSShftFza", "LSShftMxa", "LSSTipMya", "LSSTipMza"]
    assembly.model.add(LoadStation(beam, at, forces, axes=rotating, name="shaft, a axes"))
    forces = ["RotThrust", "LSShftFys", "LSShftFzs", "RotTorq", "LSSTipMys", "LSSTipMzs"]
    nacelle = assembly.node(*link.first) if link.first is not None else assembly.model.ground
    assembly.model.add(LoadStation(beam, at, forces, axes=fixed, turning_with=nacelle, name="shaft, s axes"))


def _shaft_end(machine: Machine) -> tuple[str, int]:
    """Member and node at the end of the shaft: where the blades, or a teeter hinge, are attached."""
    member = rotor_of(machine).second[0]
    while True:
        children = [link for link in machine.links if link.first is not None and link.first[0] == member]
        if len(children) > 1 or children[0].kind != "fixed":
            return member, children[0].first[1]  # type: ignore[index]
        member = children[0].second[0]


def _add_tower(assembly: Assembly, tower: str, above: str) -> None:
    machine, beam, add = assembly.machine, assembly.beams[tower], assembly.model.add
    yaw = next(link for link in machine.links if link.second[0] == above)
    angle = assembly.angles.get(yaw.name, 0.0)
    axes_n = rotation_about(assembly.axis(yaw), angle) if angle != 0.0 else np.eye(3)
    top = float(machine.member(tower).nodes[first_end(machine, above)[1]])
    nacelle = assembly.node(*yaw.second)
    add(
        LoadStation(
            beam,
            top,
            _channels("YawBrF*n", "YawBrM*n"),
            axes=axes_n,
            turning_with=nacelle,
            name="tower's top, n axes",
        )
    )
    add(LoadStation(beam, top, _channels("YawBrF*p", "YawBrM*p"), axes=np.eye(3), name="tower's top, p axes"))
    for j, at in enumerate(ALONG_TOWER, start=1):
        add(
            LoadStation(
                beam, at, _channels(f"TwHt{j}FL*t", f"TwHt{j}ML*t"), axes=np.eye(3), name=f"tower at {at:g}"
            )
        )
    add(LoadStation(beam, 0.0, _channels("TwrBsF*t", "TwrBsM*t"), axes=np.eye(3), name="tower's foot"))
