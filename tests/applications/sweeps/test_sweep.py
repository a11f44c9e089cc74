"""Tests of whole sweeps: table, skipped runs, failures, killed workers and sweeps, job arrays, Dask."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.applications.sweeps.sweep import run_spec
from fem_mbd.errors import InputError
from tests.applications.sweeps import studies
from tests.runs.running.fake_runs import ROOT

pytestmark = pytest.mark.slow

G, END = studies.GRAVITY, studies.END
HEIGHTS, SPEEDS = [0.0, 1.0, 2.0], [0.0, 5.0]
LAST = {"last": "final(ball.position[2])", "steps": "steps"}
SPEC = """
case = "pendulum"
[set]
end_time = 0.1
dt = 0.01
[grid]
damping = [1e-4, 1e-3, 1e-2]
[outputs]
steps = "steps"
force = "max(hinge.force)"
"""


def test_table_has_the_closed_forms(tmp_path: Path) -> None:
    table = fm.sweep(
        studies.thrown, tmp_path, grid={"height": HEIGHTS, "speed": SPEEDS}, outputs=LAST, processes=2
    )
    assert table.counts() == {"done": 6}
    for row in table.rows:
        assert row["last"] == pytest.approx(row["height"] + row["speed"] * END - G * END**2 / 2)
    with (tmp_path / "table.csv").open() as file:
        written = list(csv.DictReader(file))
    stored = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert [float(row["last"]) for row in written] == [row["last"] for row in stored] == table.column("last")
    assert stored[0]["status"] == "done" and isinstance(stored[0]["steps"], int)
    data = table.to_xarray()
    assert data["last"].dims == ("height", "speed")
    assert data["last"].sel(height=2.0, speed=5.0).item() == pytest.approx(2 + 5 * END - G * END**2 / 2)
    with pytest.raises(InputError, match="no column"):
        table.column("lost")


def test_without_pyarrow_the_table_is_written_as_csv_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.parquet").write_text("of an earlier call")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    fm.sweep(studies.thrown, tmp_path, grid={"height": HEIGHTS}, outputs=LAST, processes=1)
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 1 + len(HEIGHTS)
    assert not (tmp_path / "table.parquet").exists()


def test_a_repeat_runs_what_is_missing_only(tmp_path: Path) -> None:
    fm.sweep(studies.thrown, tmp_path, grid={"height": [0.0, 1.0]}, outputs=LAST, processes=1)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("results.h5")}
    table = fm.sweep(studies.thrown, tmp_path, grid={"height": HEIGHTS}, outputs=LAST, processes=1)
    assert len(files) == 2 and table.counts() == {"done": 3}
    assert {path: path.stat().st_mtime_ns for path in files} == files
    more = LAST | {"first": "max(ball.position[2])"}
    again = fm.sweep(studies.thrown, tmp_path, grid={"height": HEIGHTS}, outputs=more, processes=1)
    # a complete run is read again for newly requested outputs, not repeated
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert again.column("last") == table.column("last") and None not in again.column("first")


def test_failures_are_reported_and_the_others_go_on(tmp_path: Path) -> None:
    table = fm.sweep(studies.refusing, tmp_path, grid={"number": [2, 3, 4]}, outputs=LAST, processes=1)
    assert table.column("status") == ["done", "failed", "done"]
    assert "odd" in table.rows[1]["reason"]
    assert table.rows[1]["last"] is None


def test_a_run_that_kills_its_workers_is_given_up(tmp_path: Path) -> None:
    table = fm.sweep(studies.deadly, tmp_path, fixed={}, grid={"number": [0, 1, 2, 3]}, processes=2)
    # the first run is also built here, to check outputs: there are none
    assert table.column("status") == ["done", "done", "lost", "done"]
    assert "-9" in table.rows[2]["reason"]


def test_thinned_records_and_results_that_are_not_kept(tmp_path: Path) -> None:
    """A case's checks need complete records; its outputs do not."""
    grid = {"damping": [1e-3]}
    fixed = {"end_time": 0.1, "dt": 0.01}
    for keep in (True, False):
        out = tmp_path / str(keep)
        record = fm.Record(every=3, keep=keep)
        table = fm.sweep(
            "pendulum", out, fixed=fixed, grid=grid, outputs={"n": "steps"}, record=record, processes=1
        )
        assert table.column("n") == [10]
        assert len(list(out.rglob("results.h5"))) == int(keep)
        again = fm.sweep(
            "pendulum", out, fixed=fixed, grid=grid, outputs={"n": "steps"}, record=record, processes=1
        )
        assert again.column("n") == [10]


