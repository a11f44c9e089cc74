"""Tests of `fem-mbd linearize`: matrices on standard output and in files, messages."""

import json
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main


def test_matrices_and_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["linearize", "cantilever", "--modes", "3", "--inputs", "strip@1.force[z]"]
    command += ["--outputs", "strip@1.displacement", "--json"]
    assert main([*command, "--out", str(tmp_path / "new" / "beam.npz")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["inputs"] == ["strip@1.force[z]"] and len(found["outputs"]) == 3
    assert np.shape(found["A"]) == (6, 6) and np.shape(found["D"]) == (3, 1)
    kept = fm.StateSpace.load(found["file"])
    assert found["A"] == kept.A.tolist()
    assert main([*command[:-1], "--out", str(tmp_path / "beam.lin")]) == 0
    said = capsys.readouterr().out
    assert "6 states, 1 inputs, 3 outputs" in said and "input     1   strip@1.force[z] [N]" in said
    assert "A: 6 x 6" in (tmp_path / "beam.lin").read_text()


def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for more, said in (
        (["--inputs", "stirp@1.force"], "did you mean 'strip'"),
        (["--out", str(tmp_path / "beam.mat")], "known names: .lin, .npz"),
        (["--modes", "0"], "modes"),
        (["--speed", "nan"], "--speed is nan"),
    ):
        assert main(["linearize", "cantilever", *more]) == 2
        assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
