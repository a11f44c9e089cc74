"""Tests of exported files: read by VTK, as in ParaView, and compared with the results."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from fem_mbd.base.arrays import Array

# vtk has modules for rendering too, which need a display's libraries: only the readers are imported
pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

import fem_mbd as fm
from fem_mbd import Result, Simulation, run
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import Arc, Beam, BeamHandle, RigidBody, Section
from fem_mbd.joints import Spherical
from fem_mbd.output.export import export_modes, export_result

EVERY = 5
ROWS = (4, 9, 11)  # of 12 recorded states; the state at the start comes before them


@pytest.fixture(scope="module")
def swing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, list[BeamHandle]]:
    """An arc of two 4-node elements, a 2-node beam on its rotated end, and a body suspended from it."""
    model = fm.Model(gravity=(0, 0, -9.81))
    stiff = Section(np.diag([1e6, 4e5, 4e5, 50.0, 80.0, 120.0]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
    arc = Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), radius=1.0, angle=1.2, twist=((0, 0), (1, 0.5)))
    first = model.add(Beam(stiff, line=arc, elements=2, name="arc"))
    tip = first.end.position + np.array([0.3, 0.4, 0.1])
    second = model.add(Beam(stiff, first.end, tip, elements=1, order=2, name="twig"))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), position=tip + (0, 0, -0.5))).node
    model.add(Spherical(second.end, body, at=second.end.position))
    model.fix(first.start)
    sim = Simulation(model, 0.12, fm.StepControl.fixed(0.01))
    return run(sim, file=tmp_path_factory.mktemp("run") / "results.h5"), [first, second]


def steps_of(reader: Any) -> Iterator[tuple[float, Any]]:
    """Every step with its time, by the pipeline's own request."""
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    for time in information.Get(reader.GetExecutive().TIME_STEPS()):
        reader.UpdateTimeStep(time)
        yield time, reader.GetOutputDataObject(0)


def array(data: Any, name: str) -> Array:
    return np.array(vtk_to_numpy(data.GetPointData().GetArray(name)))


def cells(data: Any) -> list[list[int]]:
    """Points of every cell."""
    found = []
    for k in range(data.GetNumberOfCells()):
        cell = data.GetCell(k)
        found.append([cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())])
    return found


def table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read(path: Path, to: str) -> list[tuple[float, Any]]:
    """All steps of a file as (time, copy of the data)."""
    if to == "vtu":
        return list(read_series(path))
    reader = vtkHDFReader() if to == "vtkhdf" else vtkXdmfReader()
    reader.SetFileName(str(path))
    steps = []
    for time, data in steps_of(reader):
        if data.IsA("vtkMultiBlockDataSet"):
            data = data.GetBlock(0)
        copy = data.NewInstance()
        copy.DeepCopy(data)
        steps.append((time, copy))
    return steps


def read_series(path: Path) -> Iterator[tuple[float, Any]]:
    """The files of a PVD collection."""
    for entry in ElementTree.parse(path).getroot().iter("DataSet"):
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(path.parent / entry.attrib["file"]))
        reader.Update()
        yield float(entry.attrib["timestep"]), reader.GetOutput()


@pytest.mark.parametrize("to", ["vtkhdf", "xdmf", "vtu"])
def test_shapes_and_forces(swing: tuple[Result, list[BeamHandle]], tmp_path: Path, to: str) -> None:
    result, (arc, twig) = swing
    (path,) = export_result(result, tmp_path / "out" / "swing", to, EVERY)
    steps = read(path, to)
    assert [time for time, _ in steps] == pytest.approx([0.0, *result.output_time[list(ROWS)]], abs=1e-15)
    for row, (_, data) in zip(ROWS, steps[1:], strict=True):
        points = np.array(vtk_to_numpy(data.GetPoints().GetData()))
        # 7 points for an element of 4 nodes, 3 for one of 2, every other one a node; then the body
        assert len(points) == 7 + 7 + 3 + 1
        nodes = [arc.nodes[k].index for k in (0, 1, 2, 3, 3, 4, 5, 6)]
        nodes += [*(n.index for n in twig.nodes), result.outputs["position"].shape[1] - 1]
        where = [0, 2, 4, 6, 7, 9, 11, 13, 14, 16, 17]
        position = result.outputs["position"][row][nodes]
        assert points[where] == pytest.approx(position, abs=1e-14)
        moved = position - result.initial["position"][nodes]
        assert array(data, "displacement")[where] == pytest.approx(moved, abs=1e-14)
        assert array(data, "velocity")[where] == pytest.approx(
            result.outputs["velocity"][row][nodes], abs=1e-14
        )
        # half way along the 2-node beam
        assert points[15] == pytest.approx(0.5 * (points[14] + points[16]), abs=1e-14)
        for k, beam in ((0, arc), (7, arc), (14, twig)):
            # at the middle of an element `at` sees that element only
            middle, s = (k + 3, 0.25 if k == 0 else 0.75) if beam is arc else (k + 1, 0.5)
            both = np.concatenate([array(data, name)[middle] for name in ("force", "moment")])
            assert both == pytest.approx(result.of(beam).section_force(at=s)[row], rel=1e-12, abs=1e-12)
        assert np.isnan(array(data, "moment")[17]).all()


