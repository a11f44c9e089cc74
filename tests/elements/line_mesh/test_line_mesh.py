"""Beams from line meshes: against explicitly built structures, closed forms of a ring, and invalid files."""

from pathlib import Path

import meshio
import numpy as np
import pytest
from numpy.typing import ArrayLike

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import read_lines
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements import Arc, Beam, LineMesh, LineMeshHandle, Section, Straight
from fem_mbd.joints import Clamp
from tests.refusals import refused

HERE = Path(__file__).parent

THICK = Section(np.diag([2e8, 8e7, 8e7, 600.0, 800.0, 1500.0]), 3.0, 1e-3 * np.diag([3.0, 1.0, 2.0]))
THIN = Section(np.diag([1e8, 4e7, 4e7, 100.0, 150.0, 250.0]), 1.0, 1e-3 * np.diag([2.0, 0.8, 1.2]))

# An L of two legs, the second in two lines, in millimetres, in Gmsh's format
L_FRAME = (HERE / "l_frame.msh").read_text()


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def frequencies(model: fm.Model, number: int = 6) -> Array:
    return fm.modes(model, number).frequencies_hz


def saved(path: Path, points: Array, kind: str, cells: ArrayLike, **more: object) -> Path:
    mesh = meshio.Mesh(points, [(kind, np.asarray(cells))], **more)
    mesh.write(path, file_format="gmsh" if path.suffix == ".msh" else None)
    return path


def test_frame_from_gmsh_is_the_one_built_by_hand(tmp_path: Path) -> None:
    """Groups with names, another unit, a line against the direction of the others, orientation by group."""
    path = written(tmp_path / "frame.msh", L_FRAME)
    up = {"column": (0, 1, 0), "arm": (1, 1, 1)}
    model = fm.Model()
    part = LineMesh(path, {"column": THICK, "arm": THIN}, up=up, scale=1e-3, elements=2, order=4)
    frame = model.add(part)
    assert {name: len(beams) for name, beams in frame.beams.items()} == {"column": 1, "arm": 2}
    model.fix(frame.named["foot"][0])

    by_hand = fm.Model()
    column = by_hand.add(Beam(THICK, line=Straight((0, 0, 0), (0, 0, 2), up=(0, 1, 0)), elements=2))
    # leg by leg with nodes of their own, clamped together
    before, start = column.end, (0.0, 0.0, 2.0)
    for end in ((0.6, 0.0, 2.0), (1.2, 0.3, 2.0)):
        line = Straight(end, start, up=(1, 1, 1)) if end[0] == 0.6 else Straight(start, end, up=(1, 1, 1))
        leg = by_hand.add(Beam(THIN, line=line, elements=2))
        first, last = (leg.end, leg.start) if end[0] == 0.6 else (leg.start, leg.end)
        by_hand.add(Clamp(before, first))
        before, start = last, end
    by_hand.fix(column.start)
    assert frequencies(model) == pytest.approx(frequencies(by_hand), rel=1e-7)
    assert frame.at((1.2, 0.3, 2.0)).position == pytest.approx([1.2, 0.3, 2.0])
    assert ConstraintKind not in model.specs


@pytest.mark.parametrize("kind, nodes", [("line", 2), ("line3", 3), ("line4", 4)])
def test_ring_of_any_order(tmp_path: Path, kind: str, nodes: int) -> None:
    """Free vibrations of a ring in its plane: n(n^2 - 1)/sqrt(n^2 + 1) sqrt(EI/m R^4) (Love, sec. 293), inextensible.

    Straight lines make a polygon; curved ones need one joint where the loop closes.
    """
    count = {2: 96, 3: 32, 4: 12}[nodes]
    points_per = nodes - 1
    angle = np.linspace(0, 2 * np.pi, count * points_per + 1)[:-1]
    points = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    first = points_per * np.arange(count)
    cells = np.column_stack(
        [first, (first + points_per) % len(points), *(first + k for k in range(1, points_per))]
    )
    path = saved(tmp_path / "ring.vtu", points, kind, cells)
    # hardly any stretch and shear, light in rotation; with GJ = EI the modes out of the plane would have the same
    # frequencies as those in it, n(n^2 - 1)/sqrt(n^2 + EI/GJ), and an eigenvalue solver may give any mixture of the two
    ring = Section(np.diag([1e6, 1e6, 1e6, 0.5, 1.0, 1.0]), 1.0, 1e-8 * np.diag([2.0, 1.0, 1.0]))
    model = fm.Model()
    handle = model.add(LineMesh(path, ring))
    # the curves through the points meet at angles of up to 1e-4: the axes are rotated by this angle
    assert len(model.specs.get(ConstraintKind, [])) == (0 if nodes == 2 else 1)
    assert len(handle.nodes) == count
    # pairs of modes in the plane; those out of it are distinguished by their displacements
    found = fm.modes(model, 18)
    flat = np.abs(found.shapes[:, 1:, 2]).max(axis=1) < 1e-3 * np.abs(found.shapes).max(axis=(1, 2))
    elastic = found.frequencies_hz[flat & (found.frequencies_hz > 0.01)]
    exact = np.array([n * (n * n - 1) / np.sqrt(n * n + 1) for n in (2, 2, 3, 3)]) / (2 * np.pi)
    assert elastic[:4] == pytest.approx(exact, rel=3e-3 if nodes == 2 else 1e-3)


