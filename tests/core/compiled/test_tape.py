"""Kernels with recorded numbers: derivatives of every law backwards as with dual numbers, and the tape's memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fem_mbd.core.compiled.calls import Call, Number
from fem_mbd.core.compiled.duals.calls import DualCall
from fem_mbd.core.compiled.duals.memory import Shadow
from fem_mbd.core.compiled.duals.number import DUAL, RECORDED
from fem_mbd.core.compiled.tape.memory import Tape, the_tape
from fem_mbd.errors import FemMbdWarning
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.tangential import directed_force, state_count
from tests.core.compiled.test_duals import FRICTION, NORMAL

pytestmark = pytest.mark.filterwarnings(f"ignore::{FemMbdWarning.__module__}.{FemMbdWarning.__name__}")


def _backwards(call: DualCall, shadow: Shadow, inputs: Any, outputs: Any) -> Any:
    """(outputs, inputs) derivatives of what a call fills or returns."""
    tape = the_tape()
    tape.place("friction")
    tape.begin(inputs.size)
    _numbers(shadow.duals(inputs))[...] = np.arange(1, inputs.size + 1)
    first = tape.count
    call()
    results = np.concatenate([_numbers(one).ravel() for one in outputs()])
    found = []
    tape.lanes(2)
    for k in range(0, len(results), 2):
        some = results[k : k + 2]
        tape.add(some, np.eye(2)[: len(some)])
        tape.back(first, tape.count)
        found.append(tape.adjoints[1 : inputs.size + 1, : len(some)].T.copy())
        tape.adjoints[: inputs.size + 1] = 0.0
        assert not tape.adjoints.any()
    return np.concatenate(found)


def _numbers(recorded: Any) -> Any:
    return recorded.view(np.int64)[..., 1]


@pytest.mark.parametrize("name", FRICTION)
@pytest.mark.parametrize("slip", [1e-9, 1e-6])
def test_friction_laws(name: str, slip: float) -> None:
    """By slip, state and normal force, at once in one array."""
    law, dt = FRICTION[name], 1e-4
    count = max(state_count(law[()]), 1)
    state = 0.3 * slip * np.random.default_rng(5).normal(size=(count, 3))
    numbers = np.concatenate([[slip, -0.5 * slip, 0.0], state.ravel(), [20.0]])
    given = numbers[:3], numbers[3:-1].reshape(count, 3), Number(numbers, len(numbers) - 1)
    mu, z_f, along = np.zeros(3), np.zeros((count, 3)), np.array([1.0, 0.0, 0.0])
    call = Call(directed_force, law[()], along, *given, 20.0, dt, mu, z_f)
    _compare(call, numbers, (mu, z_f))


@pytest.mark.parametrize("name", NORMAL)
@pytest.mark.parametrize("gaps", [(2e-6, -3e-6), (-3e-6, -2e-6), (-2e-6, 1e-6), (3e-6, 2e-6)])
def test_normal_laws(name: str, gaps: tuple[float, float]) -> None:
    """By both gaps, the speed at which the contact began, and the deepest approach."""
    numbers = np.array([*gaps, 0.2, 4e-6])
    q_i, q_f, speed, deepest = (Number(numbers, k) for k in range(4))
    _compare(Call(normal_force, NORMAL[name][()], q_i, q_f, 1e-5, speed, deepest), numbers, ())


def _compare(call: Call, numbers: Any, filled: Any) -> None:
    """All derivatives with those of dual numbers, in one direction after the other."""
    recorded, dual = Shadow(RECORDED), Shadow(DUAL)
    own, other = DualCall(call, recorded), DualCall(call, dual)
    found = _backwards(
        own, recorded, numbers, lambda: [*(recorded.duals(one) for one in filled), own.returned]
    )
    expected = []
    for place in range(len(numbers)):
        for block in dual.blocks:
            block.refresh()
        dual.duals(numbers)[place, 1] = 1.0
        other()
        results = [*(dual.duals(one) for one in filled), other.returned]
        expected.append(np.concatenate([one[..., 1].ravel() for one in results]))
        values = np.concatenate([one[..., 0].ravel() for one in results])
    own_values = [*(recorded.duals(one)[..., 0].ravel() for one in filled), own.returned[:, 0]]
    assert np.concatenate(own_values) == pytest.approx(values, rel=1e-13, abs=1e-300)
    wanted = np.array(expected).T
    scale = np.abs(wanted).max(axis=0, keepdims=True)
    assert (np.abs(found - wanted) <= 1e-9 * scale).all()


def test_a_full_tape_is_enlarged() -> None:
    tape = Tape()
    tape.lanes(2)
    tape.begin(10)
    assert not tape.enlarge()
    tape.adjoints[3] = 2.0
    tape._head[0] = tape._head[1]
    assert tape.enlarge()
    assert tape.adjoints[3].tolist() == [2.0] * 2
    assert len(tape.adjoints) == tape._head[1] + 1


@pytest.mark.parametrize("lanes", [2, 8])
def test_going_back(lanes: int) -> None:
    """z = 3 a + a b with a = 2, b = 5 and two inputs: dz/da = 8, dz/db = 2; constants take nothing."""
    tape = Tape()
    tape.begin(2)
    tape.lanes(lanes)
    for a, by_a, b, by_b in ((1, 3.0, 0, 0.0), (1, 5.0, 2, 2.0), (3, 1.0, 4, 1.0)):
        k = tape.count
        tape._numbers[k, ::2], tape._slopes[k, 1::2] = (a, b), (by_a, by_b)
        tape._head[0] += 1
    seeds = np.zeros((2, lanes))
    seeds[0] = np.arange(lanes)
    tape.add(np.array([5, 0]), seeds)
    tape.back(3, 6)
    assert (tape.adjoints[1] == 8.0 * np.arange(lanes)).all()
    assert (tape.adjoints[2] == 2.0 * np.arange(lanes)).all()
    assert not tape.adjoints[3:].any()
    assert not tape.adjoints[0].any()


@pytest.mark.parametrize("lanes", [2, 8])
def test_pages_without_adjoints(lanes: int) -> None:
    """A chain of sums over several pages, of which some are gone through in parts, and some not at all."""
    tape, count = Tape(), 5000
    tape.begin(2)
    tape.lanes(lanes)
    for k in range(3, 3 + count):  # each is the second one before it, twice
        tape._numbers[k, ::2], tape._slopes[k, 1::2] = (max(k - 2, 1), 0), (1.0, 0.0)
    tape._head[0] = 3 + count
    seed = np.ones((1, lanes))
    for begin in (3, 700, 2100, 3 + count - 1):
        tape.add(np.array([begin]), seed)
    for first in (4000, 3990, 1500, 3):
        tape.back(first, 3 + count)
    assert tape.adjoints[1:3].sum(axis=0).tolist() == [4.0] * lanes
    assert not tape.adjoints[3:].any()
