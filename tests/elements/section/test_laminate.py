"""Thin-walled sections from layers against closed forms and meshes made by hand, and laminates that are refused."""

from typing import Any

import numpy as np
import pytest

from fem_mbd.elements import Layer, Material, Orthotropic, Section, Web
from fem_mbd.errors import InputError
from tests.elements.section.section_meshes import grid

BECAS = Material(100.0, 0.2, 1.0)
TURN = np.linspace(0.0, 2 * np.pi, 241)
CIRCLE = 0.1 * np.column_stack([np.cos(TURN), np.sin(TURN)])
BOX = np.array([[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.0, 0.1], [0.0, 0.0]])
WEDGE = np.array([[2.0, 0.0], [0.0, 0.3], [0.0, -0.3], [2.0, 0.0]])  # its trailing edge is at (2, 0)


def ring(outer: float, inner: float) -> tuple[float, float]:
    """Area and moment of area."""
    return np.pi * (outer**2 - inner**2), np.pi * (outer**4 - inner**4) / 4


@pytest.mark.parametrize("outline, outwards", [(CIRCLE, False), (CIRCLE[::-1], False), (0.9 * CIRCLE, True)])
def test_tube_of_two_layers(outline: np.ndarray, outwards: bool) -> None:
    section = Section.from_laminate(outline, [Layer(BECAS, 0.004), Layer(BECAS, 0.006)], outwards=outwards)
    area, moment = ring(0.1, 0.09)
    stiffness = np.diag(section.stiffness)
    np.testing.assert_allclose(stiffness[[0, 4, 5]], [100 * area, 100 * moment, 100 * moment], rtol=1e-3)
    assert stiffness[3] == pytest.approx(2 * BECAS.shear * moment, rel=1e-3)
    assert section.mass_per_length == pytest.approx(area, rel=1e-3)


def test_half_cylinder_of_becas_from_an_open_outline() -> None:
    section = Section.from_laminate(CIRCLE[60:181], [Layer(BECAS, 0.01)], closed=False)
    stiffness = np.asarray(section.stiffness)
    published = [0.2982, 0.04964, 0.06244, 9.120e-4, 1.349e-3, 1.349e-3]
    np.testing.assert_allclose(np.diag(stiffness), published, rtol=3e-3)
    np.testing.assert_allclose(section.shear_centre, [-0.1206, 0.0], rtol=3e-3, atol=1e-9)


def test_box_with_corners_has_its_exact_area_and_moments() -> None:
    section = Section.from_laminate(BOX, [Layer(BECAS, 0.004), Layer(BECAS, 0.006)])
    here = Section.from_laminate(BOX, [Layer(BECAS, 0.01)], reference=(0.1, 0.05), rotation=90.0)
    assert section.stiffness[0, 0] == pytest.approx(100 * (0.2 * 0.1 - 0.18 * 0.08), rel=1e-9)
    moment = (0.2 * 0.1**3 - 0.18 * 0.08**3) / 12
    # axis 2 of the second section is the box's height
    assert here.stiffness[5, 5] == pytest.approx(100 * moment, rel=1e-3)
    np.testing.assert_allclose(section.tension_centre, [0.1, 0.05], atol=1e-9)
    np.testing.assert_allclose(here.tension_centre, 0.0, atol=1e-9)


def test_box_with_a_web_is_the_mesh_of_its_plates() -> None:
    """Torsion of two cells by Bredt's formula, walls thin."""
    wall, a, b, h = 0.0004, 0.07, 0.13, 0.1
    steel = Material(210e9, 0.3, 7850.0)
    at = a / 0.6
    section = Section.from_laminate(
        BOX, [Layer(steel, wall)], [Web(at, 0.5 + (0.2 - a) / 0.6, [Layer(steel, wall)])], size=0.004
    )
    # cells of the middle lines: flows q1, q2 with unit twist rate
    h, a, b = h - wall, a - wall / 2, b - wall / 2
    flexibility = np.array([[2 * a + 2 * h, -h], [-h, 2 * b + 2 * h]]) / wall / steel.shear
    flows = np.linalg.solve(flexibility, 2 * np.array([a * h, b * h]))
    torsion = 2 * (flows[0] * a * h + flows[1] * b * h)
    torsion += steel.shear * wall**3 / 3 * (2 * (a + b) + 3 * h)
    about_shear_centre = 1 / np.linalg.inv(section.stiffness)[3, 3]
    assert about_shear_centre == pytest.approx(torsion, rel=3e-3)  # thin walls: t over h
    area = 0.2 * 0.1 - 0.1992 * 0.0992 + 0.0992 * 0.0004
    assert section.mass_per_length == pytest.approx(7850 * area, rel=1e-9)


