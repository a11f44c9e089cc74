"""Case: an articulated helicopter rotor of stiff uniform blades on flap and lag hinges, driven at a given speed.

Closed forms of a stiff blade on a hinge at the offset e, with S and I its first moment and its inertia about the hinge
(W. Johnson, Helicopter Theory, 1980, sections 5-1 to 5-8, 9-3), Omega the speed, k a hinge spring:

    flap     nu^2 = 1 + e S/I + k/(I Omega^2)          uniform from the hinge on: 1 + 3 e/(2 (R - e))
    lag      nu^2 = e S/I + k/(I Omega^2)              uniform from the hinge on: 3 e/(2 (R - e))
    coning   beta_0 = M_0/(nu^2 I Omega^2)             under a steady moment M_0 about the flap hinge
    cyclic   beta_1 = M_1/(I Omega^2) / sqrt((nu^2 - 1)^2 + (2 zeta)^2), late by atan2(2 zeta, nu^2 - 1): 90 degrees
             without offset, under M_1 cos psi and a damper c = 2 zeta I Omega in the hinge

The run: forces along the mast at the blades' tips, steady and once per revolution, instead of lift and cyclic pitch;
the flap damper represents aerodynamic damping. Global axes: z up, the hub in the origin, blade 1 along x at the start.

Modes and Campbell diagram: rotating frame, shaft fixed. The blades have no mass between hinge and root.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar
from fem_mbd.aerodynamics.trim import TrimTask
from fem_mbd.analysis.modal.modes import modes
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Harmonic
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.loads.loads import Force
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines import Assembly, Hinge, Hub, Rotor, Rotorcraft, assemble, build_rotor
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

NAME = "articulated_rotor"
SOURCE = "closed form of a stiff blade"
SQUARED_GYRATION = 1e-4  # m^2: square of the sections' radius of gyration
# effect of flap angles of a few degrees, which the closed forms assume to be small, and of slight blade bending
TOLERANCE = 5e-3


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are a rotor of 13 m diameter."""

    speed: float = parameter(40.0, "rad/s", "of the rotor")
    number: int = parameter(4, "", "blades")
    radius: float = parameter(6.5, "m", "of the rotor")
    flap_offset: float = parameter(0.3, "m", "of the flap hinge from the axis of rotation")
    lag_offset: float = parameter(0.0, "m", "of the lag hinge, beyond the flap hinge; 0: no lag hinge")
    root: float = parameter(0.4, "m", "start of the blade")
    mass: float = parameter(7.0, "kg/m", "of the blade")
    bending: float = parameter(1e9, "N m^2", "stiffness of the blade")
    flap_spring: float = parameter(0.0, "N m/rad", "in the flap hinge")
    flap_damping: float = parameter(0.35, "", "run: zeta of the damper in the flap hinge")
    lift: float = parameter(3000.0, "N", "run: steady force at each tip")
    cyclic: float = parameter(1000.0, "N", "run: amplitude of the force once per revolution")
    chord: float = parameter(0.4, "m", "trim: of the blade")
    thrust: float = parameter(20000.0, "N", "trim: along the mast")
    advance: float = parameter(0.15, "", "trim: flight speed over that of the tips")
    mast_angle: float = parameter(-3.0, "deg", "trim: of the mast, nose up")
    revolutions: float = parameter(6.0, "", "run: simulated time")
    steps: int = parameter(60, "", "run: per revolution")

    def __post_init__(self) -> None:
        if not 0.0 < self.flap_offset < self.root < self.radius:
            raise InputError("rotor: flap_offset, root and radius have to be positive and ascend")
        check_positive(self, "rotor", "speed mass bending revolutions chord thrust")
        if self.steps < 10:
            raise InputError(f"rotor: steps is {self.steps}: give at least 10 per revolution")

    def moments(self, offset: float) -> tuple[float, float]:
        """S (kg m) and I (kg m^2) of a blade about a hinge."""
        near_end, far_end = self.root - offset, self.radius - offset
        return self.mass * (far_end**2 - near_end**2) / 2, self.mass * (far_end**3 - near_end**3) / 3

    @property
    def flap(self) -> float:
        """nu of flap, per revolution."""
        first, second = self.moments(self.flap_offset)
        spring = self.flap_spring / (second * self.speed**2)
        return float(np.sqrt(1.0 + self.flap_offset * first / second + spring))

    @property
    def lag(self) -> float:
        """nu of lag, per revolution."""
        first, second = self.moments(self.lag_offset)
        return float(np.sqrt(self.lag_offset * first / second))

    @property
    def response(self) -> tuple[float, complex]:
        """Coning, and amplitude and phase lag of the cyclic flap as beta_1 exp(-i phi), rad."""
        inertia = self.moments(self.flap_offset)[1] * self.speed**2
        arm = self.radius - self.flap_offset
        coning = self.lift * arm / (self.flap**2 * inertia)
        return coning, self.cyclic * arm / inertia / complex(self.flap**2 - 1.0, 2 * self.flap_damping)


def rotor(p: Parameters) -> Rotor:
    """The rotor's blades, hinges and hub."""
    gyration = SQUARED_GYRATION * np.diag([2.0, 1.0, 1.0])
    shear = 1e5 * p.bending / p.radius**2
    stiffness = np.diag([shear, shear, shear, p.bending, p.bending, p.bending])
    section = Section(stiffness, p.mass, p.mass * gyration)
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, p.radius - p.root]], [0.0, 0.0])
    blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]))
    damping = 2 * p.flap_damping * p.moments(p.flap_offset)[1] * p.speed
    hinges = [Hinge("flap", p.flap_offset, p.flap_spring, damping)]
    if p.lag_offset:
        hinges.append(Hinge("lag", p.lag_offset))
    return Rotor(blade, Hub(p.root, 50.0, inertia=10.0), p.number, hinges=tuple(hinges))


