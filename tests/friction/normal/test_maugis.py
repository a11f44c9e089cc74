"""Maugis' law against its two limits, published pull-off forces, the integral of its force, and the Dugdale zone."""

from math import pi

import numpy as np
import pytest
from scipy.integrate import quad

from fem_mbd.errors import InputError
from fem_mbd.friction import DMT, JKR, Maugis
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force, normal_potential
from fem_mbd.friction.normal.maugis import branch_point

E, R, W = 1e9, 0.01, 0.5
K = 4.0 / 3.0 * E
TRANSITIONS = (1e-3, 0.03, 0.3, 0.6, 0.9, 0.95, 2.0, 10.0, 300.0)


def of(transition: float) -> Maugis:
    return Maugis.of_transition(E, R, W, transition)


def force(law: Maugis, q: float) -> float:
    """Force between adhering bodies, N."""
    return float(normal_force(law.record()[()], q, q, 1.0, 1.0)[0])


def stored(law: Maugis, q: float) -> float:
    return float(normal_potential(law.record()[()], q, 1.0))


@pytest.mark.parametrize("transition", [0.05, 0.3, 1.0, 3.0, 10.0])
def test_pull_off_is_that_of_carpick_ogletree_and_salmeron(transition: float) -> None:
    """Their fit to Maugis' solution, J. Colloid and Interface Science 211 (1999) 395, eq. 12a: two per cent."""
    power = 4.04 * transition**1.4
    fit = 7.0 / 4.0 - 0.25 * (power - 1.0) / (power + 1.0)
    assert of(transition).pull_off / (pi * W * R) == pytest.approx(fit, rel=0.02)


def test_branch_ends_without_contact_below_a_transition_of_0_938() -> None:
    """lambda**3 = 9/(16 (1 - 1/pi)): where the gap is largest with the contact's radius just zero."""
    limit = (9.0 / (16.0 * (1.0 - 1.0 / pi))) ** (1.0 / 3.0)
    assert limit == pytest.approx(0.938, abs=5e-4)
    assert of(0.999 * limit).record()["p"][3] == 0.5 * pi
    assert of(1.001 * limit).record()["p"][3] < 0.5 * pi


def test_hard_limit_is_dmt() -> None:
    """The ball flattens under its zone by a share of the order of the root of lambda, 1e-3 here."""
    law = of(1e-6)
    hard = DMT(E, R, W, law.touch)
    assert law.pull_off == pytest.approx(2.0 * pi * W * R, rel=1e-4)
    for q in (-1e-5, -1e-6, 0.0, 0.3 * law.touch, 0.9 * law.touch):
        expected = float(normal_force(hard.record()[()], q, q, 1.0)[0])
        assert force(law, q) == pytest.approx(expected, rel=1e-3)
        assert stored(law, q) == pytest.approx(float(normal_potential(hard.record()[()], q)), rel=3e-3)


def test_soft_limit_is_jkr() -> None:
    law, soft = of(1e4), JKR(E, R, W)
    assert law.pull_off == pytest.approx(1.5 * pi * W * R, rel=1e-7, abs=0.0) and law.hold == pytest.approx(
        soft.hold, rel=1e-7
    )
    for q in (-1e-5, -1e-6, -1e-8, 0.0, 0.9 * soft.hold):
        expected = normal_force(soft.record()[()], q, q, 1.0, 1.0)[0]
        assert force(law, q) == pytest.approx(float(expected), rel=1e-7)
        assert stored(law, q) == pytest.approx(float(normal_potential(soft.record()[()], q, 1.0)), rel=1e-6)


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_energy_is_the_integral_of_the_force_and_zero_for_bodies_apart(transition: float) -> None:
    law = of(transition)
    last = law.hold * (1.0 - 1e-12)
    parted = min(-float(branch_point(transition, 0.5 * pi)[0]) * float(law.record()["p"][1]), last)
    for low, high in ((-1e-5, -1e-7), (-1e-7, parted), (parted, last)):
        if high <= low:
            continue
        # towards the end of the branch the force has a square root in it
        work = quad(
            lambda x, a=low, b=high: 2.0 * x * (b - a) * force(law, b - (b - a) * x * x), 0.0, 1.0, epsabs=0.0
        )
        change = stored(law, low) - stored(law, high)
        assert work[0] == pytest.approx(change, rel=1e-7, abs=1e-8 * abs(stored(law, low)))
    assert stored(law, law.touch * (1.0 - 1e-12)) < 0.0 < stored(law, last)
    assert normal_potential(law.record()[()], law.hold, 1.0) == 0.0


