"""A sweep on a real Dask scheduler with one worker, processes of their own on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is an extra: pip install 'fem_mbd[dask]'")

from tests.running.fake_runs import ROOT

SPEC = """
case = "pendulum"
[set]
end_time = 0.1
dt = 0.01
[grid]
damping = [1e-4, 1e-3]
[outputs]
steps = "steps"
"""
SWEEP = "import sys; from fem_mbd.cli.main import main; sys.exit(main())"


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


@pytest.mark.slow
def test_runs_of_a_scheduler(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    where, spec, out = tmp_path / "scheduler.json", tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC)
    local = ("--host", "127.0.0.1", "--scheduler-file", str(where), "--no-dashboard")
    scheduler = subprocess.Popen(
        python("-m", "distributed.cli.dask_scheduler", "--port", "0", *local), env=environment, cwd=tmp_path
    )
    worker = subprocess.Popen(
        python("-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *local),
        env=environment,
        cwd=tmp_path,
    )
    try:
        end = time.monotonic() + 60
        while not where.exists():
            assert time.monotonic() < end
            time.sleep(0.1)
        address = json.loads(where.read_text())["address"]
        assert "127.0.0.1" in address
        command = python("-c", SWEEP, "sweep", str(spec), "--out", str(out), "--no-plot", "--dask", address)
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert "2 done" in done.stdout
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait(30)


@pytest.mark.slow
def test_nobody_answers(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC)
    command = python(
        "-c", SWEEP, "sweep", str(spec), "--out", str(tmp_path / "out"), "--dask", "tcp://127.0.0.1:9"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "no scheduler answered within 10 s" in done.stderr
    assert not (tmp_path / "out").exists()
