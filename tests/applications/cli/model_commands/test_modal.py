"""Tests of `fem-mbd modal` and `fem-mbd campbell`: text, figures, errors."""

import json
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.applications.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_modal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = run(capsys, "modal", "cantilever", "--modes", "4", "--out", str(tmp_path))
    assert len(found["frequencies_hz"]) == len(found["damping_ratios"]) == 4
    assert found["frequencies_hz"] == sorted(found["frequencies_hz"])
    assert found["mass_kg"] > 0 and found["stable"]
    assert (tmp_path / "modes.png").stat().st_size > 10_000
    faster = run(capsys, "modal", "cantilever", "--modes", "4", "--speed", "50")
    assert faster["speed_rad_s"] == 50 and faster["figures"] == []
    assert faster["frequencies_hz"][0] != pytest.approx(found["frequencies_hz"][0], rel=1e-3)


def test_campbell_in_both_frames(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = run(
        capsys, "campbell", "cantilever", "--speeds", "0:40:3", "--modes", "3", "--out", str(tmp_path)
    )
    assert found["speeds_rad_s"] == [0.0, 20.0, 40.0]
    assert np.shape(found["frequencies_hz"]) == np.shape(found["damping_ratios"]) == (3, 3)
    assert {path.name for path in tmp_path.iterdir()} == {"campbell.png", "modes.png"}
    table = tmp_path / "new" / "strip.cmb"
    again = run(capsys, "campbell", "cantilever", "--speeds", "0:40:2", "--modes", "3", "--cmb", str(table))
    assert again["table"] == str(table) and found["table"] is None
    assert np.loadtxt(table)[:, 1:4] == pytest.approx(np.array(again["frequencies_hz"]), rel=1e-6)
    assert main(["campbell", "cantilever", "--speeds", "0:40:2", "--cmb", "strip.txt"]) == 2
    assert "has to end in .cmb" in capsys.readouterr().err
    assert main(["campbell", "cantilever"]) == 2
    assert "give --speeds" in capsys.readouterr().err
    assert main(["campbell", "cantilever", "--speeds", "0:40:2", "--frame", "inertial"]) == 2
    assert "nothing is free to spin" in capsys.readouterr().err


@pytest.mark.parametrize("speeds", ["0:2", "2:1:5", "a:b:c", "0:2:1", "-1:2:4"])
def test_speeds_that_are_none(speeds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["campbell", "cantilever", f"--speeds={speeds}"])
    assert "--speeds" in capsys.readouterr().err


def test_bad_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["modal", "cantilever", "--modes", "0"]) == 2
    assert main(["modal", "cantilever", "--speed", "nan"]) == 2
    assert main(["modal", "crank_mechanism"]) == 2
    assert "no structure at rest" in capsys.readouterr().err
