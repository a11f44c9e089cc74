"""Tests of equilibria held only by loads or rotation against statics by hand: hinged blades, pendulum, chain."""

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Revolute, Spherical, Universal

SPEED, HINGE, LENGTH, GRAVITY = 20.0, 0.5, 4.5, 9.81
SPIN = fm.Spin((0, 0, 0), (0, 0, 1), SPEED)
# EA, GA, GA, GJ, EI, EI, kg/m, kg m
BLADE = Section.from_rigidities(1e8, 1e8, 1e8, 1e6, 1e6, 1e6, 1.0, (2e-3, 1e-3, 1e-3))


def drooped(mass: float) -> float:
    """Flap angle (rad, downwards) of a thin rigid blade: the moments of weight and centrifugal forces at the hinge.

    Integral of Omega^2 (e + s cos b) s sin b dm = g times that of s cos b dm.
    """
    first, second = mass * LENGTH / 2, mass * LENGTH**2 / 3

    def moment(b: float) -> float:
        centrifugal = SPEED**2 * (HINGE * first + second * np.cos(b)) * np.sin(b)
        return float(centrifugal - GRAVITY * first * np.cos(b))

    return float(brentq(moment, 0.0, 0.5, xtol=1e-15))


@pytest.mark.parametrize("cone", [0.0, 0.2, -0.3])
def test_a_rigid_hinged_blade_droops_as_the_moments_at_its_hinge_say(cone: float) -> None:
    """From any angle at which it was built."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    mass, along = 4.5, np.array([np.cos(cone), 0, np.sin(cone)])
    turned = np.array([[along[0], 0, -along[2]], [0, 1, 0], [along[2], 0, along[0]]])
    across = mass * LENGTH**2 / 12
    hinge = np.array([HINGE, 0, 0])
    blade = model.add(
        RigidBody(mass, (1e-9, across, across), position=hinge + LENGTH / 2 * along, rotation=turned)
    )
    model.add(Revolute(model.ground, blade.node, at=hinge, axis=(0, 1, 0)))
    found = fm.find_equilibrium(model, spin=SPIN).outputs["position"][-1]
    angle = drooped(mass)
    expected = hinge + LENGTH / 2 * np.array([np.cos(angle), 0, -np.sin(angle)])
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("joint", ["universal", "revolute"])
def test_an_articulated_elastic_blade_has_coning_and_steady_loads(joint: str) -> None:
    """The stiff beam has the flap angle of the rigid blade; the hinge force provides the centripetal acceleration."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    blade = model.add(Beam(BLADE, start=(HINGE, 0, 0), end=(HINGE + LENGTH, 0, 0), elements=4))
    at = model.ground.at((HINGE, 0, 0))
    if joint == "universal":
        hinge = model.add(Universal(at, blade.start, axis_k=(0, 0, 1), axis_l=(0, 1, 0)))
    else:
        hinge = model.add(Revolute(at, blade.start, axis=(0, 1, 0)))
    found = fm.find_equilibrium(model, spin=SPIN)
    tip = found.outputs["position"][-1]
    assert np.arctan2(-tip[2], tip[0] - HINGE) == pytest.approx(drooped(LENGTH), rel=1e-3)
    force = found.of(hinge).reaction.force
    radius = HINGE + LENGTH / 2
    assert abs(force[0]) == pytest.approx(LENGTH * SPEED**2 * radius, rel=1e-3)
    assert abs(force[2]) == pytest.approx(LENGTH * GRAVITY, rel=1e-9)
    half = fm.find_equilibrium(model, 0.5, spin=SPIN).outputs["position"][-1]
    assert half[2] == pytest.approx(0.5 * tip[2], rel=1e-3)


def test_a_pendulum_hangs_below_its_pivot() -> None:
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    bob = model.add(RigidBody(1.0, (1e-2, 1e-2, 1e-2), position=(0.9, 0, -0.3)))
    model.add(Revolute(model.ground, bob.node, at=(0, 0, 0), axis=(0, 1, 0)))
    found = fm.find_equilibrium(model).outputs["position"][-1]
    assert found == pytest.approx([0, 0, -np.hypot(0.9, 0.3)], abs=1e-9)


def test_a_beam_on_a_pin_hangs_and_stretches() -> None:
    """By the weight below each section, rho g L^2 / 2 EA."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    beam = model.add(Beam(BLADE, start=(0, 0, 0), end=(3, 0, 0), elements=10))
    model.add(Revolute(model.ground, beam.start, at=(0, 0, 0), axis=(0, 1, 0)))
    tip = fm.find_equilibrium(model).outputs["position"][-1]
    assert tip == pytest.approx([0, 0, -3 - 1.0 * GRAVITY * 9 / 2 / 1e8], abs=1e-9)


def test_what_nothing_holds_is_still_refused() -> None:
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    model.add(RigidBody(1.0, (1e-2, 1e-2, 1e-2), position=(0.9, 0, -0.3), name="stone"))
    with pytest.raises(fm.SolverFailure, match=r"nothing holds it against the resultant"):
        fm.find_equilibrium(model)
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    top = model.add(RigidBody(1.0, (1e-2, 1e-2, 1e-2), position=(0, 0, 0.3), name="top"))
    model.add(Spherical(model.ground, top.node, at=(0, 0, 0)))
    with pytest.raises(fm.SolverFailure, match="without resistance"):  # it turns freely about its own axis
        fm.find_equilibrium(model)
