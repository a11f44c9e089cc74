"""A sample of the random mechanisms with clearances, loops and absurd steps; `mechanisms` runs as many as wanted."""

from __future__ import annotations

import warnings

import pytest

from fem_mbd.errors import FemMbdWarning, InputError
from tests.scheme.mechanisms import faults, mechanism


def run(seed: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FemMbdWarning)
        try:
            return faults(mechanism(seed))[0]
        except InputError:
            return []  # constraints that are redundant or contradict each other: most loops


def test_nothing_new_that_may_never_happen_happens() -> None:
    assert {seed for seed in range(SAMPLE) if run(seed)} == OPEN


SAMPLE = 12
OPEN = {2}  # an energy residual of 1.3e-11 of 16 J, above the bar of 1e-11; its cause is not known yet


@pytest.mark.study
def test_a_hundred_more() -> None:
    assert {seed: found for seed in range(1000, 1100) if (found := run(seed))} == {}
