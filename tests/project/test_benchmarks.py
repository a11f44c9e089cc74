"""Tests of the benchmarks, except their timings: orders of convergence, energy balance, goals, the files they write."""

import json
import math
import sys

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks.comparison import reference
from benchmarks.comparison.curves import cost_at
from benchmarks.comparison.study import Settings
from benchmarks.costs import law_cost
from benchmarks.reports import results
from benchmarks.reports.report import Report
from fem_mbd import friction

pytestmark = pytest.mark.slow

QUICK = Settings(quick=True, repeats=1, peer=False)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Quick runs of all benchmarks; converged references are computed anew, not read from an earlier run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "FOLDER", tmp_path_factory.mktemp("references"))
        return {name: run(QUICK) for name, run in command.BENCHMARKS.items()}


def column(report: Report, name: str) -> list[float]:
    table = report.tables[0]
    return [float(row[table.columns.index(name)]) for row in table.rows]


@pytest.mark.parametrize("name", ["right_angle", "spin_up"])
def test_errors_fall_with_the_third_power_of_the_step(name: str, reports: dict[str, Report]) -> None:
    parameters, errors = column(reports[name], "parameter"), column(reports[name], "error")
    order = math.log(errors[0] / errors[-1]) / math.log(parameters[0] / parameters[-1])
    assert order == pytest.approx(3.0, abs=0.2)


@pytest.mark.parametrize("name", ["right_angle", "spin_up", "flying_beam", "slider_crank_clearance"])
def test_energy_balance_closes(name: str, reports: dict[str, Report]) -> None:
    assert max(column(reports[name], "ledger")) < 1e-11


def test_goals_without_timings_are_reached(reports: dict[str, Report]) -> None:
    goals = [goal for report in reports.values() for goal in report.goals if not goal.timed]
    assert goals
    assert not [goal.text() for goal in goals if not goal.reached]


def test_document_lists_timings_last(
    reports: dict[str, Report], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PATH", tmp_path / "RESULTS.md")
    text = results.write(list(reports.values())).read_text()
    first, second = text.split("## Seconds")
    assert "| ms/step |" not in first and "| ms/step |" in second
    assert all(f"### {report.title}" in first for report in reports.values())


def test_writing_one_benchmark_keeps_the_sections_of_the_others(
    reports: dict[str, Report], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PATH", tmp_path / "RESULTS.md")
    both = results.sections(results.write([reports["chain"], reports["spin_up"]]).read_text())
    changed = Report("spin_up", reports["spin_up"].title, "Another text.")
    after = results.sections(results.write([changed]).read_text())
    assert list(after) == list(both) and len(both) == 4
    differ = {key for key in both if both[key] != after[key]}
    assert {title for _, title in differ} == {changed.title}
    assert "Another text." in after[results.HEADINGS[0], changed.title]


def test_every_law_has_its_cost(reports: dict[str, Report]) -> None:
    """Every law that the package exports."""
    bases = {"CylinderLaw", "FrictionLaw", "Law", "NormalLaw", "RestitutionLaw"}
    laws = {name for name in dir(friction) if hasattr(getattr(friction, name), "record")} - bases
    rows = [row for table in reports["law_cost"].tables for row in table.rows]
    assert laws <= {str(row[0]).split()[0] for row in rows}
    assert all(np.isfinite(float(row[law_cost.CONTACT])) for row in rows)
    states = {row[0]: row[law_cost.COLUMNS.index("states")] for row in rows}
    assert states["Frictionless"] == 0 and int(states["Bristles, largest"]) > 50


def test_json_option_prints_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "flying_beam", "--quick", "--no-peer", "--json"])
    assert command.main() == 0
    (report,) = json.loads(capsys.readouterr().out)["benchmarks"]
    assert report["name"] == "flying_beam"


def test_total_error_falls_with_mesh_and_step(reports: dict[str, Report]) -> None:
    (first, second), (long, short) = (column(reports["total_error"], n) for n in ("elements", "parameter"))
    assert second > first and short < long
    coarse, fine = column(reports["total_error"], "total error")
    assert fine < 0.5 * coarse


def test_figures_are_written_beside_the_document(
    reports: dict[str, Report], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PATH", tmp_path / "RESULTS.md")
    text = results.write([reports["spin_up"]]).read_text()
    assert "(figures/spin_up.png)" in text.split("## Seconds")[1]
    assert (tmp_path / "figures" / "spin_up.png").read_bytes().startswith(b"\x89PNG")


def test_start_up_is_timed_for_the_help_and_for_a_first_step(reports: dict[str, Report]) -> None:
    assert [row[0] for row in reports["start_up"].tables[0].rows] == ["--help", "pendulum"]


def test_a_dominated_run_does_not_count() -> None:
    """A run with both larger error and larger cost than another one is left out."""
    errors, costs = [4e-3, 1e-3, 2e-3], [1.0, 2.0, 4.0]
    assert cost_at(2e-3, errors, costs) == pytest.approx(cost_at(2e-3, errors[:2], costs[:2]))


def test_where_larger_errors_cost_more_the_cheapest_run_counts() -> None:
    """Runs with steps so long that attempts are rejected cost more; outside the range of the runs the cost is NaN."""
    errors, costs = [1e-4, 1e-3, 1e-2], [0.2, 0.25, 0.3]
    assert cost_at(5e-3, errors, costs) == 0.2
    assert np.isnan(cost_at(2e-2, errors, costs)) and np.isnan(cost_at(5e-5, errors, costs))


def test_cost_between_runs_follows_the_power_law() -> None:
    """Interpolation in logarithmic axes between two runs reproduces cost = error^(-1/3)."""
    errors = [1e-3, 1e-6]
    assert cost_at(1e-4, errors, [e ** (-1 / 3) for e in errors]) == pytest.approx(1e-4 ** (-1 / 3))
