"""Tests of state-space models against closed forms, modal analysis, and nonlinear runs under small inputs."""

from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest
from scipy.signal import lsim

import fem_mbd as fm
from fem_mbd.core.rotations import rotation_about, skew
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, Force, Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute
from tests.refusals import refused

G = 9.81
CART, MASS, ARM, INERTIA = 3.0, 0.5, 0.7, 0.02
STEEL = Material(young=210e9, poisson=0.3, density=7850)


def oscillator() -> fm.Model:
    """A mass on a spring with a damper, constrained laterally."""
    model = fm.Model(name="oscillator")
    mass = model.add(RigidBody(2.0, (1, 1, 1), position=(1, 0, 0), name="mass"))
    model.add(Prismatic(model.ground, mass, at=(1, 0, 0), axis=(1, 0, 0), name="rail"))
    model.add(SpringDamper(model.ground, mass, stiffness=25.0, damping=0.3, length=1.0, name="spring"))
    return model


def cart(up: float) -> fm.Model:
    """A pendulum on a cart, upright (1) or hanging (-1)."""
    model = fm.Model(gravity=(0, 0, -G), name="cart")
    carriage = model.add(RigidBody(CART, (1, 1, 1), position=(0, 0, 0), name="carriage"))
    bob = model.add(RigidBody(MASS, (INERTIA,) * 3, position=(0, 0, up * ARM), name="bob"))
    model.add(Prismatic(model.ground, carriage, at=(0, 0, 0), axis=(1, 0, 0), name="rail"))
    model.add(Revolute(carriage, bob, at=(0, 0, 0), axis=(0, 1, 0), name="pin"))
    return model


def cantilever(damping: float = 0.0, elements: int = 4) -> fm.Model:
    """A clamped flat bar of steel, 4 m."""
    model = fm.Model(name="cantilever")
    section = Section.rectangle(0.1, 0.05, STEEL)
    bar = model.add(
        Beam(section, (0, 0, 0), (4, 0, 0), up=(0, 0, 1), elements=elements, damping=damping, name="bar")
    )
    model.fix(bar.start)
    return model


def test_a_mass_on_a_spring_is_the_textbook() -> None:
    found = fm.state_space(
        oscillator(), ["mass.force[x]"], ["mass.displacement[x]", "mass.acceleration[x]", "spring.force"]
    )
    own = found.with_states(["mass.displacement[x]"])
    assert own.A == pytest.approx(np.array([[0, 1], [-12.5, -0.15]]), abs=1e-10)
    assert own.B == pytest.approx(np.array([[0], [0.5]]), abs=1e-12)
    assert own.C == pytest.approx(np.array([[1, 0], [-12.5, -0.15], [25.0, 0.3]]), abs=1e-8)
    assert own.D == pytest.approx(np.array([[0], [0.5], [0]]), abs=1e-12)
    assert (own.inputs, own.input_units) == (("mass.force[x]",), ("N",))
    assert own.output_units == ("m", "m/s^2", "N")


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_a_pendulum_on_a_cart(up: float) -> None:
    """(M + m) x'' + m up a t'' = F, m up a x'' + (J + m a^2) t'' - up m g a t = T; pin's force m (x'' + up a t'')."""
    found = fm.state_space(
        cart(up), ["carriage.force[x]", "pin.torque"],
        ["carriage.displacement[x]", "pin.angle", "pin.force[x]", "pin.moment[y]"],
    )  # fmt: skip
    own = found.with_states(["carriage.displacement[x]", "pin.angle"])
    mass = np.array([[CART + MASS, MASS * ARM * up], [MASS * ARM * up, INERTIA + MASS * ARM**2]])
    stiffness = np.diag([0.0, -up * MASS * G * ARM])
    by_state, by_input = -np.linalg.solve(mass, stiffness), np.linalg.inv(mass)
    assert own.A == pytest.approx(
        np.block([[np.zeros((2, 2)), np.eye(2)], [by_state, np.zeros((2, 2))]]), abs=1e-7
    )
    assert own.B == pytest.approx(np.concatenate([np.zeros((2, 2)), by_input]), abs=1e-12)
    pull = np.array([MASS, MASS * up * ARM])
    assert own.C[2, :2] == pytest.approx(pull @ by_state, abs=1e-6)
    assert own.D[2] == pytest.approx(pull @ by_input, abs=1e-8)
    # the pin itself is free about y, whatever the torque
    assert np.abs(np.hstack([own.C[3], own.D[3]])).max() < 1e-7
    # the zero of the free cart is double
    assert own.eigenvalues[2:].real == pytest.approx(
        [0.0, 0.0] if up < 0 else own.eigenvalues[2:].real, abs=1e-9
    )


