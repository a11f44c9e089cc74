"""Tests of results by part: names, positions along beams, relative motion, files opened without the model, errors."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import elements
from fem_mbd.errors import InputError
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import FaceOnPlane, Revolute, circle_of_points
from tests.refusals import refused

LENGTH, LOAD, SPEED, SAG = 2.0, 30.0, 3.0, 9.81 / 4e5


def wheel() -> tuple[fm.Model, elements.BodyHandle, Any]:
    """A rotor in a revolute joint about y, tilted relative to the global axes, with a torsion spring."""
    model = fm.Model(name="wheel")
    axis = np.array([0.0, 0.6, 0.8])
    body = model.add(elements.RigidBody(2.0, (0.3, 0.3, 0.3), position=(0, 0, 1), name="rotor"))
    hinge = model.add(Revolute(model.ground, body.node, at=(0, 0, 1), axis=axis, name="hinge"))
    model.add(elements.RotationalSpringDamper(model.ground, body.node, axis, stiffness=1e-3, name="twist"))
    model.set_velocity(body.node, omega=SPEED * axis)
    return model, body, hinge


def test_joint_spring_and_body_by_name_from_a_file(tmp_path: Path) -> None:
    model, body, hinge = wheel()
    fm.simulate(model, 4.0, fm.StepControl.fixed(0.01), file=tmp_path / "r.h5", progress=False)
    result = fm.Result.open(tmp_path / "r.h5")
    frequency = np.sqrt(1e-3 / 0.3)
    angle = SPEED / frequency * np.sin(frequency * result.output_time)
    assert angle[-1] > 2 * np.pi
    assert result.of("hinge").angle == pytest.approx(angle, abs=1e-6)
    assert result.of("twist").angle == pytest.approx(angle, abs=1e-6)
    assert result.of("twist").torque == pytest.approx(1e-3 * angle, abs=1e-9)
    rate = SPEED * np.cos(frequency * result.output_time)
    assert result.of(hinge).angular_velocity[:, 2] == pytest.approx(rate, abs=1e-6)
    node = result.of(body)
    assert node.angular_velocity == pytest.approx(rate[:, None] * (0, 0.6, 0.8), abs=1e-6)
    assert node.angular_velocity_in_body == pytest.approx(node.angular_velocity, abs=1e-9)
    turn = node.rotation.as_rotvec()[10]
    assert turn == pytest.approx(angle[10] * np.array([0, 0.6, 0.8]), abs=1e-8)
    assert node.rotation_matrix[10] == pytest.approx(node.rotation[10].as_matrix(), abs=1e-15)
    # the spring's torque on L passes through the joint only across its axis
    assert result.of("hinge").reaction_in_k.moment @ (0, 0.6, 0.8) == pytest.approx(0, abs=1e-12)
    result.close()


def test_point_of_a_body_moves_with_it() -> None:
    model, body, _ = wheel()
    result = fm.simulate(model, 0.5, fm.StepControl.fixed(0.01), progress=False)
    point = result.of(body.node.at((0.5, 0, 0)))
    radius = point.position - result.of(body).position
    assert np.linalg.norm(radius, axis=1) == pytest.approx(np.full(50, 0.5))
    assert point.velocity == pytest.approx(np.cross(result.of("rotor").angular_velocity, radius), abs=1e-14)
    assert point.velocity_in_body[:, 0] == pytest.approx(np.zeros(50), abs=1e-14)
    assert point.displacement == pytest.approx(radius - (0.5, 0, 0), abs=1e-12)


def cantilever() -> tuple[fm.Model, elements.BeamHandle]:
    model = fm.Model()
    section = elements.Section.circle(0.02, fm.elements.Material(2e11, 0.3, 7850.0))
    beam = model.add(
        elements.Beam(section, (0, 0, 0), (LENGTH, 0, 0), up=(0, 0, 1), elements=3, name="cantilever")
    )
    model.fix(beam.start)
    model.add(elements.Force(beam.end, (0, 0, -LOAD)))
    return model, beam


def test_section_forces_anywhere_along_a_beam() -> None:
    model, beam = cantilever()
    found = fm.find_equilibrium(model)
    for s in (0.0, 0.2, 1 / 3, 0.5, 1.0):
        force = found.of("cantilever").section_force(at=s)
        # of the deflected beam: lever arms change by 1e-3 of the length
        assert np.linalg.norm(force[:3]) == pytest.approx(LOAD, rel=1e-3)
        assert np.linalg.norm(force[3:]) == pytest.approx(LOAD * LENGTH * (1 - s), abs=2e-3 * LOAD * LENGTH)
    several = found.of(beam).section_force(at=[0.2, 0.5])
    assert several[1] == pytest.approx(found.of(beam).section_force(at=0.5), abs=1e-12)
    assert found.of(beam).section_force().shape == (9, 6) and len(found.of(beam).gauss_at) == 9
    nodes = found.of(beam.nodes).position
    assert found.of(beam).position(at=found.of(beam).nodes_at) == pytest.approx(nodes, abs=1e-14)
    support = found.of(beam.start).support
    assert support.force == pytest.approx((0, 0, LOAD), abs=1e-6)
    assert support.moment[1] == pytest.approx(-LOAD * LENGTH, rel=1e-3)


def test_values_along_a_beam_follow_the_elements_polynomials() -> None:
    """A quadratic over an element with three Gauss points is reproduced anywhere, also at element boundaries."""
    model, beam = cantilever()
    found = fm.find_equilibrium(model)
    view = found.of(beam)
    at = view.gauss_at
    found.outputs["section_force"][:] = (1 + at - 2 * at * at)[:, None] * np.ones(6)
    for s in (0.0, 0.1, 1 / 3, 0.77, 1.0):
        assert view.section_force(at=s) == pytest.approx(np.full(6, 1 + s - 2 * s * s))


def test_a_face_is_asked_as_a_whole_and_point_by_point() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    cube = model.add(elements.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5 - SAG), name="cube"))
    points = circle_of_points(cube.node.at((0, 0, -0.5)), 0.4, 4)
    law = LuGre(sigma_0=1e5, mu_s=0.5, mu_k=0.4, v_s=1e-3)
    face = model.add(FaceOnPlane(model.ground, points, Linear(1e5), law, name="face"))
    model.add(elements.Force(cube.node, (1.0, 0, 0)))
    result = fm.simulate(model, 0.3, fm.StepControl.fixed(1e-3), progress=False)
    whole = result.of("face")
    assert whole.normal_force.shape == (300, 4) and whole.friction_force.shape == (300, 4, 3)
    for n, handle in enumerate(face):
        assert np.array_equal(result.of(handle).normal_force, whole.normal_force[:, n])
        assert np.array_equal(result.of(handle).bristle[:, 0], whole.bristle[:, n])
    assert np.array_equal(result.of(face).gap, whole.gap)
    # sticking: the bristles carry the friction force, mu = sigma0 z at mid-step
    middle = 0.5 * (whole.bristle[1:] + whole.bristle[:-1])
    force = -1e5 * whole.normal_force[1:, :, None] * middle
    assert np.abs(force[..., 0]).max() > 0.2
    assert whole.friction_force[1:] == pytest.approx(force, abs=0.02 * np.abs(force).max())


def test_lines_springs_are_asked_by_length_and_force() -> None:
    model = fm.Model()
    mass = model.add(elements.PointMass(1.0, position=(0, 0, 2)))
    model.add(elements.SpringDamper(model.ground, mass.node, 10.0, length=1.5, name="line"))
    result = fm.simulate(model, 0.5, fm.StepControl.fixed(1e-2), progress=False)
    spring = result.of("line")
    assert spring.length == pytest.approx(1.5 + 0.5 * np.cos(np.sqrt(10) * result.output_time), abs=1e-5)
    assert spring.force == pytest.approx(10 * (spring.length - 1.5))
    assert spring.quantities["length"].unit == "m" and "length [m]" in repr(spring)


def test_what_cannot_be_answered() -> None:
    model, _, _ = wheel()
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(0.01), progress=False, quantities=("position",))
    refused("no part of model 'wheel' is called 'hing': did you mean 'hinge'", result.of, "hing")
    with pytest.raises(InputError, match=r"'reaction' was not recorded .*'reaction' among the quantities"):
        _ = result.of("hinge").reaction
    with pytest.raises(InputError, match="'hinge' has no 'reactions': did you mean 'reaction'"):
        _ = result.of("hinge").reactions
    with pytest.raises(InputError, match="has no support"):
        _ = result.of("rotor").support
    refused("of one kind", result.of, ["hinge", "twist"])
    refused("handle or name", result.of, 3)
    refused(r"t = 0.2 s: the run goes from 0 to 0.1 s", result.at, 0.2)
    assert not hasattr(result.of("hinge"), "__array__")
    model, beam = cantilever()
    with pytest.raises(InputError, match=r"beam 'cantilever': at = 1.5 is outside the beam"):
        fm.find_equilibrium(model).of(beam).section_force(at=1.5)
    refused("this is a single state", lambda: fm.find_equilibrium(model).of(beam).at(0.0))


def test_labelled_tables() -> None:
    """pandas and xarray have the same numbers with names, units and coordinates."""
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    model, _, _ = wheel()
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(0.01), progress=False)
    table = result.of("twist").to_pandas()
    assert list(table.columns) == ["angle [rad]", "rate [rad/s]", "torque [N m]"]
    assert table.index.to_numpy() == pytest.approx(result.output_time)
    assert table["angle [rad]"].to_numpy() == pytest.approx(result.of("twist").angle)
    whole = result.to_pandas()
    assert np.array_equal(whole["rotor.node: vy [m/s]"], result.of("rotor").velocity[:, 1])
    data = result.to_xarray()
    moment = data["reaction.moment"].sel(joint="hinge", **{"reaction.moment_component": "global My"})
    assert np.array_equal(moment, result.of("hinge").reaction.moment[:, 1]) and moment.attrs["units"] == "N m"
    part = result.of("hinge").to_xarray()
    assert part["force"].sel(force_component="global Fz").values == pytest.approx(
        result.of("hinge").force[:, 2]
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    model, _, _ = wheel()
    result = fm.simulate(model, 0.02, fm.StepControl.fixed(0.01), progress=False)
    with pytest.raises(fm.MissingDependency, match=r"to_pandas needs pandas.*pip install pandas"):
        result.to_pandas()


def test_print_says_what_a_result_holds() -> None:
    model, _, _ = wheel()
    result = fm.simulate(model, 0.02, fm.StepControl.fixed(0.01), progress=False)
    text = str(result)
    assert "joint: hinge" in text and "spring: twist" in text and "body: rotor" in text and "2 steps" in text
    assert "<li>joint: hinge</li>" in result._repr_html_()
