"""Models of any mass and size: equal motion in any units, also of 1e-24 kg, with every linear solver."""

import warnings

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.linear_solvers.petsc import has_petsc
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.joints import DrivenRevolute, Revolute, Spherical

SOLVERS = ["auto", "scipy", *(["lu"] if has_petsc() else [])]


def pendulum(mass: float, solver: str) -> np.ndarray:
    model = fm.Model(gravity=(0, 0, -9.81))
    bob = model.add(RigidBody(mass, (mass * 1e-3,) * 3, position=(0.1, 0, 0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    options = fm.NewtonOptions(linear_solver=solver)
    return fm.simulate(model, 0.1, fm.StepControl.fixed(1e-3), newton=options).of("bob").position


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_pendulum_falls_alike_whatever_its_mass(solver: str) -> None:
    usual = pendulum(1.0, "auto")
    assert usual[-1, 2] < -0.02
    for mass in (1e-12, 1e-15, 1e-18, 1e-24, 1e20):
        assert pendulum(mass, solver) == pytest.approx(usual, abs=1e-10)


def mechanism(length: float, mass: float, time: float) -> np.ndarray:
    """Places of crank and rocker (2, 3), over the unit of length, of a driven crank, a strip and a rocker."""
    model = fm.Model()
    stress = mass / length / time**2
    steel = Material(young=210e9 * stress, poisson=0.3, density=7850 * mass / length**3)

    def at(*x: float) -> tuple[float, ...]:
        return tuple(length * np.array(x))

    def inertia(*moments: float) -> tuple[float, ...]:
        return tuple(mass * length**2 * np.array(moments))

    crank = model.add(RigidBody(0.3 * mass, inertia(1e-4, 3e-4, 3e-4), position=at(0.05, 0, 0), name="crank"))
    strip = Section.rectangle(0.02 * length, 0.002 * length, steel)
    link = model.add(Beam(strip, at(0.1, 0, 0), at(0.35, 0, 0.15), up=(0, 0, 1), elements=3, name="link"))
    rocker = model.add(
        RigidBody(0.5 * mass, inertia(2e-3, 2e-3, 1e-4), position=at(0.35, 0, 0.05), name="rocker")
    )
    speed = fm.time_functions.Ramp(t0=0, t1=0.2 * time, v0=0, v1=60 / time)
    model.add(DrivenRevolute(model.ground, crank, at=at(0, 0, 0), axis=(0, 1, 0), speed=speed))
    model.add(Revolute(crank, link.start, at=at(0.1, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(link.end, rocker, at=at(0.35, 0, 0.15), axis=(0, 1, 0)))
    model.add(Spherical(model.ground, rocker, at=at(0.35, 0, -0.05)))
    result = fm.simulate(model, 0.1 * time, fm.StepControl.fixed(1e-3 * time))
    assert result.summary["energy"]["relative"] < 1e-11
    return np.array([result.of(name).position[-1] for name in ("crank", "rocker")]) / length


@pytest.mark.parametrize(
    "units",
    [(1e3, 1e-3, 1.0), (1e-3, 1e3, 1e3), (1e-5, 1e-15, 1e-5), (1e-6, 1e-18, 1e-6), (1.0, 1e-20, 1.0)],
    ids=["mm-t-s", "km-Gg-ks", "10 um", "um", "light"],
)
def test_a_mechanism_moves_alike_in_any_units(units: tuple[float, float, float]) -> None:
    usual = mechanism(1.0, 1.0, 1.0)
    assert usual[0, 0] == pytest.approx(0.05 * np.cos(1.5), abs=1e-9)
    assert mechanism(*units) == pytest.approx(usual, abs=1e-8)


@pytest.mark.parametrize("mass", [1.0, 1e-12, 1e-18, 1e-24])
def test_an_impact_at_the_start_keeps_the_momentum(mass: float) -> None:
    """A mass hits nine times as much, which is at rest."""
    model = fm.Model()
    fast = model.add(RigidBody(mass, (mass * 1e-2,) * 3, position=(0, 0, 0), name="fast"))
    slow = model.add(RigidBody(9 * mass, (9 * mass * 1e-2,) * 3, position=(0, 0, 0), name="slow"))
    model.add(Spherical(fast, slow, at=(0, 0, 0)))
    model.set_velocity(fast, velocity=(1.0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = fm.simulate(model, 1e-3, fm.StepControl.fixed(1e-3))
    assert result.of("slow").velocity[-1] == pytest.approx((0.1, 0, 0), abs=1e-12)
