"""Tests of figures of runs of Python models: contents, file formats, widths, the command line."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.base.text import file_name, file_names
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.joints import Revolute, Spherical
from tests.refusals import refused


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A beam on a pivot with a body at its end, oscillating in the plane of x and z."""
    path = tmp_path_factory.mktemp("run") / "results.h5"
    model = fm.Model((0, 0, -9.81))
    section = Section.circle(0.02, Material(2e9, 0.3, 1200))
    arm = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=2, name="arm"))
    model.add(Revolute(model.ground, arm.start, axis=(0, 1, 0), name="pivot"))
    bob = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (1.2, 0, 0), name="bob"))
    model.add(Spherical(arm.end, bob.node, at=(1, 0, 0)))
    fm.simulate(model, 0.1, fm.StepControl.fixed(5e-3), progress=False, file=path).close()
    return path


def test_figures_show_what_was_recorded(file: Path) -> None:
    with fm.Result.open(file) as result:
        figures = result.plot("arm", "bob", "pivot")
        assert list(figures) == ["energy", "steps", "shapes", "arm", "bob", "pivot"]
        place = figures["bob"].axes[0]
        for line, history in zip(place.lines, result.of("bob").position.T, strict=True):
            assert np.array_equal(line.get_xdata(), result.time)
            assert np.array_equal(line.get_ydata(), history)
        assert place.get_ylabel().startswith("position [m]")
        force = figures["pivot"].axes[0].lines[2].get_ydata()
        assert np.array_equal(force, result.of("pivot").force[:, 2])
        assert figures["arm"].get_suptitle() == f"arm, at {result.of('arm').gauss_at[3]:.3g} of its length"
        assert figures["energy"].get_size_inches()[0] == pytest.approx(190 / 25.4)


def test_the_mechanism_is_drawn_in_its_plane_from_start_to_end(file: Path) -> None:
    with fm.Result.open(file) as result:
        (ax,) = result.plot()["shapes"].axes
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "z [m]")
        first, last = result.initial["position"], result.outputs["position"][-1]
        drawn = [line for line in ax.lines if len(line.get_xdata()) == 7]
        assert len(drawn) == 6 * 2, (
            "two elements at six instants, with a point between each two of four nodes"
        )
        assert np.allclose(drawn[0].get_xydata()[0], first[1][[0, 2]])
        assert np.allclose(drawn[-1].get_xydata()[-1], result.of("arm").position()[-1, -1][[0, 2]])
        loose = ax.lines[0].get_xydata()
        assert np.allclose(loose[-1], last[result.of("bob")._entry.nodes[0]][[0, 2]])


def test_files_in_the_formats_and_widths_of_journals(file: Path, tmp_path: Path) -> None:
    with fm.Result.open(file) as result:
        result.plot("arm", folder=tmp_path / "new", formats=("pdf", "svg"), width="column")
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {f"{n}.{e}" for n in ("energy", "steps", "shapes", "arm") for e in ("pdf", "svg")}
    assert (tmp_path / "new" / "arm.pdf").read_bytes().startswith(b"%PDF")
    # 90 mm in points
    assert 'width="255.11' in (tmp_path / "new" / "energy.svg").read_text()


def test_names_of_parts_become_names_of_files_that_any_system_takes(tmp_path: Path) -> None:
    assert file_name("arm 2.5 (left)") == "arm 2.5 (left)"
    assert file_name("../a/b\\c\x1b[2J\n:*") == "_a_b_c_[2J___" and file_name("..") == file_name("") == "_"
    model = fm.Model()
    model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (1.2, 0, 0), name="../bob:1"))
    result = fm.simulate(model, 0.01, fm.StepControl.fixed(5e-3), progress=False)
    result.plot("../bob:1", folder=tmp_path)
    assert (tmp_path / "_bob_1.png").exists()


def test_parts_whose_names_differ_in_invalid_characters_have_files_of_their_own(tmp_path: Path) -> None:
    assert file_names(["a/b", "a_b", "A_B", "c"]) == ["a_b", "a_b (2)", "A_B (3)", "c"]
    model = fm.Model()
    for k, name in enumerate(("a/b", "a_b")):
        model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (k, 0, 0), name=name))
    fm.simulate(model, 0.01, fm.StepControl.fixed(5e-3), progress=False).plot("a/b", "a_b", folder=tmp_path)
    first, second = (tmp_path / f"{name}.png" for name in ("a_b", "a_b (2)"))
    assert first.read_bytes() != second.read_bytes()


def test_bodies_are_drawn_to_their_joints_at_equal_times(file: Path) -> None:
    """A stiff double pendulum with steps that grow: six instants, and lines of the bodies' lengths between the pins."""
    model = fm.Model((0, 0, -9.81))
    first = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.2, 0, 0), name="first"))
    second = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.4, 0, -0.3), name="second"))
    model.add(Revolute(model.ground, first, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(first, second, at=(0.4, 0, 0), axis=(0, 1, 0)))
    control = fm.StepControl(fm.ErrorEstimate(1e-3), dt_initial=1e-4, dt_max=2e-2)
    result = fm.simulate(model, 0.5, control, progress=False)
    (ax,) = result.plot()["shapes"].axes
    labels = [line.get_label() for line in ax.lines if line.get_label().endswith(" s")]
    assert [float(label[:-2]) for label in labels] == pytest.approx(np.linspace(0.0, 0.5, 6), abs=0.01)
    links = [line.get_xydata() for line in ax.lines if line.get_linewidth() == 2.0]
    assert len(links) == 6 * 3
    lengths = np.array([np.ptp(link, axis=0) for link in links])
    np.testing.assert_allclose(np.hypot(*lengths.T), [0.2, 0.2, 0.3] * 6, atol=1e-12)
    assert np.allclose([link[1] for link in links[0::3]], 0.0), "the first body ends at the ground"
    assert np.allclose([a[1] for a in links[1::3]], [b[1] for b in links[2::3]]), (
        "and at the pin of the second"
    )


def test_a_joint_s_force_is_drawn_once(file: Path) -> None:
    with fm.Result.open(file) as result:
        titles = [ax.get_ylabel() for ax in result.plot("pivot")["pivot"].axes]
    assert [title.split(" [")[0] for title in titles][:2] == ["force", "moment"]
    assert not any("in k" in title or "in l" in title for title in titles)


def test_what_cannot_be_drawn_is_said(file: Path, tmp_path: Path) -> None:
    with fm.Result.open(file) as result:
        refused(r"width is 'colum'; did you mean .column.", result.plot, width="colum")
        refused(r"formats: 'jpg' cannot be written", result.plot, formats=["jpg"])
        refused("bod", result.plot, "bod")
        (tmp_path / "taken").write_text("")
        refused("taken: figures cannot be written there", lambda: result.plot(folder=tmp_path / "taken"))


def test_the_command_line_draws_runs_made_in_python(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plot", str(file), "--out", str(tmp_path / "f"), "--part", "bob", "--to", "svg"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out.split()
    assert shown == [str(tmp_path / "f" / f"{n}.svg") for n in ("energy", "steps", "shapes", "bob")]
    assert all(Path(path).is_file() for path in shown)
    assert main([*arguments, "--width", "column", "--to", "gif"]) == 2


def test_values_of_nodes_are_found_by_their_listed_names(file: Path) -> None:
    with fm.Result.open(file) as result:
        view = result.of("bob")
        assert np.array_equal(view.value("omega"), view.angular_velocity_in_body)
        assert {name: view.value(name).shape[0] for name in view.quantities} == dict.fromkeys(
            view.quantities, 20
        )
