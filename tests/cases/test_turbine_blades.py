"""The turbine blades: frequencies and their search, the paper's statements on a coarse run, contacts, bad input."""

from __future__ import annotations

from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from docs.studies.turbine_blades import (
    STARTS,
    TARGETS,
    match_lengths,
    match_turn,
    one_blade,
    statements,
)
from fem_mbd.cases.turbine_blades import CASE, Parameters
from fem_mbd.cases.turbine_blades.blades import Row, blade_frequencies, coupled_frequencies, row_of
from fem_mbd.cases.turbine_blades.histories import Histories
from fem_mbd.cases.turbine_blades.parameters import TABLE_3, TABLE_4
from fem_mbd.cases.turbine_blades.results import bending_share
from fem_mbd.cases.turbine_blades.set_up import excitation, frequency
from fem_mbd.cases.turbine_blades.stuck import bond, stuck
from fem_mbd.errors import InputError
from fem_mbd.friction import ActiveLawWarning
from fem_mbd.running.runs import run

ACTIVE = "ignore:LuGre of contact:fem_mbd.friction.ActiveLawWarning"  # bristle damping of the source
pytestmark = pytest.mark.filterwarnings(ACTIVE)


def test_search_finds_the_default_lengths() -> None:
    found, frequencies = match_lengths(STARTS[0], Parameters(), TARGETS["both"])
    p = Parameters()
    assert found.lower_length == pytest.approx(p.lower_length, rel=1e-3)
    assert found.upper_length == pytest.approx(p.upper_length, rel=1e-3)
    # between the paper's two models of the blade
    low, high = np.minimum(TABLE_3, TABLE_4), np.maximum(TABLE_3, TABLE_4)
    assert (frequencies > low - 0.5).all() and (frequencies < high + 0.5).all()


def test_first_bending_frequency_against_rayleigh() -> None:
    """Static shape of a massless blade under its tip mass: an upper bound, close for the first frequency."""
    p = Parameters()
    bending = 2.1e11 * 0.03 * 0.005**3 / 12
    tip = p.lower_length + 0.0245 + p.upper_length + 0.0175
    place = np.linspace(0.0, tip, 4001)
    rigid = ((place > p.lower_length) & (place < p.lower_length + 0.0245)) | (place > tip - 0.0175)
    curvature = np.where(rigid, 0.0, tip - place) / bending
    step = place[1] - place[0]
    slope = np.cumsum(curvature) * step
    shape = np.cumsum(slope) * step
    line = np.where(rigid, 0.0, 7800 * 0.03 * 0.005)
    tie = int(np.searchsorted(place, p.lower_length + 0.01225))
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
    tip, tie = p.lower_length + 0.0245 + p.upper_length + 0.0175, p.lower_length + 0.0245
    bending = 2.1e11 * 0.03 * 0.005**3 / 12
    compliance = (tip**3 - (tip - p.lower_length) ** 3 + (tip - tie) ** 3 - 0.0175**3) / (3 * bending)
    # shear adds a per mille
    assert one_blade(p).tip == pytest.approx(1 / compliance, rel=2e-3)


def test_linked_blades() -> None:
    p = Parameters(turn=0.0)
    one, linked = blade_frequencies(p), coupled_frequencies(p)
    # parallel blades swing together as one does, with the same stiffness and mass each
    assert linked[0] == pytest.approx(one[0], rel=1e-6)
    turn = match_turn(Parameters())
    assert coupled_frequencies(Parameters(turn=turn))[0] == pytest.approx(127.0, rel=1e-4)
    # a link that leaves turning free is softer
    rigid, points = (
        coupled_frequencies(Parameters(), Row((-1.5, 1.5), link=link)) for link in ("rigid", "points")
    )
    assert points[0] < 0.9 * rigid[0]
    with pytest.raises(InputError, match="no turn of the outer blades gives 127 Hz"):
        match_turn(Parameters(lower_length=0.0146, upper_length=0.1696))


def test_forces_of_stuck_faces() -> None:
    p = Parameters()
    rigid = stuck(p, 0.0)
    # statics of the centre blade as a beam on two springs, the outer blades in their stiff direction
    upper = p.upper_length + 0.5 * (0.0245 + 0.035)
    lower = p.lower_length + 0.5 * 0.0245
    # a cantilever propped at a: P = F (1 + 3 b / 2 a), of a slender blade without rigid parts; these add some percent
    propped = 1 + 1.5 * upper / lower
    assert 2 * rigid.tangential[0] == pytest.approx(propped, rel=0.06)
    assert rigid.tangential[0] == pytest.approx(rigid.tangential[1], rel=1e-9)
    assert rigid.normal.max() < 1e-9
    # a contact without stiffness leaves the centre blade alone
    alone = stuck(p, 0.0, contact=1e-3)
    assert alone.tip == pytest.approx(1 / one_blade(p).tip, rel=1e-5)
    # turned blades that are pushed along i1 press on the centre one
    assert stuck(p, 0.0, Row((-0.5, 0.5))).normal.min() > 1.0
    # at the linked frequency the bundle resonates
    pinned = coupled_frequencies(p, Row((-np.pi / 2, np.pi / 2), link="points"), 1)[0]
    assert stuck(p, pinned * 1.0001).tip > 100 * rigid.tip


