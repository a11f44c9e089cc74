"""LuGre with any steady curve g(V) and with decaying bristle damping: steady force, range of passivity."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.friction.probes.slip_path import drive_path, steady_coefficients
from tests.friction.law_calls import CURVE, SIZES


def tustin(speed: float) -> float:
    """A curve that the parameters of the law cannot make: |V|**0.5 in the exponent and a rise at high speed."""
    return 0.3 + 0.15 * np.exp(-((speed / 2e-3) ** 0.5)) + 0.05 * (1.0 - 1.0 / (1.0 + speed / 0.5))


@pytest.mark.parametrize("form", ["vector", "scalar"])
def test_steady_sliding_follows_a_function(form: str) -> None:
    law = LuGre.with_curve(tustin, v_s=2e-3, sigma_0=1e5, sigma_1=5.0, sigma_2=0.2, form=form, v_eps=1e-10)
    speeds = np.geomspace(1e-6, 1.5, 40)
    mus, _ = steady_coefficients(law, speeds)
    expected = np.array([tustin(v) for v in speeds]) + 0.2 * speeds
    assert mus == pytest.approx(expected, abs=2e-3 * 0.45)
    assert (law.mu_s, law.v_s) == (pytest.approx(0.45), 2e-3)


def test_steady_sliding_follows_a_table() -> None:
    """Through its points, between their values in between, and constant beyond."""
    law = LuGre.with_curve(CURVE, sigma_0=1e5)
    speeds = np.array([v for v, _ in CURVE[1:]])
    assert steady_coefficients(law, speeds)[0] == pytest.approx([g for _, g in CURVE[1:]], rel=1e-6)
    assert steady_coefficients(law, [1.0, 30.0])[0] == pytest.approx(CURVE[-1][1], rel=1e-6)
    between = steady_coefficients(law, np.linspace(5e-4, 1e-3, 20))[0]
    assert (np.diff(between) < 0.0).all() and between[0] < 0.4001 and between[-1] > 0.3399
    # 0.45 down to 0.32: 1/e of the decrease, 0.3678, is reached between the second and the third point
    assert law.mu_s == 0.45 and law.mu_k == 0.32 and 5e-4 < law.v_s < 1e-3


def test_a_function_equal_to_the_stribeck_curve_equals_the_parameters() -> None:
    plain = LuGre(**SIZES, sigma_1=30.0, sigma_2=0.1)
    sampled = LuGre.with_curve(
        lambda v: 0.3 + 0.15 * np.exp(-((v / 1e-3) ** 2)), v_s=1e-3, sigma_0=1e5, sigma_1=30.0, sigma_2=0.1
    )
    speeds = 3e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, 4000))
    runs = [drive_path(law, speeds * 1e-5, 1e-5) for law in (plain, sampled)]
    assert runs[1].mus == pytest.approx(runs[0].mus, abs=2e-3 * 0.45)
    assert sampled.passivity_limit() == pytest.approx(plain.passivity_limit(), rel=5e-3)


@pytest.mark.parametrize("speed", [1e-4, 2e-3, 6e-3])
def test_first_answer_of_relaxed_bristles_is_their_fading_damping(speed: float) -> None:
    """z' = V at z = 0: mu = (sigma_1 exp(-(V/v_d)**2) + sigma_2) V."""
    law = LuGre(**SIZES, sigma_1=300.0, sigma_2=0.5, v_d=2e-3)
    mu = drive_path(law, [speed * 1e-12], 1e-12).mus[0]
    assert mu == pytest.approx((300.0 * np.exp(-((speed / 2e-3) ** 2)) + 0.5) * speed, rel=1e-4)


def test_damping_that_fades_early_enough_is_passive() -> None:
    """sigma_1(V) V has its largest value 0.43 sigma_1 v_d; constant damping of that size is active."""
    assert LuGre(**SIZES, sigma_1=300.0).passivity_limit() < 0.01
    assert LuGre(**SIZES, sigma_1=300.0, v_d=2e-3).passivity_limit() == np.inf
    late = LuGre(**SIZES, sigma_1=300.0, v_d=0.1)
    assert late.passivity_limit() == pytest.approx(LuGre(**SIZES, sigma_1=300.0).passivity_limit(), rel=0.02)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LuGre(**SIZES, v_d=0.0), "LuGre v_d is 0: it must be above zero"),
        (lambda: LuGre.with_curve(tustin, sigma_0=1e5), "LuGre v_s is missing"),
        (lambda: LuGre.with_curve(((0.0, 0.3),), sigma_0=1e5), "LuGre g has 1 points: give 2 to 23"),
        (lambda: LuGre.with_curve(((0.0, 0.3), (1.0, 0.0)), sigma_0=1e5), "LuGre g at 1 m/s is 0: it must be above"),
        (lambda: LuGre.with_curve(((0.1, 0.3), (0.1, 0.2)), sigma_0=1e5), "speeds 0.1 and 0.1 m/s: they must increase"),
        (lambda: LuGre.with_curve(((-0.1, 0.3), (0.1, 0.2)), sigma_0=1e5), "speeds -0.1 and 0.1 m/s"),
        (lambda: LuGre.with_curve(((0.0, np.nan), (0.1, 0.2)), sigma_0=1e5), "LuGre g at 0 m/s is nan"),
        (lambda: LuGre.with_curve((1.0, 2.0), sigma_0=1e5), "give pairs of speed in m/s and value"),
        (lambda: LuGre.with_curve(lambda v: 0.3 - v, v_s=1e-3, sigma_0=1e5), "it must be above zero"),
        (
            lambda: LuGre.with_curve(lambda v: 0.3 + 0.1 * np.sin(20.0 * np.log(v + 1e-9)), v_s=1e-3, sigma_0=1e5),
            "LuGre g: 23 points miss it by",
        ),
        (lambda: LuGre(**SIZES, curve=CURVE), "its largest value is 0.45 and its last 0.32, but mu_s is 0.45 and"),
    ],
)  # fmt: skip
def test_bad_curves(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        build()
