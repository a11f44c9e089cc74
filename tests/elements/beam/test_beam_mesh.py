"""Elements of unequal length, and sections by table."""

import numpy as np
import pytest

from fem_mbd import InputError, Model
from fem_mbd.elements import Beam, LineLoad, Section, SectionTable
from fem_mbd.elements.quadrature import gauss_rule
from tests.core.scheme_tools import run, simulation
from tests.elements.beam.beam_models import ORDERS, beam, line, section

BOUNDS = (0.0, 0.1, 0.35, 0.4, 1.0)


def plain(scale: float = 1.0) -> Section:
    stiffness, inertia = np.diag([9e8, 3e8, 2e8, 4e7, 5e7, 6e7]), np.diag([1.1, 0.5, 0.6])
    return Section(scale * stiffness, scale * 30.0, scale * inertia)


def test_equal_bounds_are_a_number_of_elements() -> None:
    (a, one), (b, two) = beam(4, elements=4), beam(4, elements=(0, 0.25, 0.5, 0.75, 1))
    for left, right in zip(a.inertia, b.inertia, strict=True):
        assert left.tensor == pytest.approx(right.tensor, rel=1e-13, abs=1e-15)
    assert one.bounds == pytest.approx(two.bounds, rel=1e-14)
    places = (np.array([n.position for n in handle.nodes]) for handle in (one, two))
    assert next(places) == pytest.approx(next(places), abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_lengths_masses_and_positions(order: int) -> None:
    model, handle = beam(order, "straight", elements=BOUNDS)
    length = line("straight").length
    assert sum(i.mass for i in model.inertia) == pytest.approx(2.0 * length, rel=1e-13)
    assert np.concatenate([s.weight for s in handle.specs]).sum() == pytest.approx(length, rel=1e-13)
    for end, ids in zip(BOUNDS[1:], handle.elements, strict=True):
        assert handle.nodes[ids[-1]].position == pytest.approx(line("straight").at(end)[0], abs=1e-13)


def test_line_load_on_unequal_elements() -> None:
    """The momentum of a free beam under 3 N/m is 3 N/m times its length times the time, without rotation."""
    model, handle = beam(4, "straight", elements=BOUNDS)
    model.add(LineLoad(handle, (0, 0, 3.0)))
    sim = simulation(model, 0.01, 0.05)
    run(sim)
    momentum = (sim.system.work.mass[:, None] * sim.state.v).sum(axis=0)
    assert momentum == pytest.approx((0, 0, 3.0 * line("straight").length * 0.05), abs=1e-10)


@pytest.mark.parametrize("order", ORDERS)
def test_constant_table_is_a_section(order: int) -> None:
    one, two = Model(), Model()
    a = one.add(Beam(section(), line=line("curved"), elements=3, order=order))
    table = SectionTable([0, 0.2, 0.77, 1], [section()] * 4)
    b = two.add(Beam(table, line=line("curved"), elements=3, order=order))
    for left, right in zip(a.specs, b.specs, strict=True):
        assert left.stiffness == pytest.approx(right.stiffness, rel=1e-12)
    for i, j in zip(one.inertia, two.inertia, strict=True):
        assert i.mass == pytest.approx(j.mass, rel=1e-12)
        assert i.tensor == pytest.approx(j.tensor, rel=1e-11, abs=1e-15)


def test_kinked_table_has_its_integral() -> None:
    """Strain energy of a constant curvature, and the mass, for any variation between the Gauss points."""
    table = SectionTable([0, 0.31, 0.36, 1], [plain(), plain(0.7), plain(2.0), plain(0.5)])
    s, values = np.array([0, 0.31, 0.36, 1]), np.array([1.0, 0.7, 2.0, 0.5])
    scale = 0.5 * float(np.diff(s) @ (values[1:] + values[:-1]))
    model = Model()
    handle = model.add(Beam(table, (0, 0, 0), (2.0, 0, 0), elements=2))
    bend = sum(float(spec.weight @ spec.stiffness[:, 4, 4]) for spec in handle.specs)
    assert bend == pytest.approx(2.0 * 5e7 * scale, rel=1e-12)
    assert sum(i.mass for i in model.inertia) == pytest.approx(2.0 * 30.0 * scale, rel=1e-12)


def test_linear_table_at_the_gauss_points() -> None:
    table = SectionTable([0, 1], [plain(), plain(0.5)])
    handle = Model().add(Beam(table, (0, 0, 0), (2.0, 0, 0), elements=1))
    expected = 5e7 * (1 - 0.25 * (1 + gauss_rule(4)[0]))
    assert handle.specs[0].stiffness[:, 4, 4] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "elements", [0, -1, 1.5, True, "two", (0, 0.5), (0.1, 1), (0, 0.6, 0.5, 1), [[0, 1]]]
)
def test_bad_elements(elements) -> None:
    with pytest.raises(InputError, match="beam 'bar': elements"):
        Model().add(Beam(plain(), (0, 0, 0), (1, 0, 0), elements=elements, name="bar"))
