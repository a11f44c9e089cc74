"""The delayed speed: exact for any step size, and friction as a function of it as printed."""

from dataclasses import replace

import numpy as np
import pytest

from fem_mbd.friction import SevenParameter
from fem_mbd.friction.probes.feature_probes import state_at_rest
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.friction.static.sticking_histories import GRID, ROWS, delayed_speed

TAU = 0.02  # s


def path(t: np.ndarray) -> np.ndarray:
    """m, of a speed 2 + sin(100 t) + 0.5 sin(370 t) from t = 0, at rest before."""
    moved = 2.0 * t + (1.0 - np.cos(100.0 * t)) / 100.0 + 0.5 * (1.0 - np.cos(370.0 * t)) / 370.0
    return np.asarray(np.where(t > 0.0, moved, 0.0))


def test_mean_speed_of_each_step_appears_after_the_delay() -> None:
    """Steps of 1e-6 to 1e-3 s. Between pairs, at most a grid and a step apart, the path is straight: the speed is
    within half of that times the largest acceleration, and no path is lost or found."""
    rng = np.random.default_rng(4)
    memory, t, came, worst = np.zeros((ROWS, 3)), 0.0, 0.0, 0.0
    for dt in 10.0 ** rng.uniform(-6.0, -3.0, 3000):
        now = np.zeros((ROWS, 3))
        ends = np.array([t, t + dt])
        found = delayed_speed(TAU, float(np.diff(path(ends))[0]), dt, memory, now)
        came += found * dt
        if t > TAU:
            worst = max(worst, abs(found - np.diff(path(ends - TAU))[0] / dt))
        memory, t = now, t + dt
    apart, largest = TAU / GRID + 1e-3, 100.0 + 0.5 * 370.0
    assert t > 10 * TAU and 0.01 < worst < 0.5 * apart * largest
    assert came == pytest.approx(float(path(np.array(t - TAU))), abs=apart * apart * largest / 8.0)


def test_a_step_longer_than_the_delay() -> None:
    """After the delay the speed is that of the step: exact for a constant speed before and in the step."""
    memory = np.zeros((ROWS, 3))
    for _ in range(30):
        now = np.zeros((ROWS, 3))
        delayed_speed(TAU, 1e-3, 1e-3, memory, now)
        memory = now
    # 3 m/s for 0.05 s; in the first 0.02 s the delayed speed is the previous 1 m/s
    found = delayed_speed(TAU, 0.15, 0.05, memory, np.zeros((ROWS, 3)))
    assert found == pytest.approx((1.0 * 0.02 + 3.0 * 0.03) / 0.05, rel=1e-12)


def test_a_jump_of_the_speed_appears_after_the_delay_only() -> None:
    memory, dt = np.zeros((ROWS, 3)), 1e-3
    found = []
    for n in range(60):
        now = np.zeros((ROWS, 3))
        found.append(delayed_speed(TAU, (1.0 if n < 25 else 4.0) * dt, dt, memory, now))
        memory = now
    assert found[:20] == pytest.approx([0.0] * 20, abs=1e-12)
    assert found[20:45] == pytest.approx([1.0] * 25, rel=1e-9)
    assert found[45:] == pytest.approx([4.0] * 15, rel=1e-9)


def test_friction_of_the_delayed_speed_as_printed() -> None:
    """mu_k + sigma_2 v + S/(1 + (v(t - tau_L)/v_s)**2) while it slides (Marques 2015, eq. 3.20)."""
    law = SevenParameter(1e7, 0.1, 0.1, 0.15, 1e-3, 0.01, 1e-9, memory="delay")
    t = np.linspace(0.0, 0.08, 4001)
    moved = 3e-3 * t + 2e-3 * (1.0 - np.cos(150.0 * t)) / 150.0
    driven = drive_path(law, np.diff(moved), np.diff(t), z=state_at_rest(law))
    middle = 0.5 * (t[1:] + t[:-1])
    speed = lambda t: 3e-3 + 2e-3 * np.sin(150.0 * t)  # noqa: E731
    late = middle > 0.02
    mu = 0.1 + 0.1 * speed(middle) + 0.05 / (1.0 + (speed(middle - 0.01) / 1e-3) ** 2)
    # between pairs the speed is off by half a grid of its largest change, 0.3 m/s2; 0.65 is the steepest 1/(1 + x**2)
    bound = 0.05 * 0.65 / 1e-3 * 0.5 * (0.01 / GRID) * 0.3
    assert driven.mus[late] == pytest.approx(mu[late], abs=bound)
    first_order = replace(law, memory="lag")
    lag = drive_path(first_order, np.diff(moved), np.diff(t), z=state_at_rest(first_order))
    assert np.abs(lag.mus[late] - mu[late]).max() > 3.0 * bound  # which a lag of first order is not
