"""After failures that come back the size waits before it grows; one that stands alone changes nothing."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.stepping.growth_pause import FIRST, LONGEST, SOON, GrowthPause
from tests.core.scheme_tools import simulation
from tests.core.stepping.test_step_retry import body, fail_where


def pauses(events: str) -> list[bool]:
    """Whether it lasts after each step: "f" one that failed first, "." one that did not."""
    pause, found = GrowthPause(), []
    for event in events:
        if event == "f":
            pause.failed()
        pause.passed()
        found.append(pause.lasts)
    return found


def test_a_failure_that_stands_alone_changes_nothing() -> None:
    assert not any(pauses("..f" + (SOON + 1) * "." + "f...."))


def test_failures_that_come_back_make_it_wait_ever_longer() -> None:
    pause, lengths = GrowthPause(), []
    for _ in range(8):
        pause.failed()
        pause.passed()
        lengths.append(0)
        while pause.lasts:
            lengths[-1] += 1
            pause.passed()
    assert lengths == [0, FIRST, 2 * FIRST, 4 * FIRST, LONGEST, LONGEST, LONGEST, LONGEST]


def test_it_goes_on_after_a_restart() -> None:
    pause, other = GrowthPause(), GrowthPause()
    for _ in range(3):
        pause.failed()
        pause.passed()
    other.restore(pause.state())
    for _ in range(3 * FIRST):
        assert pause.lasts == other.lasts
        pause.passed()
        other.passed()
    assert not pause.lasts


def test_a_run_that_cannot_take_its_steps_stops_trying_them_all_the_time() -> None:
    """Steps above 0.07 s fail, 0.1 s is asked for: two attempts in three were thrown away, now one in ten is."""
    sim = simulation(body(), 0.1, 20.0)
    fail_where(sim, lambda t: t - sim.state.time > 0.07)
    sizes = np.array([record.dt for record in sim.steps()])
    assert sizes.max() <= 0.07 and abs(sizes.sum() - 20.0) < 1e-9
    assert sim.counters["rejected"] < 0.1 * sim.counters["steps"]
