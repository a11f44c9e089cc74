"""Tests of the slider-crank with spatial clearance: mechanism, first impact, statements as checks, figures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd.cases._spatial_slider_crank import CRANK, GRAVITY, INERTIA, MASS, ROD, START_SPEED, slider_y
from fem_mbd.cases.revolute_clearance_3d import CASE, Parameters, _clearances, _laws, _table, impact_peaks
from fem_mbd.cases.revolute_clearance_3d.model import (
    QUANTITIES,
    Histories,
    Outcome,
    check_above,
    check_alike,
    friction_law,
    ideal,
    rank_probability,
    starts,
)
from fem_mbd.friction import ActiveLawWarning, ClassicalDahl, ClassicalLuGre, Dahl, LuGre
from fem_mbd.runs.running.runs import run

SHORT = Parameters(end_time=0.03, compare=False)


def done(p: Parameters) -> Any:
    return run(CASE.build(p), progress=False, quantities=QUANTITIES)


def test_ideal_mechanism_turns_round_as_energy_says() -> None:
    """One degree of freedom: speed over the crank's angle from its energy alone, positions from the rod's length."""
    result = ideal(Parameters())
    x, _, z = result.of("crank").position.T
    angle, speed = np.unwrap(np.arctan2(-x, z)), result.of("crank").omega[:, 1]
    assert angle[-1] > 2 * np.pi  # it completes its turn
    assert result.of("slider").position[:, 1] == pytest.approx(slider_y(angle), abs=1e-12)
    down = 0.5 * (MASS["crank"] + MASS["rod"]) * GRAVITY * CRANK * (1.0 - np.cos(angle))
    v, w = (result.of("rod").velocity, result.of("rod").omega)
    kinetic = 0.5 * MASS["rod"] * (v**2).sum(axis=1) + 0.5 * (w**2 @ np.array(INERTIA["rod"]))
    kinetic += 0.5 * (MASS["crank"] * (0.5 * CRANK) ** 2 + INERTIA["crank"][1]) * speed**2
    kinetic += 0.5 * MASS["slider"] * result.of("slider").velocity[:, 1] ** 2
    # at the start the slider is at rest, and the rod rotates about its lower end
    about_end = INERTIA["rod"][2] + MASS["rod"] * (0.5 * ROD) ** 2
    start = 0.5 * about_end * (START_SPEED * CRANK / ROD) ** 2
    start += 0.5 * (MASS["crank"] * (0.5 * CRANK) ** 2 + INERTIA["crank"][1]) * START_SPEED**2
    assert kinetic - down == pytest.approx(
        np.full_like(down, start), abs=1e-5
    )  # the scheme's loss at 1 ms: 3e-6


def test_first_impacts_and_their_resolution() -> None:
    """Free fall of the crank about its end, first impacts, checks of a short run; too large steps are detected."""
    p = replace(SHORT, compare=True)
    found = CASE.checks(done(p), p)
    assert [c.name for c in found if not c.passed] == []
    compared = [c for c in found if "largest change of their peak forces" in c.name]
    assert len(compared) == 3 and all(c.value > 0.0 for c in compared)
    coarse = replace(p, penetration=2e-6)
    made = CASE.checks(done(coarse), coarse)
    failed = [c.name for c in made if not c.passed]  # where runs diverge at once there is little to compare
    assert {name.split(":")[0] for name in failed} == {"simulation 1", "simulation 2", "simulation 3"}


def test_peaks_of_impacts() -> None:
    """Largest force between two steps without contact; impacts that have not ended are not counted."""
    time, force = np.arange(8.0), np.array([0.0, 2.0, 3.0, 0.0, 0.0, 5.0, 0.0, 7.0])
    assert impact_peaks(time, force, 7.0) == pytest.approx([3.0, 5.0])
    assert impact_peaks(time, force, 5.5) == pytest.approx([3.0])


def test_figures_of_a_run(tmp_path: Path) -> None:
    result = done(replace(SHORT, simulation=2))
    paths = CASE.plot(result, replace(SHORT, simulation=2), tmp_path)
    assert len(paths) == 3 and all(path.stat().st_size > 10_000 for path in paths)
    h = Histories(result)
    assert set(np.unique(h.scenario)) <= set(range(1, 14)) and h.lost > 0.0


@pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")
def test_bristles_are_let_go_in_the_step_after_a_contact() -> None:
    """Their stored energy is dissipated then, without contact: not a loss in free flight."""
    p = replace(SHORT, friction="lugre", compare=False, end_time=0.037)
    result = done(p)
    free = Histories(result).scenario == 1
    flight = free & np.concatenate([[True], free[:-1]])
    assert result.energy["dissipation_friction"][flight].max() > 1e-8  # J
    (check,) = (c for c in CASE.checks(result, p) if c.name.startswith("energy lost without contact"))
    assert check.passed


def test_table_of_all_starts(tmp_path: Path) -> None:
    path = _table({"simulation 1": near(0.9, 0.3, 900.0)}, tmp_path / "simulations.csv")
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    assert head.startswith("run,start,most turns") and len(rows) == 3
    assert rows[1] == "simulation 1,2,0.9,0.3,900,0.1,10"


def test_laws_of_the_source() -> None:
    """Bristles in both units; LuGre's damping can supply energy, which causes a warning."""
    numbers = {"sigma_0": 1e5, "sigma_1": np.sqrt(1e5), "mu_s": 0.2, "mu_k": 0.1, "v_s": 1e-3}
    assert friction_law(Parameters(friction="dahl")) == Dahl(0.1, 1e5)
    assert friction_law(Parameters(friction="lugre")) == LuGre(**numbers)
    printed = Parameters(bristles="in_newtons")
    assert friction_law(replace(printed, friction="dahl")) == ClassicalDahl(0.1, 1e5)
    assert friction_law(replace(printed, friction="lugre")) == ClassicalLuGre(**numbers)
    with pytest.warns(ActiveLawWarning, match="revolute clearance joint 'bearing'"):
        CASE.build(Parameters(friction="lugre"))


