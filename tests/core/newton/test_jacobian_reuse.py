"""Which way is chosen when one of them is cheapest, and that the choice follows when this changes."""

from __future__ import annotations

from collections import Counter

from fem_mbd.core.newton.jacobian_reuse import LONGEST, PERIOD, TRIAL, WAYS, Reuse, Way, factorisation_cost

Cost = tuple[int, int]  # iterations, factorisations
DEAR = (30, 9)


def run(choice: Reuse, steps: int, kept: Cost = DEAR, within: Cost = DEAR, full: Cost = DEAR) -> Counter[Way]:
    """Take steps with what they cost each way; how many went which way."""
    costs: dict[Way, Cost] = {True: kept, "step": within, False: full}
    count: Counter[Way] = Counter()
    for _ in range(steps):
        count[choice.way] += 1
        choice.learn(*costs[choice.way])
    return count


def test_the_cheapest_way_is_taken_nearly_always() -> None:
    assert run(Reuse("auto", 5.0), 1000, kept=(4, 0), within=(3, 1), full=(2, 2))[True] > 930
    assert run(Reuse("auto", 4.0), 1000, kept=(4, 2), within=(3, 1), full=(2, 2))["step"] > 930
    assert run(Reuse("auto", 0.1), 1000, kept=(12, 1), within=(6, 1), full=(3, 3))[False] > 930


def test_the_choice_follows_a_change() -> None:
    choice = Reuse("auto", 1.0)
    run(choice, 500, kept=(4, 0), within=(4, 1), full=(3, 3))
    after = run(choice, LONGEST + 3 * TRIAL, kept=(15, 4), within=(5, 2), full=(3, 3))
    assert choice.way is False and after[True] < LONGEST


def test_the_first_choice_is_made_after_a_trial_of_each() -> None:
    choice = Reuse("auto", 1.0)
    assert run(choice, 3 * TRIAL, full=(3, 3)) == {True: TRIAL, "step": TRIAL, False: TRIAL}
    assert run(choice, PERIOD, full=(3, 3)) == {False: PERIOD}


def test_what_cannot_be_cheaper_is_not_tried() -> None:
    """A factorisation in every step costs more than the steps in which one is kept take altogether."""
    assert run(Reuse("auto", 5.0), 1000, kept=(6, 0), within=(2, 1), full=(2, 2)) == {True: 1000}
    choice = Reuse("auto", 5.0)
    assert run(choice, 1000, kept=(8, 0), within=(2, 1))["step"] > 900
    # and is when that changes
    choice = Reuse("auto", 5.0)
    run(choice, 500, kept=(5, 0))
    assert run(choice, LONGEST + 3 * TRIAL, kept=(15, 4), within=(3, 1))["step"] > 0


def test_given_ways_are_kept() -> None:
    for option in WAYS:
        choice = Reuse(option, 1.0)
        run(choice, 200)
        assert choice.way is option


def test_redundant_constraints_keep_a_factorisation_within_its_step_at_most() -> None:
    assert Reuse(True, 1.0, between_steps=False).way == "step"
    assert Reuse("auto", 1.0, between_steps=False).way == "step"


def test_a_factorisation_costs_more_where_it_fills_more() -> None:
    size = 10_000
    costs = [factorisation_cost(size, fill * size) for fill in (500.0, 5_000.0, 50_000.0)]
    assert costs == sorted(costs) and costs[-1] > 2 * costs[0]


def test_a_way_that_becomes_dear_is_left_before_its_period_is_over() -> None:
    choice = Reuse("auto", 1.0)
    run(choice, 3 * TRIAL + 1, kept=(4, 0), within=(4, 1), full=(3, 3))
    after = run(choice, PERIOD, kept=(15, 4), within=(4, 1), full=(3, 3))
    assert after["step"] > PERIOD / 2


def test_a_trial_that_cannot_be_won_any_more_is_ended() -> None:
    """After a step counted at 30 two of 7 at least are to come: 44 against three times 14. After one at 27: 41."""
    kept = (14, 0)
    assert run(Reuse("auto", 5.0), PERIOD, kept, within=(25, 1)) == {True: PERIOD - 4, "step": 2, False: 2}
    assert run(Reuse("auto", 5.0), PERIOD, kept, within=(22, 1)) == {True: PERIOD - 5, "step": 3, False: 2}


def test_factorising_in_every_iteration_is_tried_where_two_are_cheaper() -> None:
    assert run(Reuse("auto", 5.0), PERIOD, kept=(12, 0), within=(13, 1))[False] == 0
    assert run(Reuse("auto", 5.0), PERIOD, kept=(13, 0), within=(13, 1), full=(2, 2))[False] > PERIOD / 2
