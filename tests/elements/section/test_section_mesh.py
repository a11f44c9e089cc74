"""Sections from meshes against published sections and closed forms, and meshes that are refused.

BECAS: J. P. Blasques, User's manual for BECAS, DTU Wind Energy (2012), sections S1 to S3, C1 and C2, as quoted in
GXBeam.jl, test/section.jl. Its axes x, y, z are 2, 3, 1 here. Square's torsion: Timoshenko & Goodier, art. 109.
"""

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from fem_mbd.elements import Anisotropic, Material, Orthotropic, Section
from fem_mbd.errors import InputError
from tests.elements.section.section_meshes import arc, grid, second_order, square, triangles, two_layer_pipe

BECAS_1 = Material(100.0, 0.2, 1.0)
BECAS_ORTHOTROPIC = Orthotropic(480.0, 120.0, 60.0, 0.19, 1.0, 120.0, 50.0, 60.0, 0.26, 0.19)


def in_becas_order(section: Section) -> np.ndarray:
    order = [1, 2, 0, 4, 5, 3]
    return np.asarray(section.stiffness)[np.ix_(order, order)]


def test_square_of_becas_to_its_last_digit() -> None:
    stiffness = in_becas_order(Section.from_mesh(*square(0.1, 10), BECAS_1))
    published = ["0.34899", "0.34899", "1.00000", "8.3384e-04", "8.3384e-04", "5.9084e-04"]
    formats = [".5f", ".5f", ".5f", ".4e", ".4e", ".4e"]
    assert [format(k, f) for k, f in zip(np.diag(stiffness), formats, strict=True)] == published
    assert np.abs(stiffness - np.diag(np.diag(stiffness))).max() < 1e-12


def test_square_of_two_materials() -> None:
    points, cells = square(0.1, 10)
    soft = Material(10.0, 0.2, 1.0)
    left = points[cells].mean(axis=1)[:, 0] < 0
    stiffness = in_becas_order(Section.from_mesh(points, cells, [BECAS_1 if s else soft for s in left]))
    np.testing.assert_allclose(
        np.diag(stiffness), [1.28e-1, 1.92e-1, 5.5e-1, 4.59e-4, 4.59e-4, 2.77e-4], rtol=5e-3
    )
    assert stiffness[1, 5] == pytest.approx(-3.93e-3, rel=2e-3)
    assert stiffness[2, 4] == pytest.approx(1.13e-2, rel=5e-3)


@pytest.mark.parametrize(
    "angle, diagonal, couplings",
    [
        (0.0, [0.5039, 0.4201, 4.8, 4.001e-3, 4.001e-3, 7.737e-4], {}),
        (
            22.5,
            [0.7598, 0.4129, 3.435, 2.489e-3, 2.274e-3, 9.499e-4],
            {(0, 2): 0.7387, (3, 5): -4.613e-4},
        ),
        (90.0, [0.50202, 0.50406, 1.2, 1.0004e-3, 1.0002e-3, 8.5081e-4], {}),
    ],
)
def test_orthotropic_square_of_becas(
    angle: float, diagonal: list[float], couplings: dict[tuple[int, int], float]
) -> None:
    section = Section.from_mesh(*square(0.1, 10), BECAS_ORTHOTROPIC, (angle, 0.0))
    stiffness = in_becas_order(section)
    np.testing.assert_allclose(np.diag(stiffness), diagonal, rtol=2e-4)
    expected = np.zeros((6, 6))
    for (i, j), value in couplings.items():
        expected[i, j] = expected[j, i] = value
    np.testing.assert_allclose(stiffness - np.diag(np.diag(stiffness)), expected, rtol=2e-4, atol=1e-10)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("kind", ["quadrilaterals", "triangles"])