def test_layers_that_end_keep_their_area() -> None:
    cap = Layer(Material(200.0, 0.2, 3.0), 0.006, start=0.21, end=0.288, name="cap")
    section = Section.from_laminate(CIRCLE, [Layer(BECAS, 0.004), cap, Layer(BECAS, 0.004)])
    plain = Section.from_laminate(CIRCLE, [Layer(BECAS, 0.004), Layer(BECAS, 0.004)])
    arc = 0.078 * 2 * np.pi
    added = arc * (3.0 * 0.006 * 0.093 - 0.004 * 0.006)  # the inner layer lies further in
    assert section.mass_per_length - plain.mass_per_length == pytest.approx(added, rel=0.01)
    assert section.tension_centre[1] > 0.005


def test_skins_of_a_web_are_kept_however_thin() -> None:
    """Skins of a hundredth of the core: a web of 0.5 + 50 + 0.5 mm in a box."""
    skin, core = Material(70e9, 0.3, 2700.0), Material(0.1e9, 0.3, 80.0)
    web = Web(0.2, 0.6, [Layer(skin, 5e-4), Layer(core, 0.05), Layer(skin, 5e-4)])
    box = np.array([[0.0, 0.0], [0.6, 0.0], [0.6, 0.4], [0.0, 0.4], [0.0, 0.0]])
    section = Section.from_laminate(box, [Layer(skin, 0.004)], [web])
    height = 0.4 - 2 * 0.004
    outside = 0.6 * 0.4 - (0.6 - 0.008) * height
    assert section.mass_per_length == pytest.approx(
        2700.0 * (outside + 1e-3 * height) + 80.0 * 0.05 * height, rel=1e-6
    )


@pytest.mark.parametrize("beside", [-2e-3, -2e-4, 0.0, 2e-4, 2e-3])
def test_skins_of_a_web_at_whose_foot_a_layer_ends(beside: float) -> None:
    """A step of 15 mm within a skin of .5 mm: the layer ends outside the foot, and the skins keep their area."""
    wall, skin, core = Material(70e9, 0.3, 2700.0), Material(70e9, 0.3, 2700.0), Material(0.1e9, 0.3, 80.0)
    web = Web(0.2, 0.6, [Layer(skin, 5e-4), Layer(core, 0.05), Layer(skin, 5e-4)])
    box = np.array([[0.0, 0.0], [0.6, 0.0], [0.6, 0.4], [0.0, 0.4], [0.0, 0.0]])
    edge = 0.2 + 0.5 * 0.051 / 2.0
    cap = Layer(wall, 0.015, start=0.05, end=edge + beside)
    solution = Section.from_laminate(box, [Layer(wall, 0.004), cap], [web]).solution
    assert solution is not None
    areas = np.concatenate([block.weights.sum(axis=1) for block in solution.blocks])
    kind = next(k for k, each in enumerate(solution.mesh.kinds) if each is skin)
    assert areas[solution.mesh.kind_of == kind].sum() == pytest.approx(1e-3 * (0.4 - 0.023), rel=1e-6)


def test_ends_of_layers_give_way_to_corners() -> None:
    """A layer ends 1e-4 of the outline before a corner: the corner stays, and the wall its thickness."""
    box = np.array([[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.0, 0.1], [0.0, 0.0]])
    layers = [Layer(BECAS, 0.004), Layer(BECAS, 0.004, start=0.1, end=1 / 3 - 1e-4)]
    solution = Section.from_laminate(box, layers).solution
    assert solution is not None
    corner = np.linalg.norm(solution.mesh.points - [0.2, 0.0], axis=1).min()
    assert corner < 1e-12


def test_sandwich_strip_against_laminate_theory() -> None:
    skin, core = Material(40e9, 0.0, 1900.0), Material(0.1e9, 0.0, 80.0)
    strip = np.array([[0.2, 0.0], [0.0, 0.0]])  # layers below it
    layers = [Layer(skin, 0.002), Layer(core, 0.02), Layer(skin, 0.002)]
    section = Section.from_laminate(strip, layers, closed=False, reference=(0.1, -0.012))
    bending = 40e9 * 0.2 * (0.024**3 - 0.02**3) / 12 + 0.1e9 * 0.2 * 0.02**3 / 12
    assert section.stiffness[4, 4] == pytest.approx(bending, rel=1e-3)
    assert section.mass_per_length == pytest.approx(0.2 * (0.004 * 1900 + 0.02 * 80))


def test_angle_plies_turn_along_the_outline() -> None:
    """Fibres at +20 degrees all around a tube couple extension and twist."""
    fibre = Orthotropic(141e9, 9.8e9, 6e9, 0.3, 1600.0)
    here = Section.from_laminate(CIRCLE, [Layer(fibre, 0.004, 20.0)]).stiffness
    mirrored = Section.from_laminate(CIRCLE[::-1], [Layer(fibre, 0.004, 20.0)]).stiffness
    by_hand, cells = grid(np.arange(241.0), np.array([0.096, 0.1]))
    by_hand = by_hand[:-2]
    turn = TURN[by_hand[:, 0].astype(int)]
    points = by_hand[:, 1:] * np.column_stack([np.cos(turn), np.sin(turn)])
    cells = cells[:, ::-1] % len(points)
    tangent = np.degrees(0.5 * (TURN[1:] + TURN[:-1])) - 270.0
    expected = Section.from_mesh(
        points, cells, fibre, np.column_stack([np.full(240, 20.0), tangent])
    ).stiffness
    assert here[0, 3] == pytest.approx(expected[0, 3], rel=5e-3)
    assert mirrored[0, 3] == pytest.approx(-expected[0, 3], rel=5e-3)


