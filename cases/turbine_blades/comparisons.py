"""Statements of the paper that compare two runs: both laws in simulation 1, two stick zones of GKF in the sweep.

The second run is made for the checks, without a results file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.turbine_blades.histories import Histories
from fem_mbd.cases.turbine_blades.parameters import Parameters
from fem_mbd.cases.turbine_blades.set_up import FREQUENCY, GROWN, GROWS, PRELOADED, build
from fem_mbd.runs.results.checks import Check, at_most, within
from fem_mbd.runs.running.runs import run

PAPER = "Colantonio et al., section 5"
SWING = 1.0 / FREQUENCY  # s
SETTLED = 1.3  # s, in simulation 1: full sliding
GOOD, WEAK = 0.1, 0.1  # limits for "good agreement" and for "a weak impact"
WIDER = 1e-3  # m/s, the other threshold of GKF's stick zone


def other_run(parameters: Parameters, **changed: Any) -> Histories:
    """A run with some parameters changed."""
    p = replace(parameters, **changed)
    return Histories(run(build(p), progress=False), p)


def both_laws(h: Histories) -> list[Check]:
    """Simulation 1: smoothness of break-away of the two laws, and their agreement when both slide."""
    other = other_run(h.parameters, friction="gkf" if h.parameters.friction == "lugre" else "lugre")
    lugre, gkf = (h, other) if h.parameters.friction == "lugre" else (other, h)
    smoothness = _sharpest(lugre) / _sharpest(gkf)
    tips = _apart(lugre, gkf, lambda one: one.tips[:, 0])
    slips = _apart(lugre, gkf, _speed)
    source = PAPER + ".1"
    return [
        at_most("fastest growth of slip, LuGre / GKF", smoothness, 1.0, source + ": smoother for LuGre"),
        at_most("tips after 1.3 s, difference of LuGre and GKF", tips, GOOD, source + ": good agreement"),
        at_most("slip after 1.3 s, difference of LuGre and GKF", slips, GOOD, source + ": good agreement"),
    ]


def wider_stick_zone(h: Histories) -> list[Check]:
    """Simulation 2, GKF: largest tip and energy with the other threshold over those with the paper's."""
    other = other_run(h.parameters, threshold=WIDER)
    tip, lost = (
        size(other) / size(h)
        for size in (
            lambda one: float(np.abs(one.tips[one.time > PRELOADED, 0]).max()),
            lambda one: float(one.dt @ one.power.sum(axis=1)),
        )
    )
    beside = f"with a threshold of {WIDER:g} m/s / that of {h.parameters.threshold:g}"
    source = PAPER + ".3: a weak impact"
    return [
        within(f"largest tip {beside}", tip, 1 - WEAK, 1 + WEAK, source),
        within(f"energy lost {beside}", lost, 1 - WEAK, 1 + WEAK, source),
    ]


def _speed(h: Histories) -> Array:
    return np.asarray(np.linalg.norm(h.slip[:, 0], axis=1))


def _sharpest(h: Histories) -> float:
    """Largest growth of the slip from one period to the next, while the force grows."""
    middle, peaks = h.envelope(_speed(h), SWING)
    grows = (middle[1:] > GROWS + 2 * SWING) & (middle[1:] < GROWN - SWING)
    return float((peaks[1:] / np.maximum(peaks[:-1], np.finfo(float).tiny))[grows].max())


def _apart(one: Histories, other: Histories, quantity: Callable[[Histories], Array]) -> float:
    """Mean difference of a quantity's largest values in each period, over their mean."""
    middle, first = one.envelope(quantity(one), SWING)
    _, second = other.envelope(quantity(other), SWING)
    late = (middle > SETTLED) & (middle < GROWN - SWING)
    return float(np.abs(first - second)[late].mean() / (0.5 * (first + second))[late].mean())
