"""Tests of the blade cases: checks of a short run, statics against the unit-load theorem, effect of the gust."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Result, find_equilibrium, modes, run
from fem_mbd.cases import _blades, iea15mw_blade, nrel5mw_blade
from fem_mbd.cases._blades import BladeParameters
from fem_mbd.elements import Force

pytestmark = pytest.mark.slow

NREL = BladeParameters(end_time=1.5, dt=0.025, elements=12, gust_start=0.3, gust_length=1.0)


@cache
def gust_run() -> Result:
    return run(nrel5mw_blade.build(NREL))


def test_checks_pass_and_figures_are_drawn(tmp_path: Path) -> None:
    result = gust_run()
    assert result.status == "complete"
    made = nrel5mw_blade.checks(result, NREL)
    assert len(made) == 10 and all(check.passed for check in made), made
    assert [path.name for path in nrel5mw_blade.plot(result, NREL, tmp_path)] == ["gust.png", "blade.png"]


def test_gust_bends_the_blade_downwind() -> None:
    """About the static deflection of the highest wind, which the blade nearly follows; then it returns."""
    h = _blades.histories(gust_run(), nrel5mw_blade.blade(), NREL)
    still = find_equilibrium(_blades.turning(nrel5mw_blade.blade(), NREL)[0], spin=_spin(NREL)).outputs[
        "position"
    ]
    model, handle = _blades.turning(nrel5mw_blade.blade(), replace(NREL, wind=11.0))
    high = find_equilibrium(model, spin=_spin(NREL)).outputs["position"]
    steady, largest = still[handle.end.index, 2], high[handle.end.index, 2]
    assert h.tip[0, 2] == pytest.approx(steady, rel=0.01)
    assert 0.7 * (largest - steady) < h.tip[:, 2].max() - steady < 1.1 * (largest - steady)
    assert h.flap.max() > 1.5 * h.flap[0] > 0.0


def _spin(p: BladeParameters) -> Any:
    return _blades.Spin((0, 0, 0), (0, 0, 1), p.omega)


BLADES = {
    "nrel": lambda: nrel5mw_blade.blade(),
    "iea beamdyn": lambda: iea15mw_blade.blade("beamdyn"),
    "iea hawc2": lambda: iea15mw_blade.blade("hawc2"),
}


@pytest.mark.parametrize("name", BLADES)
@pytest.mark.parametrize("direction", [0, 1, 2])
def test_tip_flexibility(name: str, direction: int) -> None:
    """Three directions of a small force, against integrals of the section matrices along the curved axis.

    Coupling of bending with torsion, prebend and twist are all included. Four elements between stations.
    """
    blade = BLADES[name]()
    expected = _blades.integrated_flexibility(blade)
    stations = blade.sections.s
    places = np.arange(4 * len(stations) - 3) / 4
    model = Model()
    handle = blade.add_to(
        model, rotation=_blades.BLADE_AXES, elements=np.interp(places, np.arange(len(stations)), stations)
    )
    largest = np.abs(expected[:, direction]).max()
    size = 1e-6 * blade.length / largest
    model.add(Force(handle.end, size * np.eye(3)[direction]))
    tip = find_equilibrium(model).outputs["position"][handle.end.index]
    found = (tip - handle.end.position) / size
    assert found == pytest.approx(expected[:, direction], abs=2e-4 * largest)


def test_centrifugal_stiffening() -> None:
    """The first flap frequency with the shape at rest (Rayleigh's quotient, an upper bound) at 12.1 rev/min.

    Southwell: f^2 = f_0^2 + k n^2; k is 1.17 and more for a uniform beam without hub, below 2 for turbine blades.
    """
    p = replace(NREL, air_density=0.0, damped=False)
    model, _ = _blades.at_rest(nrel5mw_blade.blade(), p)
    found = modes(model, 1)
    spinning = find_equilibrium(model, spin=_spin(p))
    free = slice(0, spinning.forces.n)
    stiffness = spinning.forces.tangent(spinning.state)[free, free]
    shape = found.vectors[:, 0].real
    raised = np.sqrt(shape @ (stiffness @ shape) / (shape @ (found.linear.mass @ shape))) / (2 * np.pi)
    n, rest = p.rotor_speed / 60, found.frequencies_hz[0]
    assert np.sqrt(rest**2 + 1.17 * n**2) < raised < np.sqrt(rest**2 + 2 * n**2)


@pytest.mark.slow
@pytest.mark.parametrize("files", ["beamdyn", "hawc2"])
def test_iea_blade_in_the_gust(files: Any) -> None:
    p = iea15mw_blade.Parameters(files=files, end_time=6.0, dt=0.05, gust_start=1.0)
    result = run(iea15mw_blade.build(p))
    made = iea15mw_blade.checks(result, p)
    assert all(check.passed for check in made), made
