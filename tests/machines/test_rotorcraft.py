"""A rotor of building blocks with its controls: azimuths of the pitch, the same rotor of rigid blades, bad input."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, Simulation, StepControl
from fem_mbd.aerodynamics import BladeAerodynamics, UniformInflow
from fem_mbd.aerodynamics.disks import FLAP
from fem_mbd.aerodynamics.momentum import StallModel
from fem_mbd.elements import Blade, BladeAxis, Section, SectionTable
from fem_mbd.machines import Hinge, Hub, PitchLinks, Rotor, Rotorcraft, Swashplate
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


@pytest.mark.parametrize(("arm", "azimuth"), [(0.15, 0.0), (-0.1, 0.3)])
def test_swashplate_gives_the_pitch_of_the_controls(arm: float, azimuth: float) -> None:
    """On stiff links with horns at the flap hinges: theta_0 + theta_c cos + theta_s sin but for terms of third order.

    The horn's height is a sin(theta) cos(beta): theta^3/6 + theta beta^2/2, of the largest pitch and flap.
    """
    plate = Swashplate(mass=2.0, inertia=0.05)
    links = PitchLinks(arm=arm, radius=HINGE, length=0.4, stiffness=1e8, swashplate=plate)
    own = replace(craft(), rotor=replace(craft().rotor, pitch_links=links, azimuth=azimuth))
    made = own.assembly({"collective": 0.06, "lateral": 0.02, "longitudinal": -0.03})
    found = fm.run(Simulation(made.model, 2.0 * TURN, StepControl.fixed(TURN / 48)), progress=False)
    late = found.output_time > 1.5 * TURN
    for k in range(2):
        psi = np.pi + azimuth + np.pi * k + SPEED * found.output_time[late]
        pitch = 0.06 + 0.02 * np.cos(psi) - 0.03 * np.sin(psi)
        size, flap = 0.06 + np.hypot(0.02, 0.03), np.abs(found.of(f"flap{k + 1}").angle[late]).max()
        bound = size * (size**2 / 6 + flap**2 / 2)
        np.testing.assert_allclose(-found.of(f"pitch{k + 1}").angle[late], pitch, atol=bound)


def test_weight_of_the_blades() -> None:
    """Coning falls by g S/(Omega^2 (I + e S)), and the shaft carries thrust less weight.

    Blades of 4.5 m from 0.04 m on with the hinge at 0.02 m; 1 % for the bending of the blades and their lift, which
    follows the coning.
    """
    g, inner = 9.81, ROOT - HINGE
    first, second = (MASS * ((inner + LENGTH) ** n - inner**n) / n for n in (2, 3))
    # two-node elements lump their masses: two of them have 12.5 % too much inertia
    light = replace(craft(), order=3)
    heavy = replace(light, gravity=g)
    loads = [fm.trim(one, {"thrust": 6000.0}, {"collective": 0.1}, steps=40) for one in (light, heavy)]
    change = loads[1].loads["coning"] - loads[0].loads["coning"]
    assert change == pytest.approx(-g * first / (SPEED**2 * (second + HINGE * first)), rel=0.01)
    weight = g * (20.0 + 2 * MASS * LENGTH)
    assert loads[1].hub_loads()[:, 2].mean() == pytest.approx(6000.0 - weight, rel=1e-3)
    # the weight is normal to the flow
    tilted = heavy({"shaft_angle": 0.1}).gravity
    np.testing.assert_allclose(tilted, g * np.array([np.sin(0.1), 0.0, -np.cos(0.1)]))


@pytest.mark.parametrize("stall", ["oye", "hgm"])
def test_dynamic_stall_in_forward_flight(stall: StallModel) -> None:
    """A trim with the states of unsteady profiles: its thrust is reached, and the lift of the retreating side lags.

    Attached flow of slow changes: the controls are those of the static profile within a tenth.
    """
    controls = {"collective": 0.08, "longitudinal": -0.03}
    targets = {"thrust": 4000.0, "longitudinal_flapping": 0.0}
    static, unsteady = (
        fm.trim(replace(craft(), flight_speed=25.0, stall=one), targets, controls, steps=40)
        for one in ("none", stall)
    )
    assert unsteady.loads["thrust"] == pytest.approx(4000.0, rel=1e-5)
    assert unsteady.controls["collective"] == pytest.approx(static.controls["collective"], rel=0.1)
    assert unsteady.orbit.stable


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"no control 'colective'; .*collective"):
        craft()({"colective": 0.1})
    with pytest.raises(InputError, match=r"rotorcraft: speed \(rad/s\)"):
        Rotorcraft(craft().rotor, craft().aerodynamics, 0.0)
    links = PitchLinks(arm=0.1, radius=0.3, length=0.4, stiffness=1e8)
    with pytest.raises(InputError, match="pitch links end at the hub: give them a Swashplate"):
        replace(craft(), rotor=replace(craft().rotor, pitch_links=links))
    moving = Swashplate(1.0, 0.1, heave=fm.time_functions.SmoothStep(0.0, 1.0, 0.0, 0.1))
    with pytest.raises(InputError, match="heave of the swashplate is given"):
        replace(craft(), rotor=replace(craft().rotor, pitch_links=replace(links, swashplate=moving)))
    with pytest.raises(InputError, match="gravity"):
        replace(craft(), gravity=-1.0)
