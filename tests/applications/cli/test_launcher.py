"""Tests of the command started by mpiexec or srun: one model runs in one process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.applications.cli.completed_run import PMIX, SIZES, check_one_process
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import BAD_INPUT
from fem_mbd.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
RUN = ("run", "pendulum", "--set", "end_time=0.01", "--no-plot", "--quiet", "--out", "out")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables of the launcher of the tests."""
    for name in (*SIZES, PMIX):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", SIZES[:2])
def test_several_processes_are_told_what_to_do_instead(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, "2")
    for words in (RUN, ("resume", "out")):
        assert main(words) == BAD_INPUT
        said = capsys.readouterr().err
        assert "2 processes were started for one run, but one model runs in one process" in said
        assert "FEM_MBD_THREADS" in said and "fem-mbd sweep" in said
    assert not Path("out").exists()


def test_tasks_of_slurm_are_refused_where_they_belong_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "8")
    check_one_process()
    monkeypatch.setenv(PMIX, "0")
    with pytest.raises(InputError, match="8 processes"):
        check_one_process()


def test_one_process_of_a_launcher_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")
    check_one_process()


def test_mpiexec_ends_with_the_message(tmp_path: Path) -> None:
    launcher = shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("no mpiexec here")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_btl": "self,vader",  # shared memory: no network, nothing listens
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [launcher, "-n", "2", sys.executable, "-m", "fem_mbd", *RUN],
        cwd=tmp_path,
        env={**inherited, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == BAD_INPUT
    assert "fem-mbd: error: 2 processes were started for one run" in done.stderr
    assert not (tmp_path / "out").exists()
