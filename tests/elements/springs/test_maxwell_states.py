"""Maxwell chains in linear models: complex modulus, modes and runs of a lever, a bearing of a rotor."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

import fem_mbd as fm
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.core.model.internal_states import joined
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Bushing, MaxwellChain, RigidBody
from fem_mbd.joints import Revolute

CHAIN = MaxwellChain([3e4, 2e4, 1e4], [0.2, 0.02, 0.002], static=5e4)
ARM, CENTRE, MASS, INERTIA = 0.8, 0.3, 12.0, 0.9  # m, m, kg, kg m^2 about the mass centre


def lever() -> fm.Model:
    """A body turned in its own axes, on a hinge about global z; a chain across its end, in axes of the bushing."""
    turn = rotation_about(np.array([0.0, 0.6, 0.8]), 0.7)
    along = rotation_about(np.array([0.0, 0.0, 1.0]), 0.4)
    model = fm.Model()
    inertia = turn.T @ np.diag([0.5, 0.4, INERTIA]) @ turn
    body = model.add(
        RigidBody(MASS, inertia, along @ np.array([CENTRE, 0, 0]), rotation=along @ turn, name="lever")
    )
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge"))
    end = along @ np.array([ARM, 0.0, 0.0])
    triad = along @ np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # axis 1 across the lever
    model.add(
        Bushing(
            model.ground.at_global(end),
            body.node.at_global(end),
            (0.0,) * 6,
            axes=triad,
            chains={0: CHAIN},
            name="bush",
        )
    )
    return model


def test_complex_modulus_of_a_state_space() -> None:
    """Closed form: angle, force of the bushing and reaction of the hinge at 20 frequencies."""
    space = fm.state_space(
        lever(), ["lever.moment[z]"], ["hinge.angle", "bush.force[0]", "hinge.reaction.force"]
    )
    assert [name for name in space.states if "Maxwell" in name] == [
        f"bush, strain of Maxwell element {k}" for k in range(3)
    ]
    about_hinge = INERTIA + MASS * CENTRE**2
    for frequency in np.geomspace(0.05, 200.0, 20):
        s = 2j * np.pi * frequency
        modulus = CHAIN.modulus(frequency)
        angle = 1.0 / (about_hinge * s**2 + modulus * ARM**2)
        found = space.transfer(s)[:, 0]
        assert found[0] == pytest.approx(angle, rel=1e-9)
        force = -modulus * ARM * angle
        assert found[1] == pytest.approx(force, rel=1e-6)
        reaction = MASS * CENTRE * s**2 * angle - force
        assert np.linalg.norm(found[2:]) == pytest.approx(abs(reaction), rel=1e-6)


def test_modes_have_the_states_of_the_chain() -> None:
    """Roots of (J s^2 + k*(s) a^2) (1 + s tau_1) (1 + s tau_2) (1 + s tau_3): a vibration and three relaxations."""
    found = fm.modes(lever(), 4)
    factors = [np.poly1d([tau, 1.0]) for tau in CHAIN.times]
    whole = np.poly1d([(INERTIA + MASS * CENTRE**2) / ARM**2, 0.0, CHAIN.static])
    polynomial = whole * factors[0] * factors[1] * factors[2]
    for k, (stiffness, tau) in enumerate(zip(CHAIN.stiffness, CHAIN.times, strict=True)):
        rest = [one for m, one in enumerate(factors) if m != k]
        polynomial = polynomial + np.poly1d([stiffness * tau, 0.0]) * rest[0] * rest[1]
    roots = np.sort_complex(polynomial.roots[polynomial.roots.imag >= 0.0])
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), roots, rtol=1e-9)
    relaxed = fm.modes(lever(), 1, undamped=True)
    expected = np.sqrt(CHAIN.static * ARM**2 / (INERTIA + MASS * CENTRE**2))
    assert abs(relaxed.eigenvalues[0]) == pytest.approx(expected, rel=1e-9)
    vibration = int(np.argmax(found.eigenvalues.imag))
    s, view = found.eigenvalues[vibration], found.of("bush")
    ratio = np.asarray(view.force[vibration])[0] / np.asarray(view.displacement[vibration])[0]
    modulus = CHAIN.static + sum(
        k * s * t / (1 + s * t) for k, t in zip(CHAIN.stiffness, CHAIN.times, strict=True)
    )
    assert ratio == pytest.approx(-modulus, rel=1e-6)


def test_a_run_is_that_of_the_state_space() -> None:
    """A small free motion with relaxation, against the matrix exponential."""
    model, rate, dt = lever(), 1e-5, 5e-5
    space = fm.state_space(model, ["lever.moment[z]"], ["hinge.angle", "lever.angular_velocity[z]"])
    model.set_velocity(next(n for n in model.nodes if "lever" in n.name), omega=(0, 0, rate), about=(0, 0, 0))
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(dt))
    start = np.linalg.lstsq(space.C, [0.0, rate], rcond=None)[0]
    expected, step, x = [], scipy.linalg.expm(space.A * dt), start
    for _ in result.time:
        x = step @ x
        expected.append(space.C[0] @ x)
    assert np.abs(result.of("hinge").angle - expected).max() < 1e-6 * np.abs(expected).max()


def test_a_chain_in_fixed_and_in_turning_parts_of_a_rotor() -> None:
    """A bearing with a chain has the same modes at all speeds of a disc without gyroscopic moment."""
    rotor = fm.Model()
    disc = rotor.add(RigidBody(MASS, (0.2, 0.2, 1e-9), (0, 0, 0), name="disc"))
    rotor.fix(disc, translation=(False, False, True), rotation=(True, True, False))
    rotor.add(Bushing(rotor.ground, disc, (0.0,) * 6, chains={d: CHAIN for d in (0, 1)}, name="rubber"))
    diagram = fm.campbell(rotor, [1.0, 300.0], axis=(0, 0, 1), frame="inertial", number=9)
    frequencies = np.sort(np.asarray(diagram.frequencies_hz), axis=1)
    at_rest = fm.modes(rotor, 8).eigenvalues
    vibrating = np.sort(np.abs(at_rest[at_rest.imag > 0.0])) / (2 * np.pi)
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=1e-6)
    assert frequencies[0, -1] == pytest.approx(vibrating[-1], rel=1e-6)


def test_states_of_several_kinds_act_together() -> None:
    """The same states twice are a chain of twice the stiffness; relaxations that nothing excites are left out."""
    linear = fm.linearise(lever())
    assert linear.internal is not None
    both = joined([linear.internal, linear.internal])
    assert len(both) == 6 and both.relaxing
    found = modes_of(replace(linear, internal=both), 8).eigenvalues
    twice = replace(linear.internal, force=2.0 * linear.internal.force)
    expected = modes_of(replace(linear, internal=twice), 8).eigenvalues
    assert len(expected) == 4
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=1e-9)


def test_four_equal_mounts() -> None:
    """More chains than motions: heave of a body on four mounts has four times the modulus."""
    model = fm.Model()
    body = model.add(RigidBody(MASS, (1.0, 2.0, 3.0), (0, 0, 0), name="engine"))
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        at = (0.3 * x, 0.2 * y, 0.0)
        model.add(
            Bushing(
                model.ground.at(at),
                body.node.at(at),
                (1e5, 1e5, 0.0, 0.0, 0.0, 0.0),
                chains={2: CHAIN},
                name=f"{k}",
            )
        )
    found = fm.modes(model, 18).eigenvalues
    space = fm.state_space(model, ["engine.force[z]"], ["engine.displacement[z]"])
    s = 2j * np.pi * 7.0
    assert space.transfer(s)[0, 0] == pytest.approx(1.0 / (MASS * s**2 + 4 * CHAIN.modulus(7.0)), rel=1e-9)
    assert len(found) == 6 + 9  # three of the twelve strains move nothing
    for value in found:
        assert np.abs(space.eigenvalues - value).min() < 1e-6 * abs(value)
