"""Tests of figures of runs of Python models: contents, file formats, widths, the command line."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.base.file_names import file_name
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
