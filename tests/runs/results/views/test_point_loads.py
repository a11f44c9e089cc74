"""Section forces of beams with loads on nodes inside elements and between them, against hand calculation."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, Force, LineLoad, Moment, PointMass, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import UnknownLineLoadWarning

STIFFNESS = np.diag([1e8, 4e7, 4e7, 8000.0, 10000.0, 10000.0])
LIGHT = Section(STIFFNESS, 1e-3, np.diag([2e-6, 1e-6, 1e-6]))


def _cantilever(elements, order: int = 4, section: Section = LIGHT, gravity: float = 0.0):
    model = fm.Model(gravity=(0, 0, -gravity))
    beam = model.add(
        Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=elements, order=order, name="b")
    )
    model.fix(beam.start)
    return model, beam


@pytest.mark.parametrize("elements", [1, 2, 3, 4, 8])
def test_a_force_on_any_node(elements: int) -> None:
    """Shear -F up to the load and nothing behind it; bending F (x - s) up to it."""
    model, beam = _cantilever(elements)
    node = beam.node_nearest(0.3)
    x = float(node.position[0])
    model.add(Force(node, (0.0, 0.0, -100.0)))
    view = fm.find_equilibrium(model).of("b")
    for s in (0.0, 0.4 * x, 0.97 * x):
        assert view.section_force(s)[[2, 4]] == pytest.approx([-100.0, 100.0 * (x - s)], abs=1e-4)
    for s in (1.02 * x, 0.6, 0.9, 1.0):
        assert view.section_force(s)[[2, 4]] == pytest.approx([0.0, 0.0], abs=1e-4)
    assert view.section_force(x)[2] == pytest.approx(-100.0, abs=1e-4)
    assert view.section_force(x, side=-1)[2] == pytest.approx(-100.0, abs=1e-4)
    assert view.section_force(x, side=1)[2] == pytest.approx(0.0, abs=1e-4)


def test_a_moment_and_an_axial_force_inside_an_element() -> None:
    model, beam = _cantilever(1)
    node = beam.nodes[2]
    x = float(node.position[0])
    model.add(Moment(node, (3.0, 2.0, -1.0)))
    model.add(Force(node, (50.0, 0.0, 0.0)))
    view = fm.find_equilibrium(model).of("b")
    assert view.section_force(0.99 * x) == pytest.approx([50.0, 0, 0, 3.0, 2.0, -1.0], abs=0.02)
    assert view.section_force(1.01 * x) == pytest.approx(np.zeros(6), abs=0.02)


@pytest.mark.parametrize(("elements", "order"), [(1, 4), (2, 4), (4, 4), (2, 2)])
def test_a_mass_inside_a_heavy_beam(elements: int, order: int) -> None:
    """A beam of 4 kg/m under gravity with 10 kg on a node: root bending 10 g x + 4 g/2, shear 14 g."""
    heavy = Section(STIFFNESS, 4.0, np.diag([2e-3, 1e-3, 1e-3]))
    model, beam = _cantilever(elements, order, heavy, gravity=10.0)
    node = beam.node_nearest(0.5)
    x = float(node.position[0])
    model.add(PointMass(10.0, node=node))
    view = fm.find_equilibrium(model).of("b")
    root = view.section_force(0.0)
    # linear elements carry their shear at the middle
    spread = 0.0 if order == 4 else 10.0
    assert root[2] == pytest.approx(-140.0, abs=0.02 + spread)
    assert root[4] == pytest.approx(100.0 * x + 20.0, abs=0.15 + 4.0 * spread)
    if order == 4:
        for s in (0.5 * x, x + 0.3 * (1 - x)):
            shear = -40.0 * (1 - s) - 100.0 * (s < x)
            assert view.section_force(s)[2] == pytest.approx(shear, abs=0.05)


def test_a_body_at_rest_in_time() -> None:
    model, beam = _cantilever(1, gravity=10.0)
    node = beam.nodes[1]
    model.add(RigidBody(10.0, (0.1, 0.1, 0.1), node=node))
    start = fm.find_equilibrium(model)
    result = fm.simulate(model, 0.01, fm.StepControl.fixed(0.01), initial=start.state)
    x = float(node.position[0])
    assert result.of("b").section_force(0.0)[-1, [2, 4]] == pytest.approx([-100.0, 100.0 * x], rel=1e-3)


def test_a_line_load_that_cannot_be_told_from_point_loads_is_said() -> None:
    model, beam = _cantilever(1, order=3)
    model.add(Force(beam.nodes[1], (0.0, 0.0, -100.0)))
    view = fm.find_equilibrium(model).of("b")
    with pytest.warns(UnknownLineLoadWarning, match="End elements at the point loads"):
        assert view.section_force(0.0)[4] == pytest.approx(50.0, abs=1e-3)


@pytest.mark.filterwarnings("error::fem_mbd.runs.results.views.part_table.UnknownLineLoadWarning")
@pytest.mark.parametrize("order", [3, 4])
def test_a_line_load_acts_along_the_beam_not_at_its_nodes(order: int) -> None:
    """2 N/m on two straight elements: bending q (1 - s)^2/2, which elements of 4 nodes have exactly.

    Those of 3 nodes have the best linear approximation of it: q h^2/12 off at most.
    """
    model, beam = _cantilever(2, order)
    model.add(LineLoad(beam, (0.0, 0.0, -2.0), name="line"))
    view = fm.find_equilibrium(model).of("b")
    for s in (0.0, 0.25, 0.5, 0.7):
        error = 1e-6 + (2.0 * 0.5**2 / 12 if order == 3 else 0.0)
        assert view.section_force(s)[4] == pytest.approx((1 - s) ** 2, abs=error)


def test_a_loaded_boundary_has_two_sides() -> None:
    model, beam = _cantilever((0.0, 0.3, 1.0))
    model.add(Force(beam.node_at(0.3), (0.0, 0.0, -100.0)))
    view = fm.find_equilibrium(model).of("b")
    assert [view.section_force(0.3, side=side)[2] for side in (-1, 0, 1)] == pytest.approx(
        [-100.0, -100.0, 0.0], abs=1e-3
    )
    with pytest.raises(InputError, match="side is 2"):
        view.section_force(0.3, side=2)


def test_a_node_is_where_it_is_asked_for() -> None:
    _, beam = _cantilever(1)
    with pytest.raises(InputError, match=r"no node at 0.5 .* elements=\(0, 0.5, 1\)"):
        beam.node_at(0.5)
    _, halved = _cantilever((0.0, 0.5, 1.0))
    assert halved.node_at(0.5).position[0] == pytest.approx(0.5, abs=1e-15)
