"""Fewer elements than a file has stations: which, and what they change."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.cases import iea15mw_turbine
from fem_mbd.errors import InputError
from fem_mbd.machines import Rotor, assemble, with_elements
from fem_mbd.machines.description.beams import element_bounds
from tests.machines.hawc2.decks import iea22


def test_elements_meet_at_stations_and_members_with_few_stay() -> None:
    machine = iea15mw_turbine.machine()
    coarse = with_elements(machine, 13)
    blade, stations = coarse.member("blade1"), machine.member("blade1").blade.sections.s
    assert blade.bounds is not None and len(blade.bounds) - 1 < len(stations) - 1
    assert np.isin(blade.bounds, stations).all() and blade.bounds[[0, -1]].tolist() == [0.0, 1.0]
    assert coarse.member("hub1") is machine.member("hub1")
    for bad in (0, 2.5):
        with pytest.raises(InputError, match="elements"):
            with_elements(machine, bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="elements of a blade"):
        Rotor(blade.blade, hub=None, elements=0)  # type: ignore[arg-type]


def test_thirteen_elements_have_the_modes_of_all() -> None:
    """Sections are integrated exactly between the ends of elements: six modes to 2e-4, total mass to round-off."""
    blade = iea15mw_turbine.machine().member("blade1").blade
    found, mass = [], []
    for elements in (None, element_bounds(blade, 13)):
        model = fm.Model()
        blade.add_to(model, elements=elements, damping=0.0)
        found.append(fm.modes(model, 6).frequencies_hz)
        mass.append(sum(node.mass for node in model.inertia))
    assert found[1] == pytest.approx(found[0], rel=2e-4)
    assert mass[1] == pytest.approx(mass[0], rel=1e-12)


@pytest.mark.parametrize("elements", [4, 6, 8])
def test_few_elements_leave_every_node_the_mass_of_a_body(elements: int) -> None:
    """The tip of the IEA 22 MW blade tapers so fast that one long element would give its last node negative inertia."""
    made = assemble(with_elements(iea22(), elements))
    least = [np.linalg.eigvalsh(own.about_centre)[0] for own in made.model.inertia if own.mass > 0.0]
    assert min(own.mass for own in made.model.inertia) >= 0.0
    assert min(least) >= -1e-9
