"""Modes that a mesh does not resolve are warned of; those that it does are within 2 % of the closed form."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.elements.beam.forces import VIBRATES, wave_numbers

STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
RADIUS = 1e-4  # of a strip of 1 m: shear and rotary inertia count for less than 1e-4
COUNT = {2: 24, 3: 12, 4: 8}


def pinned(order: int) -> fm.Model:
    """A pinned beam that bends in one plane."""
    model = fm.Model()
    beam = model.add(
        Beam(
            Section.circle(RADIUS, STEEL),
            (0, 0, 0),
            (1, 0, 0),
            elements=COUNT[order],
            order=order,
            name="strip",
        )
    )
    plane = {"rotation": (True, False, True)}
    for node in beam.nodes[1:-1]:
        model.fix(node, translation=(False, True, False), **plane)
    model.fix(beam.start, translation=True, **plane)
    model.fix(beam.end, translation=(False, True, True), **plane)
    return model


@pytest.mark.parametrize("order", [2, 3, 4])
def test_modes_in_the_range_are_within_two_per_cent(order: int) -> None:
    """w_k = (k pi/L)^2 sqrt(EI/m)."""
    number = int(0.95 * VIBRATES[order] * COUNT[order])
    found = fm.modes(pinned(order), number).frequencies_hz
    bending = 0.5 * RADIUS * np.sqrt(STEEL.young / STEEL.density)
    exact = (np.arange(1, number + 1) * np.pi) ** 2 * bending / (2 * np.pi)
    assert found == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_modes_beyond_it_are_warned_of(order: int) -> None:
    number = int(1.5 * VIBRATES[order] * COUNT[order]) + 1
    needed = int(np.ceil(number / VIBRATES[order]))
    with pytest.warns(
        RangeWarning, match=r"does not resolve its mode at .* Hz: beam 'strip': .* give it (\d+)"
    ) as seen:
        fm.modes(pinned(order), number)
    said = int(str(seen[0].message).split("give it ")[1].split()[0])
    # the mesh's own frequencies are too high
    assert needed <= said <= 1.2 * needed


def test_waves_of_a_string_of_bending_of_torsion_and_of_stretch() -> None:
    """The shortest one counts: k = w sqrt(m/N), (m w^2/EI)^(1/4), w sqrt(j/GJ) > w sqrt(m/EA), as G < E."""
    section = Section.circle(RADIUS, STEEL)
    stiffness, axis = np.asarray(section.stiffness)[None, None], np.array([[[1.0, 0, 0]]])
    mass, polar = section.mass_per_length, np.asarray(section.inertia)[0, 0]

    def wave(rate: float, tension: float) -> float:
        stress = np.array([[tension, 0, 0, 0, 0, 0.0]])
        return float(wave_numbers(stiffness, axis, stress, np.array([[mass, polar]]), rate)[0])

    bending, torsion = stiffness[0, 0, 4, 4], stiffness[0, 0, 3, 3]
    assert wave(1.0, 0.0) == pytest.approx((mass / bending) ** 0.25, rel=1e-9)
    assert wave(1.0, 10.0) == pytest.approx(np.sqrt(mass / 10.0), rel=1e-6)
    fast = 1e12  # waves far shorter than the radius
    assert wave(fast, 0.0) == pytest.approx(fast * np.sqrt(polar / torsion), rel=1e-9)
