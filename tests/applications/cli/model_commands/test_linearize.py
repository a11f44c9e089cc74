"""Tests of `fem-mbd linearize`: matrices on standard output and in files, messages."""

import json
from pathlib import Path

import numpy as np

import fem_mbd as fm
from tests.applications.cli.conftest import Says


def test_matrices_and_files(says: Says, tmp_path: Path) -> None:
    command = ["linearize", "cantilever", "--modes", "3", "--inputs", "strip@1.force[z]"]
    command += ["--outputs", "strip@1.displacement", "--json"]
    found = json.loads(says([*command, "--out", str(tmp_path / "new" / "beam.npz")]).out)
    assert found["inputs"] == ["strip@1.force[z]"] and len(found["outputs"]) == 3
    assert np.shape(found["A"]) == (6, 6) and np.shape(found["D"]) == (3, 1)
    kept = fm.StateSpace.load(found["file"])
    assert found["A"] == kept.A.tolist()
    said = says([*command[:-1], "--out", str(tmp_path / "beam.lin")]).out
    assert "6 states, 1 inputs, 3 outputs" in said and "input     1   strip@1.force[z] [N]" in said
    assert "A: 6 x 6" in (tmp_path / "beam.lin").read_text()


def test_bad_input(says: Says, tmp_path: Path) -> None:
    for more, said in (
        (["--inputs", "stirp@1.force"], "did you mean 'strip'"),
        (["--out", str(tmp_path / "beam.mat")], "known names: .lin, .npz"),
        (["--modes", "0"], "modes"),
        (["--speed", "nan"], "--speed is nan"),
    ):
        assert said in says(["linearize", "cantilever", *more], 2).err
    assert not list(tmp_path.iterdir())
