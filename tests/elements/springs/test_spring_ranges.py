"""Ranges of springs: a length that passes near zero, a direction that turns in a step, axes that become opposite."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import PointMass, RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.joints import Spherical


def test_a_mass_that_flies_through_the_end_of_its_spring_warns() -> None:
    model = fm.Model()
    mass = model.add(PointMass(1.0, (0.5, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground, mass, 1e-3, length=0.4, name="spring"))
    model.set_velocity(mass, velocity=(-1.0, 1e-4, 0))
    with pytest.warns(
        RangeWarning, match="'spring': motion of a spring's ends .* its length passes near zero"
    ):
        fm.simulate(model, 1.0, fm.StepControl.fixed(0.03))


@pytest.mark.parametrize(("turn", "beyond"), [(0.9, False), (1.2, True)])
def test_a_spring_whose_direction_turns_in_a_step(turn: float, beyond: bool) -> None:
    """On a circle the measure is the sine of half the angle of a step, and 0.5 at 60 degrees."""
    model = fm.Model()
    mass = model.add(PointMass(1.0, (1.0, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground, mass, 2.0, length=0.5, name="spring"))
    model.set_velocity(mass, velocity=(0, 1.0, 0))
    if beyond:
        with pytest.warns(RangeWarning, match="'spring': motion of a spring's ends in a step"):
            result = fm.simulate(model, 4 * turn, fm.StepControl.fixed(turn))
    else:
        result = fm.simulate(model, 4 * turn, fm.StepControl.fixed(turn))
    found = next(one for one in result.summary["ranges"] if one["kind"] == "spring")
    assert found["value"] == pytest.approx(np.sin(0.5 * turn), rel=0.06)


def test_axes_of_a_torsion_spring_that_become_opposite_warn() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="body"))
    model.add(Spherical(model.ground, body, at=(0, 0, 0)))
    model.add(RotationalSpringDamper(model.ground, body, axis=(0, 0, 1), stiffness=1e-9, name="twist"))
    model.set_velocity(body, omega=(1.0, 0, 0))
    with pytest.warns(RangeWarning, match=r"'twist': angle between the axes of a torsion spring 2\.[67]"):
        fm.simulate(model, 2.65, fm.StepControl.fixed(0.05))