@pytest.mark.out_of_range("does not resolve its mode")
def test_loop_that_comes_back_with_other_axes_is_clamped(tmp_path: Path) -> None:
    """A half circle on its diameter: one clamp; the same frequencies as with an arc and a joint."""
    angle = np.linspace(0, np.pi, 25)
    points = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    mesh = meshio.Mesh(
        points, [("line4", [[k, k + 3, k + 1, k + 2] for k in range(0, 24, 3)]), ("line", [[24, 0]])]
    )
    mesh.write(tmp_path / "d.vtu")
    model = fm.Model()
    handle = model.add(LineMesh(tmp_path / "d.vtu", THIN, order=4))
    assert len(model.specs[ConstraintKind]) == 1
    model.fix(handle.at((0, 1, 0)))

    by_hand = fm.Model()
    arc = by_hand.add(Beam(THIN, line=Arc((1, 0, 0), (0, 1, 0), (-1, 0, 0), 1.0, np.pi), elements=8))
    chord = by_hand.add(Beam(THIN, (-1, 0, 0), (1, 0, 0)))
    by_hand.add(Clamp(arc.end, chord.start))
    by_hand.add(Clamp(chord.end, arc.start))
    by_hand.fix(arc.node_nearest(0.5))
    assert frequencies(model) == pytest.approx(frequencies(by_hand), rel=5e-5)


@pytest.mark.parametrize("ending", ["msh", "vtk", "vtu", "inp", "xdmf", "med", "mesh"])
def test_formats(tmp_path: Path, ending: str) -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0.5, 0]])
    path = saved(tmp_path / f"two.{ending}", points, "line", [[0, 1], [1, 2]])
    model = fm.Model()
    handle = model.add(LineMesh(path, THIN))
    assert [len(beams) for beams in handle.beams.values()] == [2]
    assert model.inertia[handle.nodes[1].index].mass == pytest.approx(0.5 * (1 + np.hypot(1, 0.5)))


