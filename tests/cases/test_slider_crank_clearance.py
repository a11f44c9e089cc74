"""The slider-crank with clearance: the paper's statements in both variants, flight in closed form, bad input."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cases.slider_crank_clearance import CASE, Parameters
from fem_mbd.cases.slider_crank_clearance.histories import QUANTITIES, Histories
from fem_mbd.cases.slider_crank_clearance.mechanism import COUPLER, CRANK, hertz
from fem_mbd.errors import InputError
from fem_mbd.friction import ActiveLawWarning, LawRangeWarning
from fem_mbd.results import Result
from fem_mbd.run import run

FAST_IMPACT = "ignore:LankaraniNikravesh"


def done(p: Parameters) -> Result:
    with pytest.warns(LawRangeWarning, match="impact at"):
        return run(CASE.build(p), progress=False, quantities=QUANTITIES)


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_the_papers_statements_and_figures(tmp_path: Path) -> None:
    p = Parameters()
    result = done(p)
    checks = CASE.checks(result, p)
    assert len(checks) >= 14 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    names = {path.name[:5] for path in CASE.plot(result, p, tmp_path)}
    assert names == {"fig07", "fig08", "fig09", "fig10"}


def test_clearance_at_the_slider() -> None:
    p = Parameters(clearance_at="slider", friction="none")
    result = done(p)
    checks = CASE.checks(result, p)
    assert len(checks) >= 9 and all(c.passed for c in checks), [c for c in checks if not c.passed]


@pytest.mark.filterwarnings(FAST_IMPACT)
def test_static_law_jumps_where_bristles_do_not() -> None:
    """Change of the coefficient while the slip passes zero, largest of a step within 10 microseconds."""
    jumps = {}
    for friction in ("lugre", "coulomb"):
        p = Parameters(friction=friction)
        h = Histories(run(CASE.build(p), progress=False, quantities=QUANTITIES), p)
        rows = h.reversals()
        assert rows
        jumps[friction] = max(abs(h.coefficient[k + 1] - h.coefficient[k]) for k in rows)
    assert jumps["coulomb"] > 0.05 and jumps["coulomb"] > 10 * jumps["lugre"]


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


def test_bristle_damping_of_the_paper_is_warned_about() -> None:
    with pytest.warns(ActiveLawWarning, match="LuGre of clearance joint .* faster than 0.00"):
        CASE.build(Parameters(sigma_1=400.0))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"clearance": 0.0}, "clearance is 0.0"),
        ({"clearance": 0.01}, "clearance is 0.01"),
        ({"crank_speed": -1.0}, "crank_speed is -1.0: it must be above zero"),
        ({"mu_s": 0.05}, "mu_s is 0.05"),
        ({"restitution": 1.5}, "restitution is 1.5"),
    ],
)
def test_bad_parameters(changed: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CASE.build(replace(Parameters(), **changed))  # type: ignore[arg-type]
