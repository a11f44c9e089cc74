"""Normal contact laws: work of a step is the change of potential, no tension, derivatives by complex steps."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fem_mbd.friction import Hertz, HuntCrossley, Linear
from fem_mbd.friction.normal.dispatch import normal_force, normal_potential
from tests.friction.law_calls import ELASTIC, NORMAL

DT = 1e-4
getcontext().prec = 60
gaps = st.builds(
    lambda sign, power: sign * 10.0**power, st.sampled_from([-1.0, -1.0, 1.0]), st.floats(-12.0, -2.0)
)


@pytest.mark.parametrize("name", ELASTIC)
@settings(deadline=None, max_examples=300)
@given(q_i=gaps, q_f=gaps)
def test_work_is_the_change_of_potential(name: str, q_i: float, q_f: float) -> None:
    law = ELASTIC[name].record()[()]
    before, after = normal_potential(law, q_i), normal_potential(law, q_f)
    _, elastic = normal_force(law, q_i, q_f, DT)
    assert elastic >= 0.0
    assert elastic * (q_i - q_f) == pytest.approx(after - before, rel=0, abs=1e-14 * max(before, after))


def exact_mean(stiffness: float, exponent: float, d_i: float, d_f: float) -> float:
    """Mean of K d**n between two approaches in 60 digits."""
    a, b, n = Decimal(d_i), Decimal(d_f), Decimal(exponent)
    if a == b:
        return float(Decimal(stiffness) * a**n)
    return float(Decimal(stiffness) * (b ** (n + 1) - a ** (n + 1)) / ((n + 1) * (b - a)))


@pytest.mark.parametrize("exponent", [1.0, 10.0 / 9.0, 1.5, 2.0, 3.3, 12.0])
@settings(deadline=None, max_examples=200)
@given(
    power=st.floats(-10.0, -1.0),
    share=st.one_of(st.just(0.0), st.floats(-16.0, -0.001).map(lambda p: 10.0**p)),
    larger_first=st.booleans(),
)
def test_closed_quotient_is_exact_to_the_last_digits(
    exponent: float, power: float, share: float, larger_first: bool
) -> None:
    """Against 60-digit arithmetic, from equal approaches to one a thousand times the other."""
    d = 10.0**power
    d_i, d_f = (d, d * (1.0 - share)) if larger_first else (d * (1.0 - share), d)
    law = Hertz(1e6, exponent).record()[()]
    exact = exact_mean(1e6, exponent, d_i, d_f)
    assert normal_force(law, -d_i, -d_f, DT)[1] == pytest.approx(exact, rel=1e-14, abs=0.0)
    # The complex power is exp(n log d), which loses the digits of n log d: up to 12 * 23 here.
    assert normal_force(law, -d_i, -d_f + 0j, DT)[1].real == pytest.approx(exact, rel=1e-13, abs=0.0)


@pytest.mark.parametrize("name", NORMAL)
@settings(deadline=None, max_examples=200)
@given(q_i=gaps, q_f=gaps, dt=st.floats(-9.0, 0.0).map(lambda p: 10.0**p))
def test_a_contact_pushes_and_never_gains(name: str, q_i: float, q_f: float, dt: float) -> None:
    law = NORMAL[name].record()[()]
    force, elastic = normal_force(law, q_i, q_f, dt)
    assert force >= 0.0
    assert (force - elastic) * (q_i - q_f) >= 0.0
    if q_i >= 0.0 and q_f >= 0.0:
        assert force == elastic == 0.0


@pytest.mark.parametrize("name", ELASTIC)
@pytest.mark.parametrize("q_i", [-3e-5, -1e-8])
def test_force_is_smooth_where_the_contact_opens(name: str, q_i: float) -> None:
    """From a closed start the derivative at q_f = 0 is -V_i/q_i**2 on both sides: no kink where a step just opens."""
    law = ELASTIC[name].record()[()]
    expected = -normal_potential(law, q_i) / q_i**2
    for q_f in (0.0, 1e-9 * q_i, -1e-9 * q_i):
        derivative = normal_force(law, q_i, q_f + 1e-30j, DT)[1].imag / 1e-30
        assert derivative == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", NORMAL)
def test_first_touch_is_one_sided(name: str) -> None:
    """At a gap of exactly zero after a gap: no force and no stiffness yet, and nothing undefined."""
    law = NORMAL[name].record()[()]
    for q_i in (0.0, 1e-6):
        force, elastic = normal_force(law, q_i, 0.0 + 1e-30j, DT)
        assert force == elastic == 0.0
    for q_f in (-1e-300, -5e-324, 0.0):
        assert np.isfinite(normal_force(law, 0.0, q_f, DT)).all()
        assert np.isfinite(normal_force(law, q_f, 0.0, DT)).all()


@pytest.mark.parametrize("name", NORMAL)
def test_potential_differentiates_to_the_force(name: str) -> None:
    law = NORMAL[name].record()[()]
    for q in (-2e-5, -1e-9, 1e-6):
        slope = normal_potential(law, q + 1e-30j).imag / 1e-30
        assert -slope == pytest.approx(normal_force(law, q, q, DT)[1], rel=1e-13, abs=0.0), q


def test_hunt_crossley_by_hand() -> None:
    """f_e (1 + c rate) with f_e = k (1e-5 + 3e-5)/2 = 20 N and rate 0.2 m/s in, then out faster than 1/c."""
    law = HuntCrossley(Linear(1e6), 0.5).record()[()]
    assert normal_force(law, -1e-5, -3e-5, 1e-4) == pytest.approx((22.0, 20.0), rel=1e-14)
    assert normal_force(law, -3e-5, -1e-5, 1e-4) == pytest.approx((18.0, 20.0), rel=1e-14)
    assert normal_force(law, -3e-5, -1e-5, 1e-5) == pytest.approx((0.0, 20.0), rel=1e-14)
