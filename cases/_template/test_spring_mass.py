"""Tests of the study: it passes its own checks, and they detect a wrong model: `python -m pytest spring_mass`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fem_mbd.cases import load_case
from fem_mbd.errors import InputError
from fem_mbd.runs.running.runs import run

CASE = load_case(Path(__file__).parent)
DEFAULTS = CASE.parameters()


def test_checks_pass_and_figures_are_drawn(tmp_path: Path) -> None:
    result = run(CASE.build(DEFAULTS))
    checks = CASE.checks(result, DEFAULTS)
    assert len(checks) >= 3 and all(check.passed for check in checks), checks
    assert all(file.exists() for file in CASE.plot(result, DEFAULTS, tmp_path))


def test_a_softer_spring_is_noticed() -> None:
    result = run(CASE.build(replace(DEFAULTS, stiffness=150.0)))
    assert not all(check.passed for check in CASE.checks(result, DEFAULTS))


def test_a_negative_mass_is_refused() -> None:
    with pytest.raises(InputError, match="mass"):
        replace(DEFAULTS, mass=-1.0)