def test_a_driven_joint_gives_angle_rate_and_acceleration() -> None:
    """A bob at the end of an arm rotated by q: the joint's moment is J q'', its force m a q''."""
    model = fm.Model(name="arm")
    bob = model.add(RigidBody(MASS, (INERTIA,) * 3, position=(ARM, 0, 0), name="bob"))
    model.add(DrivenRevolute(model.ground, bob, at=(0, 0, 0), axis=(0, 0, 1), angle=0.0, name="motor"))
    rider = model.add(PointMass(0.1, position=(2 * ARM, 0, 0), name="rider"))
    model.add(SpringDamper(bob, rider, stiffness=10.0, damping=0.2, length=ARM, name="spring"))
    found = fm.state_space(
        model,
        ["motor.angle"],
        ["bob.displacement[y]", "bob.velocity[y]", "motor.moment[z]", "motor.force[y]"],
    )
    assert found.inputs == ("motor.angle", "motor.angular_velocity", "motor.angular_acceleration")
    still = found.D
    assert still[0] == pytest.approx([ARM, 0, 0], abs=1e-9)
    assert still[1] == pytest.approx([0, ARM, 0], abs=1e-9)
    assert still[2] == pytest.approx([0, 0, INERTIA + MASS * ARM**2], abs=1e-7)
    assert still[3] == pytest.approx([0, 0, MASS * ARM], abs=1e-7)


@pytest.mark.parametrize("damping", [0.0, 1e-4])
def test_eigenvalues_are_those_of_the_modes(damping: float) -> None:
    """Eigenvalues of all motions, from a dense matrix independent of the modal analysis, and of the lowest ones."""
    model = cantilever(damping)
    found = fm.modes(model, 4)
    for space in (
        fm.state_space(model, ["bar@1.force[z]"], []),
        fm.state_space(model, ["bar@1.force[z]"], [], modes=4),
    ):
        own = space.eigenvalues[space.eigenvalues.imag > 0][:4]
        assert own == pytest.approx(found.eigenvalues, rel=1e-9)


def test_gyroscopic_modes_have_their_left_vectors() -> None:
    """A rotating bar: the response with all motions and with the lowest modes is the same."""
    model, spin = cantilever(1e-4), fm.Spin((0, 0, 0), (0, 0, 1), 20.0)
    names = ["bar@1.force[z]", "bar@1.force[y]"], ["bar@1.displacement[y]", "bar@0.section_force[M2]"]
    full, few = (fm.state_space(model, *names, spin=spin, modes=modes) for modes in (None, 8))
    assert (few.frame, few.speed) == ("rotating", 20.0)
    assert few.transfer(0) == pytest.approx(
        full.transfer(0), rel=1e-6, abs=1e-6 * np.abs(full.transfer(0)).max()
    )
    at = 0.9j * np.abs(few.eigenvalues[0])
    scale = np.abs(full.transfer(at)).max(axis=1, keepdims=True)
    assert few.transfer(at) / scale == pytest.approx(full.transfer(at) / scale, abs=1e-4)


def test_motions_without_mass_follow() -> None:
    """A bar without rotary inertia: the twist of its nodes follows statically, or with its damping."""
    for damping in (0.0, 1e-3):
        model = fm.Model()
        section = Section.from_rigidities(1e6, 1e6, 1e6, 1.0, 1.0, 2.0, 1.0, (0, 0, 0))
        bar = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=3, damping=damping, name="bar"))
        model.fix(bar.start)
        space = fm.state_space(model, ["bar@1.moment[x]"], ["bar@1.rotation[x]"])
        assert space.transfer(0)[0, 0] == pytest.approx(1.0, rel=1e-9)  # L/GJ
        own = space.eigenvalues[space.eigenvalues.imag > 0][:3]
        assert own == pytest.approx(fm.modes(model, 3).eigenvalues, rel=1e-7)


