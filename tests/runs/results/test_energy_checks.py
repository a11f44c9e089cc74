"""Tests of the energy-balance checks: a systematic error over many steps is detected, random round-off is not."""

import numpy as np
import pytest

from fem_mbd.core.scheme.ledger import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.runs.results.checks import BOUND, balance, friction_gain


@pytest.mark.parametrize(("signs", "passes"), [("either", True), ("one", False)])
def test_sum_over_the_steps_finds_an_error_with_a_sign(signs: str, passes: bool) -> None:
    steps = 10_000
    residual = np.full(steps, 0.5 * BOUND)
    if signs == "either":
        residual *= np.random.default_rng(3).choice((-1.0, 1.0), steps)
    largest, summed = np.abs(residual).max(), np.abs(np.cumsum(residual)).max()
    each, together = balance(
        {"steps": steps, "energy": {"relative": float(largest), "relative_sum": float(summed)}}
    )
    assert each.passed and together.passed is passes
    assert together.bound == pytest.approx(100 * BOUND)


def test_a_run_without_steps_has_a_closed_balance() -> None:
    assert all(
        check.passed for check in balance({"steps": 0, "energy": {"relative": 0.0, "relative_sum": 0.0}})
    )


@pytest.mark.parametrize(("held", "passes"), [(2.0, True), (0.5, False)])
def test_friction_gives_back_what_bristles_held_at_most(held: float, passes: bool) -> None:
    """One joule of kinetic energy appears in a step without work."""
    energy = {name: np.zeros(2) for name in (*ENERGIES, *DISSIPATIONS, *WORKS)}
    energy["kinetic"], energy["bristle"] = np.array([0.0, 1.0]), np.array([held, held - 1.0])
    assert friction_gain(energy, 1.0).passed is passes
