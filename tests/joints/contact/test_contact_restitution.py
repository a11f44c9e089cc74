"""Restitution in the full scheme: balls with every law and many design values hit the ground in one run.

chi (1 + e) = ln[(1 + chi)/(1 - chi e)] whatever the elastic law: K. H. Hunt and F. R. E. Crossley 1975, Journal of
Applied Mechanics 42; H. M. Lankarani and P. E. Nikravesh 1990, Journal of Mechanical Design 112. The damping chi is
implemented independently here, from table 1 of Machado et al. 2012, Mechanism and Machine Theory 53.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import PointMass
from fem_mbd.friction import Hertz, KelvinVoigt, Linear
from fem_mbd.joints import PointOnPlane
from tests.friction.normal.test_impact import quiet

SPEED, MASS = 0.4, 1.0
DESIGNS = (0.2, 0.5, 0.8, 0.95)
DAMPING: dict[str, Callable[[float], float]] = {
    "HuntCrossleyImpact": lambda e: 3 * (1 - e) / 2,
    "HerbertMcWhannell": lambda e: 6 * (1 - e) / ((2 * e - 1) ** 2 + 3),
    "LeeWang": lambda e: 3 * (1 - e) / 4,
    "LankaraniNikravesh": lambda e: 3 * (1 - e**2) / 4,
    "GonthierImpact": lambda e: (1 - e**2) / e,
    "ZhiyingQishao": lambda e: 3 * (1 - e**2) * exp(2 * (1 - e)) / 4,
    "Flores": lambda e: 8 * (1 - e) / (5 * e),
}


def comes_out(chi: float) -> float:
    """The restitution of the exact relation."""
    top = min(1.0, 1.0 / chi) * (1.0 - 1e-14)
    return float(brentq(lambda e: log((1 + chi) / (1 - chi * e)) - chi * (1 + e), 1e-3, top, xtol=1e-14))


def rebounds(laws: list[Any], dt: float, end: float) -> Any:
    """Speeds after an impact at ``SPEED`` (m/s) on planes with these laws, over that speed."""
    model = Model()
    for law in laws:
        ball = model.add(PointMass(MASS, position=(0, 0, 0))).node
        model.set_velocity(ball, (0, 0, -SPEED))
        model.add(PointOnPlane(model.ground, ball, law))
    sim = Simulation(model, end, StepControl.fixed(dt))
    forces = np.array([record.contacts["normal_force"] for record in sim.steps()])
    assert (forces >= 0.0).all()  # no law pulls
    assert (forces[-1] == 0.0).all()
    return sim.state.v[1:, 2] / SPEED


def test_every_law_obeys_the_exact_relation() -> None:
    """1e-6 with a thousand steps to an impact; Hertz contact, depth 1.3e-4 m."""
    cases = [(name, e) for name in DAMPING for e in DESIGNS]
    laws = [quiet(name, Hertz(1e9), e) for name, e in cases]
    expected = [comes_out(DAMPING[name](e)) for name, e in cases]
    laws += [quiet("ExactRestitution", Hertz(1e9), e) for e in DESIGNS]
    depth = (5 * MASS * SPEED**2 / 4e9) ** 0.4
    found = rebounds(laws, depth / SPEED / 300, 5.2 * depth / SPEED)
    assert found == pytest.approx([*expected, *DESIGNS], abs=1e-6)


def test_kelvin_voigt_obeys_its_own_relation() -> None:
    """Restitution of the clipped dash-pot, below, at and above critical damping (Schwager and Poeschel 2007, eqs. 21).

    If the dash-pot were allowed to pull until the spring is free it would be exp(-pi zeta/sqrt(1 - zeta**2)), lower.
    """
    k, ratios = 1e6, (0.05, 0.3, 0.6, 0.9, 1.5, 3.0)
    expected = []
    for zeta in ratios:
        if zeta < 1.0:
            w = np.sqrt(1 - zeta**2)
            expected.append(np.exp(-zeta / w * np.arctan2(2 * zeta * w, 2 * zeta**2 - 1)))
            assert expected[-1] > np.exp(-np.pi * zeta / w) * (1 + zeta**2)
        else:
            w = np.sqrt(zeta**2 - 1)
            expected.append(np.exp(-zeta / w * np.log((zeta + w) / (zeta - w))))
    laws = [KelvinVoigt(k, 2 * zeta * np.sqrt(k * MASS)) for zeta in ratios]
    assert rebounds(laws, 4e-7, 4e-3) == pytest.approx(expected, abs=1e-6)


def test_elastic_laws_have_restitution_one() -> None:
    assert rebounds([Linear(1e6), Hertz(1e9), Hertz(1e12, 2.5)], 5e-5, 8e-3) == pytest.approx(1.0, rel=1e-12)
