"""Makkar's curve at its ends; any F(v) of the user."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from fem_mbd.errors import InputError
from fem_mbd.friction import Awrejcewicz, GivenCurve, Karnopp, Makkar
from tests.friction.library import fresh, slide_at, step

SPEEDS = (2e-5, 3e-4, 1e-3, 5e-3, 0.2)  # m/s
MAKKAR = Makkar(0.25, 100.0, 10.0, 0.1, 100.0, 0.01)


@njit
def hyperbolic(v: float) -> float:
    """A curve that is not in the package, compiled."""
    return 0.1 + 0.05 / (1.0 + (v / 1e-3)) + 0.02 * v


def test_makkar_at_high_speed_and_at_rest() -> None:
    """tanh has ended; the slope at rest is gamma_1 (gamma_2 - gamma_3) + gamma_4 gamma_5 + gamma_6."""
    assert slide_at(MAKKAR, 50.0, 3) == pytest.approx(0.1 + 0.5, rel=1e-14)
    mu = step(MAKKAR, np.array([1e-40j, 0.0, 0.0]), fresh(MAKKAR), dt=1e-3).mu
    assert mu.imag[0] * 1e37 == pytest.approx(0.25 * 90.0 + 10.0 + 0.01, rel=1e-12)


@pytest.mark.parametrize("f", [hyperbolic, hyperbolic.py_func])
def test_a_function_of_the_user(f: Any) -> None:
    law = GivenCurve.with_curve(f, v_s=1e-3)
    for v in (*SPEEDS, 0.9):
        assert slide_at(law, v) == pytest.approx(f(v), rel=2e-3)
    # at rest the static friction is F(0)
    z, mu = fresh(law), 0.0
    for _ in range(200):
        answer = step(law, [2e-8, 0.0, 0.0], z, dt=1.0)
        z, mu = answer.z_f, max(mu, float(answer.mu[0]))
    assert mu == pytest.approx(0.15, rel=1e-3)


def test_karnopp_and_awrejcewicz_with_a_function() -> None:
    """Outside the window (3.11), and beyond v_s with the cubic below it (3.22)."""
    karnopp = Karnopp.with_curve(hyperbolic, mu_s=0.2, D_v=1e-3, sigma_2=0.5)
    awrejcewicz = Awrejcewicz.with_curve(hyperbolic, mu_s=0.2, v_s=1e-2)
    assert karnopp.mu_k == pytest.approx(hyperbolic(1e-3), rel=1e-4)
    for v in (2e-3, 0.05, 0.4):
        assert slide_at(karnopp, v) == pytest.approx(hyperbolic(v) + 0.5 * v, rel=2e-3)
        x = min(v / 1e-2, 1.0)
        blended = 0.2 + (hyperbolic(v) - 0.2) * x * x * (3.0 - 2.0 * x)
        assert slide_at(awrejcewicz, v) == pytest.approx(blended, rel=2e-3)
    assert slide_at(karnopp, 5e-4) == pytest.approx(0.2 + 0.5 * 5e-4, rel=1e-6)
    for law, plain in (
        (Karnopp.with_curve(((0.0, 0.1), (1.0, 0.1)), 0.15, 1e-3), Karnopp(0.15, 0.1, 1e-3)),
        (Awrejcewicz.with_curve(((0.0, 0.1), (1.0, 0.1)), 0.15, 1e-3), Awrejcewicz(0.15, 0.1, 1e-3)),
    ):
        for v in (5e-4, 2e-3):
            assert slide_at(law, v) == pytest.approx(slide_at(plain, v), rel=1e-12)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "pushes": (
        lambda: GivenCurve.with_curve(lambda v: 0.1 - v, v_s=1e-3),
        r"GivenCurve g at 0\.10\d+ m/s is -0\.00\d+: friction must not push",
    ),
    "not finite": (
        lambda: GivenCurve.with_curve(lambda v: 0.1 if v < 0.01 else float("nan"), v_s=1e-3),
        r"GivenCurve g at 0\.01\d* m/s is nan: give a finite number",
    ),
    "jump": (
        lambda: Karnopp.with_curve(lambda v: 0.1 if v < 0.02 else 0.2, 0.3, 1e-3),
        r"Karnopp g jumps at 0\.02 m/s from 0\.1 to 0\.2",
    ),
    "no number": (lambda: GivenCurve.with_curve(lambda v: "a", v_s=1e-3), "is 'a': give one number"),  # type: ignore[arg-type, return-value]
    "points push": (
        lambda: GivenCurve(((0.0, 0.1), (1.0, -0.1))),
        r"GivenCurve curve at 1 m/s is -0\.1: friction must not push",
    ),
    "frictionless at rest": (
        lambda: GivenCurve(((0.0, 0.0), (1.0, 0.1))),
        "GivenCurve curve at rest is 0: it must be above zero",
    ),
    "no speed": (lambda: GivenCurve.with_curve(hyperbolic), "GivenCurve v_s is missing"),
    "other mu_k": (
        lambda: Awrejcewicz(0.2, 0.1, 1e-3, curve=((0.0, 0.15), (1.0, 0.12))),
        "Awrejcewicz curve: its value at 0.001 m/s is 0.1499.*, but mu_k is 0.1: make the law by",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    build, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        build()
