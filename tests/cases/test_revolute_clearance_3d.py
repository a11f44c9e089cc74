"""The slider-crank with clearance in space: mechanism, first impact, statements as checks that can fail, figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fem_mbd.cases._spatial_slider_crank import CRANK, GRAVITY, INERTIA, MASS, ROD, START_SPEED, slider_place
from fem_mbd.cases.revolute_clearance_3d import CASE, Parameters
from fem_mbd.cases.revolute_clearance_3d.histories import QUANTITIES, Histories, ideal
from fem_mbd.cases.revolute_clearance_3d.mechanism import friction_law
from fem_mbd.cases.revolute_clearance_3d.statements import _clearances, _laws
from fem_mbd.errors import InputError
from fem_mbd.friction import ActiveLawWarning, ClassicalDahl, ClassicalLuGre, Dahl, LuGre
from fem_mbd.running.runs import run

SHORT = Parameters(end_time=0.03, compare=False)


def done(p: Parameters) -> Any:
    return run(CASE.build(p), progress=False, quantities=QUANTITIES)


def test_ideal_mechanism_turns_round_as_energy_says() -> None:
    """One degree of freedom: speed over the crank's angle from its energy alone, places from the rod's length."""
    result = ideal(Parameters())
    x, _, z = result.of("crank").position.T
    angle, speed = np.unwrap(np.arctan2(-x, z)), result.of("crank").omega[:, 1]
    assert angle[-1] > 2 * np.pi  # it completes its turn
    assert result.of("slider").position[:, 1] == pytest.approx(slider_place(angle), abs=1e-12)
    down = 0.5 * (MASS["crank"] + MASS["rod"]) * GRAVITY * CRANK * (1.0 - np.cos(angle))
    v, w = (result.of("rod").velocity, result.of("rod").omega)
    kinetic = 0.5 * MASS["rod"] * (v**2).sum(axis=1) + 0.5 * (w**2 @ np.array(INERTIA["rod"]))
    kinetic += 0.5 * (MASS["crank"] * (0.5 * CRANK) ** 2 + INERTIA["crank"][1]) * speed**2
    kinetic += 0.5 * MASS["slider"] * result.of("slider").velocity[:, 1] ** 2
    # at the start the slider stands, and the rod turns about its lower end
    about_end = INERTIA["rod"][2] + MASS["rod"] * (0.5 * ROD) ** 2
    start = 0.5 * about_end * (START_SPEED * CRANK / ROD) ** 2
    start += 0.5 * (MASS["crank"] * (0.5 * CRANK) ** 2 + INERTIA["crank"][1]) * START_SPEED**2
    assert kinetic - down == pytest.approx(
        np.full_like(down, start), abs=1e-5
    )  # the scheme's loss at 1 ms: 3e-6


def test_first_impact_and_its_resolution() -> None:
    """Free fall of the crank about its end, first impact, and the checks of a short run; coarse steps are found out."""
    p = replace(SHORT, compare=True)
    found = CASE.checks(done(p), p)
    assert [c.name for c in found if not c.passed] == []
    assert "peak force of the first 20 ms [N]" in [c.name for c in found]
    coarse = replace(p, penetration=2e-5, dt_max=1e-3)
    made = CASE.checks(done(coarse), coarse)
    assert [c.name for c in made if not c.passed] == ["peak force of the first 20 ms [N]"]


def test_figures_of_a_run(tmp_path: Path) -> None:
    result = done(replace(SHORT, simulation=2))
    paths = CASE.plot(result, replace(SHORT, simulation=2), tmp_path)
    assert len(paths) == 3 and all(path.stat().st_size > 10_000 for path in paths)
    h = Histories(result)
    assert set(np.unique(h.scenario)) <= set(range(1, 14)) and h.lost > 0.0


def test_laws_of_the_source() -> None:
    """Bristles of both readings; LuGre's damping can give energy away, which is said."""
    numbers = {"sigma_0": 1e5, "sigma_1": np.sqrt(1e5), "mu_s": 0.2, "mu_k": 0.1, "v_s": 1e-3}
    assert friction_law(Parameters(friction="dahl")) == Dahl(0.1, 1e5)
    assert friction_law(Parameters(friction="lugre")) == LuGre(**numbers)
    printed = Parameters(bristles="in_newtons")
    assert friction_law(replace(printed, friction="dahl")) == ClassicalDahl(0.1, 1e5)
    assert friction_law(replace(printed, friction="lugre")) == ClassicalLuGre(**numbers)
    with pytest.warns(ActiveLawWarning, match="revolute clearance joint 'bearing'"):
        CASE.build(Parameters(friction="lugre"))


def numbers(**given: float) -> Any:
    return SimpleNamespace(turned=np.array([given.pop("turns") * 2 * np.pi]), **given)


def test_statements_about_clearances_can_fail() -> None:
    as_stated = {
        1: numbers(turns=0.9, lost=0.3, peak=900.0),
        2: numbers(turns=1.2, lost=0.1, peak=600.0),
        3: numbers(turns=0.95, lost=0.2, peak=850.0),
    }
    assert all(c.passed for c in _clearances(as_stated))
    otherwise = {1: as_stated[2], 2: as_stated[1], 3: as_stated[3]}
    assert sum(not c.passed for c in _clearances(otherwise)) == len(_clearances(otherwise)) == 7


def test_statements_about_laws_can_fail() -> None:
    def of(lost: float, peak: float, amplitude: float, forward: float) -> Any:
        return numbers(turns=0.5, lost=lost, peak=peak, amplitude=amplitude, forward_oscillation=forward)

    as_stated = {
        "none": of(0.1, 900.0, 0.14, 20.0),
        "coulomb": of(0.3, 600.0, 0.12, 10.0),
        "stribeck": of(0.31, 620.0, 0.12, 11.0),
        "dahl": of(0.3, 700.0, 0.12, 15.0),
        "lugre": of(0.4, 1500.0, 0.10, 18.0),
    }
    assert all(c.passed for c in _laws(as_stated)) and len(_laws(as_stated)) == 9
    otherwise = dict(zip(as_stated, reversed(as_stated.values()), strict=True))
    assert sum(not c.passed for c in _laws(otherwise)) == 5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"end_time": 0.0}, "end_time is 0.0: it must be above zero"),
        ({"crown": -1e-6}, "crown is -1e-06"),
        ({"restitution": 1.5}, "restitution is 1.5"),
        ({"friction": "coulomb", "mu_k": -0.1}, "mu_k"),
    ],
)
def test_bad_parameters(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CASE.build(replace(Parameters(), **changed))
