"""Common part of the cases of wind turbine blades: parameters, models, the gust, checks and figures.

A blade is fixed at rest, or rotates in wind with a gust; defaults: the NREL 5 MW turbine.

Global axes: the rotor turns about +z, which points downwind; the blade lies along +x at the start, its leading edge
towards +y, its direction of motion. Gravity acts along -y.

**Gust.** Quasi-steady strip theory for small angles: the wind w through the rotor disk acts on a section that moves at
Omega r in the plane of rotation and at v downwind. The thrust per length changes by

    p = rho/2 a c(r) Omega r (w - v)        along +z, fixed in space

with lift slope a and chord c, linear from root to tip (an **assumption**: the structural files contain no chord);
w grows from the steady wind by the gust (1 - cos)/2. The term in v damps the flapping of a rotating blade. No
induction, no stall, no forces in the plane of the rotor.

Results are in the rotating frame. The figures show the gust (wind, tip, root moments), and the blade's properties
(stiffness and mass along the span).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model, PrescribedMotion
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import BeamHandle, BeamPoints, DistributedLoad, Force
from fem_mbd.elements.blades import Blade
from fem_mbd.output.figures.plots import Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

# columns: the blade's axes x to the suction side (downwind), y to the trailing edge, z to the tip
BLADE_AXES = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
DOWNWIND = np.array([0.0, 0.0, 1.0])

DATA = Path(__file__).resolve().parent / "_data"


@dataclass(frozen=True)
class BladeParameters:
    """SI units except for the rotor's speed."""

    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(0.02, "s", "constant step")
    elements: int = parameter(0, "", "elements of equal length; 0: boundaries at the stations of the file")
    rotor_speed: float = parameter(12.1, "rev/min", "constant speed of the rotor")
    hub_radius: float = parameter(1.5, "m", "from the rotor's axis to the blade's root")
    gravity: float = parameter(
        9.81, "m/s^2", "across the rotor's axis; the blade starts horizontal, going up"
    )
    wind: float = parameter(6.0, "m/s", "steady wind through the rotor disk")
    gust: float = parameter(5.0, "m/s", "height of the gust, (1 - cos)/2, added to it")
    gust_start: float = parameter(5.0, "s", "start of the gust")
    gust_length: float = parameter(4.0, "s", "duration of the gust")
    air_density: float = parameter(1.225, "kg/m^3", "of the air; 0 for none")
    lift_slope: float = parameter(6.2832, "1/rad", "of the lift coefficient over the angle of attack")
    chord_root: float = parameter(4.6, "m", "chord at the root, linear to the tip")
    chord_tip: float = parameter(1.4, "m", "chord at the tip")
    tip_load: float = parameter(0.0, "N", "flapwise force on the tip of the blade at rest (static, modal)")
    damped: bool = parameter(True, "", "with the structural damping of the file")

    def __post_init__(self) -> None:
        check_positive(self, "blade", "end_time dt gust_length")
        check_not_negative(self, "blade", "elements hub_radius air_density chord_root chord_tip rotor_speed")

    @property
    def omega(self) -> float:
        """rad/s."""
        return self.rotor_speed * 2 * np.pi / 60


def at_rest(blade: Blade, p: BladeParameters) -> tuple[Model, BeamHandle]:
    """The blade fixed at its root, without gravity and wind; with the tip load if there is one."""
    model = Model(name=blade.name)
    handle = _add(model, blade, p)
    model.fix(handle.start)
    if p.tip_load:
        model.add(Force(handle.end, p.tip_load * DOWNWIND, name="tip load"))
    return model, handle


def turning(blade: Blade, p: BladeParameters) -> tuple[Model, BeamHandle]:
    """The blade on a root that rotates at constant speed, with gravity, wind and gust."""
    model = Model(gravity=(0.0, -p.gravity, 0.0), name=blade.name)
    handle = _add(model, blade, p)
    root = handle.start.position
    angle = Polynomial((0.0, p.omega))
    model.add(PrescribedMotion(handle.start, _circle(root, p.omega), axis=(0.0, 0.0, 1.0), angle=angle))
    model.add(DistributedLoad(handle, thrust(p), name="thrust"))
    return model, handle


def simulation(blade: Blade, p: BladeParameters) -> Simulation:
    """The transient, from the equilibrium in steady rotation and wind (without gravity, which is applied at once)."""
    model, _ = turning(blade, p)
    start = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), p.omega))
    return Simulation(model, p.end_time, StepControl.fixed(p.dt), initial=start.state)


