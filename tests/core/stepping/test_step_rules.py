"""Tests of the contact and friction step rules with closed-form motions: a ball at a wall, a slider coming to rest.

Equations 19, 20 and 33 of Bauchau & Ju; the numbers of its section 6 (eps_p = 3e-6 m, k = 15 MN/m, v_s =
1e-3 m/s).
"""

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import Penetration, PrintedPenetration, PrintedStribeck, Stribeck
from fem_mbd.errors import InputError
from tests.core.stepping.step_records import record, run

EPS = 3e-6  # m
BALL_SPEED, STIFFNESS, MASS = 0.5, 15e6, 2.0  # m/s, N/m, kg
DISTANCE = 1e-4  # m
OMEGA = 1e5 * 1e-3 / 0.3  # 1/s, sigma_0 v_s / mu_k


def ball_gap(t: float) -> float:
    """Gap of a ball that flies to a wall with a linear spring, is thrown back and flies away."""
    frequency, touch = np.sqrt(STIFFNESS / MASS), DISTANCE / BALL_SPEED
    if t < touch:
        return DISTANCE - BALL_SPEED * t
    if frequency * (t - touch) < np.pi:
        return float(-BALL_SPEED / frequency * np.sin(frequency * (t - touch)))
    return float(BALL_SPEED * (t - touch - np.pi / frequency))


def ball(t0: float, t1: float) -> StepRecord:
    return record(t0, t1, [{"gap_i": ball_gap(t0), "gap_f": ball_gap(t1)}])


def gaps(records: list[StepRecord]) -> np.ndarray:
    return np.array([ball_gap(0.0), *(r.contacts["gap_f"][0] for r in records)])


def test_allowed_change_is_equation_19() -> None:
    rule = Penetration(EPS, q_min=5.0, alpha=1.2)
    q = np.array([-1.0, 0.0, 4.9 * EPS, 5.0 * EPS, 50.0 * EPS])
    np.testing.assert_allclose(rule.allowed_change(q), EPS * np.array([1, 1, 1, 1, 10**1.2]))


def test_proposal_is_equation_20_with_the_mean_velocity_of_the_step() -> None:
    rule = Penetration(EPS)
    step = record(0.0, 1e-3, [{"gap_i": 2e-5, "gap_f": 1e-5}])
    assert rule.propose(step, 7e-3) == pytest.approx(EPS / 0.01)
    assert PrintedPenetration(EPS).propose(step, 7e-3) == pytest.approx(EPS / (2 * 1e-5 / 8e-3))


def test_a_resting_contact_and_a_model_without_contacts_do_not_limit_the_step() -> None:
    for rule in (Penetration(EPS), PrintedPenetration(EPS)):
        assert rule.propose(record(0.0, 1e-3, [{"gap_i": -1e-6, "gap_f": -1e-6}]), 1e-3) == inf
        assert rule.propose(record(0.0, 1e-3), 1e-3) == inf and rule.reject(record(0.0, 1e-3)) == 0.0


def test_of_several_contacts_the_smallest_size_is_taken() -> None:
    slow, fast = {"gap_i": -1e-6, "gap_f": -1.1e-6}, {"gap_i": 3e-6, "gap_f": 1e-6}
    rule = Penetration(EPS)
    assert rule.propose(record(0.0, 1.0, [slow, fast]), 1.0) == rule.propose(record(0.0, 1.0, [fast]), 1.0)


def test_first_contact_is_shallow_and_every_change_of_gap_is_within_the_tolerance() -> None:
    rule = Penetration(EPS)
    control = StepControl(rule, dt_initial=5e-4, dt_max=1e-3)
    records = run(control, ball, 0.02)
    q, dt = gaps(records), np.array([r.dt for r in records])
    first_contact = q[np.argmax(q < 0.0)]
    assert -4 * EPS <= first_contact < 0.0
    allowed = np.maximum(rule.allowed_change(q[:-1]), rule.allowed_change(q[1:]))
    assert np.all(np.abs(np.diff(q)) <= 4 * allowed)
    assert np.all(dt[1:] <= 1.5 * dt[:-1] * (1 + 1e-9))
    assert sum(r.rejections for r in records) > 0
    in_contact = (q[:-1] < 0.0) & (q[1:] < 0.0)
    # about 60 eps_p: the impact is resolved by several times as many steps
    depth = BALL_SPEED / np.sqrt(STIFFNESS / MASS)
    assert np.count_nonzero(in_contact) > depth / EPS
    assert {"penetration", "growth"} <= {r.rule for r in records}


def test_printed_rule_goes_deeper_at_first_contact() -> None:
    """Without limits and rejections the first step into the wall is much too deep; the run continues."""
    strict = gaps(run(StepControl(Penetration(EPS), dt_initial=5e-4, dt_max=1e-3), ball, 0.02))
    control = StepControl(PrintedPenetration(EPS), dt_initial=5e-4, dt_max=1e-3, growth=inf)
    records = run(control, ball, 0.02)
    printed = gaps(records)
    assert printed[np.argmax(printed < 0.0)] < 3 * strict[np.argmax(strict < 0.0)]
    assert sum(r.rejections for r in records) == 0