@pytest.mark.parametrize("to", ["vtkhdf", "xdmf", "vtu"])
def test_section_axes_follow_the_sections(
    swing: tuple[Result, list[BeamHandle]], tmp_path: Path, to: str
) -> None:
    """At the start those of the reference line; later they are rotated with the nodes, and remain a triad."""
    result, (arc, twig) = swing
    (path,) = export_result(result, tmp_path / "swing", to, EVERY)
    steps = read(path, to)
    triads = [np.stack([array(data, f"d{k}") for k in (1, 2, 3)], axis=2) for _, data in steps]
    for beam, where, places in ((arc, [0, 6, 7, 13], [0, 0.5, 0.5, 1]), (twig, [14, 15, 16], [0, 0.5, 1])):
        for k, s in zip(where, places, strict=True):
            assert triads[0][k] == pytest.approx(beam.line.at(s)[1], abs=1e-12)
    for triad in triads:
        assert np.linalg.norm(triad, axis=1) == pytest.approx(1.0, abs=1e-12)
        at_nodes = triad[[0, 6, 13, 14, 16]]
        assert at_nodes.transpose(0, 2, 1) @ at_nodes == pytest.approx(np.array([np.eye(3)] * 5), abs=1e-12)
    # beams that share a node turn together
    turn = [triad[[13, 14]] @ triads[0][[13, 14]].transpose(0, 2, 1) for triad in triads]
    assert turn[-1][0] == pytest.approx(turn[-1][1], abs=1e-12)
    assert np.abs(turn[-1][0] - np.eye(3)).max() > 1e-4


def test_lines_and_beams(swing: tuple[Result, list[BeamHandle]], tmp_path: Path) -> None:
    result, _ = swing
    (path,) = export_result(result, tmp_path / "swing")
    for _, data in read(path, "vtkhdf"):
        assert cells(data) == [[17], list(range(7)), list(range(7, 14)), list(range(14, 17))]
        assert vtk_to_numpy(data.GetCellData().GetArray("beam")).tolist() == [-1, 0, 0, 1]
    for to in ("xdmf", "vtu"):
        (path,) = export_result(result, tmp_path / "swing", to)
        _, data = read(path, to)[-1]
        assert sorted(cells(data)) == [*sorted([k, k + 1] for k in range(16) if k not in (6, 13)), [17]]


def test_angular_velocity_is_that_of_the_axes(swing: tuple[Result, list[BeamHandle]], tmp_path: Path) -> None:
    """d1 changes by w x d1: central difference over two steps of 0.01 s, with slow motion of the body."""
    result, _ = swing
    (path,) = export_result(result, tmp_path / "swing")
    steps = read(path, "vtkhdf")
    before, now, after = (array(data, "d1")[17] for _, data in steps[-3:])
    rate = (after - before) / (steps[-1][0] - steps[-3][0])
    spin = array(steps[-2][1], "angular_velocity")[17]
    assert rate == pytest.approx(np.cross(spin, now), abs=0.05 * float(np.linalg.norm(spin)))


