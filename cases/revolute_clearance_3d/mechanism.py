"""The spatial slider-crank of tables 2.1 and 2.2, a revolute joint with clearance between ground and crank.

The crank turns about y at the origin, a rod joins its end, by a spherical joint, to a slider that moves along y, by a
universal joint. The weight, along -z, drives it. SI units, global axes.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from fem_mbd.cases.revolute_clearance_3d.parameters import SIZES, Parameters
from fem_mbd.elements import RigidBody
from fem_mbd.friction import (
    BoPavelescu,
    ClassicalDahl,
    ClassicalLuGre,
    DryCoulomb,
    FrictionLaw,
    Frictionless,
    Hertz,
    LankaraniNikravesh,
)
from fem_mbd.joints import Prismatic, Revolute, RevoluteClearance, Spherical, Universal
from fem_mbd.model.model import Model
from fem_mbd.solver.newton_options import NewtonOptions
from fem_mbd.solver.simulation import Simulation
from fem_mbd.stepping.step_control import StepControl
from fem_mbd.stepping.step_rules import Penetration

GRAVITY = 9.81  # m/s^2
CRANK, ROD, HEIGHT = 0.10, 0.29, -0.15  # m: lengths, and z of the slider's path
START = sqrt(ROD**2 - (CRANK - HEIGHT) ** 2)  # m, y of the slider with the crank upright
SPEED = 2 * pi  # rad/s, of the crank about -y
TOP, PIN = np.array([0.0, 0.0, CRANK]), np.array([0.0, START, HEIGHT])  # crank-rod, rod-slider
ETA = (PIN - TOP) / ROD  # the rod's axis
ROD_AXES = np.column_stack([(1.0, 0.0, 0.0), ETA, np.cross((1.0, 0.0, 0.0), ETA)])
MASS = {"crank": 0.12, "rod": 0.5, "slider": 0.5}  # kg
INERTIA = {"crank": (1e-4, 1e-4, 1e-5), "rod": (4e-3, 4e-4, 4e-3), "slider": (1e-4, 1e-4, 1e-4)}  # kg m^2
PLACE = {"crank": 0.5 * TOP, "rod": 0.5 * (TOP + PIN), "slider": PIN}


def assemble(p: Parameters, ideal: bool = False) -> Model:
    """The mechanism; with ``ideal`` an ideal revolute joint in place of the one with clearance."""
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="spatial slider-crank with clearance")
    crank, rod, slider = (
        model.add(
            RigidBody(MASS[name], INERTIA[name], PLACE[name], ROD_AXES if name == "rod" else None, name=name)
        ).node
        for name in MASS
    )
    if ideal:
        model.add(Revolute(model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0), name="bearing"))
    else:
        law = LankaraniNikravesh(Hertz(p.stiffness), p.restitution)
        model.add(
            RevoluteClearance(
                crank.at_global((0, 0, 0)), model.ground, *SIZES[p.simulation], law, friction_law(p), axis=(0, 1, 0),
                crown=p.crown, name="bearing",
            )
        )  # fmt: skip
    model.add(Spherical(crank, rod, at=TOP, name="ball"))
    model.add(Universal(rod, slider, at=PIN, axis_k=ROD_AXES[:, 2], axis_l=(1, 0, 0), name="cross"))
    model.add(Prismatic(model.ground, slider, at=PIN, axis=(0, 1, 0), name="guide"))
    model.set_velocity(crank, omega=(0.0, -SPEED, 0.0), about=(0, 0, 0))
    model.set_velocity(rod, omega=-SPEED * CRANK / ROD * ROD_AXES[:, 2], about=PIN)
    return model


def friction_law(p: Parameters) -> FrictionLaw:
    """The law that the parameters name."""
    if p.friction == "coulomb":
        return DryCoulomb(p.mu_k)
    if p.friction == "stribeck":
        return BoPavelescu(p.mu_s, p.mu_k, p.v_s)
    if p.friction == "dahl":
        return ClassicalDahl(p.mu_k, p.sigma_0)
    if p.friction == "lugre":
        return ClassicalLuGre(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s)
    return Frictionless()


def build(p: Parameters) -> Simulation:
    """Steps by the change of the gaps, on a geometric grid of sizes."""
    control = StepControl(
        Penetration(p.penetration), dt_initial=1e-6, dt_min=1e-12, dt_max=p.dt_max, quantise=True
    )
    # bristle damping makes friction so stiff that kept factorisations leave energy unaccounted for
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    return Simulation(assemble(p), control, p.end_time, newton)


def build_ideal(p: Parameters) -> Simulation:
    """The mechanism with an ideal joint."""
    return Simulation(assemble(p, ideal=True), StepControl.fixed(1e-3), p.end_time)