def model(p: Parameters) -> Model:
    """The rotor with its shaft fixed, without forces and dampers."""
    machine = build_rotor(NAME, rotor(p))
    return assemble(machine, locked=True, damped=False).model


def driven(p: Parameters) -> Assembly:
    """The driven rotor with its forces."""
    assembly = assemble(build_rotor(NAME, rotor(p), speed=p.speed), turning=True)
    for k in range(p.number):
        cosine = np.pi / 2 + 2 * np.pi * k / p.number
        tip = assembly.beams[f"blade{k + 1}"].end
        wave = Harmonic([0.0, 0.0, p.cyclic], p.speed, cosine, [0.0, 0.0, p.lift])
        assembly.model.add(Force(tip, wave, name=f"lift{k + 1}"))
    return assembly


def build(p: Parameters) -> Simulation:
    """The transient, starting from flat blades."""
    revolution = 2 * np.pi / p.speed
    return Simulation(driven(p).model, p.revolutions * revolution, StepControl.fixed(revolution / p.steps))


LIFT_SLOPE, PROFILE_DRAG = 5.7, 0.01  # of the blade's profile; no stall


def trim(p: Parameters) -> TrimTask:
    """The rotor in the wind, Pitt and Peters' inflow, its tips in the plane of the hub on average."""
    alpha = np.linspace(-180.0, 180.0, 721)
    polar = Polar(alpha, LIFT_SLOPE * np.sin(np.radians(alpha)), np.full(721, PROFILE_DRAG))
    span = np.array([0.0, p.radius - p.root])
    aero = BladeAerodynamics(span, [p.chord] * 2, [polar] * 2, [0.0, 0.0], np.zeros((2, 2)))
    undamped = replace(
        rotor(p), hinges=tuple(replace(hinge, damping=0.0) for hinge in rotor(p).hinges), elements=1
    )
    craft = Rotorcraft(undamped, aero, p.speed, p.advance * p.speed * p.radius, order=3)
    targets = {"thrust": p.thrust, "longitudinal_flapping": 0.0, "lateral_flapping": 0.0}
    controls = {"collective": 0.15, "lateral": 0.0, "longitudinal": -0.05}
    values = {"shaft_angle": np.radians(p.mast_angle)}
    return TrimTask(craft, targets, controls, values, steps=max(p.steps, 60), beam="blade1")


def flap_angle(result: Result, p: Parameters, number: int = 1) -> Array:
    """(m,) rad, flap angle of a blade: line from hinge to tip against the plane of the hub."""
    assembly = driven(p)
    tip = result.of(assembly.beams[f"blade{number}"].end).position
    root = result.of(assembly.beams[f"blade{number}"].start).position
    span = tip - root
    return np.asarray(np.arcsin(span[:, 2] / np.linalg.norm(span, axis=1)))


def last_turn(result: Result, p: Parameters) -> tuple[float, complex]:
    """Mean flap of the first blade, and its once-per-revolution component as beta_1 exp(-i phi), over the last
    revolution.
    """
    t, angle = np.asarray(result.output_time), flap_angle(result, p)
    last = t > t[-1] - 2 * np.pi / p.speed * (1 - 0.5 / p.steps)
    psi = p.speed * t[last]
    columns = np.stack([np.ones(len(psi)), np.cos(psi), np.sin(psi)], axis=1)
    mean, cosine, sine = np.linalg.lstsq(columns, angle[last], rcond=None)[0]
    return float(mean), complex(cosine, -sine)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, frequencies, coning and cyclic flap."""
    checks = balance(result.summary)
    computed = modes(model(p), 4 * p.number, spin=Spin((0, 0, 0), (0, 0, 1), p.speed))
    per_turn = np.abs(computed.eigenvalues.imag) / p.speed

    def nearest(expected: float) -> float:
        return float(per_turn[np.argmin(np.abs(per_turn - expected))])

    checks.append(near("flap frequency / speed", nearest(p.flap), p.flap, TOLERANCE, SOURCE))
    if p.lag_offset:
        checks.append(near("lag frequency / speed", nearest(p.lag), p.lag, TOLERANCE, SOURCE))
    # the initial transient has to have decayed
    if p.revolutions >= 5 and p.flap_damping >= 0.25:
        (mean, cyclic), (coning, expected) = last_turn(result, p), p.response
        checks += [
            near("coning [rad]", mean, coning, TOLERANCE, SOURCE),
            near("cyclic flap [rad]", abs(cyclic), abs(expected), 2 * TOLERANCE, SOURCE),
            near("phase lag of flap [deg]", _phase_lag(cyclic), _phase_lag(expected), 2 * TOLERANCE, SOURCE),
        ]
    return checks


def _phase_lag(cyclic: complex) -> float:
    return -float(np.degrees(np.angle(cyclic)))


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Flap of all blades."""
    flap = {f"blade {k + 1}": np.degrees(flap_angle(result, p, k + 1)) for k in range(p.number)}
    panels = [Panel("flap [deg]", flap)]
    return [draw_panels(folder / "flap.png", result.output_time, panels, title="articulated rotor")]


CASE = Case(
    name=NAME,
    summary="articulated helicopter rotor: flap and lag frequencies, coning, cyclic flap against closed forms",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    speeds=(5.0, 69.0),  # up to 660 rev/min
    trim=trim,
)
