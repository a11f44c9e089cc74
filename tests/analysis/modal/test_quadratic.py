"""Checks that eigenvalues of damped machines in rotation are not lost in round-off beside their stiff parts."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.eigen import lowest_frequency, quadratic
from fem_mbd.machines import Machine, MachineFamily, with_elements
from tests.machines.hawc2.decks import DECKS

RATE = 1.2  # rad/s
FILES = (
    Path(__file__).parents[3] / "cases/_data/nrel5mw/NREL_5MW.fst",
    DECKS / "floating/oc4_semi/5MW_OC4Semi_WSt_WavesWN.fst",
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_eigenvalues_do_not_depend_on_the_shift(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = with_elements(Machine.read(path), 10)
        linear = MachineFamily(machine, machine.start).at(RATE)
    rates = linear.damping + linear.gyroscopic
    stiffness, rates, mass = (linear.reduced(each) for each in (linear.stiffness, rates, linear.mass))
    scale = lowest_frequency(stiffness, mass)
    found, other = (quadratic(stiffness, rates, mass, 15, factor * scale)[0] for factor in (1.0, 2.5))
    assert np.abs(found - other).max() < 1e-4
    elastic = found.imag > 2.0  # tower and blades: each has structural damping
    assert elastic.sum() >= 8
    assert other.real[elastic] == pytest.approx(found.real[elastic], rel=1e-4)
    assert (found.real[elastic] < -1e-3 * found.imag[elastic]).all()
