"""What reports say of MBDyn: its runs, or why there are none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.comparison import reference, total_error
from benchmarks.comparison.study import Settings, Study, Target, Variant
from benchmarks.peers import peer
from benchmarks.peers.mbdyn_system import ABSENT, mbdyn_version, why_no_mbdyn
from benchmarks.problems import chain, flying_beam, right_angle, spin_up

QUICK = Settings(quick=True, repeats=1, peer=False)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References of its own, and no Exudyn."""
    monkeypatch.setattr(reference, "FOLDER", tmp_path / "references")
    monkeypatch.setattr(peer, "peer_version", lambda: None)


def small() -> Study:
    """The spin-up to 2 s with few runs, and no program but ours and MBDyn."""
    mbdyn = {"MBDyn": Variant("mbdyn", (200, 400), 4000, {"end": 2.0})}
    return replace(
        spin_up.STUDY, ours=lambda dt, end=2.0: spin_up.ours(dt, end), parameters=(0.1, 0.05), fine=0.0125,
        variants={}, others=mbdyn, targets=(Target(5e-5, 0.1),),
    )  # fmt: skip


def test_a_study_has_its_runs_its_errors_and_the_goal(stand_in) -> None:
    stand_in()
    report = small().run(Settings(repeats=1))
    runs, equal = report.tables
    column = runs.columns.index("error")
    errors = {row[1]: row[column] for row in runs.rows if row[0] == "MBDyn"}
    assert errors == {  # of dt^2, against that of the reference
        200.0: pytest.approx(1e-4 - 2.5e-7, rel=1e-6), 400.0: pytest.approx(2.5e-5 - 2.5e-7, rel=1e-6),
    }  # fmt: skip
    assert [row[0] for row in equal.rows] == ["MBDyn"]
    (goal,) = report.goals
    assert goal.bound == 0.2 and goal.name.endswith("MBDyn")
    assert not report.notes


def test_a_study_goes_on_where_runs_fail(stand_in) -> None:
    stand_in('sys.exit("no convergence")')
    report = small().run(Settings(repeats=1))
    assert {row[0] for row in report.tables[0].rows} == {"fem_mbd"}
    assert report.notes == [
        f"MBDyn, {steps} steps: MBDyn ended with status 1: no convergence" for steps in (200, 400)
    ]


@pytest.mark.parametrize("run", [chain.run, flying_beam.run, right_angle.STUDY.run, spin_up.STUDY.run])
def test_reports_say_that_it_is_not_there(run, without: None) -> None:
    report = run(QUICK)
    assert ABSENT in report.notes and ABSENT in report.text()


def test_a_name_that_is_no_program_is_told(without: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mbdyn_version() is None and why_no_mbdyn() == ABSENT
    monkeypatch.setenv("MBDYN", "/nowhere/mbdyn")
    assert mbdyn_version() is None
    assert why_no_mbdyn() == "MBDyn was not run: MBDYN=/nowhere/mbdyn is no program that can be run."


def test_total_errors_have_its_runs_and_the_goal(stand_in, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rigid rotation is off by what our tip lags behind, and by the error in time that was put in."""
    stand_in()
    mbdyn = total_error.Rival("mbdyn", ((1, 200), (2, 400)), (2, 800), 0.05)
    problem = replace(
        total_error.PROBLEMS[1],
        end=2.0,
        runs=((1, 0.1), (1, 0.05)),
        converged=(2, 0.025),
        rivals={"MBDyn": mbdyn},
    )
    monkeypatch.setattr(total_error, "PROBLEMS", (problem,))
    report = total_error.run(Settings(repeats=1))
    lag = spin_up.ours(0.025, 2.0, 2).samples[:, 0]
    column = report.tables[0].columns.index("total error")
    errors = [row[column] for row in report.tables[0].rows if str(row[1]).startswith("MBDyn")]
    exact = [np.abs(lag - dt**2).max() for dt in (0.01, 0.005, 0.0025)]
    assert errors == pytest.approx(exact, rel=1e-9)
    assert [row[1] for row in report.tables[0].rows][-1] == "MBDyn, finest"
    (goal,) = report.goals
    assert goal.bound == 0.05 and goal.name.endswith("of MBDyn") and not report.notes


def test_the_other_reports_go_on_where_runs_fail(stand_in, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in knows no deck without a driven joint."""
    stand_in()
    monkeypatch.setattr(chain, "SIZES", (10, 30))
    report = chain.run(Settings(repeats=1))
    assert {str(row[0]).split(",")[0] for row in report.tables[0].rows} == {"fem_mbd"}
    assert len(report.notes) == 4 and all("MBDyn ended with status 1: " in note for note in report.notes)
    monkeypatch.setattr(flying_beam, "SIZES", (0.2, 0.1))
    rows = flying_beam.run(Settings(repeats=1)).tables[0].rows
    assert [row[0] for row in rows[2:]] == ["MBDyn 9.9-stand-in, equal steps"] * 2
    assert all("MBDyn ended with status 1: " in str(row[6]) for row in rows[2:])
