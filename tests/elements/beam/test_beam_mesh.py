"""Elements of unequal length, and sections by table."""

import numpy as np
import pytest
from scipy.integrate import quad

from fem_mbd import InputError, Model, find_equilibrium
from fem_mbd.elements import Beam, Force, LineLoad, Section, SectionTable
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
    momentum = (sim.system.workspace.mass[:, None] * sim.state.v).sum(axis=0)
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


def test_kinked_table_has_its_integrals() -> None:
    """Rotation under a constant moment, int ds/EI, and the mass, for any variation between the Gauss points."""
    s, values = np.array([0, 0.31, 0.36, 1]), np.array([1.0, 0.7, 2.0, 0.5])
    table = SectionTable(s, [plain(value) for value in values])
    model = Model()
    handle = model.add(Beam(table, (0, 0, 0), (2.0, 0, 0), elements=2))
    compliance = float(np.diff(s) @ (np.log(values[1:] / values[:-1]) / np.diff(values)))
    bent = sum(float(np.sum(spec.weight / spec.stiffness[:, 4, 4])) for spec in handle.specs)
    assert bent == pytest.approx(2.0 / 5e7 * compliance, rel=1e-10)
    mass = 0.5 * float(np.diff(s) @ (values[1:] + values[:-1]))
    assert sum(i.mass for i in model.inertia) == pytest.approx(2.0 * 30.0 * mass, rel=1e-12)


@pytest.mark.parametrize("elements", [1, 2, 5])
def test_tapering_cantilever(elements: int) -> None:
    """EI (1 - 0.9 s) under a tip force: F L^3/EI int (1 - s)^2/(1 - 0.9 s) ds, with shear F L/GA int ds/(1 - 0.9 s)."""
    table, force, length = SectionTable([0, 1], [plain(), plain(0.1)]), 1.0, 2.0
    model = Model()
    handle = model.add(Beam(table, (0, 0, 0), (length, 0, 0), elements=elements))
    model.fix(handle.start)
    model.add(Force(handle.end, (0, 0, force)))
    tip = find_equilibrium(model).of(handle.end).displacement[2]
    c = plain().stiffness
    bend, shear = (quad(lambda s, n=n: (1 - s) ** n / (1 - 0.9 * s), 0, 1, epsrel=1e-12)[0] for n in (2, 0))
    expected = force * (length**3 * bend / c[4, 4] + length * shear / c[2, 2])
    assert tip == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("elements", [1, 2, 3, 4, 8, 20])
@pytest.mark.parametrize(("width", "factor", "at"), [(0.01, 0.01, 0.6), (0.1, 0.1, 0.06), (0.3, 0.1, 0.4)])
def test_a_soft_piece_bends_as_much_as_it_is_soft(
    width: float, factor: float, at: float, elements: int
) -> None:
    """A cantilever with a piece of other stiffness, its ends ramps of 1e-4: tip under a force, by int (1 - s)^2/EI.

    With linear weights between the Gauss points the position of the piece is exact between the first and the last one.
    """
    stiff, edge = plain(), 1e-4
    soft = Section(factor * stiff.stiffness, stiff.mass_per_length, stiff.inertia)
    s = np.array([0, at - width / 2, at - width / 2 + edge, at + width / 2 - edge, at + width / 2, 1.0])
    table = SectionTable(s, [stiff, stiff, soft, soft, stiff, stiff])
    model = Model()
    handle = model.add(Beam(table, (0, 0, 0), (1.0, 0, 0), elements=elements))
    model.fix(handle.start)
    model.add(Force(handle.end, (0, 0, 1.0)))
    tip = find_equilibrium(model).of(handle.end).displacement[2]

    def integral(n: int) -> float:
        values = np.array([1, 1, factor, factor, 1, 1])
        pieces = [
            quad(lambda x, k=k: (1 - x) ** n / np.interp(x, s, values), s[k], s[k + 1])[0]
            for k in range(len(s) - 1)
        ]
        return sum(pieces)

    expected = integral(2) / stiff.stiffness[4, 4] + integral(0) / stiff.stiffness[2, 2]
    assert tip == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    "elements", [0, -1, 1.5, True, "two", (0, 0.5), (0.1, 1), (0, 0.6, 0.5, 1), [[0, 1]]]
)
def test_bad_elements(elements) -> None:
    with pytest.raises(InputError, match="beam 'bar': elements"):
        Model().add(Beam(plain(), (0, 0, 0), (1, 0, 0), elements=elements, name="bar"))
