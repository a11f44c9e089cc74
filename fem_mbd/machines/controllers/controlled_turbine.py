"""Class `ControlledTurbine`: a turbine with generator torque and pitch angles as inputs, and its measurements.

Signs: the rotor turns about +axis of its bearing, speeds and azimuth are positive in that sense. A positive generator
torque brakes the rotor; it acts between nacelle and shaft, times the gearbox ratio. A positive pitch turns the leading
edge upwind, to feather.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.constraints.constraint_kind import Constraints
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements.loads.loads import JointTorque
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.load_stations import blade_root, shaft_axes
from fem_mbd.machines.description.machine import Machine, blades_of, pitch_bearings, rotor_of

TORQUE = "generator torque"


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements of the turbine at an instant, for a controller.

    Attributes
    ----------
    pitch : (blades,) rad
    rotor_speed, generator_speed : rad/s
    azimuth : rad, of blade 1 from the upright position, from 0 to 2 pi
    tower_top_velocity : (3,) m/s, global axes: x downwind, z up; zero for a rotor without a tower
    root_moments : (blades, 2) N m, out of plane and in plane, at the roots in axes that are not pitched: the channels
        RootMyc and RootMxc
    """

    pitch: Array
    rotor_speed: float
    generator_speed: float
    azimuth: float
    tower_top_velocity: Array
    root_moments: Array


@dataclass(frozen=True, eq=False)
class ControlledTurbine:
    """A turbine with inputs for a controller: "generator torque" (N m) and "pitch1" … (rad).

    Attributes
    ----------
    assembly : its model
    gearbox : speed of the generator over that of the rotor
    shaft : name of the shaft's joint in the model
    pitch : names of the pitch inputs, blade by blade
    """

    assembly: Assembly
    gearbox: float
    shaft: str
    pitch: tuple[str, ...]

    @cached_property
    def initial_azimuth(self) -> float:
        """rad, of blade 1 as built, from the upright position in the sense of rotation."""
        axis, up = self.assembly.rotor.axis, shaft_axes(self.assembly)[:, 2]
        along = blade_root(self.assembly, blades_of(self.assembly.machine)[0])[1]
        return float(np.arctan2(axis @ np.cross(up, along), up @ along))

    @property
    def model(self) -> Model:
        """The model, to which loads can be added before it is simulated."""
        return self.assembly.model

    def measure(self, sim: Simulation) -> Measured:
        """Measurements of the turbine in the simulation's present state.

        Parameters
        ----------
        sim : of this model
        """
        bearing = sim.of(self.shaft)
        speed = float(bearing.angular_velocity[2])
        top = self.assembly.beams.get("tower")
        return Measured(
            pitch=np.array([sim.inputs[name] for name in self.pitch]),
            rotor_speed=speed,
            generator_speed=self.gearbox * speed,
            azimuth=float(self.initial_azimuth + bearing.angle) % (2 * np.pi),
            tower_top_velocity=np.zeros(3) if top is None else np.asarray(sim.of(top.end).velocity),
            root_moments=np.array([self._root_moments(sim, k) for k in range(1, len(self.pitch) + 1)]),
        )

    def _root_moments(self, sim: Simulation, blade: int) -> tuple[float, float]:
        station = next(s for s in self.model.load_stations if f"RootMxc{blade}" in s["channels"])
        frame, node = (sim.of(self.model.nodes[station[key]]) for key in ("frame_node", "section_node"))
        moment = (
            np.array(station["from_section"]) @ sim.of(station["beam"]).section_force(at=station["at"])[3:]
        )
        x, y, _ = (frame.rotation_matrix @ np.array(station["frame"])).T @ node.rotation_matrix @ moment
        return float(y), float(x)


def controlled_turbine(
    machine: Machine,
    gearbox: float = 1.0,
    pitch: float | None = None,
    speed: float | None = None,
    **options: Any,
) -> ControlledTurbine:
    """The model of a turbine with inputs for a controller.

    Parameters
    ----------
    machine : with a shaft that is free to turn, and a pitch bearing for each blade
    gearbox : speed of the generator over that of the rotor
    pitch : rad, of all blades at the start; None for that of each blade in the machine's description
    speed : rad/s of the rotor at the start; None for that of the machine's description
    options : as for `fem_mbd.machines.assemble`: gravity, damped, refine, angles …

    Raises
    ------
    InputError
        When the shaft is not free to turn, or the blades have no pitch bearings.
    """
    gear_ratio = positive(gearbox, "gearbox ratio")
    shaft = rotor_of(machine)
    if shaft.kind != "free":
        raise InputError(
            f"machine '{machine.name}': bearing '{shaft.name}' does not rotate freely: no torque can be applied to it"
        )
    names = tuple(link.name for link in pitch_bearings(machine))
    start = {
        name: machine.start.get(name, 0.0) if pitch is None else finite(pitch, "pitch (rad)")
        for name in names
    }
    motions = {name: Input(name, "rad", start[name], "linear") for name in names}
    # the inputs are the whole angles of the pitch bearings
    angles = dict.fromkeys(names, 0.0) | dict(options.pop("angles", None) or {})
    assembly = assemble(machine, angles, motions=motions, turning=speed is None, **options)
    if speed is not None:
        rotor = assembly.rotor
        assembly.model.set_velocity(
            rotor.nodes, omega=finite(speed, "speed (rad/s)") * rotor.axis, about=rotor.point
        )
    if shaft.first is None:
        raise InputError(
            f"machine '{machine.name}': bearing '{shaft.name}' is on the ground, not on a nacelle"
        )
    ends = assembly.node(*shaft.first), assembly.node(*shaft.second)
    brake_torque = -gear_ratio * Input(TORQUE, "N m")
    assembly.model.add(JointTorque(*ends, assembly.axis(shaft), brake_torque, name=TORQUE))
    return ControlledTurbine(assembly, gear_ratio, _joint_between(assembly.model, *ends), names)


def _joint_between(model: Model, first: Node, second: Node) -> str:
    """Name of the joint between two nodes; it differs from the link's where a member has that name."""
    joints = (spec for specs in model.specs.values() for spec in specs if isinstance(spec, Constraints))
    return next(spec.name for spec in joints if spec.k.node is first and spec.l.node is second)
