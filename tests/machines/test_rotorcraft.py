"""A rotor of building blocks with its controls: azimuths of the pitch, the same rotor of rigid blades, bad input."""

import warnings

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, Simulation, StepControl
from fem_mbd.aerodynamics import BladeAerodynamics, UniformInflow
from fem_mbd.aerodynamics.inflow_kernels import FLAP
from fem_mbd.elements import Blade, BladeAxis, Section, SectionTable
from fem_mbd.machines import Hinge, Hub, Rotor, Rotorcraft
from tests.aerodynamics.hinged_rotor import linear_lift
from tests.aerodynamics.test_inflow import rows

LENGTH, MASS, HINGE, ROOT, SPEED = 4.5, 7.0, 0.02, 0.04, 40.0
TURN = 2.0 * np.pi / SPEED


def craft() -> Rotorcraft:
    """Stiff blades hinged near the axis, so that the disk follows the pitch 90 degrees later."""
    section = Section(np.diag([1e8, 1e8, 1e8, 1e7, 1e7, 1e7]), MASS, MASS * np.diag([2e-4, 1e-4, 1e-4]))
    blade = Blade(BladeAxis([[0, 0, 0], [0, 0, LENGTH]], [0, 0]), SectionTable([0, 1], [section, section]))
    rotor = Rotor(blade, Hub(ROOT, 20.0, inertia=5.0), 2, hinges=(Hinge("flap", HINGE),), elements=2)
    polar = linear_lift(0.01)
    aero = BladeAerodynamics([0, LENGTH], [0.3, 0.3], [polar] * 2, [0, 0], np.zeros((2, 2)))
    return Rotorcraft(rotor, aero, SPEED, induction=UniformInflow())


def flapping(**controls: float) -> np.ndarray:
    """a_0, a_1, b_1 over the seventh revolution in hover."""
    sim = Simulation(craft()({"collective": 0.06, **controls}), 7 * TURN, StepControl.fixed(TURN / 60))
    before = rows(sim)[0]
    for _ in sim.steps():
        if sim.state.time < 6.0001 * TURN:
            before = rows(sim)[0]
    return np.asarray((rows(sim)[0] - before)[FLAP : FLAP + 3] / TURN)


def test_flapping_follows_cyclic_pitch_by_a_quarter_of_a_turn() -> None:
    """theta_c cos psi flaps as theta_c sin psi: b_1 = -theta_c; theta_s sin psi as -theta_s cos psi: a_1 = theta_s.

    With a hinge at 0.4 % of the radius: within a hundredth.
    """
    rest = flapping()
    np.testing.assert_allclose(flapping(lateral=0.02) - rest, [0.0, 0.0, -0.02], atol=4e-4)
    np.testing.assert_allclose(flapping(longitudinal=0.02) - rest, [0.0, 0.02, 0.0], atol=4e-4)


def test_initial_velocities_are_consistent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not Simulation(craft()({"collective": 0.1, "lateral": 0.05}), 0.1).initial_message


def test_trim_in_hover() -> None:
    found = fm.trim(craft(), {"thrust": 6000.0}, {"collective": 0.1}, steps=40)
    assert found.loads["thrust"] == pytest.approx(6000.0, rel=1e-5)
    assert found.orbit.stable


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"no control 'colective'; .*collective"):
        craft()({"colective": 0.1})
    with pytest.raises(InputError, match=r"rotorcraft: speed \(rad/s\)"):
        Rotorcraft(craft().rotor, craft().aerodynamics, 0.0)
