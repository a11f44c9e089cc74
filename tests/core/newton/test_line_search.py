"""Tests of the line search: fractions of parabolas and cubics in closed form, failure, and whole runs with it."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.newton.newton_iteration import (
    FAIL,
    LARGEST,
    SEARCH,
    SMALLEST,
    TAKE,
    begin_line_search as begin,
    check_line_search as check,
)
from fem_mbd.core.solver.steps import Steps
from fem_mbd.runs.results.result import Result
from tests.core.newton.test_compiled_newton import cantilever
from tests.runs.comparison import assert_same


def fractions(squares: Callable[[float], float], before: float = 1.0) -> tuple[list[float], bool]:
    """The fractions tried, and whether the last was taken; squares(s) is |f|^2 at the fraction s."""
    search: Any = np.zeros(1, dtype=SEARCH)
    begin(search, before)
    tried = []
    while True:
        tried.append(float(search["fraction"][0]))
        outcome = check(search, squares(tried[-1]))
        if outcome in (TAKE, FAIL):
            return tried, outcome == TAKE


def test_an_update_with_which_the_equations_decrease_is_taken() -> None:
    assert fractions(lambda s: (1.0 - s) ** 2) == ([1.0], True)
    assert fractions(lambda s: 0.0, before=0.0) == ([1.0], True)


@pytest.mark.parametrize("curvature", [2.5, 4.0, 9.0])
def test_the_second_fraction_is_at_the_minimum_of_a_parabola(curvature: float) -> None:
    """|f|^2 = 1 - 2 s + c s^2 is smallest at 1 / c."""
    tried, taken = fractions(lambda s: 1.0 - 2.0 * s + curvature * s**2)
    assert taken and tried == pytest.approx([1.0, min(1.0 / curvature, LARGEST)])


def test_the_third_fraction_is_at_the_minimum_of_a_cubic() -> None:
    """|f|^2 = 7 (1 - 2 s + b s^2 + a s^3) with values at two fractions: smallest where 3 a s^2 + 2 b s = 2."""
    a, b = 40.0, -4.0

    def cubic(s: float) -> float:
        return 7.0 * (1.0 - 2.0 * s + b * s**2 + a * s**3)

    # the parabola's minimum is at 1 / (a + b), which is limited to a tenth; it is not accepted by this function
    search: Any = np.zeros(1, dtype=SEARCH)
    begin(search, 7.0)
    check(search, cubic(1.0))
    assert search["fraction"][0] == SMALLEST
    search["fraction"] = 0.4
    check(search, cubic(0.4))
    assert float(search["fraction"][0]) == pytest.approx((-b + np.sqrt(b**2 + 6.0 * a)) / (3.0 * a))


@pytest.mark.parametrize("wrong", [nan, inf])
def test_without_a_finite_value_the_fraction_is_halved(wrong: float) -> None:
    assert fractions(lambda s: wrong if s > 0.3 else 0.0) == ([1.0, 0.5, 0.25], True)


@pytest.mark.parametrize("squares", [lambda s: 1.0 + s, lambda s: nan])
def test_equations_that_do_not_decrease_fail(squares: Callable[[float], float]) -> None:
    assert not fractions(squares)[1]


@pytest.mark.out_of_range("rotation within an element")
def test_compiled_steps_with_the_line_search_are_those_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop makes also the solves that begin with backtracking, with the same records.

    One iteration of full updates is not enough for the force at the tip, three with backtracking are.
    """
    made = []

    def run() -> Result:
        sim = cantilever((0.0, 0.0, 500.0), max_iterations=1, linear_solver="block")
        attempts = sim.hooks.make_steps

        def counted(*arguments: Any) -> Any:
            cautious, block = bool(sim.solver.cautious[0]), attempts(*arguments)
            made.append(cautious and block is not None)
            return block

        monkeypatch.setattr(sim.hooks, "make_steps", counted)
        return fm.run(sim, progress=False)

    compiled = run()
    assert any(made)
    monkeypatch.setattr(Steps, "make_steps", lambda *_: None)
    readable = run()
    assert_same(compiled, readable)
