"""Tests of the turbine blades: frequencies, their search, the paper's statements, contacts, bad input."""

from functools import cache
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from docs.studies.turbine_blades import (
    STARTS,
    TARGETS,
    match_lengths,
    match_solid,
    match_turn,
    one_blade,
    statements,
)
from docs.studies.turbine_blades_reduced import Sweep, sweep
from fem_mbd import InputError, run
from fem_mbd.cases.turbine_blades import CASE, Parameters
from fem_mbd.cases.turbine_blades.model import (
    SETS,
    TABLE_3,
    Row,
    blade_frequencies,
    coupled_frequencies,
    frequency,
    row_of,
    swept_sine,
)
from fem_mbd.cases.turbine_blades.results import (
    Histories,
    bending_share,
    bond,
    frequencies,
    stick_to_slip,
    sticking_response,
)

ACTIVE = "ignore:LuGre of contact:fem_mbd.friction.ActiveLawWarning"  # bristle damping of the source
EARLY_SLIP = {"slip beyond v_st begins [s]"}  # at 0.7 s, the paper: about 1 s
# sliding from 2 N on the tip is not possible at 3 N, and GKF passes its stick zone faster than LuGre; when it does so
# depends on round-off and on the step (tips of both laws 6 to 11 % apart, slip 13 to 42 %; 10 % are good agreement)
FREE_TIP = {"centre tip at 3 N [um]"}
FAST_PASSAGE = {f"{what} after 1.3 s, difference of LuGre and GKF" for what in ("slip", "tips")}
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(ACTIVE)]


def test_search_finds_the_default_lengths() -> None:
    found, hertz = match_lengths(STARTS[0], Parameters(), TARGETS["table 3"])
    assert found.lower_length == pytest.approx(SETS["simulated"].lower_length, rel=1e-3)
    assert found.upper_length == pytest.approx(SETS["simulated"].upper_length, rel=1e-3)
    # 53 Hz is rounded to 0.94 %
    assert hertz == pytest.approx(np.array(TABLE_3), rel=0.01)


def test_search_finds_the_solid_model() -> None:
    found, errors = match_solid(Parameters())
    assert vars(found.geometry) == pytest.approx(vars(SETS["cad"]), rel=0.02, abs=1e-12)
    # all six of the paper's tables 4 and 5
    assert np.sqrt(np.mean(errors**2)) < 0.01


@pytest.mark.parametrize(("name", "count"), [("simulated", 3), ("cad", 6)])
def test_frequencies_of_the_sets(name: str, count: int) -> None:
    found = frequencies(Parameters(set=name))  # type: ignore[arg-type]
    assert len(found) == count and all(c.passed for c in found), found
    # the other set's geometry fails the same checks
    other = SETS["cad" if name == "simulated" else "simulated"]
    assert not all(c.passed for c in frequencies(Parameters(set=name, **vars(other))))  # type: ignore[arg-type]


def test_first_bending_frequency_against_rayleigh() -> None:
    """Static shape of a massless blade under its tip mass: an upper bound, close for the first frequency."""
    p = Parameters()
    g = p.geometry
    bending = 2.1e11 * 0.03 * 0.005**3 / 12
    tip = g.lower_length + 0.0245 + g.upper_length + 0.0175
    place = np.linspace(0.0, tip, 4001)
    rigid = ((place > g.lower_length) & (place < g.lower_length + 0.0245)) | (place > tip - 0.0175)
    curvature = np.where(rigid, 0.0, tip - place) / bending
    step = place[1] - place[0]
    slope = np.cumsum(curvature) * step
    shape = np.cumsum(slope) * step
    line = np.where(rigid, 0.0, 7800 * 0.03 * 0.005)
    tie = int(np.searchsorted(place, g.lower_length + 0.01225))
    mass = (
        0.16 * shape[-1] ** 2
        + 2.38e-5 * slope[-1] ** 2
        + 0.1 * shape[tie] ** 2
        + 8.8e-6 * slope[tie] ** 2
        + float(line @ shape**2) * step
    )
    rayleigh = float(np.sqrt(bending * float(curvature @ curvature) * step / mass)) / (2 * np.pi)
    assert blade_frequencies(p, 1)[0] == pytest.approx(rayleigh, rel=0.01)


def test_tip_stiffness_against_bending() -> None:
    """Cantilever with two rigid parts: 1/k is the integral of M^2/EI over the beams."""
    p = Parameters()
    g = p.geometry
    tip, tie = g.lower_length + 0.0245 + g.upper_length + 0.0175, g.lower_length + 0.0245
    bending = 2.1e11 * 0.03 * 0.005**3 / 12
    compliance = (tip**3 - (tip - g.lower_length) ** 3 + (tip - tie) ** 3 - 0.0175**3) / (3 * bending)
    # shear adds a per mille
    assert one_blade(p).tip == pytest.approx(1 / compliance, rel=2e-3)


