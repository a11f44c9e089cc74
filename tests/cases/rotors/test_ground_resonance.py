"""Tests of ground resonance: closed form against published limit cases, multi-blade model and run against it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases import ground_resonance
from fem_mbd.cases.ground_resonance import MODES, SPEEDS, Parameters
from fem_mbd.runs.running.runs import run
from tests.analysis.rotors import test_ground_resonance as floquet

pytestmark = pytest.mark.slow


def test_the_closed_form_is_that_of_the_other_test_and_has_its_limits() -> None:
    """Against independently written equations; without blades the sway, far from it lag at |Omega ± nu Omega|."""
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
    """Deutsch's criterion: both dampers are required, one alone is not sufficient."""
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


def fastest_growth(p: Parameters, speed: float) -> float:
    """1/s: roots of the frequency equation of an isotropic support, one quartic in x + iy and c + is."""
    form = p.closed_form
    viscous = form.lag_damping / form.second
    lag = (form.offset * form.first / form.second - 1.0) * speed**2
    support = [form.mass, form.damping[0], form.stiffness[0]]
    blades = [1.0, viscous - 2j * speed, lag - 1j * viscous * speed]
    coupling = form.number * form.first**2 / (2 * form.second)
    return float(np.roots(np.polysub(np.polymul(support, blades), [coupling, 0, 0, 0, 0])).real.max())


@pytest.mark.parametrize(
    "damping, lag_damping, growth, first, last",
    [(0.0, 0.0, 1.6100, 10.810, 21.409), (2000.0, 300.0, 1.3532, 10.856, 23.693)],
)
def test_the_unstable_range_with_and_without_dampers(
    damping: float, lag_damping: float, growth: float, first: float, last: float
) -> None:
    """S = 200 kg m, I = 800 kg m^2, M = 2240 kg, K = 3e5 N/m: growth at 15 rad/s and the unstable range.

    With 2 kN s/m in the support and 300 N m s/rad in each hinge growth is slower, but the range ends at a higher speed.
    """
    length = np.sqrt(12 * (800.0 / 60.0 - (200.0 / 60.0) ** 2))
    p = Parameters(
        root=0.3 + 200.0 / 60.0 - length / 2, radius=0.3 + 200.0 / 60.0 + length / 2, mass=60.0 / length, hub=1000.0,
        fuselage=1000.0, stiffness_x=3e5, stiffness_y=3e5, damping=damping, lag_damping=lag_damping,
    )  # fmt: skip
    assert fastest_growth(p, 15.0) == pytest.approx(growth, rel=1e-4)
    for speed, inside in ((first, 2e-3), (last, -2e-3)):
        assert fastest_growth(p, speed * (1 + inside)) > 1e-4
        assert fastest_growth(p, speed * (1 - inside)) < 1e-8
    assert p.closed_form.unstable(SPEEDS) == pytest.approx((first, last), rel=1e-3)
    of = ground_resonance.family(p)
    assert ground_resonance.growth_of_linear(of, 15.0) == pytest.approx(growth, rel=2e-3)
    for speed, inside in ((first, 2e-3), (last, -2e-3)):
        assert ground_resonance.growth_of_linear(of, speed * (1 + inside)) > 0.0
        assert ground_resonance.growth_of_linear(of, speed * (1 - inside)) == 0.0


def test_round_off_is_no_growth() -> None:
    """Outside the range nothing grows, although real parts are not exactly zero without dampers."""
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