def group(*values: Any) -> Any:
    """Outcomes (turns, lost, peaks, amplitude, forward) of neighbouring starts."""
    nothing = np.zeros(1)
    return [Outcome(v[0], v[1], v[2], v[3], v[4], nothing, nothing) for v in values]


def near(turns: float, lost: float, peaks: float, amplitude: float = 0.1, forward: float = 10.0) -> Any:
    """Three starts, two parts in a hundred apart."""
    return group(*[tuple(x * np.array([turns, lost, peaks, amplitude, forward])) for x in (0.98, 1.0, 1.02)])


def test_statements_about_clearances_can_fail() -> None:
    as_stated = {1: near(0.9, 0.3, 900.0), 2: near(1.2, 0.1, 600.0), 3: near(0.95, 0.2, 750.0)}
    assert all(c.passed for c in _clearances(as_stated))
    otherwise = {1: as_stated[2], 2: as_stated[1], 3: as_stated[3]}
    assert sum(not c.passed for c in _clearances(otherwise)) == len(_clearances(otherwise)) == 7


def test_statements_about_laws_can_fail() -> None:
    as_stated = {
        "none": near(0.5, 0.1, 900.0, 0.14, 20.0),
        "coulomb": near(0.5, 0.3, 600.0, 0.12, 10.0),
        "stribeck": near(0.5, 0.302, 620.0, 0.121, 11.0),
        "dahl": near(0.5, 0.3, 700.0, 0.12, 15.0),
        "lugre": near(0.5, 0.4, 1500.0, 0.10, 18.0),
    }
    assert all(c.passed for c in _laws(as_stated)) and len(_laws(as_stated)) == 9
    otherwise = dict(zip(as_stated, reversed(as_stated.values()), strict=True))
    failed = [c.name for c in _laws(otherwise) if not c.passed]
    assert len(failed) == 5 and any("LuGre" in name for name in failed)


def test_order_by_chance() -> None:
    """Mann and Whitney's distribution of three against three: 1 in 20 for the clearest order, 2 in 20 for the next."""
    assert rank_probability([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]) == pytest.approx(1 / 20)
    assert rank_probability([3.0, 5.0, 6.0], [1.0, 2.0, 4.0]) == pytest.approx(2 / 20)
    assert rank_probability([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == pytest.approx(1.0)
    alone = check_above("x", [[4.0, 5.0, 6.0]], [[1.0, 2.0, 3.0], [1.0, 2.0, 4.5]], "s")
    assert alone.value == pytest.approx(2 / 20) and not alone.passed


def test_similar_groups() -> None:
    """The most distant pair counts, 5 apart, compared with the distance from the median 3.5 to that of the third
    group.
    """
    groups = [1.0, 3.0, 5.0], [2.0, 4.0, 6.0]
    assert check_alike("x", *groups, [13.4, 13.6, 13.8], "s").value == pytest.approx(5.0 / 10.1)
    assert check_alike("x", *groups, [13.4, 13.6, 13.8], "s").passed
    assert not check_alike("x", *groups, [13.0, 13.4, 13.5], "s").passed


def test_neighbouring_starts_are_those_of_the_printed_digits() -> None:
    speeds = [p.start_speed for p in starts(Parameters(starts=11))]
    assert speeds[0] == START_SPEED and len(set(speeds)) == 11
    assert {f"{speed:.4f}" for speed in speeds} == {"6.2832"}