def thrust(p: BladeParameters) -> Callable[[BeamPoints], Array]:
    """The distributed load of the module's docstring, N/m."""

    def load(points: BeamPoints) -> Array:
        chord = p.chord_root + (p.chord_tip - p.chord_root) * points.s
        radius = np.hypot(points.position[:, 0], points.position[:, 1])
        relative = wind_at(p, points.time) - points.velocity @ DOWNWIND
        size = 0.5 * p.air_density * p.lift_slope * chord * p.omega * radius * relative
        return np.outer(size, DOWNWIND)

    return load


def wind_at(p: BladeParameters, time: float) -> float:
    """Wind through the rotor disk, m/s."""
    phase = (time - p.gust_start) / p.gust_length
    return p.wind + (0.5 * p.gust * (1 - np.cos(2 * np.pi * phase)) if 0.0 < phase < 1.0 else 0.0)


def _add(model: Model, blade: Blade, p: BladeParameters) -> BeamHandle:
    part = blade.beam(
        position=(p.hub_radius, 0.0, 0.0),
        rotation=BLADE_AXES,
        elements=p.elements or None,
        damping=None if p.damped else 0.0,
    )
    return model.add(part)


def _circle(start: Array, omega: float) -> Callable[[float], Array]:
    """Displacement of a point that rotates about the global z axis."""

    def displacement(time: float) -> Array:
        c, s = np.cos(omega * time), np.sin(omega * time)
        return np.array([c * start[0] - s * start[1], s * start[0] + c * start[1], start[2]]) - start

    return displacement


LINEAR_DEFLECTION = 1e-5  # fraction of the length: deflection up to which statics is linear


@dataclass(frozen=True, eq=False)
class Histories:
    """Histories at the outputs' times (m,): tip displacement from the undeformed blade, and moments at the root.

    time : s; tip : (m, 3) radial, forward (to the leading edge) and downwind, m; flap, edge, twist : (m,) N m at the
    root, bending out of the rotor's plane, in it, and torsion, in blade axes
    """

    time: Array
    tip: Array
    flap: Array
    edge: Array
    twist: Array


def histories(result: Result, blade: Blade, p: BladeParameters) -> Histories:
    """In axes that turn with the rotor."""
    _, handle = turning(blade, p)
    time = result.output_time
    c, s = np.cos(p.omega * time), np.sin(p.omega * time)
    position = result.of(handle.end).position
    rotating = np.stack(
        [c * position[:, 0] + s * position[:, 1], c * position[:, 1] - s * position[:, 0], position[:, 2]],
        axis=1,
    )
    forces = result.of(handle).section_force(at=0.0)
    # from section axes to blade axes, both at the root
    moments = forces[:, 3:] @ (BLADE_AXES.T @ handle.line.at(0.0)[1]).T
    return Histories(time, rotating - handle.end.position, moments[:, 1], moments[:, 0], moments[:, 2])


@dataclass(frozen=True)
class References:
    """mass, kg; frequencies (k,) at rest, Hz, with their source and tolerance."""

    mass: float
    frequencies: Sequence[float]
    source: str
    bound: float


def checks(result: Result, blade: Blade, p: BladeParameters, references: References) -> list[Check]:
    """Energy balance; mass, frequencies at rest and flexibility of the tip against other computations."""
    checks = [
        *balance(result.summary),
        near(
            "mass of the blade [kg]",
            blade.mass,
            references.mass,
            2e-5,  # HAWC2's line through the elastic centres is 1e-5 shorter than the range of its table
            "independent computation from the same file",
        ),
    ]
    model, _ = at_rest(blade, _without_load(p))
    frequencies = modes(model, len(references.frequencies), undamped=True).frequencies_hz
    for k, (mine, theirs) in enumerate(zip(frequencies, references.frequencies, strict=True)):
        checks.append(
            near(f"frequency {k + 1} at rest [Hz]", float(mine), theirs, references.bound, references.source)
        )
    mine, theirs = tip_flexibility(blade, p), integrated_flexibility(blade)[2, 2]
    checks.append(
        near(
            "flexibility of the tip, downwind [m/N]", mine, theirs, 1e-2, "integral of section flexibilities"
        )
    )
    return checks


