"""Tests of the Jacobian reuse policy: the cheapest one is chosen, and the reuse follows changes of cost."""

from collections import Counter

from fem_mbd.core.newton.jacobian_reuse import (
    LONGEST,
    PERIOD,
    POLICIES,
    TRIAL,
    JacobianReuse,
    Policy,
    factorisation_cost,
)

Cost = tuple[int, int]  # iterations, factorisations
HIGH = (30, 9)


def run(
    reuse: JacobianReuse, steps: int, kept: Cost = HIGH, within: Cost = HIGH, full: Cost = HIGH
) -> Counter[Policy]:
    """Make steps with these costs by policy; return the number of steps with each policy."""
    costs: dict[Policy, Cost] = {True: kept, "step": within, False: full}
    count: Counter[Policy] = Counter()
    for _ in range(steps):
        count[reuse.policy] += 1
        reuse.record_cost(*costs[reuse.policy])
    return count


def test_the_cheapest_policy_is_used_nearly_always() -> None:
    assert run(JacobianReuse("auto", 5.0), 1000, kept=(4, 0), within=(3, 1), full=(2, 2))[True] > 930
    assert run(JacobianReuse("auto", 4.0), 1000, kept=(4, 2), within=(3, 1), full=(2, 2))["step"] > 930
    assert run(JacobianReuse("auto", 0.1), 1000, kept=(12, 1), within=(6, 1), full=(3, 3))[False] > 930


def test_the_choice_follows_a_change() -> None:
    reuse = JacobianReuse("auto", 1.0)
    run(reuse, 500, kept=(4, 0), within=(4, 1), full=(3, 3))
    after = run(reuse, LONGEST + 3 * TRIAL, kept=(15, 4), within=(5, 2), full=(3, 3))
    assert reuse.policy is False and after[True] < LONGEST


def test_the_first_choice_is_made_after_a_trial_of_each() -> None:
    reuse = JacobianReuse("auto", 1.0)
    assert run(reuse, 3 * TRIAL, full=(3, 3)) == {True: TRIAL, "step": TRIAL, False: TRIAL}
    assert run(reuse, PERIOD, full=(3, 3)) == {False: PERIOD}


def test_a_policy_that_cannot_be_cheaper_is_not_tried() -> None:
    """A factorisation in every step costs more than a whole step with a reused one."""
    assert run(JacobianReuse("auto", 5.0), 1000, kept=(6, 0), within=(2, 1), full=(2, 2)) == {True: 1000}
    reuse = JacobianReuse("auto", 5.0)
    assert run(reuse, 1000, kept=(8, 0), within=(2, 1))["step"] > 900
    # but it is tried when that changes
    reuse = JacobianReuse("auto", 5.0)
    run(reuse, 500, kept=(5, 0))
    assert run(reuse, LONGEST + 3 * TRIAL, kept=(15, 4), within=(3, 1))["step"] > 0


def test_policies_set_by_the_user_do_not_change() -> None:
    for option in POLICIES:
        reuse = JacobianReuse(option, 1.0)
        run(reuse, 200)
        assert reuse.policy is option


def test_redundant_constraints_reuse_a_factorisation_within_its_step_only() -> None:
    assert JacobianReuse(True, 1.0, between_steps=False).policy == "step"
    assert JacobianReuse("auto", 1.0, between_steps=False).policy == "step"


def test_a_factorisation_with_more_fill_costs_more() -> None:
    size = 10_000
    costs = [factorisation_cost(size, fill * size) for fill in (500.0, 5_000.0, 50_000.0)]
    assert costs == sorted(costs) and costs[-1] > 2 * costs[0]


def test_a_policy_that_becomes_costlier_ends_before_its_period() -> None:
    reuse = JacobianReuse("auto", 1.0)
    run(reuse, 3 * TRIAL + 1, kept=(4, 0), within=(4, 1), full=(3, 3))
    after = run(reuse, PERIOD, kept=(15, 4), within=(4, 1), full=(3, 3))
    assert after["step"] > PERIOD / 2


def test_a_trial_ends_when_its_policy_cannot_become_the_cheapest() -> None:
    """After a step of cost 30 at least two of 7 follow: 44 against three times 14. After one of cost 27: 41."""
    kept = (14, 0)
    assert run(JacobianReuse("auto", 5.0), PERIOD, kept, within=(25, 1)) == {
        True: PERIOD - 4,
        "step": 2,
        False: 2,
    }
    assert run(JacobianReuse("auto", 5.0), PERIOD, kept, within=(22, 1)) == {
        True: PERIOD - 5,
        "step": 3,
        False: 2,
    }


def test_factorising_in_every_iteration_is_tried_where_two_are_cheaper() -> None:
    assert run(JacobianReuse("auto", 5.0), PERIOD, kept=(12, 0), within=(13, 1))[False] == 0
    assert (
        run(JacobianReuse("auto", 5.0), PERIOD, kept=(13, 0), within=(13, 1), full=(2, 2))[False] > PERIOD / 2
    )
