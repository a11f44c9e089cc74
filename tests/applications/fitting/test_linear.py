"""Tests of fits of laws linear in their parameters against linear algebra: estimates, errors, intervals."""

import numpy as np
import pytest
from scipy.stats import t as student

from fem_mbd.applications.fitting import FitOptions, Free, fit_law, measured
from fem_mbd.friction import BoPavelescu, CoulombViscous
from tests.applications.fitting.made import NORMAL

SPEEDS = np.linspace(0.05, 1.0, 25)


def steady(seed: int = 4) -> np.ndarray:
    """Forces (25,) at ``SPEEDS``: Coulomb friction with a viscous part, and noise of 0.05 N."""
    noise = 0.05 * np.random.default_rng(seed).normal(size=SPEEDS.size)
    return np.asarray(NORMAL * (0.12 + 0.03 * SPEEDS) + noise)


def test_ordinary_least_squares() -> None:
    """mu_k and sigma_2 of steady sliding, in both directions: lstsq, (A^T A)^-1 and Student's t."""
    force, sign = steady(), np.where(np.arange(SPEEDS.size) % 2 == 0, 1.0, -1.0)
    fit = fit_law(
        measured({"velocity": sign * SPEEDS, "force": sign * force}, NORMAL),
        CoulombViscous,
        {"sigma_2": None},
    )
    a = NORMAL * np.c_[np.ones_like(SPEEDS), SPEEDS]
    solution, rest, *_ = np.linalg.lstsq(a, force, rcond=None)
    errors = np.sqrt(rest[0] / (SPEEDS.size - 2) * np.diag(np.linalg.inv(a.T @ a)))
    mu_k, f_v = fit.parameters
    assert [mu_k.value, f_v.value] == pytest.approx(solution, rel=1e-6)
    assert [mu_k.error, f_v.error] == pytest.approx(errors, rel=1e-5)
    width = student.ppf(0.975, SPEEDS.size - 2) * errors
    assert [f_v.low, f_v.high] == pytest.approx([solution[1] - width[1], solution[1] + width[1]], rel=1e-5)
    # a positive parameter: the interval of its logarithm
    assert np.log([mu_k.low, mu_k.high]) == pytest.approx(
        np.log(solution[0]) + np.array([-1, 1]) * width[0] / solution[0], rel=1e-5
    )
    assert fit.rms**2 * SPEEDS.size == pytest.approx(rest[0], rel=1e-9)
    c = np.linalg.inv(a.T @ a)
    assert fit.uncertainty.correlation[0, 1] == pytest.approx(c[0, 1] / np.sqrt(c[0, 0] * c[1, 1]), rel=1e-5)
    assert fit.uncertainty.freedom == SPEEDS.size - 2


def test_with_time_and_skipped_rows() -> None:
    """The same law along a path in time: skipped rows are not fitted."""
    force, t = steady(), np.linspace(0.0, 1.0, SPEEDS.size)
    force[:5] = 40.0
    data = measured({"time": t, "velocity": SPEEDS, "force": force}, NORMAL)
    fit = fit_law(data, CoulombViscous, {"sigma_2": None}, options=FitOptions(skip=5 / 24 - 1e-9))
    a = NORMAL * np.c_[np.ones(20), SPEEDS[5:]]
    # the last row has half a step, a sixteenth of the distance between rows, with the row at its end
    a[-1, 1] -= NORMAL * (SPEEDS[1] - SPEEDS[0]) / 32
    solution = np.linalg.lstsq(a, force[5:], rcond=None)[0]
    assert fit.used.sum() == 20
    assert [p.value for p in fit.parameters] == pytest.approx(solution, rel=1e-6)


def test_bounds_hold() -> None:
    """A bound that excludes the minimum: the parameter stops there, without an interval, and the others adjust."""
    force = steady()
    data = measured({"velocity": SPEEDS, "force": force}, NORMAL)
    fit = fit_law(data, CoulombViscous, {"sigma_2": Free(0.005, 0.0, 0.01), "mu_k": Free(None, 0.05, 0.5)})
    mu_k, f_v = fit.parameters
    assert (
        f_v.at_bound and f_v.value == pytest.approx(0.01, rel=1e-6) and np.isnan([f_v.low, f_v.error]).all()
    )
    assert mu_k.value == pytest.approx(np.mean(force / NORMAL - f_v.value * SPEEDS), rel=1e-6)
    assert fit.uncertainty.freedom == SPEEDS.size - 1


def test_order_of_coefficients_holds() -> None:
    """Friction that increases with speed, and a law that can only decrease: mu_s stops at mu_k."""
    data = measured({"velocity": SPEEDS, "force": steady()}, NORMAL)
    fit = fit_law(data, BoPavelescu, None, {"v_s": 0.3})
    values = {p.name: p.value for p in fit.parameters}
    assert values["mu_s"] == pytest.approx(values["mu_k"], rel=1e-6)
    assert values["mu_k"] == pytest.approx(np.mean(steady()) / NORMAL, rel=1e-5)
    assert [p.at_bound for p in fit.parameters] == [True, False]