def test_statements_of_a_row() -> None:
    cells = statements(Parameters(), row_of(Parameters())).split(" | ")
    assert cells[0] == "220, 266, 280" and cells[3] == "5.0 to 5.0"
    assert float(cells[2]) == pytest.approx(2.5, abs=0.1)


def test_sweep_has_the_frequency_that_it_says() -> None:
    p = Parameters(simulation=2)
    crossings = [
        brentq(lambda t: excitation(p, t), 5.0 + k * 2e-3, 5.0 + (k + 1) * 2e-3)
        for k in range(20)
        if excitation(p, 5.0 + k * 2e-3) * excitation(p, 5.0 + (k + 1) * 2e-3) < 0
    ]
    measured = 0.5 / np.diff(crossings[:2])[0]
    assert measured == pytest.approx(frequency(p, float(np.mean(crossings[:2]))), rel=1e-3)
    assert frequency(p, 9.0) == pytest.approx(80.0) and log(frequency(p, 5.0) / 30) == pytest.approx(
        log(80 / 30) / 2
    )


def test_stick_to_slip(tmp_path: Path) -> None:
    p = Parameters(dt=1e-3)
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p)
    assert len(checks) >= 10 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    assert len(CASE.plot(result, p, tmp_path)) == 4


def test_general_kinetic_friction_leaves_stick_where_statics_says() -> None:
    p = Parameters(dt=2e-3, end_time=1.31, friction="gkf")
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p)
    assert len(checks) >= 10 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    assert {"speed leaves the stick zone [s]", "slip beyond v_st begins [s]"} < {c.name for c in checks}


def test_coarse_sweep_resonates() -> None:
    p = Parameters(simulation=2, dt=2e-3, end_time=6.2)
    h = Histories(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    middle, peaks = h.envelope(h.tips[:, 0], 0.05)
    before = float(peaks[(middle > 1.5) & (middle < 2.5)].max())
    # bristles as springs and dampers: what they carry below break-away is softer
    linear = stuck(p, frequency(p, 2.5), contact=bond(p, frequency(p, 2.5))).tip * p.amplitude
    assert linear < before < 1.5 * linear
    assert 5.4 < middle[int(np.argmax(peaks))] < 6.1 and peaks.max() > 5 * before


@pytest.mark.slow
def test_sweep(tmp_path: Path) -> None:
    p = Parameters(simulation=2, dt=1e-3)
    result = run(CASE.build(p), progress=False, quantities=("position", "contact"))
    checks = CASE.checks(result, p)
    assert len(checks) >= 12 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    assert len(CASE.plot(result, p, tmp_path)) == 6


def test_four_points_share_the_face() -> None:
    p = Parameters(points=4, dt=2e-3, end_time=1.1, friction="gkf")
    h = Histories(run(CASE.build(p), progress=False, quantities=("position", "contact")), p)
    assert h.contacts.shape[1:] == (2, 4)
    force = h.normal_force[h.time > 1.0]
    assert force.min() > (1 - bending_share(p)) * p.preload and force.max() < p.preload
    share = h.contacts["normal_force"][-1, 0] / h.normal_force[-1, 0]
    assert (share > 0.05).all() and (share < 0.5).all()
    size = np.linalg.norm(h.friction, axis=2)
    assert (size <= p.mu_s * h.normal_force).all() and size.max() > 1.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lower_length": 0.0}, "lower_length is 0.0"),
        ({"preload": -1.0}, "preload is -1.0: it must be above zero"),
        ({"force": -1.0}, "force is -1.0"),
        ({"mu_s": 0.1}, "mu_s is 0.1"),
    ],
)
def test_bad_parameters(changed: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CASE.build(replace(Parameters(), **changed))  # type: ignore[arg-type]


def test_a_run_says_where_the_law_may_give_energy_away() -> None:
    with pytest.warns(ActiveLawWarning, match="LuGre of contact .* faster than 0.0208 m/s"):
        CASE.build(Parameters())