def test_modes_of_a_cantilever(tmp_path: Path) -> None:
    """The second bending mode of a uniform cantilever (Euler and Bernoulli): shape and frequency."""
    model = fm.Model()
    slender = Section(np.diag([1e8, 1e8, 1e8, 50.0, 100.0, 400.0]), 1.0, 1e-9 * np.diag([2.0, 1.0, 1.0]))
    beam = model.add(Beam(slender, (0, 0, 0), (2, 0, 0), elements=6))
    model.fix(beam.start)
    path = export_modes(fm.modes(model, 4), tmp_path / "modes")
    steps = read(path, "vtkhdf")
    assert [time for time, _ in steps] == [1, 2, 3, 4]
    # weak axis: modes 1 and 3; strong axis, twice the frequency: 2 and 4 (4.6941/1.8751 squared is 6.27)
    _, data = steps[2]
    root = 4.6940911330
    assert array(data, "frequency") == pytest.approx((root / 2) ** 2 * 10 / (2 * np.pi), rel=1e-3)
    x = array(data, "displacement")[:, 2]
    s = root / 2 * vtk_to_numpy(data.GetPoints().GetData())[:, 0]
    ratio = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    shape = np.cosh(s) - np.cos(s) - ratio * (np.sinh(s) - np.sin(s))
    assert x / x[-1] == pytest.approx(shape / shape[-1], abs=2e-3)
    assert np.abs(x).max() == pytest.approx(0.1 * 2.0, rel=1e-9)
    assert array(data, "displacement_90") == pytest.approx(0.0, abs=1e-12)


def test_tables(swing: tuple[Result, list[BeamHandle]], tmp_path: Path) -> None:
    result, (arc, _) = swing
    files = export_result(result, tmp_path / "csv", "csv", EVERY)
    tables = {file.stem: table(file) for file in files}
    assert {"energy", "steps", "position", "section_force", "reaction", "support"} <= set(tables)
    head, *rows = tables["position"]
    column = head.index("arc.3: y [m]")
    wanted = [result.initial["position"], *result.outputs["position"][list(ROWS)]]
    assert [float(row[column]) for row in rows] == [w[arc.nodes[3].index, 1] for w in wanted]
    head, *rows = tables["section_force"]
    column = head.index("twig element 0 point 0: M3 [N m]")
    assert float(rows[-1][column]) == result.outputs["section_force"][-1, 6, 5]
    head, *rows = tables["energy"]
    lost = [float(row[head.index("dissipation_scheme [J]")]) for row in rows]
    assert sum(lost) == pytest.approx(result.energy["dissipation_scheme"].sum(), rel=1e-12)
    assert float(rows[-1][head.index("kinetic [J]")]) == result.energy["kinetic"][-1]
    assert len(tables["steps"]) == 13


def test_contacts_as_table(tmp_path: Path) -> None:
    settings = ["--set", "joint=clearance", "end_time=0.01", "--quiet"]
    assert main(["run", "pendulum", *settings, "--out", str(tmp_path)]) == 0
    result = Result.open(tmp_path)
    export_result(result, tmp_path / "csv", "csv")
    head, *rows = table(tmp_path / "csv" / "contact.csv")
    for name, title in (("normal_force", "normal_force [N]"), ("gap_f", "gap [m]")):
        found = [float(row[head.index(f"hinge: {title}")]) for row in rows[1:]]
        assert found == result.contacts[name][:, 0].tolist()
    x, y, z = (head.index(f"hinge: normal {c} [1]") for c in "xyz")
    assert [float(rows[-1][k]) for k in (x, y, z)] == result.contacts["normal"][-1, 0].tolist()


def test_command(
    swing: tuple[Result, list[BeamHandle]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["run", "pendulum", "--set", "end_time=0.05", "--out", str(folder), "--quiet"]) == 0
    assert main(["export", str(folder), "--to", "vtkhdf"]) == 0
    path = folder / "export" / "deformed.vtkhdf"
    assert capsys.readouterr().out == f"{path}\n"
    assert len(read(path, "vtkhdf")) == 11
    assert main(["export", str(folder), "--to", "xdmf", "--out", str(tmp_path / "else" / "p")]) == 0
    assert (tmp_path / "else" / "p.xdmf").exists() and (tmp_path / "else" / "p.h5").exists()
    assert main(["export", str(folder), "--to", "csv", "--every", "0"]) == 2
    assert "every is 0" in capsys.readouterr().err


def test_bad_input(swing: tuple[Result, list[BeamHandle]], tmp_path: Path) -> None:
    result, _ = swing
    with pytest.raises(fm.InputError, match=r"no format 'vtk'; did you mean 'vtu'"):
        export_result(result, tmp_path / "x", "vtk")
    (tmp_path / "file").touch()
    with pytest.raises(fm.InputError, match="cannot be written"):
        export_result(result, tmp_path / "file" / "x")
    model = fm.Model()
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    sim = Simulation(model, 0.02, fm.StepControl.fixed(0.01))
    with pytest.raises(fm.InputError, match=r"did not record positions.*--quantities"):
        export_result(run(sim, quantities=("velocity",)), tmp_path / "x")
