"""Tests of the slider-crank with clearance: the paper's statements in both variants, closed-form flight, bad input."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from fem_mbd import Result, run
from fem_mbd.cases.slider_crank_clearance import CASE, Parameters
from fem_mbd.cases.slider_crank_clearance.model import (
    COUPLER,
    CRANK,
    QUANTITIES,
    SPEEDS,
    STEADY,
    Histories,
    fastest_change,
    friction_law,
    hertz,
    steady_means,
)
from fem_mbd.friction import ActiveLawWarning, LawRangeWarning
from fem_mbd.friction.probes.slip_path import drive_path

FAST_IMPACT = "ignore:LankaraniNikravesh"


def done(p: Parameters) -> Result:
    with pytest.warns(LawRangeWarning, match="impact at"):
        return run(CASE.build(p), progress=False, quantities=QUANTITIES)


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_the_papers_statements_and_figures(tmp_path: Path) -> None:
    p = Parameters()
    result = done(p)
    checks = CASE.checks(result, p)
    assert len(checks) == 20 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    names = {path.name[:5] for path in CASE.plot(result, p, tmp_path)}
    assert names == {"fig07", "fig08", "fig09", "fig10"}


@pytest.mark.filterwarnings(FAST_IMPACT)
@pytest.mark.parametrize("friction", ["none", "lugre", "ambrosio"])
def test_clearance_at_the_slider(friction: Literal["none", "lugre", "ambrosio"]) -> None:
    p = Parameters(clearance_at="slider", friction=friction)
    result = done(p)
    checks = CASE.checks(result, p)
    # energy balance and flight always; impacts without friction, the law's statements with LuGre
    assert len(checks) == {"none": 8, "lugre": 15, "ambrosio": 6}[friction]
    assert all(c.passed for c in checks), [c for c in checks if not c.passed]


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_stribeck_fall_where_bristles_follow_the_slip() -> None:
    """At a fifth of the speed, slip of the slider's pin changes slowly enough to show the whole curve of the law."""
    p = Parameters(
        clearance_at="slider", crank_speed=500.0, stribeck_velocity=0.03, revolutions=1.0, tau_min=0.5
    )
    h = Histories(run(CASE.build(p), progress=False, quantities=QUANTITIES), p)
    means = np.array(steady_means(h))
    assert len(means) == len(SPEEDS) - 1
    assert np.all(np.diff(means[:, 1]) < 0.0) and means[0, 1] > 1.4 * p.mu_k
    assert means[-1, 1] == pytest.approx(p.mu_k, rel=1e-3)
    # bristles lag by STEADY of the speed at most, and d ln g/d ln v is below 1/2, small from the second group on
    assert means[:, 1] == pytest.approx(means[:, 2], rel=0.5 * STEADY)
    assert means[1:, 1] == pytest.approx(means[1:, 2], rel=0.1 * STEADY)


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_paper_has_a_modified_coulomb_law_and_it_jumps() -> None:
    """Eq. 5; slip that reverses at 2000 m/s^2 crosses its tolerances in a microsecond, bristles reverse in sixty."""
    law = friction_law(Parameters(friction="ambrosio"))
    speeds = np.array([0.5e-4, 1e-4, 5.5e-4, 1e-3, 1.0])
    assert drive_path(law, 1e-6 * speeds, 1e-6).mus == pytest.approx([0.0, 0.0, 0.05, 0.1, 0.1], abs=1e-12)
    time = np.arange(-2e-4, 2e-5, 1e-7)
    changes = {}
    names: tuple[Literal["ambrosio", "lugre"], ...] = ("ambrosio", "lugre")
    for name in names:
        law = friction_law(Parameters(friction=name))
        changes[name] = fastest_change(time, drive_path(law, 2000.0 * time * 1e-7, 1e-7).mus)
    assert changes["ambrosio"] == pytest.approx(0.2, rel=1e-3)
    # sigma_0 |z'| is at most 2 sigma_0 |v|, and |v| at most 2000 m/s^2 times the examined 20 us
    assert 0.0 < changes["lugre"] < 2 * 1e5 * 2000.0 * 2e-5 * 1e-6


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_ideal_acceleration_is_that_of_the_closed_linkage() -> None:
    p = Parameters(revolutions=0.25)
    h = Histories(run(CASE.build(p), progress=False, quantities=QUANTITIES), p)

    def slider(t: np.ndarray) -> np.ndarray:
        angle = p.omega * t
        return CRANK * np.cos(angle) + np.sqrt(COUPLER**2 - (CRANK * np.sin(angle)) ** 2)

    t, d = h.time - 0.5 * h.dt, 1e-6
    expected = (slider(t + d) - 2 * slider(t) + slider(t - d)) / d**2
    assert np.abs(h.ideal_acceleration - expected).max() < 1e-3 * p.omega**2 * CRANK


def test_stiffness_of_equation_19() -> None:
    sigma = (1 - 0.3**2) / 207e9
    assert hertz(Parameters()).stiffness == pytest.approx(
        4 / (3 * 2 * sigma) * np.sqrt(5e-3 * 4.5e-3 / 0.5e-3)
    )


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_bristle_damping_of_the_paper_is_warned_about_and_its_energy_balance_closes() -> None:
    """Coefficients of several hundred where the joint closes; full Newton iterations still give a closed energy
    balance.
    """
    p = Parameters(sigma_1=400.0, revolutions=0.3)
    with pytest.warns(ActiveLawWarning, match="LuGre of clearance joint .* faster than 0.00"):
        simulation = CASE.build(p)
    result = run(simulation, progress=False, quantities=QUANTITIES)
    assert np.nanmax(np.abs(Histories(result, p).coefficient)) > 50.0
    assert result.summary["energy"]["relative"] < 1e-13