def test_square_converges_to_the_closed_forms(kind: str, order: int) -> None:
    errors = []
    for parts in (8, 16):
        points, cells = square(1.0, parts)
        cells = triangles(cells) if kind == "triangles" else cells
        points, cells = second_order(points, cells) if order == 2 else (points, cells)
        stiffness = np.diag(Section.from_mesh(points, cells, Material(2.6, 0.3, 1.0)).stiffness)
        errors.append([stiffness[3] / 0.1405770150 - 1, stiffness[4] / (2.6 / 12) - 1])
        assert stiffness[0] == pytest.approx(2.6, rel=1e-12)
    torsion, bending = np.abs(np.array(errors)).T
    assert np.log2(torsion[0] / torsion[1]) == pytest.approx(2.0 if order == 1 else 4.0, abs=0.5)
    if order == 2:
        assert bending.max() < 1e-10  # parabolic warping of bending is in the elements
        assert torsion[1] < 2e-4
    else:
        assert np.log2(bending[0] / bending[1]) == pytest.approx(2.0, abs=0.2)


def test_unit_square_of_anba4() -> None:
    """github.com/ANBA4/anba4, examples: unit square, E = 1, nu = 0.33."""
    points, cells = second_order(*square(1.0, 16))
    stiffness = np.diag(Section.from_mesh(points, cells, Material(1.0, 0.33, 1.0)).stiffness)
    np.testing.assert_allclose(stiffness[[1, 2]], 0.311064401, rtol=2e-5)
    assert stiffness[3] == pytest.approx(0.0528559454, rel=1.5e-4)  # their mesh: 4e-5 above the closed form
    assert stiffness[3] == pytest.approx(0.1405770150 / 2.66, rel=1e-5)
    np.testing.assert_allclose(stiffness[[0, 4, 5]], [1, 1 / 12, 1 / 12], rtol=1e-9)


