"""A sample of the random mechanisms with clearances, loops and extreme steps; `mechanisms` runs any number of them."""

import warnings

import pytest

from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.friction.probes import gallery
from tests.core.scheme.mechanism_laws import LATER, names
from tests.core.scheme.mechanisms import faults, mechanism


def run(seed: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FemMbdWarning)
        try:
            return faults(mechanism(seed))[0]
        except InputError:
            return []  # constraints that are redundant or contradict each other: most loops
        except SolverFailure as failure:
            # a run may give up (a disk pressed across its cylinder, steps of 30 s), but it has to say why
            return [] if ": " in str(failure) else ["gave up without a reason"]


SAMPLE = 30
# Newton's remaining residual was 2e-11 of the energy, in stiff contacts with large steps; round-off of bristles across
# their plane grew to 2e-8 of it; Newton converged at its last iteration; bristles shrank as a disk crossed its ring;
# round-off of places changed friction in stiff contacts; Newton ended at the worst of its last iterates
ONCE_UNEXPLAINED = (
    373, 585, 6596, 10148, 14562, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (11316, 13514)),
)  # fmt: skip


def test_nothing_that_may_never_happen_happens() -> None:
    assert {seed: found for seed in range(SAMPLE) if (found := run(seed))} == {}


@pytest.mark.parametrize("seed", ONCE_UNEXPLAINED)
def test_energy_that_was_once_unexplained(seed: int) -> None:
    assert run(seed) == []


@pytest.mark.study
def test_a_hundred_more() -> None:
    assert {seed: found for seed in range(1000, 1100) if (found := run(seed))} == {}


def test_no_law_is_forgotten() -> None:
    """A new law needs a place among those that seeds draw from; each name has one."""
    friction, normal = names(LATER[-1][0])
    assert sorted(friction) == sorted(entry.name for entry in gallery.ENTRIES)
    assert sorted(normal) == sorted(entry.name for entry in gallery.CONTACT_ENTRIES)
