"""A rotor of blades without damping on a free shaft: one motion at zero, no stiffness or growth out of round-off.

The stiffness by rotation is a small part of that of stiff or finely meshed blades, so round-off of one is easily as
large as the other.
"""

from itertools import pairwise

import numpy as np
import pytest

from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import Hub, Machine, MachineFamily, Rotor, build_rotor

LENGTH, RADIUS, MASS = 6.0, 0.5, 7.0  # m, m, kg/m


def rotor(bending: float, elements: int, scale: float = 1.0) -> Machine:
    """Three blades of EI (N m^2), the lengths of all in units of 1/scale m, masses kept."""
    force, moment = 1e9 * scale, bending * scale**3  # N = kg m/s^2
    per_length = MASS / scale
    section = Section(
        np.diag([force, force, force, moment, moment, 2.0 * moment]), per_length,
        per_length * 1e-4 * scale**2 * np.diag([2.0, 1.0, 1.0]),
    )  # fmt: skip
    stations = np.linspace(0.0, 1.0, elements + 1)
    axis = BladeAxis([[0, 0, 0], [0, 0, LENGTH * scale]], [0.0, 0.0])
    blade = Blade(axis, SectionTable(stations, [section] * len(stations)))
    hub = Hub(RADIUS * scale, 10.0, inertia=1.0 * scale**2)
    return build_rotor("rotor", Rotor(blade, hub, 3, elements=elements), axis=np.array([1.0, 0.0, 0.0]))


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("elements", [8, 48])
@pytest.mark.parametrize("bending", [1e6, 1e9])
def test_the_free_shaft_is_the_only_motion_without_frequency(
    bending: float, elements: int, scale: float
) -> None:
    family = MachineFamily(rotor(bending, elements, scale))
    diagram = family.campbell([0.0, 5.0, 30.0], number=6)
    assert diagram.names.count("shaft rotation") == 1
    assert not [name for name in diagram.names if "growing" in name or "over-damped" in name]
    at_zero = diagram.eigenvalues == 0.0
    assert (at_zero.sum(axis=1) == 1).all()
    assert not diagram.growth.any()


def test_the_stiffness_by_rotation_grows_with_the_square_of_the_speed() -> None:
    family = MachineFamily(rotor(1e6, 8))
    rest = family.at(0.0).stiffness
    found = [abs((family._rotating(rate).stiffness - rest) / rate**2).max() for rate in (30.0, 300.0, 3000.0)]
    # its largest entry, some 1e5 N m, beside elastic ones of 1e9, known to 1e-16: 1e-7/(1e5 30^2) at the lowest speed
    assert all(one == pytest.approx(other, rel=1e-8) for one, other in pairwise(found))