def test_far_approach_that_would_jump_through_the_wall_is_rejected() -> None:
    rule = Penetration(EPS)
    through = record(0.0, 0.1, [{"gap_i": 0.5, "gap_f": -0.1}])
    assert np.all(rule.allowed_change(np.array([0.5])) > 0.6)  # equation 19 alone would let it pass
    assert rule.reject(through) == pytest.approx(0.05)
    assert rule.reject(record(0.0, 0.1, [{"gap_i": 2e-6, "gap_f": -2e-3}])) == pytest.approx(0.01)
    assert rule.reject(record(0.0, 0.1, [{"gap_i": 2e-6, "gap_f": -2e-6}])) == 0.0


def test_rejection_factor_is_allowed_over_actual_change_within_its_bounds() -> None:
    rule = Penetration(EPS)
    assert rule.reject(record(0.0, 1.0, [{"gap_i": -1e-6, "gap_f": -1e-6 - 5 * EPS}])) == pytest.approx(0.2)
    assert rule.reject(record(0.0, 1.0, [{"gap_i": -1e-6, "gap_f": -1e-6 - 3.9 * EPS}])) == 0.0


def friction(speed: float, force: float = 1.0, **more: object) -> dict[str, object]:
    law = {"omega": OMEGA, "stribeck_velocity": 1e-3}
    return {"slip_velocity": (0.0, speed, 0.0), "normal_force": force, **law, **more}


@pytest.mark.parametrize(
    "speed, factor", [(0.0, 1.0), (4.9e-3, 1.0), (-5e-3, 1.0), (0.05, 10**1.2), (-0.5, 100**1.2)]
)
def test_stribeck_proposal_is_equation_33(speed: float, factor: float) -> None:
    step = record(0.0, 1e-3, [friction(speed)])
    for rule in (Stribeck(0.02), PrintedStribeck(0.02)):
        assert rule.propose(step, 1e-3) == pytest.approx(0.02 / OMEGA * factor)


def test_a_step_that_closes_a_contact_may_go_the_tolerance_deep() -> None:
    """From an open gap to 3.9 eps_p deep is accepted with a tolerance of 4, to 4.1 eps_p it is repeated."""
    rule = Penetration(EPS, tolerance=4.0)
    gentle, deep = (record(0.0, 1e-3, [{"gap_i": 0.05 * EPS, "gap_f": -n * EPS}]) for n in (3.9, 4.1))
    assert rule.reject(gentle) == 0.0
    assert 0.0 < rule.reject(deep) < 1e-3
    # of wide gaps larger changes are allowed: there the depth decides alone
    far = record(0.0, 1e-3, [{"gap_i": 50.0 * EPS, "gap_f": -3.9 * EPS}])
    too_far = record(0.0, 1e-3, [{"gap_i": 50.0 * EPS, "gap_f": -4.1 * EPS}])
    assert rule.reject(far) == 0.0 and 0.0 < rule.reject(too_far) < 1e-3


def test_stribeck_rule_ignores_open_contacts_and_laws_without_time_constant() -> None:
    rule = Stribeck(0.02)
    assert rule.propose(record(0.0, 1e-3, [friction(0.0, force=0.0)]), 1e-3) == inf
    assert PrintedStribeck(0.02).propose(record(0.0, 1e-3, [friction(0.0, force=0.0)]), 1e-3) < inf
    for rule in (Stribeck(0.02), PrintedStribeck(0.02)):
        assert rule.propose(record(0.0, 1e-3, [friction(0.0, omega=0.0)]), 1e-3) == inf
        assert rule.propose(record(0.0, 1e-3, [friction(0.0, stribeck_velocity=0.0)]), 1e-3) == inf
    both = record(0.0, 1e-3, [friction(0.5), friction(0.0)])
    assert rule.propose(both, 1e-3) == pytest.approx(0.02 / OMEGA)


def test_slider_that_reverses_is_followed_with_small_steps_only_near_rest() -> None:
    def slider(t0: float, t1: float) -> StepRecord:
        return record(t0, t1, [friction(0.4 * np.cos(2 * np.pi * t1), gap_i=-1e-5, gap_f=-1e-5)])

    records = run(StepControl(Stribeck(0.02), dt_initial=1e-5, dt_max=1e-2), slider, 1.0)
    dt, speed = (
        np.array([r.dt for r in records]),
        np.array([abs(0.4 * np.cos(2 * np.pi * r.time)) for r in records]),
    )
    stuck = speed < 4e-3
    assert np.count_nonzero(stuck) > 10 and np.max(dt[stuck]) < 3 * 0.02 / OMEGA
    assert np.median(dt[speed > 0.2]) > 30 * 0.02 / OMEGA
    assert len(records) < 6000


BAD: dict[str, Callable[[], object]] = {
    "Penetration eps_p is 0": lambda: Penetration(0.0),
    "PrintedPenetration q_min is -5": lambda: PrintedPenetration(1e-6, q_min=-5.0),
    "Penetration tolerance is nan": lambda: Penetration(1e-6, tolerance=np.nan),
    "Stribeck tau_min is inf": lambda: Stribeck(inf),
    "Stribeck v_min is 0": lambda: Stribeck(0.02, v_min=0.0),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        BAD[message]()
