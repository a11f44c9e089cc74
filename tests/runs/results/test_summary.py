"""Tests of `summary.json`: written atomically, and valid JSON."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.core.scheme.ledger import ROUND_OFF
from fem_mbd.runs.results.checks import at_most
from fem_mbd.runs.results.summary import finite_json, write_summary
from fem_mbd.runs.running.runs import run
from tests.runs.running.fake_simulation import FakeSimulation


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    checks = [at_most("broken", float("nan"), 1.0, "nothing")]
    path = write_summary(tmp_path, {"parameters": {"dt_max": float("inf")}, "n": np.int64(3)}, checks)
    content = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert content["parameters"]["dt_max"] is None and content["n"] == 3
    assert content["checks"] == [
        {"name": "broken", "value": None, "bound": 1.0, "passed": False, "source": "nothing", "known": ""}
    ]
    assert finite_json((np.float64(np.inf), np.array([1.0, np.nan]))) == [None, [1.0, None]]


def test_old_summary_stays_until_the_new_one_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_summary(tmp_path, {"status": "old"}, [])

    def disk_is_full(handle: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", disk_is_full)
    with pytest.raises(OSError, match="no space"):
        write_summary(tmp_path, {"status": "new"}, [])
    assert json.loads(path.read_text())["status"] == "old"


def test_energy_scale_of_a_killed_run_is_rebuilt() -> None:
    result = run(FakeSimulation(20))
    result.log.pop("energy_scale")
    scale = result.summary["energy"]["scale"]
    kinetic = result.energy["kinetic"]  # all columns of the fake ledger are alike
    assert scale == pytest.approx(np.max(3 * kinetic + 2 * np.cumsum(kinetic)))


def audit(residuals: list[float], scale: float, round_off: float | list[float]) -> dict[str, float]:
    result = run(FakeSimulation(len(residuals)))
    result.energy["residual"][:] = residuals
    result.step["round_off"][:] = round_off
    result.log.update(energy_scale=scale)
    return result.summary["energy"]


def test_residuals_are_added_up() -> None:
    """A systematic residual of a thousandth per step is hidden in the largest step, not in the sum."""
    energy = audit([1e-3] * 20 + [-1e-3], 2.0, 0.0)
    assert energy["relative"] == pytest.approx(5e-4)
    assert energy["relative_sum"] == pytest.approx(20 * 5e-4)


def test_round_off_excuses_only_what_it_can_make() -> None:
    tiny = audit([1e-28, -2e-28], 1e-28, 1e-27)
    assert tiny["relative"] == pytest.approx(0.2 * ROUND_OFF, rel=1e-6, abs=0.0)
    assert audit([1e-28, 2e-27], 1e-28, 1e-27)["relative"] == pytest.approx(20)
    # in a step so short that its reactions are round-off, only its own residual is excused
    assert audit([1e-5, 1e-13], 1.0, [1e-4, 1e-15])["relative"] == pytest.approx(1e-13, rel=1e-6, abs=0.0)
    assert audit([1e-13, 1e-5], 1.0, [1e-4, 1e-15])["relative"] == pytest.approx(1e-5)
    # with large energies it is the plain ratio
    assert audit([1e-13, 1e-13], 1.0, 1e-12)["relative"] == pytest.approx(1e-13, rel=1e-6, abs=0.0)
