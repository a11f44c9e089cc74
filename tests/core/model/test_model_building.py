"""Tests of building a model: accepted input, errors and warnings."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import elements
from fem_mbd.core.model.model import MIN_TREE_DISTANCES, UnconnectedNodeWarning
from fem_mbd.core.scheme.system import System
from fem_mbd.joints import (
    Clamp,
    Cylindrical,
    DrivenPrismatic,
    DrivenRevolute,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from tests.refusals import refused

STEEL = elements.Material(210e9, 0.3, 7850)
ROD = elements.Section.circle(0.01, STEEL)


def _two_bodies() -> tuple[fm.Model, elements.BodyHandle, elements.BodyHandle]:
    model = fm.Model()
    bodies = [
        model.add(elements.RigidBody(1.0, (1, 1, 1), position=(k, 0, 0), name=f"body {k}")) for k in range(2)
    ]
    return model, bodies[0], bodies[1]


@pytest.mark.parametrize("joint", [Revolute, Cylindrical, Prismatic, Planar, DrivenRevolute, DrivenPrismatic])
def test_an_axis_has_to_be_given(joint: type) -> None:
    _, a, b = _two_bodies()
    wanted = "direction" if joint is Planar else "axis"
    with pytest.raises(
        fm.InputError, match=rf"joint 'hinge': give its {wanted} in global axes, e.g. {wanted}=\(0, 0, 1\)"
    ):
        joint(a, b, at=(0, 0, 0), name="hinge")
    # without a name it is called as the model would call it
    refused(rf"joint '{joint.kind}': give its {wanted}", joint, a, b, at=(0, 0, 0))  # type: ignore[attr-defined]


def test_second_initial_velocity_is_refused_unless_it_is_the_same() -> None:
    model, a, _ = _two_bodies()
    model.set_velocity(a, (1, 0, 0))
    model.set_velocity([a], (1, 0, 0))
    refused(r"'body 0.node' has an initial velocity already, \[1.0", model.set_velocity, a, omega=(0, 0, 1))


def test_velocity_of_a_beam_is_that_of_all_its_nodes() -> None:
    model = fm.Model()
    beam = model.add(elements.Beam(ROD, (0, 0, 0), (1, 0, 0)))
    model.set_velocity(beam, omega=(0, 0, 2), about=(0, 0, 0))
    for node in beam.nodes:
        np.testing.assert_allclose(model.velocities[node.index][0], (0, 2 * node.position[0], 0))


def test_handles_are_accepted_wherever_a_node_is() -> None:
    model, a, b = _two_bodies()
    model.add(Spherical(a, b, at=(0.5, 0, 0)))
    model.add(elements.SpringDamper(a, b, stiffness=10.0))
    model.add(elements.PointMass(1.0, node=b))
    model.add(elements.Force(b, (0, 0, 1)))
    beam = model.add(elements.Beam(ROD, b, (2, 0, 0)))
    assert beam.start is b.node
    model.fix(a)
    assert 1 in model.fixed
    with pytest.raises(
        fm.InputError, match=r"'beam' has several nodes: give one of them, e.g. its start or end"
    ):
        model.add(Clamp(model.ground, beam))  # type: ignore[arg-type]
    with pytest.raises(fm.InputError, match="it can share a node, not an offset point"):
        elements.Beam(ROD, a.node.at((0.1, 0, 0)), (2, 0, 0))


def test_model_of_another_handle_is_refused() -> None:
    _, a, _ = _two_bodies()
    model, b, _ = _two_bodies()
    refused("belongs to another model", lambda: model.add(Spherical(a, b)))


def _warnings(model: fm.Model) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        System(model)
    assert all(issubclass(w.category, UnconnectedNodeWarning) for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("many", [MIN_TREE_DISTANCES, 0])  # distances of all, or a tree
def test_beams_that_meet_unjoined_are_told_with_their_distance(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fem_mbd.core.model.model.MIN_TREE_DISTANCES", many)
    model = fm.Model()
    first = model.add(elements.Beam(ROD, (0, 0, 0), (1, 0, 0), name="first"))
    second = model.add(elements.Beam(ROD, (1.00002, 0, 0), (2, 0, 0), name="second"))
    model.fix(first.start)
    (message,) = _warnings(model)
    assert "beams 'first' and 'second' meet" in message and "is 2e-05 m from" in message
    model.add(Revolute(first.end, second.start, at=(1, 0, 0), axis=(0, 0, 1)))
    assert _warnings(model) == []


def test_beams_joined_by_a_body_or_to_the_ground_or_apart_are_not_told() -> None:
    model = fm.Model()
    hub = model.add(elements.RigidBody(1.0, (1, 1, 1), position=(0, 0, 0.5)))
    for k, tip in enumerate([(1, 0, 0), (-1, 0, 0)]):
        blade = model.add(elements.Beam(ROD, (0, 0, 0), tip, name=f"blade {k}"))
        model.add(Clamp(hub, blade.start, at=(0, 0, 0)))
    for k in range(2):
        rod = model.add(elements.Beam(ROD, (5, 0, 0), (6, k, 0), name=f"rod {k}"))
        model.add(Spherical(model.ground, rod.start, at=(5, 0, 0)))
    model.add(elements.Beam(ROD, (6, 1.001, 0), (7, 5, 0)))
    assert _warnings(model) == []


def test_a_beam_shorter_than_a_gap_joins_its_ends() -> None:
    """A body of 0.1 mm between hub and blade, as decks have it to turn the blade by its angles: nothing is loose."""
    model, short = fm.Model(), 1e-4
    first = model.add(elements.Beam(ROD, (0, 0, 0), (2, 0, 0), name="hub"))
    body = model.add(elements.Beam(ROD, first.end, (2 + short, 0, 0), name="bearing"))
    second = model.add(elements.Beam(ROD, (2 + short, 0, 0), (4, 0, 0), name="blade"))
    model.fix(first.start)
    model.add(Clamp(body.end, second.start))
    assert _warnings(model) == []
    # without the body the blade is loose, with the body not joined to it as well
    loose = fm.Model()
    first = loose.add(elements.Beam(ROD, (0, 0, 0), (2, 0, 0), name="hub"))
    loose.add(elements.Beam(ROD, first.end, (2 + short, 0, 0), name="bearing"))
    loose.add(elements.Beam(ROD, (2 + short, 0, 0), (4, 0, 0), name="blade"))
    assert _warnings(loose) != []


def test_model_says_what_it_holds() -> None:
    model, a, b = _two_bodies()
    model.add(Revolute(a, b, at=(0, 0, 0), axis=(0, 0, 1), name="<hinge>"))
    model.fix(a)
    model.set_velocity(b, (1, 0, 0))
    text = str(model)
    for words in (
        "Model 'model'",
        "mass",
        "2 kg",
        "2, 1 of them held",
        "2: body 0, body 1",
        "1: <hinge>",
        "of 1 nodes",
    ):
        assert words in text
    html = model._repr_html_()
    assert "&lt;hinge&gt;" in html and "<hinge>" not in html


def test_reaction_of_a_wrong_name_suggests_the_nearest() -> None:
    model = fm.Model()
    beam = model.add(elements.Beam(ROD, (0, 0, 0), (1, 0, 0)))
    model.fix(beam.start)
    model.add(elements.Force(beam.end, (0, 0, -100.0)))
    found = fm.find_equilibrium(model)
    assert found.reactions["beam.0"][2] == pytest.approx(100.0, rel=1e-9)
    with pytest.raises(fm.InputError, match=r"there is no held node 'beam 0'; did you mean 'beam.0'\?"):
        found.reactions["beam 0"]


def test_bad_values_are_refused_in_words(tmp_path: Path) -> None:
    model = fm.Model()
    refused(r"sizes 1e\+200, 0, 0.3 m are too large", elements.Section.circle, 1e200, STEEL)
    refused(r"order is 3.0: give 2, 3 or 4", elements.Beam, ROD, (0, 0, 0), (1, 0, 0), order=3.0)
    with pytest.raises(
        fm.InputError, match=r"elements asks for about 4e\+15 nodes, which need about .* GB of memory"
    ):
        elements.Beam(ROD, (0, 0, 0), (1, 0, 0), elements=10**15)
    refused(r"newton is \{\}: give a NewtonOptions", fm.simulate, model, 1.0, newton={})
    refused("initial is 5: give a State", fm.simulate, model, 1.0, initial=5)
    refused(r"control is 1.0: give a StepControl, e.g. StepControl.fixed", fm.simulate, model, 1.0, 1.0)
    mesh = tmp_path / "normals.inp"
    mesh.write_text("*HEADING\n*NODE\n1, 0,0,0,0,0,1\n2, 0,0,1,0,0,1\n*ELEMENT, TYPE=T3D2\n1,1,2\n")
    refused("its points have 6 numbers each", lambda: model.add(elements.LineMesh(mesh, ROD)))
