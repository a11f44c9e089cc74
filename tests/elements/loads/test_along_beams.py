"""Loads that vary within an element, against beam theory and totals: right on any mesh."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, LineLoad, LoadTable, Material, Section, TableLoad

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
