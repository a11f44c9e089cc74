"""Parameters and model of one blade and of the row of three: beams, tie-bosses, tips.

The parameters are data of the paper, results of the search, and assumptions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, log, pi, radians, sin
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Harmonic, Ramp, TimeFunctionLike
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Beam, BodyHandle, Force, Material, RigidBody, Section, SpringDamper
from fem_mbd.friction import FrictionLaw, GeneralKinetic, Hertz, LuGre, PowerDamping
from fem_mbd.joints import Clamp, FaceOnPlane, RigidOffset, Spherical

# Hz: one blade as multibody and as solid model, three connected ones as solid model (the paper's tables)
TABLE_3, TABLE_4, TABLE_5 = (53.0, 321.0, 408.0), (53.0, 312.0, 436.0), (127.0, 239.0, 329.0)
STEEL = Material(young=2.1e11, poisson=0.3, density=7800.0)
DAMPER_LENGTH = 10.0  # m: a damper to such a distant point acts along a fixed direction
PLACES = (("centre", 0.0), ("left", -1.0), ("right", 1.0))
WIDTH, THICKNESS = 0.03, 0.005
TIE, TIE_MASS, TIE_INERTIA = (0.02, 0.034, 0.0245), 0.1, (1.5e-5, 8.8e-6, 1.38e-5)
TIP, TIP_MASS, TIP_INERTIA = (0.022, 0.03, 0.035), 0.16, (2.96e-5, 2.38e-5, 1.92e-5)


@dataclass(frozen=True)
class Geometry:
    """Data omitted in the paper: lengths of the beams (m) and arrangement of the outer blades.

    turn : deg, rotation of the outer blades about their own axes, in opposite directions
    set_back, spacing : m, displacement of both outer blades against i1, and along i2 to either side
    """

    lower_length: float
    upper_length: float
    turn: float
    set_back: float
    spacing: float


# Found by docs/studies/turbine_blades.py: lengths from table 3; lengths and positions from tables 4 and 5.
SETS = {
    "simulated": Geometry(0.0975, 0.0674, 90.0, 0.0, 0.034),
    "cad": Geometry(0.1154, 0.0467, 0.0, 0.0097, 0.045),
}


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, found by docs/studies/turbine_blades.py, or assumed (marked so). SI units."""

    set: Literal["simulated", "cad"] = parameter(
        "simulated",
        "",
        "geometry from the paper's multibody model (table 3), or its solid model (tables 4, 5)",
    )
    simulation: Literal[1, 2] = parameter(1, "", "1: 30 Hz with growing force, 2: swept sine 30 to 80 Hz")
    friction: Literal["lugre", "gkf"] = parameter("lugre", "", "LuGre, or general kinetic friction")
    points: Literal[1, 4] = parameter(1, "", "contact points of each face")
    lower_length: float | None = parameter(
        None, "m", "beam from the ground to the tie-boss; none: of the set"
    )
    upper_length: float | None = parameter(None, "m", "beam from the tie-boss to the tip; none: of the set")
    ends: Literal["faces", "centres"] = parameter(
        "faces", "", "end points of the beams on tie-boss and tip; assumed"
    )
    turn: float | None = parameter(None, "deg", "of the outer blades about their axes; none: of the set")
    set_back: float | None = parameter(None, "m", "of both outer blades against i1; none: of the set")
    spacing: float | None = parameter(None, "m", "of the blades along i2; none: of the set")
    damping_mass: float = parameter(3.03, "1/s", "alpha of the Rayleigh damping")
    damping_stiffness: float = parameter(1.1e-6, "s", "beta of the Rayleigh damping")
    preload: float = parameter(
        5.0, "N", "normal force of a face, increased to this value in the first second"
    )
    force: float = parameter(0.0, "N", "amplitude at the centre tip; 0: 5 N in simulation 1, 2 N in 2")
    frequency: float = parameter(30.0, "Hz", "of the force in simulation 1")
    sigma: float = parameter(3e-9, "m^2 N^0.5", "compliance of the faces, assumed as for the cube")
    contact_damping: float = parameter(4.88e5, "N s/m^1.5", "of a face, assumed as for the cube")
    sigma_0: float = parameter(4e4, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(60.0, "s/m", "bristle damping per unit normal force")
    mu_s: float = parameter(0.5, "", "static coefficient of friction")
    mu_k: float = parameter(0.3, "", "kinetic coefficient of friction")
    stribeck_velocity: float = parameter(3e-3, "m/s", "v_st")
    threshold: float = parameter(3e-4, "m/s", "of the gkf law")
    sweep_start: float = parameter(1.0, "s", "simulation 2: the sweep begins, 30 Hz before; assumed")
    sweep_time: float = parameter(8.0, "s", "duration of the sweep from 30 to 80 Hz, assumed")
    dt: float = parameter(5e-4, "s", "constant step")
    end_time: float = parameter(0.0, "s", "simulated time; 0: 1.8 s of simulation 1, the whole sweep of 2")
    elements: int = parameter(1, "", "beam elements of four nodes below and above the tie-boss")

    def __post_init__(self) -> None:
        lengths = [name for name in vars(self.geometry) if name.endswith("length") or name == "spacing"]
        check_positive(self, "turbine_blades", "dt preload stribeck_velocity sigma sweep_time")
        check_positive(self.geometry, "turbine_blades", " ".join(lengths))
        check_not_negative(self, "turbine_blades", "force end_time sweep_start")

    @property
    def geometry(self) -> Geometry:
        """The geometry of the set, with the explicitly given values."""
        values = {name: getattr(self, name) for name in vars(SETS[self.set])}
        return replace(SETS[self.set], **{name: value for name, value in values.items() if value is not None})

    @property
    def amplitude(self) -> float:
        """Largest force at the centre tip, N."""
        return self.force or (5.0 if self.simulation == 1 else 2.0)

    @property
    def duration(self) -> float:
        """Simulated time, s."""
        return self.end_time or (1.8 if self.simulation == 1 else self.sweep_start + self.sweep_time)


@dataclass(frozen=True)
class Blade:
    """A blade in a model; the rows of three are in the order of `PLACES`."""

    tie: BodyHandle
    tip: BodyHandle


def add_blade(model: Model, p: Parameters, name: str, foot: Array, turn: float) -> Blade:
    """Add a blade with its foot at ``foot`` (3,) along i3; its thin side is along i1 rotated by ``turn`` (rad) about
    i3.
    """
    c, s = cos(turn), sin(turn)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    # section axis 3 is the thin direction
    section = Section.rectangle(WIDTH, THICKNESS, STEEL)
    # mass that the rigid bodies add to the beams: half a tie-boss twice, half a tip
    tie_arm, tip_arm = (0.5 * TIE[2], 0.5 * TIP[2]) if p.ends == "faces" else (0.0, 0.0)
    g = p.geometry
    heights = np.cumsum((g.lower_length, tie_arm, tie_arm, g.upper_length, tip_arm))
    low, tie_middle, tie_top, high, tip_middle = foot + np.outer(heights, (0.0, 0.0, 1.0))
    common: Any = {"up": axes[:, 0], "elements": p.elements, "damping": p.damping_stiffness}
    lower = model.add(Beam(section, foot, low, name=f"{name}.lower", **common))
    upper = model.add(Beam(section, tie_top, high, name=f"{name}.upper", **common))
    tie = model.add(
        RigidBody(TIE_MASS, TIE_INERTIA, position=tie_middle, rotation=axes, name=f"{name}.tie-boss")
    )
    tip = model.add(RigidBody(TIP_MASS, TIP_INERTIA, position=tip_middle, rotation=axes, name=f"{name}.tip"))
    model.add(Clamp(model.ground, lower.start))
    for body, end in ((tie, lower.end), (tie, upper.start), (tip, upper.end)):
        model.add(RigidOffset(body.node, end, name=f"{name}.offset"))
    _mass_damping(model, p, tie, tip)
    return Blade(tie, tip)


def _mass_damping(model: Model, p: Parameters, tie: BodyHandle, tip: BodyHandle) -> None:
    """The mass-proportional part of Rayleigh's damping, lumped: dampers to the ground, half of each beam included."""
    if p.damping_mass == 0:
        return
    line, g = STEEL.density * WIDTH * THICKNESS, p.geometry
    lumps = (
        (tie, TIE_MASS + 0.5 * line * (g.lower_length + g.upper_length)),
        (tip, TIP_MASS + 0.5 * line * g.upper_length),
    )
    for body, mass in lumps:
        for direction in np.eye(3):
            far = model.ground.at_global(body.node.position - DAMPER_LENGTH * direction)
            model.add(SpringDamper(far, body.node, 0.0, p.damping_mass * mass, name="air"))


@dataclass(frozen=True)
class Row:
    """Arrangement of three blades.

    turns : (2,) rad, of the left and the right blade about their own axes
    pitch : (3,) m, from the centre blade to the right one; the left one is opposite. Normal of the faces
    set_back : m, displacement of both outer blades along -i1
    link : connection of tie-bosses without slip: "rigid", all six motions; "points", the middles of the faces
    """

    turns: tuple[float, float]
    pitch: tuple[float, float, float] = (0.0, TIE[1], 0.0)
    set_back: float = 0.0
    link: Literal["rigid", "points"] = "rigid"

    def foot(self, side: float) -> Array:
        """(3,) m, of the foot of the blade on that side: 0 centre, -1 left, 1 right."""
        return side * np.array(self.pitch) - abs(side) * np.array((self.set_back, 0.0, 0.0))


def row_of(p: Parameters) -> Row:
    """The row of the parameters: outer blades turned by -turn and +turn."""
    g = p.geometry
    return Row((-radians(g.turn), radians(g.turn)), (0.0, g.spacing, 0.0), g.set_back)


def add_row(model: Model, p: Parameters, row: Row | None = None) -> list[Blade]:
    """Add three blades in a row, faces touching; by default the simulated row."""
    row = row or row_of(p)
    turns = {"centre": 0.0, "left": row.turns[0], "right": row.turns[1]}
    return [add_blade(model, p, name, row.foot(side), turns[name]) for name, side in PLACES]


def blade_frequencies(p: Parameters, number: int = 3) -> Array:
    """Lowest natural frequencies of one blade, Hz, without damping."""
    from fem_mbd.analysis.modal.modes import modes  # not at module level: a run does not need it

    model = Model(name="blade")
    add_blade(model, p, "blade", np.zeros(3), 0.0)
    return modes(model, number, undamped=True).frequencies_hz


def coupled_frequencies(p: Parameters, row: Row | None = None, number: int = 3) -> Array:
    """Lowest natural frequencies of a row with its tie-bosses connected, Hz, without damping."""
    from fem_mbd.analysis.modal.modes import modes

    row = row or row_of(p)
    model = Model(name="linked blades")
    centre, *outer = add_row(model, p, row)
    for blade in outer:
        if row.link == "rigid":
            model.add(RigidOffset(centre.tie.node, blade.tie.node, name="link"))
        else:
            middle = 0.5 * (centre.tie.node.position + blade.tie.node.position)
            model.add(
                Spherical(centre.tie.node.at_global(middle), blade.tie.node.at_global(middle), name="link")
            )
    return modes(model, number, undamped=True).frequencies_hz


PRELOADED = 1.0  # s
GROWS, GROWN, FREQUENCY = 0.2, 1.8, 30.0  # s, s, Hz: simulation 1
SWEEP_FROM, SWEEP_TO = 30.0, 80.0  # Hz: simulation 2, whose force begins when the preload is complete
CONTACT_EXPONENT, DAMPING_EXPONENT = 2.0, 0.5
POINT_OFFSET_RATIO = 0.25  # fraction of the face's sides: distance of four points from its middle


def build(p: Parameters) -> Simulation:
    """The blades of simulation 1 or 2."""
    model, _ = build_model(p)
    control = StepControl.fixed(p.dt, breakpoints=(GROWS, PRELOADED, p.sweep_start))
    return Simulation(model, p.duration, control, newton=NewtonOptions(reuse=True))


def build_model(p: Parameters) -> tuple[Model, list[Blade]]:
    """The model and its blades."""
    model = Model(name="turbine_blades")
    blades = add_row(model, p)
    centre, *outer = blades
    for blade, (name, side) in zip(outer, PLACES[1:], strict=True):
        _face(model, p, centre, blade, side, name)
        crush = Ramp(0.0, PRELOADED, np.zeros(3), np.array([0.0, -side * p.preload, 0.0]))
        model.add(Force(blade.tie.node, crush, name=f"{name}.crush"))
    model.add(Force(centre.tip.node, excitation_force(p), name="excitation"))
    return model, blades


def _face(model: Model, p: Parameters, centre: Blade, blade: Blade, side: float, name: str) -> None:
    middle = 0.5 * (centre.tie.node.position + blade.tie.node.position)
    arms = [(0.0, 0.0)] if p.points == 1 else [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
    points = [
        blade.tie.node.at_global(middle + POINT_OFFSET_RATIO * np.array([a * TIE[0], 0.0, b * TIE[2]]))
        for a, b in arms
    ]
    stiffness = TIE[0] * TIE[2] / p.sigma**CONTACT_EXPONENT / p.points
    normal = PowerDamping(Hertz(stiffness, CONTACT_EXPONENT), p.contact_damping / p.points, DAMPING_EXPONENT)
    model.add(
        FaceOnPlane(
            centre.tie.node.at_global(middle),
            points,
            normal,
            friction_law(p),
            direction=(0.0, side, 0.0),
            name=name,
        )
    )


def friction_law(p: Parameters) -> FrictionLaw:
    """The friction law selected by the parameters."""
    if p.friction == "gkf":
        return GeneralKinetic(p.mu_s, p.mu_k, p.threshold, p.stribeck_velocity)
    return LuGre(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.stribeck_velocity)


def excitation_force(p: Parameters) -> TimeFunctionLike:
    """Force at the centre tip, N."""
    if p.simulation == 1:
        grown = np.array([p.amplitude, 0.0, 0.0])
        return Ramp(GROWS, GROWN, np.zeros(3), grown) * Harmonic(1.0, 2 * pi * p.frequency)
    return lambda t: np.array([swept_sine(p, t), 0.0, 0.0])


def swept_sine(p: Parameters, t: float) -> float:
    """Force of simulation 2 along i1, N."""
    if t <= PRELOADED:
        return 0.0
    if t <= p.sweep_start:
        return p.amplitude * sin(2 * pi * SWEEP_FROM * (t - p.sweep_start))
    rate = log(SWEEP_TO / SWEEP_FROM) / p.sweep_time
    return p.amplitude * sin(2 * pi * (frequency(p, t) - SWEEP_FROM) / rate)


def amplitude(p: Parameters, t: float) -> float:
    """Amplitude of the excitation, N."""
    if p.simulation == 2:
        return p.amplitude if t > PRELOADED else 0.0
    return p.amplitude * min(max((t - GROWS) / (GROWN - GROWS), 0.0), 1.0)


def frequency(p: Parameters, t: float) -> float:
    """Frequency of the excitation, Hz."""
    if p.simulation == 1:
        return p.frequency
    return float(SWEEP_FROM * (SWEEP_TO / SWEEP_FROM) ** (max(t - p.sweep_start, 0.0) / p.sweep_time))