def response(space: Any, times: Any, inputs: Any) -> Any:
    """(k, p) outputs at ``times`` (k,) under constant inputs (m,) from 0 on."""
    from_zero = np.concatenate([[0.0], times])
    found = lsim((space.A, space.B, space.C, space.D), np.tile(inputs, (len(from_zero), 1)), from_zero)[1]
    return found.reshape(len(from_zero), -1)[1:]


def test_a_pendulum_pushed_a_little() -> None:
    model = cart(-1.0)
    space = fm.state_space(model, ["bob.force[x]"], ["bob.displacement[x]", "pin.angle", "pin.force[x]"])
    pushed = cart(-1.0)
    pushed.add(Force(pushed.bodies["bob"], (1e-3, 0, 0)))
    result = fm.simulate(pushed, 3.0, fm.StepControl.fixed(0.01))
    seen = np.column_stack(
        [result.of("bob").displacement[:, 0], result.of("pin").angle, result.of("pin").force_at_end[:, 0]]
    )
    times = result.of("bob").time
    own = response(space, times, [1e-3])
    # a joint's force oscillates about its new value for the first steps after a jump of the load
    assert (np.abs(own - seen)[3:].max(axis=0) <= 1e-3 * np.abs(own).max(axis=0)).all()


def test_a_beam_pushed_a_little() -> None:
    model = cantilever()
    space = fm.state_space(
        model, ["bar@1.force[z]"], ["bar@1.displacement[z]", "bar@0.5.displacement[z]"], modes=6
    )
    tip = model.nodes[-1]
    model.add(Force(tip, (0, 0, 1.0)))
    result = fm.simulate(model, 0.5, fm.StepControl.fixed(2e-3))
    seen = result.of(tip)
    own = response(space, seen.time, [1.0])[:, 0]
    assert np.abs(own - seen.displacement[:, 2]).max() <= 1e-3 * np.abs(own).max()


def test_files_and_python_control(tmp_path: Path) -> None:
    space = fm.state_space(oscillator(), ["mass.force[x]"], ["mass.displacement[x]", "spring.force"])
    again = fm.StateSpace.load(space.save(tmp_path / "mass.npz"))
    for name in ("A", "B", "C", "D", "input_values", "output_values"):
        assert np.array_equal(getattr(again, name), getattr(space, name))
    assert (again.inputs, again.outputs, again.states) == (space.inputs, space.outputs, space.states)
    assert (again.name, again.frame, again.speed) == ("oscillator", "standing", 0.0)
    assert again.second_order == (True, True)
    made = space.to_control()
    assert made.input_labels == ["mass_force[x]"] and made.output_labels == [
        "mass_displacement[x]",
        "spring_force",
    ]
    at = 2.0
    assert made(1j * at)[0] == pytest.approx(1 / (25.0 - 2.0 * at**2 + 0.3j * at), rel=1e-12)
    assert control.dcgain(made)[1] == pytest.approx(1.0, rel=1e-7)
    few = space.chosen(outputs=["spring.force"])
    assert few.outputs == ("spring.force",) and few.C.shape == (1, 2)