def tip_flexibility(blade: Blade, p: BladeParameters) -> float:
    """Downwind deflection of the tip per force, computed by the beam model with a small force at rest, m/N."""
    size = LINEAR_DEFLECTION * blade.length / integrated_flexibility(blade)[2, 2]
    model, handle = at_rest(blade, _without_load(p))
    model.add(Force(handle.end, size * DOWNWIND))
    tip = find_equilibrium(model).of(handle.end).position
    return float((tip - handle.end.position) @ DOWNWIND / size)


def integrated_flexibility(blade: Blade) -> Array:
    """(3, 3) displacement of the tip per force on it, global axes, for small forces: the unit-load theorem.

    A force F on the tip at x_t causes section forces (R^T F, R^T (x_t - x) x F), whatever the stiffness; the
    flexibility is the integral of their products with the sections' flexibilities. No beam element is involved.
    """
    edges = np.unique(np.concatenate([blade.sections.s, blade.axis.bounds]))
    # 12 points: the stiffness decreases by a factor of a hundred within a segment
    points, weights = np.polynomial.legendre.leggauss(12)
    tip = blade.axis.at(1.0)[0]
    total = np.zeros((3, 3))
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        for x, w in zip(points, weights, strict=True):
            s = 0.5 * (start + end + (end - start) * x)
            position, rotation = blade.axis.at(s)
            moments = np.cross(tip - position, np.eye(3)).T
            forces = np.concatenate([rotation.T, rotation.T @ moments])
            integrand = forces.T @ np.linalg.solve(np.asarray(blade.sections(s).stiffness), forces)
            total += 0.5 * (end - start) * blade.length * w * integrand
    return np.asarray(BLADE_AXES @ total @ BLADE_AXES.T)


def _without_load(p: BladeParameters) -> BladeParameters:
    return type(p)(**{**vars(p), "tip_load": 0.0})


def plot(result: Result, blade: Blade, p: BladeParameters, folder: Path, title: str) -> list[Path]:
    """Figures of the gust and of the blade's properties, drawn into an existing folder."""
    return [
        _gust(result, blade, p, folder / "gust.png", title),
        properties(blade, folder / "blade.png", title),
    ]


def _gust(result: Result, blade: Blade, p: BladeParameters, path: Path, title: str) -> Path:
    h = histories(result, blade, p)
    panels = [
        Panel("wind [m/s]", {"": np.array([wind_at(p, float(t)) for t in h.time])}),
        Panel("tip [m]", {"downwind": h.tip[:, 2], "forward": h.tip[:, 1], "radial": h.tip[:, 0]}),
        Panel("root moment [MN m]", {"out of plane": 1e-6 * h.flap, "in plane": 1e-6 * h.edge}),
        Panel("root torsion [kN m]", {"": 1e-3 * h.twist}),
    ]
    return draw_panels(path, h.time, panels, title=f"{title}, {p.rotor_speed:g} rev/min, gust")


def properties(blade: Blade, path: Path, title: str) -> Path:
    """Principal bending stiffness about the tension centre, torsion, mass and twist over the span."""
    s, sections = blade.sections.s, blade.sections.sections
    span = s * blade.length
    stiffness = np.array([section.stiffness for section in sections])
    coupled = stiffness[:, 4:, :1] @ stiffness[:, :1, 4:] / stiffness[:, :1, :1]
    soft, stiff = np.linalg.eigvalsh(stiffness[:, 4:, 4:] - coupled).T
    mass = np.array([section.mass_per_length for section in sections])
    with styled():
        figure, axes = new_figure(3)
        bending, masses, twist = axes[:, 0]
        for label, values in (
            ("stiff bending", stiff),
            ("soft bending", soft),
            ("torsion", stiffness[:, 3, 3]),
        ):
            bending.plot(span, values, ".-", markersize=3, label=label)
        bending.set_yscale("log")
        bending.set_ylabel("stiffness [N m²]")
        legend(bending)
        masses.plot(span, mass, ".-", markersize=3)
        masses.set_ylabel("mass [kg/m]")
        twist.plot(blade.axis.bounds * blade.length, -np.degrees(blade.axis.angles), ".-", markersize=3)
        twist.set_ylabel("twist [°]")
        twist.set_xlabel("along the axis [m]")
        figure.suptitle(f"{title}: {blade.mass:.0f} kg, {blade.length:.2f} m", fontsize=11)
        return save(figure, path)
