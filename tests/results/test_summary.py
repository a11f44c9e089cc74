"""`summary.json`: written in one go, and JSON that any reader takes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.results.checks import at_most
from fem_mbd.results.summary import finite_json, write_summary
from fem_mbd.running.runs import run
from tests.running.fake_simulation import FakeSimulation


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    checks = [at_most("broken", float("nan"), 1.0, "nothing")]
    path = write_summary(tmp_path, {"parameters": {"dt_max": float("inf")}, "n": np.int64(3)}, checks)
    content = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert content["parameters"]["dt_max"] is None and content["n"] == 3
    assert content["checks"] == [
        {"name": "broken", "value": None, "bound": 1.0, "passed": False, "source": "nothing"}
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
