"""The command started by mpiexec: one file, one message, and an end for all ranks whatever happens to one of them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cli.main import main
from fem_mbd.results.result import Result
from tests.mpi_tools import mpiexec

STUDY = """
import os, signal
from dataclasses import dataclass
import numpy as np
from fem_mbd import Model, Simulation, StepControl
from fem_mbd.case import Case
from fem_mbd.elements import Beam, Force, Section
from fem_mbd.errors import InputError
from fem_mbd.linear_solvers.petsc import rank_of

@dataclass(frozen=True)
class Parameters:
    trouble: str = ""
    rank: int = 1

sent = []

def build(p):
    if p.trouble == "build" and rank_of()[0] == p.rank:
        raise ZeroDivisionError("a bug")
    model = Model(name="pulled")
    section = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
    beam = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=10, order=2))
    model.fix(beam.start)
    def pull(t):
        if t > 0.05 and p.trouble and rank_of()[0] == p.rank:
            happen(p.trouble)
        return np.array([0.0, t, 0.0])
    model.add(Force(beam.end, pull))
    return Simulation(model, StepControl.fixed(1e-3), 0.1)

def happen(trouble):
    if trouble == "input":
        raise InputError("the pull has no value here")
    if not sent:
        sent.append(os.kill(os.getpid(), signal.SIGTERM))

CASE = Case("pulled", "a beam that is pulled", Parameters, build, lambda r, p: [], lambda r, p, f: [])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pulled").mkdir()
    (tmp_path / "pulled/__init__.py").write_text(STUDY)
    return tmp_path


def fem_mbd(ranks: int, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command on so many ranks."""
    return mpiexec(ranks, "-m", "fem_mbd.cli.start", *words, folder=folder)


def own_lines(text: str) -> list[str]:
    """Those of the command, without mpiexec's."""
    return [line for line in text.splitlines() if line.startswith("fem-mbd")]


@pytest.mark.slow
def test_two_ranks_write_what_one_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("run", "lattice", "--set", "cells=4", "--set", "steps=16", "--checkpoint-every", "6", "--out")
    done = fem_mbd(2, *words, "two", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(re.findall("frequency", done.stdout)) == 1
    assert main([*words, "one", "--no-plot", "--quiet"]) == 0
    with Result.open("one") as one, Result.open("two") as two:
        for name in ("position", "velocity", "section_force", "reaction"):
            a, b = one.outputs[name], two.outputs[name]
            assert np.abs(a - b).max() <= 1e-10 * np.abs(a).max()
    assert sorted(p.name for p in Path("two").iterdir()) == ["figures", "results.h5", "summary.json"]
    assert json.loads(Path("two/summary.json").read_text())["status"] == "complete"


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_an_error_of_one_rank_ends_all_with_one_message(folder: Path, rank: int) -> None:
    words = ("run", "./pulled", "--set", f"rank={rank}", "--out", "out", "--set")
    done = fem_mbd(2, *words, "trouble=build", folder=folder)
    assert done.returncode == 2
    assert done.stderr.count("a bug") == len(own_lines(done.stderr)) == 1
    done = fem_mbd(2, *words, "trouble=input", folder=folder)
    assert done.returncode == 3
    assert "failed: step from t = 0.04" in done.stderr and len(own_lines(done.stderr)) == 1


@pytest.mark.slow
def test_a_signal_to_one_rank_ends_all_and_the_run_resumes_to_the_same_end(folder: Path) -> None:
    words = ("run", "./pulled", "--checkpoint-every", "20", "--out")
    assert fem_mbd(2, *words, "whole", folder=folder).returncode == 0
    done = fem_mbd(2, *words, "out", "--set", "trouble=signal", folder=folder)
    assert done.returncode == 143
    assert "interrupted: SIGTERM at t = 0.05" in done.stderr
    study = folder / "pulled/__init__.py"
    study.write_text(STUDY.replace('trouble == "input"', "True").replace("raise InputError", "return; "))
    assert fem_mbd(2, "resume", "out", folder=folder).returncode == 0
    with Result.open(folder / "whole") as whole, Result.open(folder / "out") as out:
        assert len(out.time) == len(whole.time) == 100
        assert (out.outputs["position"] == whole.outputs["position"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words, said",
    [
        (("run", "nonesuch"), "there is no case 'nonesuch'"),
        (
            ("run", "./pulled", "--set", "trouble=input", "--set", "rank=5", "--quantities", "no"),
            "gives no output 'no'",
        ),
    ],
)
def test_bad_input_is_told_once(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = fem_mbd(2, *words, "--out", "out", folder=folder)
    assert done.returncode == 2
    assert len(own_lines(done.stderr)) == 1 and said in done.stderr
    assert not (folder / "out").exists()


@pytest.mark.slow
def test_more_ranks_than_parts(folder: Path) -> None:
    done = fem_mbd(12, "run", "./pulled", "--out", "out", folder=folder)
    assert done.returncode == 2
    assert "12 ranks for model 'pulled' of 11 parts" in done.stderr
