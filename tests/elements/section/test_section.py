"""Sections against textbook closed forms and published values; invalid sections.

Princeton beam: Dowell & Traybar; rigidities as in Bauchau et al. 2016. Square torsion constant 0.1406 a^4
and the rectangles' coefficients: Timoshenko & Goodier, Theory of Elasticity, art. 109, table of k1.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad

from fem_mbd.elements import Material, Section, SectionTable
from fem_mbd.elements.section import shapes
from fem_mbd.errors import InputError

STEEL = Material(210e9, 0.3, 7850.0)
ALUMINIUM = Material(71.7e9, 0.31, 2700.0)
DIAGONAL = np.diag([5e7, 1e7, 2e7, 3e4, 4e4, 5e4])
INERTIA = np.diag([3.0, 1.0, 2.0])


def test_material_links_shear_modulus_and_poisson() -> None:
    assert Material(210e9, 0.25, 1.0).shear == 84e9
    assert Material(73e9, shear=27.4e9, density=2700.0).poisson == pytest.approx(73 / 54.8 - 1)


@pytest.mark.parametrize(
    "ratio, coefficient",
    [(1.0, 0.1406), (1.2, 0.166), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (10.0, 0.312)],
)
def test_rectangle_torsion_against_the_tabulated_coefficients(ratio: float, coefficient: float) -> None:
    b = 0.02
    assert shapes.rectangle_torsion(ratio * b, b) == pytest.approx(coefficient * ratio * b**4, rel=2.5e-3)
    assert shapes.rectangle_torsion(b, ratio * b) == shapes.rectangle_torsion(ratio * b, b)


def test_square_torsion_to_more_digits_and_thin_strip_limit() -> None:
    assert shapes.rectangle_torsion(1.0, 1.0) == pytest.approx(0.140577014955, rel=1e-10)
    assert shapes.rectangle_torsion(1e4, 1.0) == pytest.approx((1e4 - 0.630249) / 3.0, rel=1e-9)


def test_princeton_beam() -> None:
    section = Section.rectangle(width=3.2024e-3, height=12.377e-3, material=ALUMINIUM)
    published = [2.84190871e6, 9.0391499e5, 9.0391499e5, 3.10333827, 36.27936354, 2.428734443]
    np.testing.assert_allclose(np.diag(section.stiffness), published, rtol=6e-9)  # eight digits are given
    assert np.count_nonzero(section.stiffness) == 6


def test_rectangle_mass() -> None:
    section = Section.rectangle(0.1, 0.2, STEEL)
    assert section.mass_per_length == pytest.approx(157.0)
    np.testing.assert_allclose(np.diag(section.inertia), 157.0 / 12.0 * np.array([0.05, 0.04, 0.01]))
    np.testing.assert_array_equal(section.mass_centre, (0.0, 0.0))


def test_shear_factors() -> None:
    assert shapes.rectangle(1.0, 2.0, 0.3).shear_area_2 == pytest.approx(2.0 * 5 / 6)
    assert shapes.rectangle(1.0, 2.0, 0.0, cowper=True).shear_area_3 == pytest.approx(2.0 * 5 / 6)
    assert shapes.rectangle(1.0, 1.0, 0.3, cowper=True).shear_area_2 == pytest.approx(13.0 / 15.3)
    circle, thin = shapes.ring(1.0, 0.0, 0.3), shapes.ring(1.0, 1.0 - 1e-6, 0.3)
    assert circle.shear_area_2 / circle.area == pytest.approx(7.8 / 8.8)
    assert thin.shear_area_2 / thin.area == pytest.approx(
        2.0 * 1.3 / (4.0 + 3.0 * 0.3), rel=1e-5
    )  # Cowper, thin tube


def test_tube_is_exact_and_not_thin_walled() -> None:
    mean, wall = 0.05, 0.03
    outer, inner = mean + wall / 2, mean - wall / 2
    tube = Section.tube(mean, wall, STEEL)
    area, moment = np.pi * (outer**2 - inner**2), np.pi / 4 * (outer**4 - inner**4)
    assert tube.stiffness[0, 0] == pytest.approx(210e9 * area, rel=1e-14)
    assert tube.stiffness[4, 4] == tube.stiffness[5, 5] == pytest.approx(210e9 * moment, rel=1e-14)
    assert tube.stiffness[3, 3] == pytest.approx(STEEL.shear * 2 * moment, rel=1e-14)
    assert tube.inertia[0, 0] == pytest.approx(tube.mass_per_length * (mean**2 + wall**2 / 4), rel=1e-14)


def test_circle() -> None:
    circle = Section.circle(0.1, STEEL)
    assert circle.stiffness[0, 0] == pytest.approx(210e9 * np.pi * 0.01, rel=1e-14)
    assert circle.stiffness[3, 3] == pytest.approx(STEEL.shear * np.pi * 1e-4 / 2, rel=1e-14)


def test_i_beam_areas_and_moments_as_sums_of_rectangles() -> None:
    b, h, f, t = 0.1, 0.2, 0.0085, 0.0056  # IPE 200 without its fillets
    i = shapes.i_beam(b, h, f, t)
    clear = h - 2 * f
    assert i.area == pytest.approx(2 * b * f + clear * t, rel=1e-15)
    lever = (h - f) / 2
    assert i.moment_2 == pytest.approx(2 * (b * f**3 / 12 + b * f * lever**2) + t * clear**3 / 12, rel=1e-14)
    assert i.moment_3 == pytest.approx(2 * f * b**3 / 12 + clear * t**3 / 12, rel=1e-14)
    assert i.torsion == pytest.approx(5.3e-8, rel=0.05)


def test_i_beam_shear_area_is_that_of_the_shear_flow_energy() -> None:
    b, h, f, t = 0.12, 0.25, 0.012, 0.007
    d = h - f
    moment = b * f * d**2 / 2 + t * d**3 / 12
    flange = quad(lambda s: (f * s * d / 2) ** 2 / f, 0, b / 2)[0]
    web = quad(lambda y: (b * f * d / 2 + t / 2 * (d**2 / 4 - y**2)) ** 2 / t, -d / 2, d / 2)[0]
    i = shapes.i_beam(b, h, f, t)
    assert i.shear_area_3 == pytest.approx(moment**2 / (4 * flange + web), rel=1e-12)
    assert 0.85 * t * d < i.shear_area_3 < t * d


def test_mass_matrix_and_back() -> None:
    inertia = np.array([[3.0, 0, 0], [0, 1.0, 0.2], [0, 0.2, 2.0]])
    section = Section(DIAGONAL, 4.0, inertia, (0.1, -0.3))
    # Kinetic energy of the mass centre's velocity v + w x c and of the rotation: the same as with the 6x6
    # matrix.
    v, w, c = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.7, -1.1]), np.array([0.0, 0.1, -0.3])
    motion, centre = np.concatenate([v, w]), v + np.cross(w, c)
    assert motion @ section.mass_matrix @ motion == pytest.approx(4.0 * centre @ centre + w @ inertia @ w)
    back = Section.from_mass_matrix(DIAGONAL, section.mass_matrix)
    np.testing.assert_allclose(back.inertia, inertia, atol=1e-14)
    np.testing.assert_allclose(back.mass_centre, (0.1, -0.3), atol=1e-15)
    assert back.mass_per_length == pytest.approx(4.0)


def test_mass_matrix_of_an_offset_point_mass_has_no_central_inertia() -> None:
    section = Section(DIAGONAL, 4.0, np.zeros((3, 3)), (0.1, -0.3))
    np.testing.assert_allclose(
        Section.from_mass_matrix(DIAGONAL, section.mass_matrix).inertia, 0.0, atol=1e-15
    )


def test_coupled_stiffness_and_neglected_inertia_are_accepted() -> None:
    stiffness = DIAGONAL.copy()
    stiffness[0, 5] = stiffness[5, 0] = 1e6
    section = Section(stiffness, 1.0, np.diag([1.0, 0.0, 0.0]))
    assert section.stiffness[0, 5] == 1e6
    assert Section.from_rigidities(1e4, 1e4, 1e4, 500, 500, 500, 1.0, (0, 0, 10.0)).inertia[2, 2] == 10.0


def test_table_round_off_is_removed() -> None:
    stiffness = DIAGONAL.copy()
    stiffness[0, 5], stiffness[5, 0] = 1e5, 1e5 + 0.2
    section = Section(stiffness, 1.0, INERTIA)
    np.testing.assert_array_equal(section.stiffness, section.stiffness.T)


def test_section_is_immutable() -> None:
    section = Section(DIAGONAL, 1.0, INERTIA)
    with pytest.raises(ValueError, match="read-only"):
        section.stiffness[0, 0] = 1.0


def _changed(row: int, column: int, value: float) -> np.ndarray:
    matrix = DIAGONAL.copy()
    matrix[row, column] = value
    return matrix


MASS = Section(DIAGONAL, 4.0, INERTIA, (0.1, -0.3)).mass_matrix


def _mass_changed(*changes: tuple[int, int, float]) -> np.ndarray:
    matrix = MASS.copy()
    for i, j, value in changes:
        matrix[i, j] = matrix[j, i] = value
    return matrix


BAD: dict[str, Callable[[], object]] = {
    "young is -1": lambda: Material(-1.0, 0.3, 7850.0),
    "density is missing": lambda: Material(210e9, 0.3),
    "density is 0": lambda: Material(210e9, 0.3, 0.0),
    "either poisson or shear": lambda: Material(210e9, density=7850.0),
    "contradicts": lambda: Material(210e9, 0.3, 7850.0, shear=1e9),
    "poisson is 0.6": lambda: Material(210e9, 0.6, 7850.0),
    "width is -0.1": lambda: Section.rectangle(-0.1, 0.2, STEEL),
    "radius is nan": lambda: Section.circle(np.nan, STEEL),
    "leaves no hole": lambda: Section.tube(0.01, 0.02, STEEL),
    "must fit": lambda: Section.i_beam(0.1, 0.2, 0.1, 0.01, STEEL),
    "Section GJ is 0": lambda: Section.from_rigidities(1, 1, 1, 0, 1, 1, 1.0, (1, 1, 1)),
    "not symmetric: entry \\(1, 6\\)": lambda: Section(_changed(0, 5, 1e6), 1.0, INERTIA),
    "-1 on its diagonal, row 5": lambda: Section(_changed(4, 4, -1.0), 1.0, INERTIA),
    "not positive definite": lambda: Section(_changed(0, 5, 1e7) + _changed(5, 0, 1e7), 1.0, INERTIA),
    "shape \\(3, 3\\)": lambda: Section(np.eye(3), 1.0, INERTIA),
    "mass_per_length is 0": lambda: Section(DIAGONAL, 0.0, INERTIA),
    "not finite": lambda: Section(DIAGONAL, 1.0, np.diag([1.0, np.inf, 1.0])),
    "positive semidefinite": lambda: Section(DIAGONAL, 1.0, [[1, 0, 0], [0, 1, 2], [0, 2, 1]]),
    "principal moments": lambda: Section(DIAGONAL, 1.0, np.diag([1.0, 0.2, 0.3])),
    "same mass in all directions": lambda: Section.from_mass_matrix(DIAGONAL, _mass_changed((0, 0, 5.0))),
    "mass-to-rotation": lambda: Section.from_mass_matrix(DIAGONAL, _mass_changed((4, 2, 0.4))),
    "offset": lambda: Section.from_mass_matrix(DIAGONAL, _mass_changed((4, 2, 0.4), (5, 1, -0.2))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        BAD[message]()


def test_damping_between_the_stations_of_a_table() -> None:
    """Linear, as stiffness and mass; a station without damping counts as one of zero."""
    plain = Section(DIAGONAL, 2.0, INERTIA)
    damped = Section(2.0 * DIAGONAL, 4.0, 2.0 * INERTIA, damping=3e-3 * DIAGONAL)
    for first, last, wanted in ((plain, damped, 0.25), (damped, plain, 0.75)):
        between = SectionTable([0.0, 1.0], [first, last])(0.25)
        assert between.viscosity == pytest.approx(wanted * 3e-3 * DIAGONAL, rel=1e-14)
        assert between.stiffness == pytest.approx((1.0 + wanted) * DIAGONAL, rel=1e-14)
        assert between.mass_per_length == pytest.approx(2.0 * (1.0 + wanted), rel=1e-14)


def test_i_beam_torsion_is_that_of_its_three_plates() -> None:
    """J = (2 b t_f^3 + (h - t_f) t_w^3)/3, plates taken on their centre lines (Timoshenko and Goodier, art. 110); for
    one thickness t and b = h a third of t^3 times the length of all centre lines, 3 h - t."""
    found = shapes.i_beam(0.2, 0.3, 0.012, 0.05)
    assert found.torsion == pytest.approx((2 * 0.2 * 0.012**3 + 0.288 * 0.05**3) / 3, rel=1e-14)
    even = shapes.i_beam(0.1, 0.1, 0.004, 0.004)
    assert even.torsion == pytest.approx(0.004**3 * (0.3 - 0.004) / 3, rel=1e-14)
