"""Tests that functions of time are bitwise the same in compiled code and in Python."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fem_mbd.core.model.function_values import StepFunctions
from fem_mbd.core.model.time_functions import (
    Constant,
    FromCallable,
    Harmonic,
    Piecewise,
    Polynomial,
    Ramp,
    SmoothStep,
    Table,
    TimeFunction,
)
from fem_mbd.core.model.workspace import Workspace

TIMES = [0.0, 0.1, 0.3, 0.5, 0.7, 1.2, 2.0]
VECTOR = np.array([1.0, -2.0, 0.3])
WAVE = Harmonic(1.3, 7.0, 0.4, -0.2)
CHOICE = Piecewise([0.3, 1.2], [WAVE, Table(TIMES, np.sin(TIMES), "step"), 2.0])
FUNCTIONS: dict[str, TimeFunction] = {
    "constant": Constant(3.5),
    "vector": Constant(VECTOR),
    "ramp": Ramp(0.1, 0.7, -1.0, 2.0),
    "ramp of vectors": Ramp(0.3, 1.2, VECTOR, 2 * VECTOR),
    "smooth step": SmoothStep(0.1, 2.0, 0.5, 7.0),
    "harmonic": WAVE,
    "polynomial": Polynomial([0.3, -1.0, 2.0, 0.7]),
    "polynomial of vectors": Polynomial([VECTOR, 3 * VECTOR]),
    "number as polynomial": Polynomial([2.0]),
    "straight table": Table(TIMES, np.cos(TIMES)),
    "cubic table": Table(TIMES, np.outer(np.cos(TIMES), VECTOR), "cubic"),
    "table of steps": Table(TIMES, np.cos(TIMES), "step"),
    "piecewise": CHOICE,
    "sum and product": VECTOR * (CHOICE + Ramp(0.0, 1.0) * WAVE - 0.25),
}


def workspace(t_i: float, t_f: float) -> Workspace:
    work = Workspace(np.ones(1), np.zeros((1, 3, 3)), np.zeros((1, 3)), np.zeros(3))
    work.t_i, work.t_f, work.dt = t_i, t_f, t_f - t_i
    return work


def values(functions: StepFunctions, t_i: float, t_f: float) -> Any:
    for task in functions.tasks(workspace(t_i, t_f)):
        task()
    return functions.values


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_functions_are_those_of_python(name: str) -> None:
    function = FUNCTIONS[name]
    functions = StepFunctions([function])
    assert function.instructions() is not None
    instants = np.sort([*np.random.default_rng(3).uniform(-0.5, 2.5, 40), *TIMES, 1.2 + 1e-16, 0.1 + 1e-17])
    for t_i, t_f in pairwise(instants):
        start, end, rate = values(functions, t_i, t_f)[:, 0]
        np.testing.assert_array_equal(start, np.broadcast_to(function.value(t_i, +1), 3))
        np.testing.assert_array_equal(end, np.broadcast_to(function.value(t_f, -1), 3))
        np.testing.assert_array_equal(rate, np.broadcast_to(function.rate(t_f, -1), 3))


def test_a_step_that_carries_out_a_jump_begins_before_it() -> None:
    step = Table([0.0, 1.0], [0.0, 5.0], "step")
    assert values(StepFunctions([step]), 1.0, 1.1)[0, 0, 0] == 5.0
    assert values(StepFunctions([step], [(1.0,)]), 1.0, 1.1)[0, 0, 0] == 0.0


def test_functions_of_the_user_are_called_among_the_others() -> None:
    functions = StepFunctions([WAVE, FromCallable(lambda t: t**2), Constant(VECTOR)])
    found = values(functions, 0.5, 2.0)
    assert found[0, 1].tolist() == [0.25] * 3 and found[1, 1].tolist() == [4.0] * 3
    assert found[2, 1, 0] == pytest.approx(4.0) and found[1, 2].tolist() == VECTOR.tolist()
    assert found[1, 0, 0] == WAVE.value(2.0)


def test_a_class_derived_from_a_shape_is_not_taken_for_it() -> None:
    class Later(Ramp):
        def value(self, t: float, side: int = 1) -> Any:
            return super().value(t - 1.0, side)

    later = Later(0.0, 1.0)
    assert later.instructions() is None and (later + 1.0).instructions() is None
    assert values(StepFunctions([later]), 0.0, 1.5)[1, 0, 0] == 0.5
