"""Tests of animations as glTF and film, read by other programs; of modes and buckling shapes."""

import subprocess
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread
from scipy.spatial.transform import Rotation

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.joints import Clamp
from fem_mbd.output.animation.animate import INCHES, pictures, write_last_state
from fem_mbd.output.animation.scenes import scene_of
from fem_mbd.output.animation.solids import packed
from fem_mbd.output.animation.surfaces import Motion, SectionColours, unpacked
from tests.output.animation.conftest import STIFFNESS, WEIGHT, close
from tests.refusals import refused

STEEL = Material(young=210e9, poisson=0.3, density=7850)
LENGTH = 2.0


def column() -> fm.Model:
    """A clamped square column, compressed at its free end by 1 N."""
    model = fm.Model(name="column")
    beam = model.add(
        Beam(Section.rectangle(0.02, 0.03, STEEL), (0, 0, 0), (0, 0, LENGTH), elements=4, name="post")
    )
    model.fix(beam.start)
    model.add(Force(beam.end, (0.0, 0.0, -1.0)))
    return model


def numbers(gltf: object, accessor: int) -> np.ndarray:
    """Data of a glTF accessor, by glTF's specification."""
    about, data = gltf.accessors[accessor], gltf.binary_blob()  # type: ignore[attr-defined]
    view = gltf.bufferViews[about.bufferView]  # type: ignore[attr-defined]
    kind = {5126: "<f4", 5123: "<u2", 5125: "<u4"}[about.componentType]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[about.type]
    return np.frombuffer(data, kind, about.count * width, view.byteOffset).reshape(-1, width)


def test_gltf_moves_as_the_run(swing: fm.Result, tmp_path: Path) -> None:
    """Joints of the skin and nodes of bodies follow the positions of the run."""
    pygltflib = pytest.importorskip("pygltflib", reason="an extra: pip install 'fem_mbd[film]'")
    swing.animate(tmp_path / "swing.glb")
    gltf = pygltflib.GLTF2().load(tmp_path / "swing.glb")
    motion = Motion(scene_of(swing, 400, None))
    paths = {}
    for channel in gltf.animations[0].channels:
        if channel.target.path == "translation":
            sampler = gltf.animations[0].samplers[channel.sampler]
            paths[gltf.nodes[channel.target.node].name] = numbers(gltf, sampler.output)
            assert close(numbers(gltf, sampler.input)[:, 0], motion.times, 1e-6)
    assert close(paths["ball"], swing.of("ball").position[0], 1e-6)  # it is at rest
    place, _ = motion.rings(scene_of(swing, 400, None)["tubes"][-1])
    assert close(paths["arc ring 8"], place[:, 8], 1e-6)
    assert np.ptp(paths["arc ring 8"], axis=0).max() > 0.01
    skinned = next(node for node in gltf.nodes if node.skin is not None)
    attributes = gltf.meshes[skinned.mesh].primitives[0].attributes
    assert numbers(gltf, attributes.JOINTS_0)[:, 0].max() == len(gltf.skins[skinned.skin].joints) - 1
    assert np.all(numbers(gltf, attributes.WEIGHTS_0).sum(axis=1) == 1.0)


def test_vtk_reads_the_gltf(swing: fm.Result, tmp_path: Path) -> None:
    """VTK combines skin and joints: an outline of 20 mm about a centre line of radius 1 m."""
    pytest.importorskip("pygltflib", reason="an extra: pip install 'fem_mbd[film]'")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkPolyData
    from vtkmodules.vtkIOGeometry import vtkGLTFReader

    reader = vtkGLTFReader()
    reader.SetFileName(str(swing.animate(tmp_path / "swing.glb").file))
    reader.ApplyDeformationsToGeometryOn()
    reader.Update()
    found, iterator = [], reader.GetOutput().NewIterator()
    while not iterator.IsDoneWithTraversal():
        data = iterator.GetCurrentDataObject()
        if isinstance(data, vtkPolyData):
            found.append(vtk_to_numpy(data.GetPoints().GetData()).astype(float))
        iterator.GoToNextItem()
    # gravity is along the third axis, glTF's second one points up: (x, y, z) is shown as (x, z, -y)
    arcs = [p[:, (0, 2, 1)] * (1, -1, 1) for p in found]
    lengths = [np.hypot(np.hypot(p[:, 0], p[:, 1] - 1.0) - 1.0, p[:, 2]) for p in arcs]
    assert sum(close(length, 0.02, 1e-4) for length in lengths) == 2


