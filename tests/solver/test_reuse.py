"""Which way is chosen when one of them is cheaper, and that the choice follows when this changes."""

from __future__ import annotations

from fem_mbd.solver.reuse import LONGEST, PERIOD, TRIAL, Reuse, factorisation_cost


def run(choice: Reuse, steps: int, kept: tuple[int, int], full: tuple[int, int]) -> int:
    """Take steps with the given (iterations, factorisations) of both ways; how many kept the factorisation."""
    count = 0
    for _ in range(steps):
        way = choice.way
        count += bool(way)
        choice.learn(*(kept if way else full))
    return count


def test_the_cheaper_way_is_taken_nearly_always() -> None:
    dear = Reuse("auto", 5.0)
    assert run(dear, 1000, kept=(4, 0), full=(2, 2)) > 950
    cheap = Reuse("auto", 0.1)
    assert run(cheap, 1000, kept=(12, 1), full=(3, 3)) < 50


def test_the_choice_follows_a_change() -> None:
    choice = Reuse("auto", 1.0)
    run(choice, 500, kept=(4, 0), full=(3, 3))
    after = run(choice, LONGEST + 2 * TRIAL, kept=(15, 4), full=(3, 3))
    assert choice.way is False and after < LONGEST


def test_the_first_choice_is_made_after_two_trials() -> None:
    choice = Reuse("auto", 1.0)
    assert run(choice, 2 * TRIAL, kept=(9, 1), full=(3, 3)) == TRIAL
    assert run(choice, PERIOD, kept=(9, 1), full=(3, 3)) == 0


def test_given_ways_are_kept() -> None:
    for option in (False, "step", True):
        choice = Reuse(option, 1.0)
        run(choice, 200, kept=(50, 9), full=(50, 9))
        assert choice.way is option


def test_redundant_constraints_keep_a_factorisation_within_its_step_at_most() -> None:
    assert Reuse(True, 1.0, between_steps=False).way == "step"
    assert Reuse("auto", 1.0, between_steps=False).way == "step"


def test_a_factorisation_costs_more_where_it_fills_more() -> None:
    size = 10_000
    costs = [factorisation_cost(size, fill * size) for fill in (500.0, 5_000.0, 50_000.0)]
    assert costs == sorted(costs) and costs[-1] > 2 * costs[0]
