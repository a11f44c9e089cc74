"""Tests of `fem-mbd static`: numbers, figure, exit statuses."""

import json
from pathlib import Path

import pytest

from fem_mbd import cases
from fem_mbd.applications.cli.main import main
from tests.analysis.statics.test_equilibrium import arch
from tests.applications.cli.conftest import Says


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["static", "cantilever", "--json", *arguments]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_published_tip_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Princeton beam at 0 and 90 degrees; the support carries the load; with --json no figure is drawn unless
    requested.
    """
    edgewise = found(capsys, "--set", "angle=0")
    assert edgewise["tip_displacement"] == pytest.approx([-0.00003391, 0.00535954, 0.0], abs=2e-8)
    flatwise = found(capsys, "--set", "angle=90", "--out", str(tmp_path))
    assert flatwise["tip_displacement"] == pytest.approx([-0.00725995, 0.07808187, 0.0], abs=2e-8)
    assert flatwise["reactions"]["strip.0"][:3] == pytest.approx([0, -4.448, 0], abs=1e-6)
    assert flatwise["load_factor"] == 1.0 and flatwise["path"]["load_factors"][0] == 0.0
    assert edgewise["figures"] == [] and [Path(f).stat().st_size > 1e4 for f in flatwise["figures"]] == [True]


def test_in_rotation(capsys: pytest.CaptureFixture[str]) -> None:
    """The force at the root is the integral of rho A w^2 r, minus the effect of bending."""
    turning = found(capsys, "--speed", "50", "--load-factor", "0.001")
    pull = 2700 * 12.377e-3 * 3.2024e-3 * 50**2 * 0.508**2 / 2
    assert turning["reactions"]["strip.0"][0] == pytest.approx(-pull, rel=1e-4)
    assert turning["speed_rad_s"] == 50 and turning["path"]["speeds_rad_s"][0] == 0


def test_for_people(says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = says(["static", "cantilever", "--buckling", "1", "--load-factor", "0.5"]).out
    assert "position of strip.12 [m]" in said and "critical load factors" in said
    assert (tmp_path / "results" / "cantilever-static" / "static.png").exists()


def test_statuses(says: Says) -> None:
    assert "give --speed" in says(["static", "cantilever", "--azimuth", "10"], 2).err
    assert "no node 'strip.99'" in says(["static", "cantilever", "--tip", "strip.99"], 2).err
    assert "no structure at rest" in says(["static", "pendulum"], 2).err


def test_beyond_a_limit_point(
    capsys: pytest.CaptureFixture[str], says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Load stepping reports where equilibrium is lost, status 3; along the path the load is reached, with a warning."""
    monkeypatch.setattr(cases, "model_of", lambda case, parameters: arch(4000.0)[0])
    told = says(["static", "cantilever", "--json"], 3)
    assert told.out == "" and "lost beyond load factor 0.0410" in told.err
    data = found(capsys, "--arc-length")
    assert data["limit_points"] == pytest.approx([0.041095, 0.017864], rel=1e-3)
    assert "limit points at" in data["warnings"][0]