def test_gltf_has_forces_and_joints(swing: fm.Result, tmp_path: Path) -> None:
    """The arrow of the ball's weight on the plane is a quarter of the model's size long, and points up."""
    pygltflib = pytest.importorskip("pygltflib", reason="an extra: pip install 'fem_mbd[film]'")
    gltf = pygltflib.GLTF2().load(swing.animate(tmp_path / "swing.glb").file)
    named = {node.name: node for node in gltf.nodes}
    assert {"pin", "weld", "contact force of floor"} <= set(named)
    arrow = gltf.nodes.index(named["contact force of floor"])
    last = {
        channel.target.path: numbers(gltf, gltf.animations[0].samplers[channel.sampler].output)[-1]
        for channel in gltf.animations[0].channels
        if channel.target.node == arrow
    }
    assert last["scale"][2] == pytest.approx(0.25 * scene_of(swing, 400, None)["size"], rel=1e-4)
    turn = Rotation.from_quat(last["rotation"]).as_matrix()
    tip = last["translation"] + last["scale"][2] * turn[:, 2]
    assert close(turn[:, 2], (0, 0, 1), 1e-6)
    # the lowest point of the ball, which rests on the plane z = 0 and presses itself into it
    assert close(tip, (0, -1, -WEIGHT / STIFFNESS), 1e-6)
    pin = gltf.meshes[named["pin"].mesh].primitives[0].attributes
    reach = np.ptp(numbers(gltf, pin.POSITION), axis=0)
    assert int(np.argmax(reach)) == 1  # a rod along the pin's axis


def test_gltf_colours_are_those_of_one_instant(swing: fm.Result, tmp_path: Path) -> None:
    """Each point has a colour; colours differ along the beam, and from those of another time."""
    pygltflib = pytest.importorskip("pygltflib", reason="an extra: pip install 'fem_mbd[film]'")
    file = swing.animate().save(tmp_path / "swing.glb", colour="M2", at=0.1)
    gltf = pygltflib.GLTF2().load(file)
    skins = [gltf.meshes[node.mesh].primitives[0] for node in gltf.nodes if node.skin is not None]
    tints = np.concatenate([numbers(gltf, primitive.attributes.COLOR_0) for primitive in skins])
    assert np.all((tints >= 0.0) & (tints <= 1.0)) and np.ptp(tints, axis=0).max() > 0.1
    early = swing.animate().save(tmp_path / "early.glb", colour="M2", at=0.0)
    assert early.read_bytes() != file.read_bytes()
    with pytest.raises(InputError, match="colour 'M7': the beams have no such quantity"):
        swing.animate().save(tmp_path / "none.glb", colour="M7")
    refused(r"is for \.glb", lambda: swing.animate().save(tmp_path / "none.html", colour="M2"))
    assert not list(tmp_path.glob("none*"))


def test_section_colours_have_the_page_s_scale() -> None:
    """White between blue and red at zero; the largest of both signs at the ends; rings between two Gauss points."""
    data = packed(np.array([[[0.0], [0.0]], [[-2.0], [1.0]]]))
    about = {"title": "M", "output": "force", "column": 0, "width": 1, "rows": 2, "low": -2.0, "high": 1.0}
    tube = {"rows": {"force": 0}, "section": [[1.0, 0.0], [1 / 3, 2 / 3], [0.0, 1.0]]}
    found = SectionColours({"times": [0.0, 1.0], "sections": [about | {"data": data}]}, "M", 0.9)
    assert found.time == 1.0
    colours = found.of_rings(tube)
    ends = matplotlib.colormaps["coolwarm"]((0.0, 0.5, 0.75))[:, :3]
    assert colours is not None and close(colours, ends, 1e-2)
    assert found.of_rings({"rows": {}}) is None


def test_film_shows_what_moves(swing: fm.Result, tmp_path: Path) -> None:
    from PIL import Image

    scene = scene_of(swing, 6, None)
    drawn = list(pictures(scene))
    assert len(drawn) == 6 and drawn[0].shape == (480, 640, 3)
    assert np.abs(drawn[0].astype(int) - drawn[-1]).max() > 50
    file = fm.animate(swing, tmp_path / "swing.gif", frames=4).file
    with Image.open(str(file)) as film:
        assert (film.n_frames, film.size) == (4, (640, 480))  # type: ignore[attr-defined]