@pytest.mark.parametrize(("a", "c", "stress"), [(4e-5, 6e-5, 2e6), (1e-5, 8e-5, 3e6), (1e-4, 1.02e-4, 3e7)])
def test_half_space_under_dugdales_zone(a: float, c: float, stress: float) -> None:
    """Sneddon's transforms, not the law's formulas: contact within a, the stress s_0 from a to c, gap w/s_0 at c.

    g(x) = int_x p r/sqrt(r**2 - x**2) dr is E*/2 (d - x**2/R) in contact and -s_0 sqrt(c**2 - x**2) in the zone (d
    where the two meet); F = 4 int g dx and u(c) = 4/(pi E*) int g/sqrt(c**2 - x**2) dx (Barthel, J. Physics D 41
    (2008) 163001).
    """
    d = a * a / R - 2.0 * stress * np.sqrt(c * c - a * a) / E
    contact = quad(lambda x: 0.5 * E * (d - x * x / R), 0.0, a)[0]
    zone = quad(lambda x: -stress * np.sqrt(c * c - x * x), a, c)[0]
    sunk = quad(lambda x: 0.5 * E * (d - x * x / R) / np.sqrt(c * c - x * x), 0.0, a)[0] - stress * (c - a)
    gap = c * c / (2.0 * R) - d + 4.0 / (pi * E) * sunk
    law = Maugis(E, R, stress * gap, stress)
    assert law.touch == pytest.approx(gap, rel=1e-14, abs=0.0) and law.hold > -d
    assert force(law, -d) == pytest.approx(4.0 * (contact + zone), rel=1e-9)


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_work_of_a_step_is_the_change_of_energy_and_jumps_lose(transition: float) -> None:
    law, rng = of(transition), np.random.default_rng(5)
    record, losses = law.record()[()], []
    for _ in range(400):
        size = law.hold * 10.0 ** rng.uniform(-3.0, 2.0)
        q_i = float(rng.uniform(-size, 1.2 * law.hold))
        q_f = float(
            rng.choice([rng.uniform(-size, 1.2 * law.hold), q_i * (1.0 + 1e-5 * rng.standard_normal())])
        )
        v_0 = float(rng.integers(2)) if q_i < law.hold else 0.0
        f_n, f_e = normal_force(record, q_i, q_f, 1e-6, v_0)
        v_f = impact_speed(record, v_0, q_i, q_f, 1e-6)
        before, after = normal_potential(record, q_i, v_0), normal_potential(record, q_f, v_f)
        loss = (f_n - f_e) * (q_i - q_f)
        size = abs(before) + abs(after) + law.pull_off * law.hold
        assert abs(f_e * (q_i - q_f) - (after - before)) <= 1e-12 * size
        assert loss >= -1e-12 * size
        losses.append(loss)
    # both jumps occur, with the energy losses of the branch; those of the smallest transition are below round-off
    top, bottom = stored(law, law.hold * (1.0 - 1e-12)), stored(law, law.touch * (1.0 - 1e-12))
    if transition == TRANSITIONS[0]:
        assert -bottom < 1e-16 * law.pull_off * law.hold
        return
    assert any(loss == pytest.approx(-bottom, rel=1e-3, abs=0.0) for loss in losses if loss > 0.0)
    assert any(loss == pytest.approx(top, rel=1e-3, abs=0.0) for loss in losses if loss > 0.0)


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_derivative_by_complex_step(transition: float) -> None:
    law = of(transition)
    record, hold, touch = law.record()[()], law.hold, law.touch
    steps = [(-20.0, -30.0), (-5.0, -5.3), (-1.0, 0.4), (0.5, 0.9), (0.9, 0.7), (-0.3, 1.4), (-0.2, -0.19)]
    for v_0, share_i, share_f in [(1.0, *step) for step in steps] + [(0.0, 1.5 * touch / hold, -0.4)]:
        q_i, q_f = share_i * hold, share_f * hold
        h = 2e-4 * min(abs(q_f), abs(q_f - q_i))
        for change in ((0.0, 1.0), (1.0, 0.0)):

            def at(x: complex, y: tuple[float, float] = change, a: float = q_i, b: float = q_f) -> complex:
                return complex(normal_force(record, a + x * y[0] + 0j, b + x * y[1] + 0j, 1.0, v_0)[0])  # noqa: B023

            exact = at(1e-40j).imag / 1e-40
            found = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))).real / (12.0 * h)
            assert exact == pytest.approx(found, rel=1e-7, abs=1e-11 * abs(at(0.0)) / h)


def test_refused() -> None:
    with pytest.raises(InputError, match="Maugis transition is -1"):
        Maugis.of_transition(E, R, W, -1.0)
