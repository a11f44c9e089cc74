"""What the campaign of damaged inputs has found, one test for each cause: refused in words now."""

import re
import resource
from pathlib import Path

import meshio
import numpy as np
import pytest

from fem_mbd.base.mesh_files import read_lines, read_surface
from fem_mbd.elements.blades import BladeAxis, read_beamdyn
from fem_mbd.errors import InputError
from fem_mbd.machines.readers.hawc2.machine import read_hawc2_machine
from tests.elements.blades.files import primary_text, write_beamdyn
from tests.machines.hawc2.htc_files import write_machine
from tests.refusals import refused


@pytest.mark.parametrize("number", ["inf", "nan", "1e999"])
def test_counts_that_are_not_finite(number: str, tmp_path: Path) -> None:
    text = primary_text()
    assert "  3   kp_total" in text
    primary = write_beamdyn(tmp_path, text.replace("  3   kp_total", f"  {number}   kp_total"))
    refused("whole number from 3", read_beamdyn, primary)
    with pytest.raises(InputError, match="whole number from 1"):
        read_hawc2_machine(write_machine(tmp_path, "nsec 3;", f"nsec {number};"))


def test_key_points_beside_which_the_others_fall_together() -> None:
    points = np.array([(0.0, 0.0, 0.0), (1e20, 0.0, 1.0), (1e20, 0.0, 2.0), (1e20, 0.0, 3.0)])
    refused("check their unit", lambda: BladeAxis(points, np.zeros(4)))


def test_a_mesh_whose_header_has_no_end(tmp_path: Path) -> None:
    (tmp_path / "part.ply").write_bytes(b"ply\nformat binary_little_endian 1.0\ncomment")
    refused("header has no end", lambda: read_surface(tmp_path / "part.ply"))


def test_a_mesh_with_a_number_of_a_point_that_no_memory_holds(tmp_path: Path) -> None:
    """meshio makes a table as long as the largest number; it ended the process."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0)], dtype=float)
    file, limits = tmp_path / "frame.msh", resource.getrlimit(resource.RLIMIT_AS)
    mesh = meshio.Mesh(points, [("line", np.array([(0, 1), (1, 2)]))])
    mesh.write(file, file_format="gmsh", binary=False)
    assert len(read_lines(file).cells) == 2
    text = file.read_text().replace("\n3\n", f"\n{10**11}\n").replace(" 3\n", f" {10**11}\n")
    assert text != file.read_text()
    file.write_text(text)
    refused(r"frame\.msh", read_lines, file)
    assert resource.getrlimit(resource.RLIMIT_AS) == limits


def test_a_blade_with_more_stations_than_memory_holds(tmp_path: Path) -> None:
    primary = write_beamdyn(tmp_path)
    blade = tmp_path / "blade.dat"
    blade.write_text(re.sub(r"\d+(\s+station_total)", r"99999999999999999999\1", blade.read_text()))
    refused("station_total", read_beamdyn, primary)


def test_a_mesh_without_a_list_of_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As meshio reads a VTK file that has lost a piece."""
    mesh = meshio.Mesh(np.zeros((2, 3)), [("line", np.array([[0, 1]]))])
    mesh.points = np.zeros(())
    monkeypatch.setattr(meshio, "read", lambda *given, **options: mesh)
    (tmp_path / "frame.vtk").write_text("")
    refused("contains no list of points", lambda: read_lines(tmp_path / "frame.vtk"))


def test_a_mesh_with_a_number_of_a_point_that_no_mesh_can_have(tmp_path: Path) -> None:
    points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    (tmp_path / "part.obj").write_text(points + "f 1 2 99999999999999999999\n")
    refused(r"part\.obj", lambda: read_surface(tmp_path / "part.obj"))


def test_lines_of_one_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As meshio reads a Gmsh file that has lost a piece."""
    mesh = meshio.Mesh(np.zeros((2, 3)), [("line", np.array([[0], [1]]))])
    (tmp_path / "frame.msh").touch()
    monkeypatch.setattr(meshio, "read", lambda *given, **options: mesh)
    refused("do not have 2 points each", lambda: read_lines(tmp_path / "frame.msh"))