def test_bad_input(tmp_path: Path) -> None:
    model = cart(-1.0)
    for inputs, outputs, said in (
        (["bbo.force[x]"], [], "called 'bbo': did you mean 'bob'"),
        (["bob.forse[x]"], [], "no input 'forse'; did you mean 'force'"),
        (["bob.force[w]"], [], "no component 'w'"),
        (["bob"], [], "is not the name of an input or output"),
        (["bob.force", "bob.force[x]"], [], r"'bob.force\[x\]' is given twice"),
        (["pin.force[x]"], [], "'pin' is not a node, body or beam"),
        (["rail.torque"], [], "a prismatic joint cannot rotate freely"),
        (["bob.torque"], [], "'bob' is not an ideal joint"),
        (["generator.torque"], [], "called 'generator'"),
        (["pin.angle"], [], "prescribes no angle: use a driven joint"),
        (["ground.force[x]"], [], "'ground' is held"),
        (["collective(bob.force[x])"], [], "is for rotors in multi-blade coordinates"),
        ([], ["bob.displacment[x]"], "did you mean 'displacement'"),
        ([], ["pin.reaction"], "choose pin.force or pin.moment"),
        ([], ["bob@0.5.displacement"], "'bob' is not a beam"),
        ("bob.force", [], r"inputs have to be a list of names"),
    ):  # fmt: skip
        refused(said, fm.state_space, model, inputs, outputs)
    with pytest.raises(fm.InputError, match=r"has no node at 0.4; the next ones are at"):
        fm.state_space(cantilever(), ["bar@0.4.force[x]"], [])
    refused(r"add the position, e.g. bar@1.force", lambda: fm.state_space(cantilever(), ["bar.force[x]"], []))
    refused(r"too many for states .* give modes=N", lambda: fm.state_space(cantilever(elements=70), [], []))
    state = System(model).reference_state()
    state.u[model.bodies["bob"].index] += [0.01, 0, 0]
    refused(r"a joint is open by 0.01 in the given state", fm.state_space, model, [], [], at=state)
    loaded = cantilever()
    straight = fm.find_equilibrium(loaded).state
    loaded.add(Force(loaded.nodes[-1], (0, 0, 1e4)))
    with pytest.raises(fm.InputError, match=r"not in equilibrium where it is linearised: .* would move node"):
        fm.state_space(loaded, [], [], at=straight)
    space = fm.state_space(model, ["bob.force[x]"], ["bob.displacement[x]"])
    refused(r"do not determine the 4 states", space.with_states, ["bob.displacement[x]"])
    refused(r"no output 'bob.displacement'; did you mean", space.chosen, outputs=["bob.displacement"])
    refused(r"has to end in .npz", lambda: space.save(tmp_path / "cart.mat"))


def test_a_force_on_a_place_beside_the_mass_centre_turns_the_body() -> None:
    """The place of a free, turned body accelerates by F/m + (J^-1 (r x F)) x r, r from the mass centre, and the body
    turns by J^-1 (r x F)."""
    model, mass, inertia = fm.Model(), 2.5, np.diag([0.3, 0.5, 0.6])
    turn, centre = rotation_about((1, 2, 3), 0.9), np.array([0.4, -0.2, 0.3])
    model.add(RigidBody(mass, inertia, (1, 2, 3), rotation=turn, centre=centre, name="body"))
    axes = ("x", "y", "z")
    found = fm.state_space(
        model,
        [f"body.force[{k}]" for k in axes] + [f"body.moment[{k}]" for k in axes],
        ["body.acceleration", "body.angular_acceleration"],
    )
    flexible, arm = turn @ np.linalg.inv(inertia) @ turn.T, skew(-turn @ centre)
    wanted = np.block(
        [[np.eye(3) / mass - arm @ flexible @ arm, -arm @ flexible], [flexible @ arm, flexible]]
    )
    assert found.D == pytest.approx(wanted, abs=1e-9)


def test_constant_inputs_have_exact_outputs_with_a_damper_that_couples_modes() -> None:
    """A dashpot at a bar's middle is not proportional: modes are complex, and what is left out follows all the same."""
    model = cantilever()
    bar = model.parts[0]
    model.add(SpringDamper(model.ground.at((2, 0, 1)), bar.node_nearest(0.5), 0.0, 4e3, name="dashpot"))
    names = ["bar@1.force[z]"], ["bar@1.displacement[z]", "bar@0.5.displacement[z]"]
    full, few = fm.state_space(model, *names), fm.state_space(model, *names, modes=3)
    assert few.transfer(0.0) == pytest.approx(full.transfer(0.0), rel=1e-6)
    stiffness = 210e9 * 0.1 * 0.05**3 / 12
    assert few.transfer(0.0)[0, 0].real == pytest.approx(4.0**3 / (3 * stiffness), rel=1e-2)
