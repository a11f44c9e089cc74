"""State spaces of a turbine in wind: slow inputs against derivatives of steady states, states, refusals."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, StateSpace
from fem_mbd.analysis.rotors.weight import shaft_motion
from fem_mbd.machines import AeroelasticFamily, Machine, with_elements

FILE = Path(__file__).parents[2] / "cases/_data/iea15_turbine/IEA_15MW_RWT_FixedSubstructure.htc"
WIND, PITCH, SPEED = 13.0, 0.1056, 0.79168
INPUTS = ["wind.speed", "generator.torque", "collective(pitch1.angle)"]
OUTPUT = ["generator.angular_velocity[2]"]


@cache
def deck() -> Machine:
    return with_elements(Machine.read(FILE, radii_at="mass centre"), 4)


def family() -> AeroelasticFamily:
    return AeroelasticFamily(deck(), [WIND], PITCH, SPEED, rotor_only=True)


@cache
def space() -> StateSpace:
    return fm.state_space(family(), INPUTS, OUTPUT, wind=WIND)


def test_slow_inputs_give_the_derivatives_of_steady_states() -> None:
    """The rotor's speed follows a constant torque with J w' = Q_w w + Q_u u, J the polar inertia of the rotor."""
    found = space()
    gradient = deck().steady_gradient(WIND, PITCH, SPEED, wrt=("wind", "pitch", "speed"), elements=4)
    by_wind, by_pitch, by_speed = (gradient.of("torque", name) for name in ("wind", "pitch", "speed"))
    s = 0.002j  # slower than the inflow
    columns = dict(zip(found.inputs, found.transfer(s)[0], strict=True))
    pitch = sum(
        columns[f"collective(pitch1.{name})"] * s**k
        for k, name in enumerate(("angle", "angular_velocity", "angular_acceleration"))
    )
    linear = family().at(WIND)
    turn = shaft_motion(linear, family().axis)
    inertia = float(turn @ linear.mass @ turn)
    slow = -by_speed / (inertia * s - by_speed)
    for value, expected in (
        (columns["wind.speed"], -by_wind / by_speed),
        (columns["generator.torque"], 1.0 / by_speed),
        (pitch, -by_pitch / by_speed),
    ):
        assert abs(value - expected * slow) < 0.03 * abs(expected)


def test_states_and_stability() -> None:
    found = space()
    assert "axial induction, station 20" in found.states
    assert len(found.second_order) == len(found.states) == len(found.A)
    assert found.eigenvalues.real.max() < 2e-3  # but for the azimuth of the rotor


def test_refusals() -> None:
    with pytest.raises(InputError, match="has wind=M/S, in place of speed"):
        fm.state_space(family(), INPUTS, OUTPUT, speed=SPEED)
    with pytest.raises(InputError, match="leave modes out"):
        fm.state_space(family(), INPUTS[:2], OUTPUT, wind=WIND, modes=4)
    model = fm.Model()
    with pytest.raises(InputError):
        fm.state_space(model, ["wind.speed"], [])
    assert np.isfinite(space().A).all()
