"""Loads and stiffness that vary within an element, against beam theory and totals: right on any mesh, or refused."""

from typing import Any

import numpy as np
import pytest
import scipy

import fem_mbd as fm
from fem_mbd.elements import Beam, Force, LineLoad, LoadTable, Material, Section, SectionTable, TableLoad
from fem_mbd.errors import InputError

BAR = Section.rectangle(0.02, 0.01, Material(young=210e9, poisson=0.3, density=7850))
EI = float(BAR.stiffness[4, 4])


def cantilever(section: Any, elements: Any) -> tuple[fm.Model, Any]:
    model = fm.Model()
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=elements, name="b"))
    model.fix(beam.start)
    return model, beam


@pytest.mark.parametrize("elements", [1, 2, 8])
@pytest.mark.parametrize("ends", [(0.2, 0.5), (0.9, 1.0), (0.595, 0.605)])
def test_line_load_over_a_part_of_a_beam(ends: tuple[float, float], elements: int) -> None:
    model, beam = cantilever(BAR, elements)
    first, last = ends
    model.add(LineLoad(beam, (0, 0, 1e-2), profile=lambda s: float(first <= s <= last)))
    found = fm.find_equilibrium(model)
    resultant = -np.asarray(found.reactions["b.0"])
    assert resultant[2] == pytest.approx(1e-2 * (last - first), rel=1e-9)
    assert -resultant[4] == pytest.approx(0.5e-2 * (last**2 - first**2), rel=1e-9)
    first_part, both_parts = (a**3 / 6 - a**4 / 24 for a in ends)
    tip = 1e-2 / EI * (both_parts - first_part)
    # shear, which beam theory leaves out, adds 1e-4; one element of four nodes carries a cubic
    assert found.of(beam.end).position[2] == pytest.approx(tip, rel=2e-3 if elements > 1 else 5e-2)


@pytest.mark.parametrize("elements", [1, 4])
@pytest.mark.parametrize("width", [0.3, 0.02])
def test_table_load_with_a_peak(width: float, elements: int) -> None:
    model, beam = cantilever(BAR, elements)
    force = np.zeros((5, 3))
    force[2, 0] = 1e-2
    model.add(TableLoad(beam, LoadTable(np.array([0, 0.6 - width, 0.6, 0.6 + width, 1.0]), force)))
    resultant = np.asarray(fm.find_equilibrium(model).reactions["b.0"])
    assert np.abs(resultant[:3]).max() == pytest.approx(1e-2 * width, rel=1e-9)


def softened(width: float, factor: float, at: float) -> tuple[SectionTable, float]:
    """A bar that is softer over a part of its length, and its tip's deflection by a unit force."""
    first, last, step = at - width / 2, at + width / 2, 1e-4
    soft = Section(BAR.stiffness * factor, BAR.mass_per_length, BAR.inertia)
    table = SectionTable([0, first, first + step, last - step, last, 1.0], [BAR, BAR, soft, soft, BAR, BAR])
    s = np.concatenate([np.linspace(a, b, 4001) for a, b in zip(table.s[:-1], table.s[1:], strict=True)])
    stiffness = np.interp(s, table.s, [section.stiffness[4, 4] for section in table.sections])
    return table, float(scipy.integrate.trapezoid((1 - s) ** 2 / stiffness, s))


@pytest.mark.parametrize("elements", [1, 2, 4, 20])
@pytest.mark.parametrize("hinge", [(0.01, 0.01, 0.6), (0.1, 0.1, 0.06), (0.3, 0.1, 0.4)])
def test_a_soft_part_counts_by_its_compliance(hinge: tuple[float, float, float], elements: int) -> None:
    """Right to some per cent, or refused with what to do: never invisible."""
    table, compliance = softened(*hinge)
    try:
        model, beam = cantilever(table, elements)
    except InputError as error:
        assert "place element ends at the stations" in str(error)
        return
    model.add(Force(beam.end, (0, 0, 1e-3)))
    tip = fm.find_equilibrium(model).of(beam.end).position[2]
    assert tip == pytest.approx(1e-3 * compliance, rel=0.03)


@pytest.mark.parametrize("hinge", [(0.01, 0.01, 0.6), (0.3, 0.1, 0.4)])
def test_elements_that_end_at_the_stations_are_exact(hinge: tuple[float, float, float]) -> None:
    table, compliance = softened(*hinge)
    model, beam = cantilever(table, table.s.tolist())
    model.add(Force(beam.end, (0, 0, 1e-3)))
    assert fm.find_equilibrium(model).of(beam.end).position[2] == pytest.approx(1e-3 * compliance, rel=1e-3)
