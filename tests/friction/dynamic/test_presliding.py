"""Presliding: a loaded block moves by the bristles' deflection, stays at rest, and returns when the load is removed.

For |V| far below v_s the rate equation integrates to u = -(g/sigma_0) ln(1 - r) while the force increases to the
fraction r of break-away, and u decreases by (g/sigma_0) ln(1 + r) when it is removed, g = mu_s (integrate dz/du = 1 -/+
sigma_0 z/g).
"""

from typing import Any, Literal

import numpy as np
import pytest

from fem_mbd.friction import ElastoPlastic, LuGre
from tests.friction.law_calls import SIZES, Array
from tests.friction.one_mass import run_mass

MASS, F_N, DT = 1.0, 10.0, 1e-4
BREAK_AWAY = F_N * 0.45


def push(law: Any, force: Array) -> Array:
    """History of a block of 1 kg, pressed down with 10 N, under ``force`` (steps,) in N."""
    history = np.zeros((len(force), 5))
    _, failures = run_mass(law.record()[()], MASS, 0.0, force, F_N, DT, len(force), history)
    assert failures == 0
    return history


def test_constant_force_below_break_away_sticks_and_recovers() -> None:
    law = LuGre(**SIZES, sigma_1=60.0)  # damps the block on its bristles, 1000 rad/s, with 0.3 of critical
    time = DT * (np.arange(round(4.0 / DT)) + 0.5)
    share = 0.6
    force = share * BREAK_AWAY * np.interp(time, [0.0, 0.5, 3.0, 3.5], [0.0, 1.0, 1.0, 0.0])
    u = push(law, force)[:, 0]
    length = law.mu_s / law.sigma_0
    held, late, end = u[round(1.0 / DT)], u[round(2.9 / DT)], u[-1]
    assert held == pytest.approx(-length * np.log(1 - share), rel=0.01)
    # Rounding |V| lets the stuck block creep at v_eps r = 6e-10 m/s: 1.2e-9 m in these 1.9 s and no more.
    assert 0.0 <= late - held < 1.5e-9
    assert held - end == pytest.approx(length * np.log(1 + share), rel=0.01)


def harmonic(form: Literal["vector", "scalar"]) -> Array:
    """Two cycles per second with 0.8 of the kinetic friction force, no bristle damping."""
    law = LuGre(**SIZES, form=form)
    time = DT * (np.arange(round(2.0 / DT)) + 0.5)
    return push(law, 0.8 * F_N * law.mu_k * np.sin(4 * np.pi * time))


def test_harmonic_force_with_a_vector_of_bristles() -> None:
    history = harmonic("vector")
    u = history[:, 0]
    assert np.abs(u).max() < 4e-6
    assert np.abs(history[:, 2]).max() * 1e5 < 0.25  # 0.24 is what the push needs
    last = u[-round(0.5 / DT) :]
    assert last.max() - last.min() > 2 * 0.24 / 1e5  # elastic both ways


def test_harmonic_push_is_not_undone_by_the_scalar_bristle() -> None:
    """The paper's scalar deflection has no direction for elastic recovery: the block stays at its displacement."""
    last = harmonic("scalar")[-round(0.5 / DT) :, 0]
    assert last.max() - last.min() < 1e-6
    assert last.min() > 2e-6


def drift(law: Any) -> tuple[float, float]:
    """Way (m) per cycle, in the second and in the last of ten, of a push between 0.1 and 0.6 of break-away."""
    time = DT * (np.arange(round(5.5 / DT)) + 0.5)
    wave = 0.35 - 0.25 * np.cos(4 * np.pi * np.maximum(time - 0.5, 0.0))
    u = push(law, BREAK_AWAY * wave * np.minimum(time / 0.5, 1.0))[:, 0]
    ends = u[[round((0.5 + 0.5 * k) / DT) - 1 for k in range(11)]]
    ways = np.diff(ends)
    return float(ways[1]), float(ways[-1])


def test_an_oscillating_push_drifts_with_lugre_and_not_with_the_elasto_plastic_law() -> None:
    """Dupont, Hayward, Armstrong and Altpeter 2002: the purpose of their model.

    LuGre: a cycle from 0.1 to 0.6 and back changes the position by -(g/sigma_0) (ln(1 - 0.6) - ln(1 - 0.1) + ln(1 +
    0.6) - ln(1 + 0.1)).
    """
    second, last = drift(LuGre(**SIZES, sigma_1=60.0))
    step = np.log(0.9 / 0.4) - np.log(1.6 / 1.1)
    assert second == pytest.approx(0.45 / 1e5 * step, rel=0.02) and last == pytest.approx(second, rel=0.02)
    elastic = ElastoPlastic(1e5, 60.0, 0.0, 0.45, 0.3, 1e-3, ratio=0.95)
    second, last = drift(elastic)
    assert abs(second) < 1e-10 and abs(last) < 1e-10
