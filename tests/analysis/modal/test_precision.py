"""Tests of warnings about round-off of frequencies, where stretch and shear are far stiffer than bending."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_mbd import Model, SolverFailure, modes
from fem_mbd.analysis.modal.eigen import warn_of_round_off
from fem_mbd.analysis.statics.bordered_newton import PrecisionWarning
from fem_mbd.elements import Beam, Section

EXACT = 3.516015269  # rad/s of a clamped beam of unit length, stiffness and mass per length


def clamped(stiff: float, elements: int) -> Model:
    """The beam, its EA and GA ``stiff`` times EI / L^2."""
    model = Model()
    section = Section.from_rigidities(stiff, stiff, stiff, 1, 1, 1, 1, (0, 0, 0))
    beam = model.add(Beam(section, start=(0, 0, 0), end=(1, 0, 0), elements=elements))
    model.fix(beam.start)
    return model


def frequency(stiff: float, elements: int) -> float:
    """Error of the first frequency, relative."""
    return abs(float(modes(clamped(stiff, elements), 2).frequencies_hz[0]) * 6.283185307179586 / EXACT - 1)


@pytest.mark.parametrize("elements", [6, 12])
def test_usual_stiffnesses_give_no_warning(elements: int) -> None:
    assert frequency(1e8, elements) < 1e-5


@pytest.mark.parametrize(("stiff", "elements"), [(1e10, 12), (1e11, 6)])
def test_lost_digits_are_told(stiff: float, elements: int) -> None:
    with pytest.warns(PrecisionWarning, match="good to about [23] digits"):
        error = frequency(stiff, elements)
    assert error < 1e-2


def test_free_beams_keep_their_zeros_without_a_word() -> None:
    model = Model()
    model.add(
        Beam(
            Section.from_rigidities(1e6, 1e6, 1e6, 1, 1, 1, 1, (0.1, 0.1, 0.1)),
            (0, 0, 0),
            (1, 0.2, 0),
            elements=6,
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = modes(model, 8)
    assert (found.frequencies_hz[:6] == 0).all() and (found.frequencies_hz[6:] > 1).all()


@pytest.mark.parametrize(
    ("stiff", "elements", "number"), [(1e12, 24, 1), (1e12, 24, 4), (1e13, 4, 6), (1e14, 64, 6)]
)
def test_modes_that_round_off_hides_are_refused(stiff: float, elements: int, number: int) -> None:
    """Such modes must not appear at 0 Hz, nor take minutes."""
    with pytest.raises(
        SolverFailure, match="stiffnesses differ so much that round-off hides the smaller ones"
    ):
        modes(clamped(stiff, elements), number)


def test_a_zero_far_below_the_frequencies_is_warned_of() -> None:
    """0.07 rad/s beside an uncertainty of (0.03 rad/s)^2 counts as zero, unless the others are near."""
    stiffness, vectors = csr_matrix(np.eye(3)), np.eye(3)
    noise = np.array([1e-3, 1e-3, 0.0])
    with pytest.warns(PrecisionWarning, match="may be elastic ones of up to 0.005 Hz"):
        relative = warn_of_round_off(stiffness, np.array([0.0, 0.07, 1.0]), vectors, noise, lambda: 1.0)
    assert np.isinf(relative[1]) and relative[0] == 0.0 and relative[2] < 1e-6
    with pytest.raises(SolverFailure, match="may be elastic ones"):
        warn_of_round_off(stiffness, np.array([0.0, 0.07, 0.2]), vectors, noise, lambda: 1.0)
