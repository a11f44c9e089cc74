"""Tests of body shapes: storage in results, their surfaces, errors."""

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Box, Cylinder, Mesh, RigidBody, Shape, Sphere
from fem_mbd.errors import InputError
from fem_mbd.output.animation.scenes import scene_of
from fem_mbd.output.animation.surfaces import of_body

HEIGHT = 0.06
CORNERS = np.array([(0, 0, 0), (30, 0, 0), (0, 40, 0), (0, 0, 1e3 * HEIGHT)])  # mm


def volume(points: np.ndarray, faces: np.ndarray) -> float:
    """Volume by the divergence theorem; positive where all triangles face outwards."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.fixture
def tetrahedron(tmp_path: Path) -> Path:
    """A surface of four triangles in mm, facing outwards."""
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    meshio.Mesh(CORNERS, [("triangle", faces)]).write(tmp_path / "part.stl")
    return tmp_path / "part.stl"


def scene_with(shape: Shape) -> dict[str, Any]:
    model = fm.Model()
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0), name="part", shape=shape))
    return scene_of(fm.simulate(model, 0.1, fm.StepControl.fixed(0.1)), 10, None)


def body_of(shape: Shape) -> dict[str, Any]:
    return dict(scene_with(shape)["bodies"][0])


def test_volumes_of_the_surfaces(tetrahedron: Path) -> None:
    n, at = 24, (0.3, -0.2, 0.1)  # corners of the polygon that stands for a circle
    polygon = n / 2 * np.sin(2 * np.pi / n)
    exact = {
        Box(sides=(0.1, 0.2, 0.3), at=at): 0.006,
        Cylinder(radius=0.1, length=0.5, axis=(1, 1, 0), at=at): polygon * 0.01 * 0.5,
        Mesh(file=tetrahedron, scale=1e-3, at=at): 0.03 * 0.04 * HEIGHT / 6,
    }
    for shape, wanted in exact.items():
        points, faces = of_body(body_of(shape))
        assert volume(points, faces) == pytest.approx(wanted, rel=1e-6)
    points, faces = of_body(body_of(Sphere(radius=0.2, at=at)))
    assert np.linalg.norm(points - at, axis=1) == pytest.approx(np.full(len(points), 0.2))
    assert 0.95 < volume(points, faces) / (4 / 3 * np.pi * 0.2**3) < 1.0


def test_cylinder_lies_along_its_axis() -> None:
    points, _ = of_body(body_of(Cylinder(radius=0.1, length=0.5, axis=(3, 0, 4))))
    along = points @ (0.6, 0.0, 0.8)
    assert (along.min(), along.max()) == pytest.approx((-0.25, 0.25))


def test_scene_is_large_enough_for_the_shape() -> None:
    assert scene_with(Box(sides=(3.0, 4.0, 12.0)))["size"] == pytest.approx(13.0)


def test_results_keep_the_shape_and_resume_with_it(tmp_path: Path) -> None:
    model = fm.Model()
    model.add(
        RigidBody(1.0, (1, 1, 1), position=(0, 0, 0), name="part", shape=Sphere(radius=0.1, colour="#c8324b"))
    )
    fm.simulate(model, 0.1, fm.StepControl.fixed(0.1), file=tmp_path / "results.h5").close()
    with fm.Result.open(tmp_path) as result:
        assert result.model["shapes"]["part"]["colour"] == "#c8324b"
        assert scene_of(result, 10, None)["bodies"][0]["shape"] == "sphere"


def no_surface(folder: Path) -> Path:
    meshio.Mesh(CORNERS, [("line", np.array([(0, 1)]))]).write(folder / "line.vtk")
    return folder / "line.vtk"


REFUSED = {
    "box: sides": lambda folder: Box(sides=(0.1, 0.0, 0.1)),
    "sphere: radius": lambda folder: Sphere(radius=-1.0),
    "write it as #rrggbb": lambda folder: Sphere(radius=1.0, colour="</script>"),
    "not a rotation": lambda folder: Cylinder(radius=1.0, length=1.0, rotation=np.eye(3)),
    "no such mesh file": lambda folder: Mesh(file=folder / "none.stl"),
    "no triangles": lambda folder: Mesh(file=no_surface(folder)),
    "give a Box": lambda folder: "box",
}


@pytest.mark.parametrize("message", REFUSED)
def test_shapes_that_cannot_be_are_refused(message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        scene_with(REFUSED[message](tmp_path))  # type: ignore[arg-type]
