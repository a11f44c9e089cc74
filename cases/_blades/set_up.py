"""Parameters and models of a blade: fixed at rest, or rotating in wind with a gust; defaults: the NREL 5 MW turbine.

Global axes: the rotor turns about +z, which points downwind; the blade lies along +x at the start, its leading edge
towards +y, its direction of motion. Gravity acts along -y.

**Gust.** Quasi-steady strip theory for small angles: the wind w through the rotor disk acts on a section that moves at
Omega r in the plane of rotation and at v downwind. The thrust per length changes by

    p = rho/2 a c(r) Omega r (w - v)        along +z, fixed in space

with lift slope a and chord c, linear from root to tip (an **assumption**: the structural files contain no chord);
w grows from the steady wind by the gust (1 - cos)/2. The term in v damps the flapping of a rotating blade. No
induction, no stall, no forces in the plane of the rotor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.prescribed import PrescribedMotion
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import BeamHandle, BeamPoints, DistributedLoad, Force
from fem_mbd.elements.blades import Blade

# columns: the blade's axes x to the suction side (downwind), y to the trailing edge, z to the tip
BLADE_AXES = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
DOWNWIND = np.array([0.0, 0.0, 1.0])


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