def test_linked_blades() -> None:
    p = Parameters(turn=0.0)
    one, linked = blade_frequencies(p), coupled_frequencies(p)
    # parallel blades oscillate together like a single one, with the same stiffness and mass each
    assert linked[0] == pytest.approx(one[0], rel=1e-6)
    turn = match_turn(Parameters())
    assert coupled_frequencies(Parameters(turn=turn))[0] == pytest.approx(127.0, rel=1e-4)
    # a link with free rotation is softer
    rigid, points = (
        coupled_frequencies(Parameters(), Row((-1.5, 1.5), link=link)) for link in ("rigid", "points")
    )
    assert points[0] < 0.9 * rigid[0]
    with pytest.raises(InputError, match="no turn of the outer blades gives 127 Hz"):
        match_turn(Parameters(lower_length=0.0146, upper_length=0.1696))


def test_forces_of_stuck_faces() -> None:
    p = Parameters()
    rigid = sticking_response(p, 0.0)
    # statics of the centre blade as a beam on two springs, the outer blades in their stiff direction
    upper = p.geometry.upper_length + 0.5 * (0.0245 + 0.035)
    lower = p.geometry.lower_length + 0.5 * 0.0245
    # a cantilever propped at a: P = F (1 + 3 b / 2 a), of a slender blade without rigid parts; these add some percent
    propped = 1 + 1.5 * upper / lower
    assert 2 * rigid.tangential[0] == pytest.approx(propped, rel=0.06)
    assert rigid.tangential[0] == pytest.approx(rigid.tangential[1], rel=1e-9)
    assert rigid.normal.max() < 1e-9
    # a contact without stiffness leaves the centre blade alone
    alone = sticking_response(p, 0.0, contact=1e-3)
    assert alone.tip == pytest.approx(1 / one_blade(p).tip, rel=1e-5)
    # rotated blades that are pushed along i1 press against the centre one
    assert sticking_response(p, 0.0, Row((-0.5, 0.5))).normal.min() > 1.0
    # at the frequency of the connected blades the row resonates
    pinned = coupled_frequencies(p, Row((-np.pi / 2, np.pi / 2), link="points"), 1)[0]
    assert sticking_response(p, pinned * 1.0001).tip > 100 * rigid.tip


def test_statements_of_a_row() -> None:
    cells = statements(Parameters(), row_of(Parameters())).split(" | ")
    g = Parameters().geometry
    # the propped cantilever of `test_forces_of_stuck_faces`: F (1 + 3 b/2 a) on two faces of 0.5 * 5 N
    arms = (g.upper_length + 0.5 * (0.0245 + 0.035)) / (g.lower_length + 0.5 * 0.0245)
    assert float(cells[2]) == pytest.approx(2 * 0.5 * 5.0 / (1 + 1.5 * arms), rel=0.06)
    assert cells[3] == "5.0 to 5.0"
    # the solid model's row is stiff because the middles of its tie-bosses cannot rotate: its faces would slip at once
    solid = Parameters(set="cad")
    cells = statements(solid, row_of(solid)).split(" | ")
    assert cells[0] == "127, 239, 330" and float(cells[2]) < 0.5


def test_sweep_has_the_frequency_that_it_says() -> None:
    p = Parameters(simulation=2)
    crossings = [
        brentq(lambda t: swept_sine(p, t), 5.0 + k * 2e-3, 5.0 + (k + 1) * 2e-3)
        for k in range(20)
        if swept_sine(p, 5.0 + k * 2e-3) * swept_sine(p, 5.0 + (k + 1) * 2e-3) < 0
    ]
    measured = 0.5 / np.diff(crossings[:2])[0]
    assert measured == pytest.approx(frequency(p, float(np.mean(crossings[:2]))), rel=1e-3)
    assert frequency(p, 9.0) == pytest.approx(80.0) and log(frequency(p, 5.0) / 30) == pytest.approx(
        log(80 / 30) / 2
    )


def test_stick_to_slip(tmp_path: Path) -> None:
    p = Parameters()
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p)
    differences = {c.name for c in checks if not c.passed}
    assert len(checks) == 16 and differences - FAST_PASSAGE == EARLY_SLIP | FREE_TIP
    assert all(c.known == "docs/studies/turbine_blades.md" for c in checks if not c.passed)
    assert len(CASE.plot(result, p, tmp_path)) == 4


def test_general_kinetic_friction_leaves_stick_where_statics_says() -> None:
    p = Parameters(dt=1e-3, end_time=1.4, friction="gkf")
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p) + stick_to_slip(Histories(result, p))
    assert len(checks) >= 10 and {c.name for c in checks if not c.passed} == EARLY_SLIP


