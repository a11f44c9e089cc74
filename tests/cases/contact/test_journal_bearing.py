"""Tests of the overhung rotor in its journal bearing, at a lower spin, against closed forms."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cases.journal_bearing import CASE, Histories, Parameters
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.runs.running.runs import run

SHORT = dataclasses.replace(Parameters(), speed=10.0, end_time=1.0)


def test_closed_forms_of_the_parameters() -> None:
    p = Parameters()
    far, near = p.reactions
    assert near - far == pytest.approx(p.mass * p.gravity)
    assert far * p.length == pytest.approx(p.mass * p.gravity * p.overhang)
    # stiff bristles and contact: a rigid body that rolls, by hand
    stiff = dataclasses.replace(p, sigma_0=1e9, contact_stiffness=1e12)
    c = p.radius_sleeve - p.radius_journal
    inertia = 3.0 * (2.2 * c) ** 2 + 0.015 * (c / 0.02) ** 2 + 0.0075 * (2 * c / 0.1) ** 2
    assert stiff.rocking == pytest.approx(np.sqrt(3.0 * 9.81 * 2.2 * c / inertia), rel=1e-4)


def test_run_down_meets_the_closed_forms(tmp_path: Path) -> None:
    result = run(CASE.build(SHORT), progress=False)
    checks = CASE.checks(result, SHORT)
    assert len(checks) == 10
    assert all(c.passed for c in checks), [c for c in checks if not c.passed]
    # the energy dissipated by friction is that of the spin
    spin = 0.5 * SHORT.inertia * SHORT.speed**2
    assert result.energy["dissipation_friction"].sum() == pytest.approx(spin, rel=0.01)
    left = sum(float(result.energy[name][-1]) for name in ENERGIES if name != "gravity")
    assert left < 0.01 * spin
    h = Histories(result, SHORT)
    assert np.abs(h.edges[:, :, 0] - [-0.05, 0.05]).max() < 1e-5  # no motion along the sleeve
    paths = CASE.plot(result, SHORT, tmp_path)
    assert {path.name for path in paths} == {"run_down.png", "forces.png", "orbits.png"}