@pytest.mark.parametrize("blunt", [0.0, 0.004, 0.1])
def test_trailing_edge_is_filled_without_overlap(blunt: float) -> None:
    """A wedge with a sharp, a blunt and an open trailing edge: area of the wall, and torsion that needs it closed."""
    share = 1 - blunt / 0.6
    end = np.array([2.0 * share, blunt / 2])
    outline = np.array([end, WEDGE[1], WEDGE[2], end * [1, -1]])
    thickness = 0.01
    section = Section.from_laminate(outline, [Layer(BECAS, thickness)], size=0.02)
    outside = 0.5 * 2.0 * 0.6 * (1 - (blunt / 0.6) ** 2)
    side = np.hypot(2.0, 0.3)
    inradius = 2 * 0.5 * 2.0 * 0.6 / (2 * side + 0.6)
    inner = 0.5 * 2.0 * 0.6 * (1 - thickness / inradius) ** 2
    if blunt == 0.1:
        slope = 0.3 / 2.0
        cut = blunt / 2 - thickness * (np.sqrt(1 + slope**2) - slope)
        inner -= cut**2 / slope
    assert section.mass_per_length == pytest.approx(outside - inner, rel=0.01)
    assert 2 * section.stiffness[3, 3] > 0.2  # Bredt: 4 A^2 G t / length is 0.21; open it would be 1e-4


def test_flat_back_with_one_thick_wall() -> None:
    """A wall of 24.5 mm opposite to one of 1.9 mm at a flat back of 43 mm: its corner reaches beyond the middle."""
    outline = np.array([[2, -0.0204], [1.5, 0.057], [0, -0.3], [0, 0.4], [1.5, 0.13], [2, 0.0225]])
    section = Section.from_laminate(outline, [Layer(BECAS, 0.0019), Layer(BECAS, 0.0226, end=0.45)])
    length = np.linalg.norm(np.diff(outline, axis=0, append=outline[:1]), axis=1).sum()
    # corners have less, the filled end has more: each some squares of a thickness of 1 % of the area
    assert section.mass_per_length == pytest.approx(length * (0.0019 + 0.45 * 0.0226), rel=0.03)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((CIRCLE, []), "there are no layers"),
        ((CIRCLE[:2], [Layer(BECAS, 0.01)]), "the outline has 2 different points"),
        (
            (CIRCLE, [Layer(BECAS, 0.12, name="skin")]),
            "skin: at .* of the outline .* thicker than the section",
        ),
        ((WEDGE, [Layer(BECAS, 0.4)]), "thicker than the whole section"),
        (
            (CIRCLE, [Layer(BECAS, 0.01)], [Web(0.25, 0.75, [Layer(BECAS, 0.01)])] * 2),
            "web and web meet at 0.2",
        ),
        (
            (
                CIRCLE,
                [Layer(BECAS, 0.01)],
                [Web(0.3, 0.8, [Layer(BECAS, 0.01)], "rear"), Web(0.2, 0.6, [Layer(BECAS, 0.01)], "front")],
            ),
            "front and rear cross",
        ),
        ((CIRCLE, [Layer(BECAS, 0.01)], [Web(0.0, 0.5, [Layer(BECAS, 0.01)])]), "web: its foot from -"),
        ((CIRCLE, [Layer(BECAS, 0.01)], [Web(0.2, 0.23, [Layer(BECAS, 0.01)])]), "too flat an angle"),
        (
            (
                np.array([[0, 0], [3, 0], [3, 2], [2, 2], [2, 1], [1, 1], [1, 2], [0, 2], [0, 0]]),
                [Layer(BECAS, 0.05)],
                [Web(0.38, 0.9, [Layer(BECAS, 0.05)], "bar")],
            ),
            r"bar: it goes through the wall at 0\.5[45]",
        ),
        ((CIRCLE, [Layer("glass", 0.01)]), "material is 'glass'"),
        ((CIRCLE * np.nan, [Layer(BECAS, 0.01)]), "not finite"),
    ],
)
def test_laminates_that_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Section.from_laminate(*arguments)


@pytest.mark.parametrize(
    "values, message",
    [
        ({"start": 0.6, "end": 0.4}, "cap: its arc runs from 0.6 to 0.4"),
        ({"thickness": 0.0}, "cap: thickness is 0"),
        ({"angle": 400.0}, "cap: angle is 400"),
    ],
)
def test_layers_that_are_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Layer(**{"material": BECAS, "thickness": 0.01, "name": "cap"} | values)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"web: it runs from 0.1 to 0.4 with 0 layers"):
        Web(0.1, 0.4, [])
