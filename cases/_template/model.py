"""The machine: what it is made of, and the simulation of it."""

from __future__ import annotations

from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import PointMass, SpringDamper

from .parameters import GRAVITY, Parameters


def build(p: Parameters) -> Simulation:
    """The run: the mass is let go below the origin, where the spring is unloaded."""
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="mass on a spring")
    mass = model.add(PointMass(p.mass, position=(0.0, 0.0, -p.length), name="mass"))
    model.add(SpringDamper(model.ground.at((0.0, 0.0, 0.0)), mass, p.stiffness, name="spring"))
    return Simulation(model, p.end_time, StepControl.fixed(p.dt))
