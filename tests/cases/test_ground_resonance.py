"""Ground resonance: the closed form against its published limit cases, the multi-blade model and the run against it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases import ground_resonance
from fem_mbd.cases.ground_resonance import MODES, SPEEDS, Parameters
from fem_mbd.runs.running.runs import run
from tests.analysis.rotors import test_ground_resonance as floquet


def test_the_closed_form_is_that_of_the_other_test_and_has_its_limits() -> None:
    """Against equations written for another test; without blades the sway, far from it lag at |Omega ± nu Omega|."""
    p = Parameters()
    there = replace(
        p.closed_form, number=floquet.BLADES, offset=floquet.HINGE, first=floquet.BLADE * floquet.ARM,
        second=floquet.OWN + floquet.BLADE * floquet.ARM**2, stiffness=(floquet.STIFFNESS,) * 2,
        mass=floquet.PYLON + floquet.HUB + floquet.SLIDER + floquet.BLADES * floquet.BLADE,
    )  # fmt: skip
    # the slider of 2 kg moves along x only there
    assert there.growth(floquet.SPEED) == pytest.approx(floquet.coleman_feingold(floquet.STIFFNESS), rel=5e-3)
    heavy = replace(p.closed_form, mass=1e12, stiffness=(1e12, 4e12))
    lag = np.sqrt(heavy.offset * heavy.first / heavy.second) * 15.0
    found = np.sort(np.abs(heavy.eigenvalues(15.0).imag))[::2]
    assert found == pytest.approx(np.sort([1.0, 2.0, 15.0 - lag, 15.0 + lag]), rel=1e-6)


def test_dampers_in_gear_and_hinges_remove_it() -> None:
    """Deutsch's criterion: both are needed, one alone does not."""
    for damping, lag_damping, stable in ((6e3, 6e3, True), (8e3, 0.0, False), (0.0, 8e3, False)):
        p = Parameters(damping=damping, lag_damping=lag_damping)
        assert (p.closed_form.unstable(SPEEDS) is None) is stable


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("speed", [5.0, 15.0, 20.0, 30.0])
def test_the_multi_blade_model_has_the_eigenvalues_of_the_closed_form(number: int, speed: float) -> None:
    p = Parameters(number=number, stiffness_y=1.8e5, damping=300.0, lag_damping=200.0)
    found = modes_of(ground_resonance.family(p).at(speed), MODES).eigenvalues
    for wanted in p.closed_form.eigenvalues(speed):
        if wanted.imag > 0.0:
            nearest = found[np.argmin(np.abs(found - wanted))]
            assert abs(nearest - wanted) < 2e-3 * abs(wanted)


def test_round_off_is_no_growth() -> None:
    """Outside of the range nothing grows, though real parts are not exactly zero without dampers."""
    of = ground_resonance.family(Parameters())
    outside = [modes_of(of.at(speed), MODES) for speed in (5.0, 9.5, 22.0, 35.0)]
    assert max(float(found.eigenvalues.real.max()) for found in outside) > 0.0
    assert all(found.stable for found in outside)
    assert not modes_of(of.at(15.0), MODES).stable


@pytest.mark.slow
def test_the_run_and_its_checks(tmp_path: Path) -> None:
    p = Parameters(number=3, speed=14.0, revolutions=8.0, steps=40)
    result = run(ground_resonance.build(p))
    made = ground_resonance.checks(result, p)
    assert len(made) == 6 and all(check.passed for check in made), made
    figures = [path.name for path in ground_resonance.plot(result, p, tmp_path)]
    assert figures == ["sway.png", "ground_resonance.png"]
