"""A turbine whose generator torque and pitch angles are inputs, and what a controller measures of it.

Signs: the rotor turns about +axis of its bearing, speeds and azimuth are positive in that sense. A positive generator
torque brakes the rotor; it acts between nacelle and shaft, times the gearbox ratio. A positive pitch turns the leading
edge upwind, to feather.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from fem_mbd.machines.description.machine import Machine, blades_of, rotor_of
from fem_mbd.machines.description.parts import Link

TORQUE = "generator torque"


@dataclass(frozen=True, eq=False)
class Measured:
    """What a controller is told of the turbine at an instant.

    Attributes
    ----------
    pitch : (blades,) rad
    rotor_speed, generator_speed : rad/s
    azimuth : rad, of blade 1, from 0 to 2 pi
    tower_top_velocity : (3,) m/s, global axes: x downwind, z up; zero for a rotor without a tower
    """

    pitch: Array
    rotor_speed: float
    generator_speed: float
    azimuth: float
    tower_top_velocity: Array


@dataclass(frozen=True, eq=False)
class ControlledTurbine:
    """A turbine made ready for a controller; its inputs are "generator torque" (N m) and "pitch1" … (rad).

    Attributes
    ----------
    assembly : its model and where its members are
    gearbox : speed of the generator over that of the rotor
    shaft : name of the shaft's joint in the model
    pitch : names of the pitch inputs, blade by blade
    """

    assembly: Assembly
    gearbox: float
    shaft: str
    pitch: tuple[str, ...]

    @property
    def model(self) -> Model:
        """The model, to which loads can be added before it is simulated."""
        return self.assembly.model

    def measure(self, sim: Simulation) -> Measured:
        """The turbine as it stands.

        Parameters
        ----------
        sim : of this model
        """
        bearing = sim.of(self.shaft)
        speed = float(bearing.angular_velocity[2])
        start = self.assembly.angles.get(rotor_of(self.assembly.machine).name, 0.0)
        top = self.assembly.beams.get("tower")
        return Measured(
            pitch=np.array([sim.inputs[name] for name in self.pitch]),
            rotor_speed=speed,
            generator_speed=self.gearbox * speed,
            azimuth=float(start + bearing.angle) % (2 * np.pi),
            tower_top_velocity=np.zeros(3) if top is None else np.asarray(sim.of(top.end).velocity),
        )


def controlled_turbine(
    machine: Machine, gearbox: float = 1.0, pitch: float = 0.0, speed: float | None = None, **options: Any
) -> ControlledTurbine:
    """The model of a turbine with inputs for a controller.

    Parameters
    ----------
    machine : with a shaft that is free to turn, and a pitch bearing for each blade
    gearbox : speed of the generator over that of the rotor
    pitch : rad, of all blades at the start
    speed : rad/s of the rotor at the start; None for that of the machine's description
    options : as for `fem_mbd.machines.assemble`: gravity, damped, refine, angles …

    Raises
    ------
    InputError
        When the shaft is not free to turn, or the blades have no pitch bearings.
    """
    ratio, start = positive(gearbox, "gearbox ratio"), finite(pitch, "pitch (rad)")
    shaft = rotor_of(machine)
    if shaft.kind != "free":
        raise InputError(
            f"machine '{machine.name}': bearing '{shaft.name}' does not rotate freely: it needs no torque"
        )
    names = tuple(link.name for link in _pitch_bearings(machine))
    motions = {name: Input(name, "rad", start, "linear") for name in names}
    made = assemble(machine, motions=motions, turning=speed is None, **options)
    if speed is not None:
        rotor = made.rotor
        made.model.set_velocity(
            rotor.nodes, omega=finite(speed, "speed (rad/s)") * rotor.axis, about=rotor.point
        )
    if shaft.first is None:
        raise InputError(
            f"machine '{machine.name}': bearing '{shaft.name}' is on the ground, not on a nacelle"
        )
    ends = made.node(*shaft.first), made.node(*shaft.second)
    braking = -ratio * Input(TORQUE, "N m")
    made.model.add(JointTorque(*ends, made.axis(shaft), braking, name=TORQUE))
    return ControlledTurbine(made, ratio, _joint_between(made.model, *ends), names)


def _joint_between(model: Model, first: Node, second: Node) -> str:
    """Name of the joint of two nodes; a member of the machine may have taken that of the link."""
    joints = (spec for specs in model.specs.values() for spec in specs if isinstance(spec, Constraints))
    return next(spec.name for spec in joints if spec.k.node is first and spec.l.node is second)


def _pitch_bearings(machine: Machine) -> list[Link]:
    """The bearing nearest to the tip, of those held at an angle, on the way to each blade."""
    found = []
    for number, members in enumerate(blades_of(machine), start=1):
        own = [link for link in machine.links if link.kind == "angle" and link.second[0] in members]
        if not own:
            raise InputError(
                f"machine '{machine.name}': blade {number} has no pitch bearing that is held at an angle"
            )
        found.append(own[-1])
    return found
