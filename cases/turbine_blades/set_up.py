"""Simulation of the row of blades with its contacts, crushing forces and excitation."""

from __future__ import annotations

from math import log, pi, sin

import numpy as np

from fem_mbd.cases.turbine_blades.model import PLACES, TIE, Blade, Parameters, add_row
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Harmonic, Ramp, TimeFunctionLike
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Force
from fem_mbd.friction import FrictionLaw, GeneralKinetic, Hertz, LuGre, PowerDamping
from fem_mbd.joints import FaceOnPlane

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