def test_groups_of_other_formats(tmp_path: Path) -> None:
    """Sets of cells in Abaqus' format, and any integer cell data by name."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    inp = """\
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
*ELEMENT, TYPE=T3D2, ELSET=thick
1, 1, 2
*ELEMENT, TYPE=T3D2, ELSET=thin
2, 2, 3
"""
    both = {"thick": THICK, "thin": THIN}
    frame = fm.Model().add(LineMesh(written(tmp_path / "a.inp", inp), both))
    assert sorted(frame.beams) == ["thick", "thin"]
    data = {"kind": [np.array([5, 8])], "axis3": [np.array([[0.0, 1, 0], [0, 0, 1.0]])]}
    path = saved(tmp_path / "b.vtu", points, "line", [[0, 1], [1, 2]], cell_data=data)
    cells = read_lines(path, tag="kind")
    frame = fm.Model().add(LineMesh(cells, {"5": THICK, "8": THIN}, up="axis3"))
    axes = [beams[0].line.at(0.5)[1][:, 2] for beams in frame.beams.values()]
    assert axes == [pytest.approx([0, 1, 0]), pytest.approx([0, 0, 1])]


def test_coincident_points_are_merged_on_request(tmp_path: Path) -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 1e-12], [2, 0, 0]])
    path = saved(tmp_path / "m.vtu", points, "line", [[0, 1], [2, 3]])
    refused(r"points 1 and 2 are at the same position.*merge_within", LineMesh, path, THIN)
    joined, apart = fm.Model(), fm.Model()
    joined.add(LineMesh(path, THIN, merge_within=1e-6))
    apart.add(LineMesh(path, THIN, merge_within=0))
    assert (len(joined.nodes), len(apart.nodes)) == (1 + 3, 1 + 4)


def test_frame_swings_with_a_closed_energy_balance(tmp_path: Path) -> None:
    model = fm.Model(gravity=(0, -9.81, 0))
    path = written(tmp_path / "frame.msh", L_FRAME)
    frame: LineMeshHandle = model.add(
        LineMesh(path, {"column": THICK, "arm": THIN}, scale=1e-3, order=4, damping=1e-4)
    )
    model.fix(frame.named["foot"][0])
    sim = Simulation(model, 0.1, fm.StepControl.fixed(0.005))
    rows = np.array([record.energy for record in sim.steps()])
    assert np.abs(rows[:, -1]).max() < 1e-12 * sim.energy_scale


TWO = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])


@pytest.mark.parametrize(
    "points, cells, options, message",
    [
        ([[0, 0, 0], [0, 0, 0]], [[0, 1]], {"merge_within": 0}, r"line 1 \(points 0 and 1\) has no length"),
        (TWO, [[0, 1], [1, 0]], {}, r"line 2 .* is there twice: also as line 1"),
        ([[0, 0, 0], [np.nan, 0, 0]], [[0, 1]], {}, "coordinates are not finite"),
        (TWO, [[0, 1]], {"up": (1, 0, 0)}, r"line 1 \(points 0 and 1\): Straight up is parallel"),
        (TWO, [[0, 1]], {"sections": {"tube": THIN}}, "no line is in that group"),
        (TWO, [[0, 1]], {"sections": 3.0}, "give a Section, or one for each group"),
        (TWO, [[0, 1]], {"up": "axis"}, "no cell data 'axis'; there are: none"),
        (TWO, [[0, 1]], {"scale": 0.0}, "scale"),
        (TWO, [[0, 1]], {"merge_within": -1.0}, "must not be negative"),
        (TWO, [[0, 1]], {"order": 5}, "order is 5"),
    ],
)
def test_bad_meshes(tmp_path: Path, points: Array, cells: Array, options: dict, message: str) -> None:
    path = saved(tmp_path / "bad.vtu", np.array(points, dtype=float), "line", cells)
    refused(message, lambda: fm.Model().add(LineMesh(path, **({"sections": THIN} | options))))


def test_group_without_section(tmp_path: Path) -> None:
    path = written(tmp_path / "frame.msh", L_FRAME)
    refused(r"no section for group 'arm': 2 lines, first .*points 2 and 1", LineMesh, path, {"column": THICK})
    with pytest.raises(fm.InputError, match=r"'colunm': no line is in that group; did you mean 'column'"):
        LineMesh(path, {"colunm": THICK, "arm": THIN})


def test_files_that_are_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    refused("there is no such mesh file", lambda: LineMesh(tmp_path / "none.msh", THIN))
    with pytest.raises(fm.InputError, match=r"no format with this ending.*\.msh"):
        LineMesh(written(tmp_path / "frame.step", "x"), THIN)
    with pytest.raises(fm.InputError, match="meshio cannot read this file"):
        LineMesh(written(tmp_path / "text.msh", "no mesh at all\n"), THIN)
    with pytest.raises(fm.InputError, match="meshio cannot read this file"):
        LineMesh(written(tmp_path / "cut.msh", L_FRAME[:180]), THIN)
    triangles = saved(tmp_path / "t.vtu", np.eye(3), "triangle", [[0, 1, 2]])
    refused(r"not lines \(1 of type triangle\)", LineMesh, triangles, THIN)
    refused("no lines of 2, 3 or 4 points", read_lines, triangles, skip_others=True)
    assert capfd.readouterr() == ("", "")


def test_line_that_ends_inside_another(tmp_path: Path) -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]])
    mesh = meshio.Mesh(points, [("line3", [[0, 2, 1]]), ("line", [[1, 3]])])
    mesh.write(tmp_path / "t.vtu")
    refused(r"ends at point 1, which is inside line 1: split", lambda: LineMesh(tmp_path / "t.vtu", THIN))


TWO_GROUPS = """\
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "all"
1 2 "left"
1 3 "right"
$EndPhysicalNames
$Entities
3 2 0 0
1 0 0 0 0
2 1 0 0 0
3 2 0 0 0
1 0 0 0 1 0 0 2 1 2 2 1 -2
2 1 0 0 2 0 0 2 1 3 2 2 -3
$EndEntities
$Nodes
3 3 1 3
0 1 0 1
1
0 0 0
0 2 0 1
2
1 0 0
0 3 0 1
3
2 0 0
$EndNodes
$Elements
2 2 1 2
1 1 1 1
1 1 2
1 2 1 1
2 2 3
$EndElements
"""


def test_lines_in_several_groups_of_gmsh(tmp_path: Path) -> None:
    """Each line is in "all" and in one of two others: sections by either, and beams under all names."""
    path = written(tmp_path / "two.msh", TWO_GROUPS)
    frame = fm.Model().add(LineMesh(path, {"left": THICK, "right": THIN}))
    assert {name: len(beams) for name, beams in frame.beams.items()} == {"all": 2, "left": 1, "right": 1}
    assert frame.beams["left"][0] is frame.beams["all"][0]
    model = fm.Model()
    model.add(LineMesh(path, {"all": THIN}))
    assert sum(body.mass for body in model.inertia) == pytest.approx(2.0 * THIN.mass_per_length)
    refused(
        "is in the groups all, left: section is given for more than one",
        LineMesh,
        path,
        {"all": THIN, "left": THICK},
    )
    refused("no section for group 'all' or group 'right': 1 lines", LineMesh, path, {"left": THICK})
