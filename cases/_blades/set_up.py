"""Models of a blade: held at rest, or turning in wind with a gust.

Global axes: the rotor turns about +z, which points downwind; the blade lies along +x at the start, its leading edge
towards +y, where it goes. Gravity acts along -y.

**Gust.** Quasi-steady strip theory for small angles: wind w through the rotor disk meets a section that turns at
Omega r and flaps downwind at v. The thrust per length changes by

    p = rho/2 a c(r) Omega r (w - v)        along +z, fixed in space

with slope of the lift a and chord c, linear from root to tip (an **assumption**: the structural files hold no chord);
w grows from the steady wind by the gust (1 - cos)/2. The term in v is what damps the flapping of a turning blade. No
induction, no stall, no forces in the plane of the rotor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.cases._blades.parameters import BladeParameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.prescribed import PrescribedMotion
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import BeamHandle, BeamPoints, DistributedLoad, Force
from fem_mbd.elements.blades import Blade

# columns: x to the suction side (downwind), y to the trailing edge, z to the tip
PLACED = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
DOWNWIND = np.array([0.0, 0.0, 1.0])


def at_rest(blade: Blade, p: BladeParameters) -> tuple[Model, BeamHandle]:
    """The blade held at its root, without gravity and wind; with the tip load if there is one."""
    model = Model(name=blade.name)
    handle = _add(model, blade, p)
    model.fix(handle.start)
    if p.tip_load:
        model.add(Force(handle.end, p.tip_load * DOWNWIND, name="tip load"))
    return model, handle


def turning(blade: Blade, p: BladeParameters) -> tuple[Model, BeamHandle]:
    """The blade on a root that turns at constant speed, with gravity, wind and gust."""
    model = Model(gravity=(0.0, -p.gravity, 0.0), name=blade.name)
    handle = _add(model, blade, p)
    place = handle.start.position
    angle = Polynomial((0.0, p.omega))
    model.add(PrescribedMotion(handle.start, _circle(place, p.omega), axis=(0.0, 0.0, 1.0), angle=angle))
    model.add(DistributedLoad(handle, thrust(p), name="thrust"))
    return model, handle


def simulation(blade: Blade, p: BladeParameters) -> Simulation:
    """The transient, from the equilibrium in steady rotation and wind (without gravity, which comes at once)."""
    model, _ = turning(blade, p)
    start = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), p.omega))
    return Simulation(model, p.end_time, StepControl.fixed(p.dt), initial=start.state)


def thrust(p: BladeParameters) -> Callable[[BeamPoints], Array]:
    """The load of the module's docstring, N/m."""

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
        rotation=PLACED,
        elements=p.elements or None,
        damping=None if p.damped else 0.0,
    )
    return model.add(part)


def _circle(place: Array, omega: float) -> Callable[[float], Array]:
    """Displacement of a place that turns about the global z axis."""

    def displacement(time: float) -> Array:
        c, s = np.cos(omega * time), np.sin(omega * time)
        return np.array([c * place[0] - s * place[1], s * place[0] + c * place[1], place[2]]) - place

    return displacement
