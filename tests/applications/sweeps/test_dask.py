"""Tests of sweeps on a real Dask scheduler with workers in separate processes, some of which are killed."""

import json
import os
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import parquet

pytest.importorskip("distributed", reason="Dask is an extra: pip install 'fem_mbd[dask]'")

from distributed.comm import CommClosedError

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.sweeps.executors import STOPPED, _outcome
from tests.runs.running.fake_runs import ROOT

pytestmark = pytest.mark.slow

SPEC = """
case = "pendulum"
[set]
end_time = 2.0
dt = 1e-3
elements = 1
[grid]
damping = [1e-4, 1e-3, 1e-2]
[outputs]
steps = "steps"
force = "max(hinge.force)"
"""
SWEEP = "import sys; from fem_mbd.applications.cli.main import main; sys.exit(main())"
PATIENCE = 120.0  # s, on a busy machine


class Cluster:
    """A scheduler and two workers of one thread each."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder, where = folder, folder / "scheduler.json"
        local = ("--host", "127.0.0.1", "--scheduler-file", str(where), "--no-dashboard")
        self.scheduler = self._start("distributed.cli.dask_scheduler", "--port", "0", *local)
        wait_for(where.exists)
        self.address = json.loads(where.read_text())["address"]
        assert self.address.startswith("tcp://127.0.0.1:")
        self.workers = [
            self._start("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *local)
            for _ in range(2)
        ]

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *arguments],
                env=environment(),
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(30)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def wait_for(happened: object) -> None:
    """Wait until a function returns True."""
    end = time.monotonic() + PATIENCE
    while not happened():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path / "cluster")
    yield made
    made.end()


def begin(folder: Path, address: str) -> subprocess.Popen[str]:
    """Start `fem-mbd sweep --dask` and wait until some of its runs have made progress."""
    folder.mkdir(exist_ok=True)
    spec, out = folder / "spec.toml", folder / "out"
    spec.write_text(SPEC)
    command = [
        sys.executable,
        "-c",
        SWEEP,
        "sweep",
        str(spec),
        "--out",
        str(out),
        "--no-plot",
        "--dask",
        address,
    ]
    sweep = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(
        lambda: any(f.stat().st_size > 200_000 for f in out.rglob("results.h5*")) or sweep.poll() is not None
    )
    return sweep


def forces(folder: Path) -> list[float]:
    table = parquet.read_table(folder / "out/table.parquet")
    assert table["status"].to_pylist() == ["done"] * 3
    return [float(v) for v in table["force"].to_pylist()]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    """The outputs of undisturbed runs."""
    folder = tmp_path_factory.mktemp("quiet")
    (folder / "spec.toml").write_text(SPEC)
    assert main(["sweep", str(folder / "spec.toml"), "--out", str(folder / "out"), "--quiet"]) == 0
    return forces(folder)


@pytest.mark.slow
def test_a_killed_worker_costs_no_run(tmp_path: Path, cluster: Cluster, quiet: list[float]) -> None:
    sweep = begin(tmp_path / "sweep", cluster.address)
    cluster.workers[0].kill()
    said, complaint = sweep.communicate(timeout=300)
    assert sweep.returncode == 0, complaint
    assert "3 done" in said
    assert forces(tmp_path / "sweep") == quiet


@pytest.mark.slow
def test_a_killed_scheduler_ends_the_sweep_which_goes_on_with_another(
    tmp_path: Path, cluster: Cluster, quiet: list[float]
) -> None:
    folder = tmp_path / "sweep"
    sweep = begin(folder, cluster.address)
    cluster.scheduler.kill()
    _, complaint = sweep.communicate(timeout=300)
    assert sweep.returncode == 3, complaint
    assert "the scheduler" in complaint and "repeat the sweep" in complaint
    assert "Traceback" not in complaint
    cluster.end()
    other = Cluster(tmp_path / "other")
    try:
        again = begin(folder, other.address)
        said, complaint = again.communicate(timeout=300)
    finally:
        other.end()
    assert again.returncode == 0, complaint
    assert "3 done" in said
    assert forces(folder) == quiet


class BrokenOff:
    """A finished task whose result cannot be fetched, as the connection has closed."""

    def cancelled(self) -> bool:
        return False

    def exception(self) -> None:
        return None

    def result(self) -> None:
        raise CommClosedError("Stream is closed")


def test_a_scheduler_lost_while_a_result_is_fetched_stops_the_run() -> None:
    outcome = _outcome(BrokenOff(), "run 1")
    assert outcome.status == STOPPED and "the scheduler is lost" in outcome.reason


@pytest.mark.slow
def test_nobody_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fem_mbd.applications.sweeps.executors.CONNECT_TIMEOUT", 1.0)
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC)
    assert main(["sweep", str(spec), "--out", str(out), "--dask", "tcp://127.0.0.1:9"]) == 2
    assert "no scheduler answered within 1 s" in capsys.readouterr().err
    assert not out.exists()


def test_something_else_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A web server, whose reply Dask interprets as a huge length in bytes."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC)

    class Web(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Web) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.server_address[1]}"
        assert main(["sweep", str(spec), "--out", str(tmp_path / "out"), "--dask", address]) == 2
        server.shutdown()
    assert f"--dask {address}: no scheduler answered" in capsys.readouterr().err
