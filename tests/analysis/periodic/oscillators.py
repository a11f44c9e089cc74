"""Oscillators with published or exact periodic motions, for the tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from fem_mbd import Model
from fem_mbd.core.model.time_functions import Harmonic
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Force, PointMass, SpringDamper
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane

AWAY = 10.0  # m, of the mass from the ground: more than it swings


def duffing(values: Mapping[str, float]) -> Model:
    """mu x'' + zeta x' + kappa x + gamma x^3 = P cos(omega t), Krack and Gross 2019, NLvib's first example."""
    model = Model()
    mass = model.add(PointMass(1.0, (AWAY, 0.0, 0.0), name="mass"))
    model.fix(mass, translation=(False, True, True), rotation=True)
    zeta, gamma, force = values.get("zeta", 0.05), values.get("gamma", 0.1), values.get("force", 0.18)
    model.add(SpringDamper(model.ground, mass, 1.0, zeta, cubic=gamma, name="spring"))
    if force:
        model.add(Force(mass, Harmonic((force, 0.0, 0.0), values["omega"], 0.5 * np.pi)))
    return model


def with_stop(values: Mapping[str, float]) -> Model:
    """Two masses on springs, the first with a stop (gap 1, stiffness 100): NLvib's third example."""
    model = Model()
    one = model.add(PointMass(1.0, (AWAY, 0.0, 0.0), name="one"))
    two = model.add(PointMass(1.0, (2.0 * AWAY, 0.0, 0.0), name="two"))
    for mass in (one, two):
        model.fix(mass, translation=(False, True, True), rotation=True)
    model.add(SpringDamper(one, two, 1.0, 0.03))
    model.add(SpringDamper(two, model.ground.at((3.0 * AWAY, 0.0, 0.0)), 1.0, 0.03))
    place = model.ground.at((AWAY + 1.0, 0.0, 0.0))
    model.add(PointOnPlane(place, one, Linear(100.0), direction=(-1.0, 0.0, 0.0), name="stop"))
    model.add(Force(two, Harmonic((0.1, 0.0, 0.0), values["omega"], 0.5 * np.pi)))
    return model


def state_at(model: Model, x: Sequence[float], v: Sequence[float]) -> State:
    """The state of an oscillator at displacements (m) and velocities (m/s) of its masses."""
    state = System(model).reference_state()
    state.u[1:, 0] += x
    state.v[1:, 0] = v
    return state
