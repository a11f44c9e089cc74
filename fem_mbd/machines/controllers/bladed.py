"""Turbines under a controller with Bladed's interface (DISCON): inputs and measurements, pitch actuators, control law.

Class `ControlledTurbine`: a turbine with generator torque and pitch angles as inputs, and its measurements.

Signs: the rotor turns about +axis of its bearing, speeds and azimuth are positive in that sense. A positive generator
torque brakes the rotor; it acts between nacelle and shaft, times the gearbox ratio. A positive pitch turns the leading
edge upwind, to feather.

Class `BladedController`: a controller in a library, as a law for `fem_mbd.Controlled`. At the start of every interval
the library is called with the present measurements. Its demands apply to the interval: the generator torque is
constant, the pitch angles change linearly to the demanded ones within the limits of the actuators. Records used:
`fem_mbd.machines.controllers.library`; all others are zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.constraints.constraint_kind import Constraints
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements.loads.loads import JointTorque
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly, blade_root, shaft_axes
from fem_mbd.machines.controllers import library
from fem_mbd.machines.controllers.library import ControllerLibrary
from fem_mbd.machines.description.control import PitchActuator
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

    @cached_property
    def _bearing(self) -> Constraints:
        """The shaft's joint, K on the nacelle."""
        return next(spec for spec in _joints(self.model) if spec.name == self.shaft)

    def rotor_speed(self, sim: Simulation) -> float:
        """rad/s, as the shaft's joint has it in results, without the cost of a view of them.

        Parameters
        ----------
        sim : of this model
        """
        state, joint = sim.state, self._bearing
        k, l = joint.k.node.index, joint.l.node.index
        relative = state.r[l] @ state.omega[l] - state.r[k] @ state.omega[k]
        return float(state.r[k] @ joint.axes_k[:, 2] @ relative)

    def measure(self, sim: Simulation) -> Measured:
        """Measurements of the turbine in the simulation's present state.

        Parameters
        ----------
        sim : of this model
        """
        speed = self.rotor_speed(sim)
        top = self.assembly.beams.get("tower")
        return Measured(
            pitch=np.array([sim.inputs[name] for name in self.pitch]),
            rotor_speed=speed,
            generator_speed=self.gearbox * speed,
            azimuth=float(self.initial_azimuth + sim.of(self.shaft).angle) % (2 * np.pi),
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
    return next(s.name for s in _joints(model) if s.k.node is first and s.l.node is second)


def _joints(model: Model) -> Iterator[Constraints]:
    return (spec for specs in model.specs.values() for spec in specs if isinstance(spec, Constraints))


class ControllerWarning(FemMbdWarning):
    """Warning issued by a controller's library."""


class BladedController:
    """A controller library coupled to a turbine.

    ``with BladedController(file, turbine, 0.01) as law: fem_mbd.run(fem_mbd.Controlled(sim, law, 0.01))``

    Parameters
    ----------
    file : the shared library
    turbine : the controlled turbine
    interval : s, between two calls; that of `fem_mbd.Controlled`
    infile : the controller's own input file
    entry : name of the function in the library
    outname : root of the names of files that the library writes
    individual : each blade follows its own demand (records 42 to 44); otherwise all follow record 45
    actuator : limits of the pitch actuators
    wind : wind speed at the hub (m/s), a function of time (s), passed to the library
    more : constant values of further records by number, such as set-points

    Raises
    ------
    InputError
        For a library that does not exist, cannot be loaded or lacks the entry point, an input file that does not exist,
        unknown records, or more blades than there are records for.
    """

    def __init__(
        self,
        file: str | Path,
        turbine: ControlledTurbine,
        interval: float,
        *,
        infile: str | Path = "",
        entry: str = "DISCON",
        outname: str = "controller",
        individual: bool = False,
        actuator: PitchActuator | None = None,
        wind: Callable[[float], float] | None = None,
        more: dict[int, float] | None = None,
    ):
        self.turbine, self.interval = turbine, positive(interval, "controller: interval (s)")
        for number, value in (more or {}).items():
            whole_number(number, "controller: record", most=library.SIZE)
            finite(value, f"controller: record {number}")
        if individual and len(turbine.pitch) > len(library.EACH_PITCH):
            raise InputError(
                f"controller: there are records for {len(library.EACH_PITCH)} blades, "
                f"the turbine has {len(turbine.pitch)}"
            )
        self.actuator, self.individual = actuator or PitchActuator(), individual
        self._wind = wind
        self.library = ControllerLibrary(file, entry, str(infile), outname)
        self._set_constants(more or {})
        self._status = library.FIRST
        self._time = 0.0
        self._torque = 0.0
        self._demanded: float | None = None
        self._before: tuple[float, Array] | None = None

    def _set_constants(self, more: dict[int, float]) -> None:
        records = {
            **{library.Record(number, "", ""): value for number, value in more.items()},
            library.INTERVAL: self.interval,
            library.LEAST_PITCH: self.actuator.least,
            library.LARGEST_PITCH: self.actuator.most,
            library.LEAST_PITCH_RATE: -self.actuator.rate,
            library.LARGEST_PITCH_RATE: self.actuator.rate,
            library.PITCH_ACTUATOR: 0.0,
            library.PITCH_CONTROL: float(self.individual),
            library.BLADES: len(self.turbine.pitch),
            library.CONTACTOR: 1.0,
        }
        for record, value in records.items():
            self.library.set(record, value)

    def __call__(self, sim: Simulation) -> dict[str, float]:
        """Call the library: inputs for the interval that begins now.

        Parameters
        ----------
        sim : the turbine's simulation

        Raises
        ------
        SolverFailure
            When the library crashes, fails, requests a stop, or its demands are not finite or not supported.
        """
        measured = self.turbine.measure(sim)
        self._time = sim.time
        self._set_measurements(measured)
        self._status = library.LAST  # should the call fail, it is the last one
        self._call()
        demands = self._demands(measured)
        self._status = library.NORMAL
        return demands

    def _set_measurements(self, measured: Measured) -> None:
        power = self.turbine.gearbox * self._torque * measured.rotor_speed
        wind = 0.0 if self._wind is None else float(self._wind(self._time))
        first = float(measured.pitch[0])
        records = {
            library.STATUS: self._status,
            library.TIME: self._time,
            **dict(zip(library.PITCH, measured.pitch.tolist(), strict=False)),
            library.PITCH_BEFORE: first if self._demanded is None else self._demanded,
            library.SHAFT_POWER: power,
            library.ELECTRICAL_POWER: power,
            library.GENERATOR_SPEED: measured.generator_speed,
            library.ROTOR_SPEED: measured.rotor_speed,
            library.TORQUE_BEFORE: self._torque,
            library.WIND_SPEED: wind,
            library.AZIMUTH: measured.azimuth,
            **dict(zip(library.OUT_OF_PLANE, measured.root_moments[:, 0].tolist(), strict=False)),
            **dict(zip(library.IN_PLANE, measured.root_moments[:, 1].tolist(), strict=False)),
            **dict(zip((library.FORE_AFT, library.SIDE_SIDE), self._acceleration(measured), strict=True)),
        }
        for record, value in records.items():
            self.library.set(record, value)

    def _acceleration(self, measured: Measured) -> tuple[float, float]:
        """Acceleration of the tower's top, m/s^2, mean over the previous interval; zero at the start."""
        previous, self._before = self._before, (self._time, measured.tower_top_velocity)
        if previous is None:
            return 0.0, 0.0
        change = (measured.tower_top_velocity - previous[1]) / (self._time - previous[0])
        return float(change[0]), float(change[1])

    def _call(self) -> None:
        flag, message = self.library.call(self._time)
        label = f"controller {self.library.file} at t = {self._time:g} s"
        if flag < 0:
            raise SolverFailure(f"{label}: {message or 'it reports a failure without a message'}")
        if flag > 0 and message:
            warnings.warn(f"{label}: {message}", ControllerWarning, stacklevel=4)

    def _demands(self, measured: Measured) -> dict[str, float]:
        get, label = self.library.get, f"controller {self.library.file} at t = {self._time:g} s"
        if get(library.STATUS) < 0:
            raise SolverFailure(f"{label}: it requests to stop the simulation")
        pitches = library.EACH_PITCH[: len(measured.pitch)] if self.individual else (library.ALL_PITCH,)
        for record in (library.TORQUE, library.CONTACTOR, *pitches):
            if not np.isfinite(get(record)):
                raise SolverFailure(f"{label}: record {record.number} ({record.meaning}) is {get(record)}")
        for record in (library.PITCH_OVERRIDE, library.TORQUE_OVERRIDE, library.BRAKE):
            if get(record) != 0.0:
                raise SolverFailure(f"{label}: record {record.number} is {get(record):g}: {record.meaning}")
        demanded = np.broadcast_to([get(record) for record in pitches], measured.pitch.shape)
        self._demanded = float(demanded[0])
        self._torque = get(library.TORQUE) if round(get(library.CONTACTOR)) else 0.0
        reached = self.actuator.follow(measured.pitch, demanded, self.interval)
        return {TORQUE: self._torque, **dict(zip(self.turbine.pitch, reached.tolist(), strict=True))}

    def close(self) -> None:
        """Make the last call, unless it was made, and end the library's process."""
        try:
            if self._status == library.NORMAL:
                self._status = library.LAST
                self.library.set(library.STATUS, library.LAST)
                self._call()
        finally:
            self.library.close()

    def __enter__(self) -> BladedController:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.library.close()