def test_picture_of_the_last_moment(swing: fm.Result, tmp_path: Path) -> None:
    """It is equal to the last picture of a film."""
    file = write_last_state(swing, tmp_path / "new" / "last.png")
    drawn = np.round(255 * imread(file)[..., :3]).astype(int)
    *_, film = pictures(scene_of(swing, 6, None))
    assert np.array_equal(drawn, film)
    refused(r"has to end in \.png", lambda: write_last_state(swing, tmp_path / "last.txt"))
    (tmp_path / "file").touch()
    refused("cannot be written there", lambda: write_last_state(swing, tmp_path / "file" / "last.png"))


def test_film_for_slides(swing: fm.Result, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="an extra: pip install 'fem_mbd[film]'")
    file = fm.animate(swing, tmp_path / "swing.mp4", frames=4).file
    about = subprocess.run(
        [ffmpeg.get_ffmpeg_exe(), "-i", str(file)], capture_output=True, text=True, check=False
    ).stderr
    assert "Video: h264" in about and f"{int(100 * INCHES[0])}x{int(100 * INCHES[1])}" in about


def test_modes_go_as_their_shapes_say(tmp_path: Path) -> None:
    """The largest displacement is the requested amplitude, along the shape; it is zero a quarter of a period later."""
    found = fm.modes(column(), 3)
    scene = found.animate(amplitude=0.05).scene
    assert [take["title"] for take in scene["takes"]] == [
        f"{k}: {f:.4g} Hz" for k, f in enumerate(found.frequencies_hz, start=1)
    ]
    rest = np.array([node.position for node in found.linear.system.model.nodes])
    for take, shape in zip(scene["takes"], found.shapes, strict=True):
        moved = unpacked(take["position"]).reshape(49, -1, 3) - rest
        assert close(np.abs(moved).max(), 0.05 * LENGTH, 1e-5)
        assert close(moved[0] * np.abs(shape[:, :3]).max(), 0.05 * LENGTH * shape[:, :3].real, 1e-5)
        assert close(moved[12], 0.0, 1e-6) and close(moved[24], -moved[0], 1e-6)
        rotations = Motion(scene | take).rotation
        # a beam's axis goes along with its turn: for small amplitudes the slope of the places
        assert close(np.linalg.det(rotations), 1.0, 1e-6)


def test_buckling_shape_of_a_column(tmp_path: Path) -> None:
    """Euler's first shape of a clamped column is 1 - cos(pi z / 2 L)."""
    found = fm.buckling(column(), 1)
    scene = found.animate(tmp_path / "shape.html").scene
    assert scene["takes"][0]["title"].startswith("1: load factor ")
    places = unpacked(scene["takes"][0]["position"]).reshape(49, -1, 3)[0][1:]
    side = np.hypot(places[:, 0], places[:, 1])
    assert close(side / side.max(), 1 - np.cos(np.pi * places[:, 2] / (2 * LENGTH)), 2e-3)


def test_commands_show_modes_and_buckling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "modes.html"
    assert main(["modal", "cantilever", "--modes", "2", "--no-plot", "--show", str(page)]) == 0
    assert str(page) in capsys.readouterr().out and "Hz" in page.read_text("utf-8")
    assert main(["static", "cantilever", "--no-plot", "--show", str(page)]) == 2
    assert "--buckling N" in capsys.readouterr().err
    assert main(["modal", "cantilever", "--show", "modes.txt"]) == 2
    assert "has to end in" in capsys.readouterr().err


def test_unknown_endings_are_refused(swing: fm.Result, tmp_path: Path) -> None:
    refused("has to end in", lambda: fm.animate(swing, tmp_path / "swing.avi"))
    refused("amplitude", lambda: fm.modes(column(), 1).animate(amplitude=0.0))
    assert list(tmp_path.iterdir()) == []


def test_a_welded_mass_is_shown(tmp_path: Path) -> None:
    """Modes of a model with a body: its own surface moves with its node."""
    model = column()
    body = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), position=(0, 0, LENGTH), name="head"))
    model.add(Clamp(model.nodes[-2], body.node))
    assert [b["name"] for b in fm.modes(model, 1).animate().scene["bodies"]] == ["head"]
