"""Tests of the pause in step growth: after repeated failures it doubles, after a single one there is none."""

import numpy as np

from fem_mbd.core.stepping.step_sizes import FIRST_PAUSE, LONGEST_PAUSE, REPEAT_STEPS, GrowthPause
from tests.core.scheme_tools import simulation
from tests.core.stepping.test_step_retry import body, fail_where


def pauses(events: str) -> list[bool]:
    """Whether it is active after each step: "f" a step that failed first, "." one that did not."""
    pause, active = GrowthPause(), []
    for event in events:
        if event == "f":
            pause.step_failed()
        pause.steps_accepted()
        active.append(pause.active)
    return active


def test_a_single_failure_changes_nothing() -> None:
    assert not any(pauses("..f" + (REPEAT_STEPS + 1) * "." + "f...."))


def test_repeated_failures_double_the_pause() -> None:
    pause, lengths = GrowthPause(), []
    for _ in range(8):
        pause.step_failed()
        pause.steps_accepted()
        lengths.append(0)
        while pause.active:
            lengths[-1] += 1
            pause.steps_accepted()
    assert lengths == [
        0,
        FIRST_PAUSE,
        2 * FIRST_PAUSE,
        4 * FIRST_PAUSE,
        LONGEST_PAUSE,
        LONGEST_PAUSE,
        LONGEST_PAUSE,
        LONGEST_PAUSE,
    ]


def test_the_pause_continues_after_a_restart() -> None:
    pause, other = GrowthPause(), GrowthPause()
    for _ in range(3):
        pause.step_failed()
        pause.steps_accepted()
    other.restore(pause.state())
    for _ in range(3 * FIRST_PAUSE):
        assert pause.active == other.active
        pause.steps_accepted()
        other.steps_accepted()
    assert not pause.active


def test_a_run_seldom_repeats_attempts_that_fail() -> None:
    """Steps above 0.07 s fail, 0.1 s is requested: two attempts in three were rejected, now fewer than one in ten."""
    sim = simulation(body(), 0.1, 20.0)
    fail_where(sim, lambda t: t - sim.state.time > 0.07)
    sizes = np.array([record.dt for record in sim.steps()])
    assert sizes.max() <= 0.07 and abs(sizes.sum() - 20.0) < 1e-9
    assert sim.counters["rejected"] < 0.1 * sim.counters["steps"]