def test_half_cylinder_of_becas_and_its_centres() -> None:
    section = Section.from_mesh(
        *arc(np.linspace(0.09, 0.1, 4), np.linspace(np.pi / 2, 3 * np.pi / 2, 61)), BECAS_1
    )
    stiffness = in_becas_order(section)
    published = [0.04964, 0.06244, 0.2982, 1.349e-3, 1.349e-3, 9.120e-4]
    np.testing.assert_allclose(np.diag(stiffness), published, rtol=1e-3)
    assert stiffness[2, 4] == pytest.approx(0.01805, rel=1e-3)
    assert stiffness[1, 5] == pytest.approx(-7.529e-3, rel=1e-3)
    np.testing.assert_allclose(section.shear_centre, [-0.1206, 0], rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(section.tension_centre, [-0.06051, 0], rtol=1e-3, atol=1e-9)


def test_cylinder_of_becas() -> None:
    section = Section.from_mesh(*arc(np.linspace(0.09, 0.1, 4), np.linspace(0, 2 * np.pi, 121)), BECAS_1)
    published = [0.1249, 0.1249, 0.5965, 2.697e-3, 2.697e-3, 2.248e-3]
    np.testing.assert_allclose(np.diag(in_becas_order(section)), published, rtol=1e-3)


def test_thick_tube() -> None:
    """Chen, Yu, Capellaro (2010), table of the tube with a wall of a third of the diameter; torsion in closed form."""
    aluminium = Material(73e9, 0.33, 2800.0)
    points, cells = second_order(*arc(np.linspace(0.1, 0.3, 4), np.linspace(0, 2 * np.pi, 193)))
    section = Section.from_mesh(points, cells, aluminium)
    stiffness = np.diag(section.stiffness)
    np.testing.assert_allclose(
        stiffness[[0, 1, 2, 4, 5]], [1.835e10, 4.682e9, 4.682e9, 4.587e8, 4.587e8], rtol=2e-3
    )
    polar = np.pi * (0.3**4 - 0.1**4) / 2
    assert stiffness[3] == pytest.approx(aluminium.shear * polar, rel=1e-3)
    assert section.mass_per_length == pytest.approx(703.7, rel=1e-3)
    assert section.inertia[1, 1] == pytest.approx(17.59, rel=1e-3)


def test_multi_layer_pipe_of_vabs() -> None:
    """Yu, Ho, Hodges (2012), table 5: VABS; E1 20.59e6, E2 1.42e6, G12 0.87e6 psi, nu12 0.42."""
    fibres = Orthotropic(20.59e6, 1.42e6, 0.87e6, 0.42, 1.0)
    points, cells, angles = two_layer_pipe(50, 50, 12)
    stiffness = np.asarray(Section.from_mesh(points, cells, fibres, angles).stiffness)
    published = [1.03892e7, 7.85310e5, 3.29279e5, 6.87275e5, 1.88238e6, 5.38987e6]
    np.testing.assert_allclose(np.diag(stiffness), published, rtol=5e-3)
    couplings = stiffness[[0, 1, 2], [3, 4, 5]]
    np.testing.assert_allclose(couplings, [9.84575e4, -8.21805e3, -5.20981e4], rtol=1e-2)


def test_anisotropic_material_equals_the_orthotropic_one_it_is_made_of() -> None:
    mesh = square(0.1, 4)
    general = Anisotropic(BECAS_ORTHOTROPIC.stiffness, 1.0)
    expected = Section.from_mesh(*mesh, BECAS_ORTHOTROPIC, (30.0, 10.0)).stiffness
    np.testing.assert_allclose(
        Section.from_mesh(*mesh, general, (30.0, 10.0)).stiffness, expected, rtol=1e-12
    )


def test_a_section_seen_from_other_axes() -> None:
    """A mesh that is turned and moved, and a section seen from axes that are, are the same."""
    points, cells = grid(np.linspace(0, 0.3, 7), np.linspace(0, 0.1, 4))
    turn, offset = np.radians(25.0), np.array([0.2, -0.1])
    c, s = np.cos(turn), np.sin(turn)
    moved = points @ np.array([[c, s], [-s, c]]) + offset
    here = Section.from_mesh(points, cells, BECAS_ORTHOTROPIC, (20.0, 5.0))
    there = Section.from_mesh(moved, cells, BECAS_ORTHOTROPIC, (20.0, 30.0), reference=offset, rotation=25.0)
    size = np.abs(here.stiffness).max()
    np.testing.assert_allclose(there.stiffness, here.stiffness, atol=1e-12 * size)
    np.testing.assert_allclose(there.mass_matrix, here.mass_matrix, atol=1e-12)
    corners = [np.array(sorted(np.round(section.outline, 9).tolist())) for section in (here, there)]
    np.testing.assert_allclose(corners[0], corners[1], atol=1e-8)
    bent = Section.from_mesh(moved, cells, BECAS_1)
    assert bent.principal_angle == pytest.approx(turn)
    np.testing.assert_allclose(bent.tension_centre, moved.mean(axis=0), atol=1e-9)


def test_mass_of_a_rectangle() -> None:
    section = Section.from_mesh(*grid(np.array([0.0, 0.2]), np.array([0.0, 0.1])), Material(1.0, 0.3, 100.0))
    assert section.mass_per_length == pytest.approx(2.0)
    np.testing.assert_allclose(section.mass_centre, [0.1, 0.05])
    np.testing.assert_allclose(section.inertia, 2 / 12 * np.diag([0.05, 0.01, 0.04]), atol=1e-15)


def test_mesh_file_with_groups_and_angles(tmp_path: Path) -> None:
    points, cells = square(0.1, 6)
    in_space = np.column_stack([points, np.zeros(len(points))])
    blocks = [("quad", cells[:18]), ("triangle", triangles(cells[18:]))]
    counts = [18, 36]
    data = {
        "material": [np.full(18, 3), np.full(36, 7)],
        "fibre_angle": [np.full(n, 22.5) for n in counts],
        "plane_angle": [np.full(n, 4.0) for n in counts],
    }
    meshio.Mesh(in_space, blocks, cell_data=data).write(tmp_path / "square.vtu")
    section = Section.from_mesh_file(tmp_path / "square.vtu", {"3": BECAS_ORTHOTROPIC, "7": BECAS_1})
    materials = [BECAS_ORTHOTROPIC] * 18 + [BECAS_1] * 36
    expected = Section.from_mesh(points, [b[1] for b in blocks], materials, (22.5, 4.0))
    np.testing.assert_allclose(section.stiffness, expected.stiffness, rtol=1e-10, atol=1e-14)
    with pytest.raises(InputError, match="the group '7' has no material; materials: '3'"):
        Section.from_mesh_file(tmp_path / "square.vtu", {"3": BECAS_1})
    meshio.Mesh(in_space[:, [0, 2, 1]], blocks).write(tmp_path / "upright.vtu")
    with pytest.raises(InputError, match="do not lie in a plane of x and y"):
        Section.from_mesh_file(tmp_path / "upright.vtu", BECAS_1)
    meshio.Mesh(in_space, [("line", cells[:, :2])]).write(tmp_path / "lines.vtu")
    with pytest.raises(InputError, match=r"a section needs cells of triangle, quad.* contains line"):
        Section.from_mesh_file(tmp_path / "lines.vtu", BECAS_1)


QUAD = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
CELL = np.array([[0, 1, 2, 3]])
TWO = np.vstack([QUAD, QUAD + [5.0, 0.0]])
HANGING = np.array(
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 0.5], [1.0, 0.5], [2.0, 1.0]]
)
DENT = np.array([[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((QUAD, CELL[:, ::-1], BECAS_1), r"element 1 at \(0.5, 0.5\) m has a negative area"),
        ((DENT, CELL, BECAS_1), "element 1 at .* negative area somewhere"),
        ((np.vstack([QUAD, QUAD[:1]]), CELL, BECAS_1), r"points 1 and 5 coincide at \(0, 0\) m"),
        ((TWO, CELL, BECAS_1), r"no element uses point 5 at \(5, 0\) m"),
        ((TWO, np.vstack([CELL, CELL + 4]), BECAS_1), r"2 parts that are not joined; one is at \(5, 0\) m"),
        (
            (HANGING, np.array([[0, 1, 2, 3], [1, 4, 5, 6], [6, 5, 7, 2]]), BECAS_1),
            r"point 7 at \(1, 0.5\) m hangs on the edge from point 2 to point 3",
        ),
        ((QUAD, CELL, [BECAS_1] * 2), "2 materials for 1 elements"),
        ((QUAD, CELL, "steel"), "material is 'steel': give a Material"),
        ((QUAD, CELL, Material(1.0, 0.5, 1.0)), "poisson is 0.5"),
        ((QUAD, CELL, BECAS_1, (400.0, 0.0)), r"element 1 has the angles \[400.0, 0.0\]"),
        ((QUAD, CELL, BECAS_1, (np.nan, 0.0)), "element 1 has the angles"),
        ((QUAD, CELL, BECAS_1, np.zeros(3)), "angles have shape"),
        ((QUAD, CELL + 1, BECAS_1), "points outside 0 … 3"),
        ((QUAD, CELL * 1.0, BECAS_1), "cells of shape"),
        ((QUAD, CELL[:, :2], BECAS_1), "cells of shape"),
        ((QUAD, CELL[:0], BECAS_1), "there are no elements"),
        ((QUAD[:, :1], CELL, BECAS_1), "points has shape"),
    ],
)
def test_meshes_that_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Section.from_mesh(*arguments)


def test_materials_that_are_refused() -> None:
    with pytest.raises(
        InputError, match="compliance of these moduli and Poisson's ratios is not positive definite"
    ):
        Orthotropic(1.0, 1.0, 1.0, 1.2, 1.0)
    with pytest.raises(InputError, match="Anisotropic stiffness is not positive definite"):
        Anisotropic(np.eye(6) + 2 * np.eye(6)[::-1], 1.0)
    with pytest.raises(InputError, match="Orthotropic G12 is 0"):
        Orthotropic(1.0, 1.0, 0.0, 0.3, 1.0)
