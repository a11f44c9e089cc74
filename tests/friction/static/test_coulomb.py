"""Regularised Coulomb friction: the curve, and the motion of a block against its closed form."""

import math

import numpy as np
import pytest

from fem_mbd.friction import Coulomb
from tests.friction.library import step
from tests.friction.one_mass import run_mass

LAW = Coulomb(mu_k=0.3, v_0=2e-3)


@pytest.mark.parametrize("ratio", [1e-8, 1e-6, 0.1, 0.4999, 0.5001, 1.0, 3.0, 1e6])
def test_curve(ratio: float) -> None:
    """mu (1 - exp(-|V|/v_0)) along the slip, to the last digits on both sides of the switch between two formulas.

    Slips are far above 1e-18 m, to which the norm of a slip is rounded.
    """
    dt, direction = 1e-4, np.array([0.6, 0.0, -0.8])
    mu, _, loss = step(LAW, ratio * LAW.v_0 * dt * direction, np.zeros((1, 3)), 20.0, dt)
    size = -0.3 * math.expm1(-ratio)
    assert mu == pytest.approx(size * direction, rel=2e-15, abs=0.0)
    assert loss == pytest.approx(20.0 * size * ratio * LAW.v_0 * dt, rel=5e-15, abs=0.0)


@pytest.mark.parametrize("share", [0.8, 1.1])
def test_block_under_a_constant_push(share: float) -> None:
    """m v' = A - B(1 - exp(-v/v_0)): w = exp(v/v_0) obeys a linear equation."""
    mass, f_n, end, steps = 2.0, 10.0, 0.02, 2000
    push = share * LAW.mu_k * f_n
    history = np.zeros((steps, 5))
    _, failures = run_mass(
        LAW.record()[()], mass, 0.0, np.full(steps, push), f_n, end / steps, steps, history
    )
    assert failures == 0
    a, b = push / mass, LAW.mu_k * f_n / mass
    time = end / steps * np.arange(1, steps + 1)
    w = (1 + b / (a - b)) * np.exp((a - b) * time / LAW.v_0) - b / (a - b)
    # Second order: (dt b/v_0)**2/12 of the speed's scale.
    assert history[:, 1] == pytest.approx(LAW.v_0 * np.log(w), rel=0, abs=2e-5 * LAW.v_0)
