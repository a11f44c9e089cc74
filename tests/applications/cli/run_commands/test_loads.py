"""Tests of `fem-mbd loads`: tables, figure, errors."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.options import LOADS_EXPONENTS
from fem_mbd.applications.cli.reports import BAD_INPUT, OK
from fem_mbd.cases import articulated_rotor
from fem_mbd.output.section_loads.loads import EXPONENTS
from tests.applications.cli.conftest import Says


def test_loads_of_a_case(tmp_path: Path, capsys: pytest.CaptureFixture[str], says: Says) -> None:
    """The blade's root carries its centrifugal force, m Omega^2 r, reduced by flapping."""
    run, p = str(tmp_path / "run"), articulated_rotor.Parameters(number=2, steps=20, revolutions=1.0)
    settings = ["number=2", "steps=20", "revolutions=1"]
    assert main(["run", "articulated_rotor", "--set", *settings, "--out", run]) == OK
    capsys.readouterr()
    names = ["RootFzc1", "RootMyc1"]
    said = says(["loads", run, "--channels", *names, "--after", "0.05", "--exponents", "10"]).out
    assert said.splitlines()[0].split()[:2] == ["channel", "unit"] and "DEL m=10 at 1 Hz" in said
    folder = tmp_path / "run" / "loads"
    assert (folder / "loads.png").stat().st_size > 10_000
    table = np.loadtxt(folder / "loads.csv", delimiter=",", skiprows=1)
    assert table.shape[1] == 3 and table[0, 0] > 0.05
    length, middle = p.radius - p.root, 0.5 * (p.radius + p.root)
    assert table[:, 1].mean() == pytest.approx(p.mass * length * p.speed**2 * middle, rel=2e-2)
    assert "no load channel 'RootFzc3'" in says(["loads", run, "--channels", "RootFzc3"], BAD_INPUT).err
    assert "nothing is recorded after 9 s" in says(["loads", run, "--after", "9"], BAD_INPUT).err


def test_a_run_without_stations_says_so(tmp_path: Path, says: Says) -> None:
    run = str(tmp_path / "run")
    assert main(["run", "pendulum", "--set", "end_time=0.01", "--out", run]) == OK
    assert "no load stations" in says(["loads", run], BAD_INPUT).err


def test_the_grammar_tells_what_the_library_does() -> None:
    assert LOADS_EXPONENTS == EXPONENTS
