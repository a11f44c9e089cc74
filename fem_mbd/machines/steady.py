"""Steady states of a turbine in uniform wind along the shaft: power, thrust, deflections; `Machine.steady`.

The rotor turns at a given speed with its blades at a given pitch; the deflected blades are in equilibrium with
centrifugal forces and the loads of the wind, which solve momentum theory there. There is no weight, and the wind blows
along the shaft, so that the state is constant in rotating axes. The bearing of the shaft is held: a tower that
bends would turn the rotor out of the wind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.aerodynamics.momentum import Induction, StallModel
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.analysis.statics.equilibrium import Equilibrium, find_equilibrium
from fem_mbd.base.arrays import Array
from fem_mbd.base.text import text_table
from fem_mbd.base.validation import array, positive
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.machines.aerodynamic_loads import RotorFlow, add_rotor_loads, aerodynamics_of, rotor_flow
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly, blade_root
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.control import Ratings
from fem_mbd.machines.description.machine import Machine, blades_of, rotor_of

ELEMENTS = 25  # of a member, at most
LOAD_STEPS = 1


@dataclass(frozen=True, eq=False)
class SteadyState:
    """A turbine in steady wind.

    Attributes
    ----------
    wind : m/s
    speed : rad/s, of the rotor
    pitch : rad, of all blades, towards feather
    thrust, torque, power : of the aerodynamic loads on the rotor, N, N m, W
    tip_deflection : (2,) m, of the reference line at the tip of blade 1 against its root: to the suction side, to the
        trailing edge, in axes that are pitched with the root
    tip_twist : rad, of the tip against the root, positive nose up
    flow : distributions along the blades
    equilibrium : of the structure
    """

    wind: float
    speed: float
    pitch: float
    thrust: float
    torque: float
    power: float
    tip_deflection: Array
    tip_twist: float
    flow: RotorFlow
    equilibrium: Equilibrium


@dataclass(frozen=True, eq=False)
class SteadyStates:
    """Steady states over wind speeds.

    Attributes
    ----------
    machine : its name
    states : one for each wind
    """

    machine: str
    states: Sequence[SteadyState]

    def plain(self) -> dict[str, Any]:
        """Lists by name, SI units but for angles in degrees."""
        rows = self.states
        return {
            "machine": self.machine,
            "winds_m_s": [s.wind for s in rows],
            "speed_rad_s": [s.speed for s in rows],
            "pitch_deg": [float(np.degrees(s.pitch)) for s in rows],
            "thrust_n": [s.thrust for s in rows],
            "torque_n_m": [s.torque for s in rows],
            "power_w": [s.power for s in rows],
            "tip_deflection_m": [s.tip_deflection.tolist() for s in rows],
            "tip_twist_deg": [float(np.degrees(s.tip_twist)) for s in rows],
        }

    def __str__(self) -> str:
        names = (
            "wind m/s",
            "speed rpm",
            "pitch deg",
            "thrust kN",
            "power kW",
            "tip flap m",
            "edge m",
            "twist deg",
        )
        rows = [
            [
                f"{s.wind:.2f}", f"{s.speed * 30 / np.pi:.3f}", f"{np.degrees(s.pitch):.3f}", f"{s.thrust / 1e3:.1f}",
                f"{s.power / 1e3:.1f}", f"{s.tip_deflection[0]:.3f}", f"{s.tip_deflection[1]:.3f}",
                f"{np.degrees(s.tip_twist):.3f}",
            ]
            for s in self.states
        ]  # fmt: skip
        return text_table([list(names), *rows])


def machine_steady(
    machine: Machine,
    winds: ArrayLike,
    pitch: ArrayLike = 0.0,
    speed: ArrayLike | None = None,
    elements: int = ELEMENTS,
    induction: Induction | None = None,
    stall: StallModel | None = None,
) -> SteadyStates:
    """`Machine.steady`, see there."""
    aerodynamics_of(machine)
    v = np.atleast_1d(np.asarray(winds, dtype=float))
    if v.ndim != 1 or not len(v) or not np.all(np.isfinite(v)) or np.any(v <= 0.0):
        raise InputError("steady: give winds (m/s) above zero")
    meshed = with_elements(machine, elements)
    finder = SteadyFinder(meshed, induction, stall)
    if speed is None and machine.controller is not None and not np.any(pitch):
        ratings = machine.controller.ratings
        return SteadyStates(machine.name, [operation_at(finder, ratings, float(wind)) for wind in v])
    if speed is None:
        raise InputError(
            "steady: give the speed of the rotor (rad/s), a number or one for each wind; a machine with a controller "
            "has the speed and pitch that it holds, where neither is given"
        )
    pitches, speeds = (array(np.broadcast_to(x, v.shape) if np.ndim(x) == 0 else x, v.shape, f"steady: {name}")
                       for x, name in ((pitch, "pitch (rad)"), (speed, "speed (rad/s)")))  # fmt: skip
    return SteadyStates(machine.name, [finder.at(*each) for each in zip(v, pitches, speeds, strict=True)])


class SteadyFinder:
    """Finds steady states of one machine.

    Parameters
    ----------
    machine : with aerodynamics
    induction, stall : those of its files when left out
    held : the bearing of the shaft is held; otherwise the tower bends
    refine : elements between two stations
    driven : pitch bearings that are joints with an `Input`, as those of a run with a controller
    """

    def __init__(
        self,
        machine: Machine,
        induction: Induction | None = None,
        stall: StallModel | None = None,
        *,
        held: bool = True,
        refine: int = 1,
        driven: Sequence[str] = (),
    ):
        self.machine, self.induction, self.stall = machine, induction, stall
        self.held, self.refine, self.driven = held, refine, driven

    def built(self, wind: float, pitch: float) -> Assembly:
        """The model in that wind (m/s), with blades at that pitch (rad)."""
        motions = {name: Input(name, "rad", pitch, "linear") for name in self.driven}
        assembly = pitched(self.machine, pitch, held=self.held, refine=self.refine, motions=motions)
        blow = along_shaft(assembly.rotor.axis, positive(wind, "wind (m/s)"))
        add_rotor_loads(assembly, blow, induction=self.induction, stall=self.stall)
        return assembly

    def at(self, wind: float, pitch: float, speed: float) -> SteadyState:
        """The steady state."""
        assembly = self.built(wind, pitch)
        rotor = assembly.rotor
        spin = rotor.spin(speed)
        equilibrium = find_equilibrium(assembly.model, spin=spin, load_steps=LOAD_STEPS)
        kind = next(k for k in equilibrium.forces.system.kinds if isinstance(k, RotorLoadsKind))
        equilibrium.forces.forces(equilibrium.state)
        flow = rotor_flow(kind, rotor.axis, rotor.point, len(rotor.blades))
        deflection, twist = tip_of(assembly, equilibrium.forces.system, equilibrium.state)
        return SteadyState(
            wind, speed, pitch, flow.thrust, flow.torque, flow.torque * speed, deflection, twist, flow,
            equilibrium,
        )  # fmt: skip


TOLERANCE = 1e-5  # rad or rad/s, of a search of pitch or speed
PITCH_STEP, MOST_PITCH = np.radians(5.0), np.radians(60.0)  # steps to a pitch with less than the rated torque


def operation_at(finder: SteadyFinder, ratings: Ratings, wind: float) -> SteadyState:
    """The steady state that a controller holds: torque K Omega^2 between its speeds, above them the rated torque.

    Parameters
    ----------
    finder : of the machine
    ratings : of its controller
    wind : m/s

    Raises
    ------
    SolverFailure
        When there is no steady state, or none with that torque.
    """
    r, first = ratings, ratings.least_pitch_at(wind)

    def above_law(state: SteadyState) -> float:
        return state.torque - r.partial_torque(state.speed)

    top = finder.at(wind, first, r.rated_speed)
    if top.torque > r.rated_torque:
        low, high = first, first + PITCH_STEP
        while finder.at(wind, high, r.rated_speed).torque > r.rated_torque:
            low, high = high, high + PITCH_STEP
            if high > MOST_PITCH:
                raise SolverFailure(
                    f"at {wind:g} m/s no pitch up to {np.degrees(MOST_PITCH):.3g} deg gives the rated torque"
                )
        return _without_excess(
            lambda pitch: finder.at(wind, pitch, r.rated_speed),
            lambda state: state.torque - r.rated_torque,
            low,
            high,
        )
    if above_law(top) >= 0.0:
        return top
    lowest = finder.at(wind, first, r.least_speed)
    if above_law(lowest) <= 0.0:
        return lowest
    return _without_excess(
        lambda speed: finder.at(wind, first, speed), above_law, r.least_speed, r.rated_speed
    )


def _without_excess(
    state_at: Callable[[float], SteadyState], excess: Callable[[SteadyState], float], low: float, high: float
) -> SteadyState:
    """The state without excess of torque (N m), whose pitch or speed is between two with excesses of both signs."""
    states: list[SteadyState] = []

    def excess_at(x: float) -> float:
        states.append(state_at(x))
        return excess(states[-1])

    scipy.optimize.brentq(excess_at, low, high, xtol=TOLERANCE)
    return min(states, key=lambda state: abs(excess(state)))


def pitched(
    machine: Machine, pitch: float, locked: bool = True, held: bool = True, **options: Any
) -> Assembly:
    """The model of a machine with its blades pitched (rad, to feather), its shaft locked and its bearing held.

    Blades with a motion among the ``options`` of `assemble` have the angle of the motion.
    """
    angles, moved = dict(machine.start), options.get("motions") or {}
    for link in machine.links:
        if link.kind == "angle" and any(link.second[0] in blade for blade in blades_of(machine)):
            angles[link.name] = 0.0 if link.name in moved else pitch
    assembly = assemble(machine, angles, locked=locked, standing=True, **options)
    carrier = rotor_of(machine).first
    if held and carrier is not None:
        assembly.model.fix(assembly.node(*carrier))
    return assembly


def along_shaft(axis: Array, speed: float) -> Wind:
    """Wind along a shaft (3,), downwind."""
    x = axis if axis[0] >= 0.0 else -axis
    return Wind(
        speed,
        direction=float(np.degrees(np.arctan2(x[1], x[0]))),
        inclination=float(np.degrees(np.arcsin(x[2]))),
    )


def tip_of(assembly: Assembly, system: System, state: State) -> tuple[Array, float]:
    """Deflection (2,), m, and twist, rad, of the tip of the first blade against its root, in the root's axes."""
    name, _ = blade_root(assembly, blades_of(assembly.machine)[0])
    beam, axes = assembly.beams[name], assembly.frames[name].rotation
    x = system.workspace.node_positions(state.u, state.r)
    root, tip = beam.start, beam.end
    turned = state.r[root.index] @ root.rotation.T  # rotation of the root
    moved = axes.T @ (turned.T @ (x[tip.index] - x[root.index]) - (tip.position - root.position))
    rotation = axes.T @ turned.T @ (state.r[tip.index] @ tip.rotation.T) @ axes
    return moved[:2], float(scipy.spatial.transform.Rotation.from_matrix(rotation).as_rotvec()[2])


def read_operation(path: Any) -> Array:
    """(n, 3) wind (m/s), pitch (rad), speed (rad/s) of HAWC2's .opt file: a heading, then m/s, deg, rpm.

    Raises
    ------
    InputError
        Naming file and line.
    """
    text = TextFile(path, "operation file")
    words = tokens(text.line("the heading"))
    if len(words) > 2 and all(as_number(word) is not None for word in words):
        text.next -= 1  # some files have none: the first row is one of the table
    rows = []
    while text.at_numbers():
        words = tokens(text.line("wind, pitch and speed"))
        if len(words) < 3:
            text.fail("wind (m/s), pitch (deg) and speed (rpm) are needed")
        rows.append(text.convert(words[:3], "wind, pitch and speed"))
    if not rows:
        raise InputError(f"{path}: there is no row of wind (m/s), pitch (deg) and speed (rpm)")
    table = np.array(rows)
    if not np.all(np.diff(table[:, 0]) > 0.0):
        text.fail("winds do not ascend")
    return np.stack([table[:, 0], np.radians(table[:, 1]), table[:, 2] * np.pi / 30.0], axis=1)