def test_checks_are_made_where_they_are_asked_for(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "case": "pendulum",
        "fixed": {"end_time": 0.1, "dt": 0.01},
        "grid": {"damping": [1e-3]},
    }
    for name, outputs, checks, made in (
        ("default", {}, None, False),
        ("no", {}, False, False),
        ("yes", {}, True, True),
        ("an output", {"e": "checks.energy balance"}, None, True),
    ):
        spec = Spec(**asked, record=fm.Record(checks=checks), outputs=outputs)
        run_spec(spec, tmp_path / name, processes=1)
        (summary,) = (tmp_path / name).rglob("summary.json")
        assert bool(json.loads(summary.read_text())["checks"]) is made
    # the runs without checks are made again
    run_spec(Spec(**asked, record=fm.Record(checks=True)), tmp_path / "default", processes=1)
    assert json.loads((next((tmp_path / "default").rglob("summary.json"))).read_text())["checks"]
    refused = Spec(**asked, record=fm.Record(checks=False), outputs={"e": "checks.energy balance"})
    with pytest.raises(InputError, match="checks is false"):
        run_spec(refused, tmp_path / "refused")


def test_functions_that_cannot_be_imported_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="module of its own"):
        fm.sweep(lambda height: studies.thrown(height), tmp_path, grid={"height": [1.0]})
    assert list(tmp_path.iterdir()) == []


LONG = """
import sys
import fem_mbd as fm
from tests.applications.sweeps import studies
fm.sweep(studies.thrown, sys.argv[1], fixed={"slow": 400}, grid={"height": [0.0, 1.0, 2.0]},
         outputs={"last": "final(ball.position[2])", "steps": "steps"}, processes=2)
"""


def begun(folder: Path) -> subprocess.Popen[bytes]:
    """A sweep of runs of 4,000 steps in a separate process, after its first run has made progress."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", LONG, str(folder)], env=environment)
    end = time.monotonic() + 120
    while not any(path.stat().st_size > 50_000 for path in folder.rglob("results.h5*")):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    return process


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(number) for number in text.split()]


def finished(folder: Path) -> list[float]:
    """The final heights when the sweep is repeated here."""
    table = fm.sweep(
        studies.thrown, folder, fixed={"slow": 400}, grid={"height": HEIGHTS}, outputs=LAST, processes=2
    )
    assert table.counts() == {"done": 3}
    assert table.column("steps") == [4000] * 3
    return table.column("last")


@pytest.mark.slow
def test_killed_workers_and_sweeps_cost_no_run(tmp_path: Path) -> None:
    """The numbers are those of undisturbed runs, bit for bit."""
    quiet = finished(tmp_path / "quiet")
    assert quiet == pytest.approx([h - G * END**2 / 2 for h in HEIGHTS])
    sweep = begun(tmp_path / "worker")
    os.kill(workers_of(sweep)[0], signal.SIGKILL)
    assert sweep.wait(300) == 0
    assert parquet.read_table(tmp_path / "worker" / "table.parquet")["last"].to_pylist() == quiet
    sweep = begun(tmp_path / "whole")
    orphans = workers_of(sweep)
    sweep.kill()
    sweep.wait(60)
    end = time.monotonic() + 120
    while any(Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) for pid in orphans):
        assert time.monotonic() < end, "a worker outlives its sweep"
        time.sleep(0.05)
    assert finished(tmp_path / "whole") == quiet


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def command(folder: Path, *more: str) -> int:
    """`fem-mbd sweep` of the spec above."""
    spec = folder / "spec.toml"
    spec.write_text(SPEC)
    return main(["sweep", str(spec), "--out", str(folder / "out"), *more])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--plan") == 0
    assert capsys.readouterr().out == "3 runs\n"
    assert not (tmp_path / "out").exists()
    assert command(tmp_path, "--processes", "1") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "<RunTable of 3 runs: 3 done>"
    assert all(Path(line).stat().st_size > 1000 for line in said[2:]) and len(said) == 4
    folders = list((tmp_path / "out" / "runs").iterdir())
    summaries = [json.loads((folder / "summary.json").read_text()) for folder in folders]
    assert sorted(s["parameters"]["damping"] for s in summaries) == [1e-4, 1e-3, 1e-2]
    assert command(tmp_path, "--part", "4/3") == 2
    assert "K from 1 to N" in capsys.readouterr().err
