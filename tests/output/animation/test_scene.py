"""Tests of an animation's scene: outlines, boxes, forces, selected states, plots, and escaping of names."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import Material, RigidBody, Section
from fem_mbd.elements.section.shapes import outline_of
from fem_mbd.errors import InputError
from fem_mbd.joints import Revolute
from fem_mbd.output.animation.scenes import evenly_spaced, scene_of, thin
from fem_mbd.output.animation.solids import as_script, ring
from tests.output.animation.conftest import HOSTILE, STIFFNESS, WEIGHT, close

STEEL = Material(young=210e9, poisson=0.3, density=7850)


def numbers(text: str, *shape: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


def area(outline: np.ndarray) -> float:
    x, y = outline.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def test_outlines_have_the_area_of_their_section() -> None:
    i_beam = Section.i_beam(0.1, 0.2, 0.01, 0.006, STEEL)
    assert area(outline_of(i_beam)) == pytest.approx(2 * 0.1 * 0.01 + 0.18 * 0.006)
    assert area(outline_of(Section.rectangle(0.03, 0.05, STEEL))) == pytest.approx(0.0015)
    polygon = 12 * np.sin(2 * np.pi / 24)  # of the circle with radius 1
    assert area(outline_of(Section.circle(0.2, STEEL))) == pytest.approx(polygon * 0.04)


def test_a_section_without_outline_is_the_ellipse_of_its_inertia() -> None:
    """A solid ellipse with half axes a, b has the radii of gyration a/2 and b/2."""
    a, b, mass = 0.03, 0.05, 4.0
    moments = mass * np.array([(a**2 + b**2) / 4, b**2 / 4, a**2 / 4])
    section = Section(np.diag([1e6] * 6), mass, np.diag(moments), mass_centre=(0.01, 0.0))
    outline = outline_of(section)
    assert close(outline.max(axis=0), (a + 0.01, b), 1e-12)


def test_normals_point_outwards_and_are_smooth_on_round_outlines_only() -> None:
    box = ring(np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * 0.5)
    assert close(np.abs(box[:, 2:]).max(axis=1), 1.0, 1e-12)
    assert np.all(np.einsum("ij,ij->i", box[:, :2], box[:, 2:]) > 0)
    round_ = ring(outline_of(Section.circle(1.0, STEEL)))
    assert close(round_[:, 2:], round_[:, :2], 1e-12)
    clockwise = ring(outline_of(Section.circle(1.0, STEEL))[::-1])
    assert close(clockwise[:, 2:], clockwise[:, :2], 1e-12)


def test_body_is_the_box_of_its_inertia() -> None:
    """m/12 (b^2 + c^2) and so on, of a box of 0.1 x 0.2 x 0.3 m."""
    mass, sides = 6.0, np.array([0.1, 0.2, 0.3])
    moments = mass / 12 * ((sides**2).sum() - sides**2)
    model = fm.Model()
    model.add(RigidBody(mass, moments, position=(0, 0, 0), name="box"))
    scene = scene_of(fm.simulate(model, 0.1, fm.StepControl.fixed(0.1)), 10, None)
    body = scene["bodies"][0]
    turned = np.abs(np.array(body["axes"]).reshape(3, 3).T @ np.array(body["sides"]))
    assert close(turned, sides, 1e-6)


def test_bodies_reach_their_joints() -> None:
    """Rods from the mass centre of a link to its two pins, in the axes of its node."""
    model = fm.Model(gravity=(0, 0, -9.81))
    pins = np.array([(0.0, 0.0, 0.0), (0.4, 0.1, 0.0)])
    link = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.2, 0, 0), centre=(0.0, 0.0, -0.05), name="link"))
    bob = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.4, 0.1, -0.3), name="bob"))
    model.add(Revolute(model.ground, link, at=pins[0], axis=(0, 1, 0)))
    model.add(Revolute(link, bob, at=pins[1], axis=(0, 1, 0)))
    scene = scene_of(fm.simulate(model, 0.01, fm.StepControl.fixed(0.01), progress=False), 10, None)
    own = [solid for solid in scene["bodies"] if solid["name"] == "link"]
    rods = [solid for solid in own if solid["shape"] == "cylinder"]
    centre, node = np.array([0.0, 0.0, -0.05]), np.array([0.2, 0.0, 0.0])
    ends = []
    for rod in rods:
        along = 0.5 * rod["length"] * np.array(rod["axes"]).reshape(3, 3)[2]
        near, far = sorted(
            (rod["centre"] - along, rod["centre"] + along), key=lambda x: np.linalg.norm(x - centre)
        )
        assert close(near, centre, 1e-12)
        ends.append(far + node)
    assert close(np.array(sorted(ends, key=lambda x: x[0])), pins, 1e-12)
    longest = max(rod["length"] for rod in rods)
    assert max(next(solid for solid in own if solid["shape"] == "box")["sides"]) <= 0.5 * longest * (
        1 + 1e-12
    )


def test_contact_force_carries_the_weight(swing: fm.Result) -> None:
    scene = scene_of(swing, 100, None)
    arrow = next(a for a in scene["arrows"] if a["kind"] == "contact")
    history = numbers(arrow["data"], len(scene["times"]), 6)[1:]
    assert close(history[:, 3:], (0, 0, WEIGHT), 1e-4)
    assert close(history[:, :3], (0, -1, -WEIGHT / STIFFNESS), 1e-6)


def test_chosen_instants_are_the_nearest_to_even_ones() -> None:
    times = np.sort(np.random.default_rng(1).uniform(0, 2, 5000))
    rows = evenly_spaced(0.0, times, 101)
    even = np.linspace(0, times[-1], 101)[1:]
    nearest = np.abs(times[None] - even[:, None]).argmin(axis=1)
    assert np.array_equal(rows, np.unique(nearest))
    assert np.array_equal(evenly_spaced(0.0, times[:50], 101), np.arange(50))


def test_thinning_keeps_every_peak() -> None:
    time = np.linspace(0, 1, 100_000)
    values = np.zeros_like(time)
    values[[123, 50_001, 99_998]] = 5.0, -7.0, 3.0
    t, y = thin(time, values)
    assert len(t) < 1500
    assert {5.0, -7.0, 3.0} <= set(y)
    assert np.all(np.diff(t) > 0)


def test_text_cannot_leave_the_data() -> None:
    text = as_script({"name": HOSTILE, "line": "\u2028"})
    assert "<" not in text and ">" not in text and "\u2028" not in text
    assert json.loads(text)["name"] == HOSTILE


def test_command(swing: fm.Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert (
        main(["run", "pendulum", "--set", "end_time=0.02", "--out", str(folder), "--no-plot", "--quiet"]) == 0
    )
    assert main(["show", str(folder), "--plot", "hinge.forc"]) == 2
    assert "force" in capsys.readouterr().err
    assert main(["show", str(folder), "--out", str(tmp_path / "a.txt")]) == 2
    assert "has to end in" in capsys.readouterr().err
    assert main(["show", str(folder), "--frames", "1"]) == 2
    capsys.readouterr()
    assert main(["show", str(folder)]) == 0
    page = Path(capsys.readouterr().out.strip())
    assert page == folder / "animation.html"
    assert "default-src 'none'" in page.read_text()


def test_a_run_without_places_is_refused() -> None:
    model = fm.Model()
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(0.1), quantities=["velocity"])
    with pytest.raises(InputError, match="position and quaternion"):
        fm.animate(result)


def test_a_notebook_shows_it(swing: fm.Result) -> None:
    shown = fm.animate(swing)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2
