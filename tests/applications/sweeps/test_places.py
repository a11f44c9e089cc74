"""Outputs by text of quantities with several places, of joints, and their units, against hand calculation."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.sweeps.outputs import check_outputs, quantities_of, read_output, unit_of
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.friction import Coulomb, HuntCrossley, Linear
from fem_mbd.joints import DrivenPrismatic, FaceOnPlane, Revolute

G, PUSH, FRICTION = 9.81, 6.0, 0.5


def _block() -> fm.Simulation:
    """A block of 1 kg on four corners, pushed above its friction, and a beam pulled by 100 N."""
    model = fm.Model(gravity=(0, 0, -G))
    block = model.add(RigidBody(1.0, (1e-3,) * 3, position=(0, 0, 0.05), name="block"))
    corners = [block.node.at((x, y, -0.05)) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    law = HuntCrossley(Linear(1e5), 1.0)
    model.add(
        FaceOnPlane(
            model.ground, corners, law, Coulomb(mu_k=FRICTION, v_0=1e-4), direction=(0, 0, 1), name="sole"
        )
    )
    model.add(Force(block.node, fm.time_functions.Ramp(0, 0.2, (0, 0, 0), (PUSH, 0, 0))))
    arm = model.add(
        Beam(Section.circle(0.01, Material(200e9, 0.3, 7850.0)), (1, 0, 0), (2, 0, 0), elements=4, name="arm")
    )
    model.fix(arm.start)
    model.add(Force(arm.end, (100.0, 0, 0)))
    return fm.Simulation(model, 0.5, fm.StepControl.fixed(2e-3))


@pytest.fixture(scope="module")
def run() -> Any:
    return fm.run(_block(), progress=False)


def _of(result: Any, text: str) -> Any:
    return read_output("o", text).of(result)  # type: ignore[union-attr]


def test_reductions_over_contacts(run: Any) -> None:
    sole, speed = run.of("sole"), float(np.linalg.norm(run.of("block").velocity[-1]))
    assert speed > 0.1
    assert _of(run, "final(sole.largest(slip_velocity))") == pytest.approx(speed, rel=0.02)
    pressed = sole.normal_force[-1].sum()
    assert _of(run, "final(sole.sum(normal_force))") == pressed
    assert _of(run, "mean(sole.sum(normal_force))") == pytest.approx(G, rel=0.02)
    assert _of(run, "final(sole.resultant(friction_force))") == pytest.approx(FRICTION * pressed, rel=1e-3)
    assert _of(run, "final(sole.resultant(friction_force)[0])") == pytest.approx(
        -FRICTION * pressed, rel=1e-3
    )
    assert _of(run, "final(sole.normal_force[2])") == sole.normal_force[-1, 2]
    assert _of(run, "final(sole.slip_velocity[3][0])") == sole.slip_velocity[-1, 3, 0]
    assert sole.resultant("friction_force").shape == (len(run.time), 3)
    assert sole.largest("gap").shape == sole.sum("gap").shape == (len(run.time),)


def test_the_largest_of_a_beam_does_not_grow_with_its_elements(run: Any) -> None:
    assert _of(run, "final(arm.largest(force))") == pytest.approx(100.0, rel=0.02)
    assert _of(run, "final(arm.section_force(0)[0])") == pytest.approx(100.0, rel=0.02)


REFUSED = {
    "max(sole.slip_velocity)": r"give one, sole.slip_velocity\[0\]\[0\].* sole.resultant\(slip_velocity\)",
    "max(sole.normal_force)": r"several places.* sole.sum\(normal_force\)",
    "max(arm.force)": r"several places: give one, arm.section_force\(0.5\)\[0\]",
    "max(sole.slip_velocity[1])": r"place and component",
    "max(arm.section_force(0))": r"6 numbers, which have no length together: give one of them, \[0\] to \[5\]",
    "final(block.quaternion)": "4 numbers, which have no length together",
    "max(block.largest(velocity))": "one place only: leave largest out",
    "max(sole.normal_force[2][1])": "too many indices",
    "max(sole.slip_velocity[2][3])": "has 3 components",
    "max(block.velocty)": "did you mean 'velocity'",
    "max(sole.largest(slip_velocty))": "did you mean 'slip_velocity'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_texts_without_a_place_are_refused(text: str) -> None:
    quantities = quantities_of(_block().system.describe)
    with pytest.raises(InputError, match=REFUSED[text]):
        check_outputs({"o": text}, quantities)


def test_words_are_refused_alike_in_python(run: Any) -> None:
    with pytest.raises(InputError, match="is a vector: resultant"):
        run.of("sole").sum("friction_force")
    with pytest.raises(InputError, match="one place only"):
        run.of("block").largest("velocity")
    with pytest.raises(InputError, match="section axes: only vectors in global axes"):
        run.of("arm").resultant("force")


UNITS = {
    "integral(block.velocity[0])": "m",
    "integral(block.support.force)": None,
    "integral(sole.sum(normal_force))": "N s",
    "max(arm.section_force(0)[0])": "N",
    "max(arm.section_force(0)[4])": "N m",
    "del(arm.section_force(0)[0], m=4)": "N",
    "mean(block.angular_velocity[2])": "rad/s",
    "final(sole.largest(slip_velocity))": "m/s",
}


@pytest.mark.parametrize("text", [text for text, unit in UNITS.items() if unit])
def test_units(text: str) -> None:
    quantities = quantities_of(_block().system.describe)
    assert unit_of(check_outputs({"o": text}, quantities)["o"], quantities) == UNITS[text]


@pytest.mark.parametrize("after", ["", ", after=1.0", ", after=1.1"])
def test_poincare_points_are_at_whole_periods(after: str) -> None:
    """Of a slide that is driven as sin(4 pi t): zero at every whole period, wherever the first is."""
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1.0, 1, 1), position=(0, 0, 0), name="b"))
    path = fm.time_functions.Harmonic(1.0, 4 * np.pi)
    model.add(DrivenPrismatic(model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), displacement=path))
    model.set_velocity(body, (4 * np.pi, 0, 0))
    result = fm.simulate(model, 2.0, fm.StepControl.fixed(0.01))
    points = _of(result, f"poincare(b.position[0], period=0.5{after})")
    assert len(points) == (2 if after else 4)
    assert points == pytest.approx(np.zeros(len(points)), abs=1e-9)


def _pendulum(values: Any) -> fm.Simulation:
    model = fm.Model(gravity=(0, 0, -G))
    bob = model.add(RigidBody(values["mass"], (1e-3,) * 3, (0.3, 0, 0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    return fm.Simulation(model, 0.1, fm.StepControl.fixed(5e-3))


def test_outputs_of_joints_by_text_and_in_python() -> None:
    simulation = _pendulum({"mass": 0.5})
    result = fm.run(simulation, progress=False)
    hinge = result.of("hinge")
    names = {"angle": hinge.angle, "angular_velocity[2]": hinge.angular_velocity[:, 2],
             "reaction.force[2]": hinge.reaction.force[:, 2], "force[2]": hinge.force[:, 2],
             "displacement[0]": hinge.displacement[:, 0],
             "reaction_in_l.moment[1]": hinge.reaction_in_l.moment[:, 1]}  # fmt: skip
    quantities = quantities_of(simulation.system.describe)
    for name, history in names.items():
        check_outputs({"o": f"final(hinge.{name})"}, quantities)
        assert _of(result, f"final(hinge.{name})") == history[-1]
    assert {"angle", "displacement", "velocity", "angular_velocity"} <= set(hinge.quantities)
    assert "angle [rad]: rotation of L relative to K about axis 3" in str(hinge)
    assert simulation.value("hinge.angle") == pytest.approx(hinge.angle[-1], abs=1e-15)
    assert hinge.at([0.0, 0.0333, 0.1]).angle[[0, 2]] == pytest.approx([0.0, hinge.angle[-1]], abs=1e-12)


def test_angles_between_the_steps_count_revolutions() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1.0, 1, 1), (0, 0, 0), name="b"))
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="j"))
    model.set_velocity(body, (0, 0, 0), (0, 0, 10.0))
    result = fm.simulate(model, 3.0, fm.StepControl.fixed(0.02))
    assert result.of("j").at([0.005, 1.013, 2.991]).angle == pytest.approx([0.05, 10.13, 29.91], abs=1e-3)
    assert result.of("j").at(2.991).angle == pytest.approx(29.91, abs=1e-3)