def test_solid_model_runs_and_is_held_against_its_own_tables_only() -> None:
    p = Parameters(set="cad", dt=2e-3, end_time=0.1)
    found = CASE.checks(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    # the first two are the energy balance, for which the micronewtons in this tenth of a second are no test
    assert len(found) == 9 and all(c.passed for c in found[2:]), [c for c in found if not c.passed]


def test_coarse_sweep_resonates() -> None:
    p = Parameters(simulation=2, dt=2e-3, end_time=6.2)
    h = Histories(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    middle, peaks = h.envelope(h.tips[:, 0], 0.05)
    before = float(peaks[(middle > 1.5) & (middle < 2.5)].max())
    # bristles as springs and dampers: what they carry below break-away is softer
    linear = sticking_response(p, frequency(p, 2.5), contact=bond(p, frequency(p, 2.5))).tip * p.amplitude
    assert linear < before < 1.5 * linear
    assert frequency(p, float(middle[int(np.argmax(peaks))])) == pytest.approx(
        55.0, rel=0.03
    )  # nine steps in a period
    assert peaks.max() > 5 * before


@pytest.mark.study
@pytest.mark.parametrize("friction", ["lugre", "gkf"])
def test_sweep(friction: str, tmp_path: Path) -> None:
    p = Parameters(simulation=2, friction=friction)  # type: ignore[arg-type]
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p)
    failed = {c.name for c in checks if not c.passed}
    assert len(checks) >= 12
    # GKF has two answers for the energy, between which the last digits decide: docs/studies/turbine_blades.md, "Energy"
    undecided = {"energy lost with a threshold of 0.001 m/s / that of 0.0003"} if friction == "gkf" else set()
    assert failed - undecided == {"energy lost in both faces [J]"}
    assert all(c.known == "docs/studies/turbine_blades.md" for c in checks if not c.passed)
    assert len(CASE.plot(result, p, tmp_path)) == 6


@cache
def reduced(**changed: float | str) -> Sweep:
    """The sweep by modal reduction and explicit steps; 10 us are sufficient for LuGre."""
    step = 4e-6 if changed.get("friction") == "gkf" else 1e-5
    return sweep(Parameters(simulation=2, **changed), step)  # type: ignore[arg-type]


def tip_at_resonance(found: Sweep) -> float:
    """Largest displacement of the centre tip around 6 s, where the paper has its resonance."""
    return float(found.tip[np.abs(found.time - 6.0) < 0.35].max())


@pytest.mark.slow
@pytest.mark.parametrize("friction", ["lugre", "gkf"])
def test_converged_sweep_resonates_at_55_hertz(friction: str) -> None:
    found = reduced(friction=friction)
    p, at = Parameters(simulation=2), float(found.time[found.resonance])
    assert at == pytest.approx(6.0, abs=0.2)
    assert frequency(p, at) == pytest.approx(55.0, rel=0.02)


@pytest.mark.slow
def test_trends_of_the_laws_numbers() -> None:
    """Section 5.3 of the paper, by converged sweeps; the threshold: docs/studies/turbine_blades.md."""
    lugre, gkf = tip_at_resonance(reduced()), tip_at_resonance(reduced(friction="gkf"))
    halved = abs(np.log(tip_at_resonance(reduced(sigma_1=30.0)) / lugre))
    doubled = np.log(lugre / tip_at_resonance(reduced(sigma_1=120.0)))
    # "does not significantly change" and "considerably decreases"
    assert doubled > 2.0 * halved
    with_lugre = lugre / tip_at_resonance(reduced(stribeck_velocity=0.01))
    with_gkf = gkf / tip_at_resonance(reduced(friction="gkf", stribeck_velocity=0.01))
    # "about 4" and "40", to a factor of two
    assert 2.0 < with_lugre < 8.0 and 20.0 < with_gkf < 80.0


@pytest.mark.slow
def test_one_per_cent_of_force_decides_the_ratio_of_the_energies() -> None:
    """The paper's ratio of 0.15 J to 0.12 J is between those for 1 % less and 1 % more than 2 N: GKF hardly slips."""
    p = Parameters(friction="gkf")
    assert 2.0 * sticking_response(p, 55.0).tangential.max() == pytest.approx(p.mu_s * p.preload, rel=0.1)
    lugre = reduced().lost[-1]
    less, more = (reduced(friction="gkf", force=force).lost[-1] for force in (1.98, 2.02))
    assert lugre / more < 0.15 / 0.12 < lugre / less


@pytest.mark.slow
def test_sweep_against_the_second_program() -> None:
    """A sweep of half a second; steps of 1 ms are ten times the bristles' time constant in sliding, hence 10 %."""
    p = Parameters(simulation=2, sweep_time=0.5, dt=1e-3)
    h = Histories(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    found = sweep(p, 1e-5)
    assert np.abs(h.tips[:, 0]).max() == pytest.approx(found.tip.max(), rel=0.1)
    assert float(h.dt @ h.power.sum(axis=1)) == pytest.approx(found.lost[-1], rel=0.1)


def test_four_points_share_the_face() -> None:
    p = Parameters(points=4, dt=2e-3, end_time=1.1, friction="gkf")
    h = Histories(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    assert h.contacts["gap"].shape[1:] == (2, 4)
    # on average: after a rejected step short ones follow the faces' own vibration, by a tenth of the preload
    late = h.time > 1.0
    force = h.dt[late] @ h.normal_force[late] / h.dt[late].sum()
    assert ((1 - bending_share(p)) * p.preload < force).all() and (force < p.preload).all()
    share = h.contacts["normal_force"][-1, 0] / h.normal_force[-1, 0]
    assert (share > 0.05).all() and (share < 0.5).all()
    size = np.linalg.norm(h.friction, axis=2)
    assert (size <= p.mu_s * h.normal_force).all() and size.max() > 1.0
