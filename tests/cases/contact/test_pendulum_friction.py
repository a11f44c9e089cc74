"""Tests of the pendulum with friction: Python and XML models, the source's statements, the differential equation."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Result, run
from fem_mbd.cases.pendulum_friction import CASE, HINGE, Parameters, angle, build
from fem_mbd.friction import ActiveLawWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{ActiveLawWarning.__module__}.{ActiveLawWarning.__name__}")


def result(p: Parameters) -> Result:
    return run(build(p), progress=False)


def test_python_and_xml_are_the_same_model() -> None:
    own, read = (result(Parameters(source=s, end_time=0.5)) for s in ("python", "xml"))
    assert np.abs(angle(own) - angle(read)).max() < 1e-12
    torques = [r.of(HINGE).friction.torque for r in (own, read)]
    assert np.abs(torques[0][:, 2]).max() > 0.01
    assert torques[0] == pytest.approx(torques[1], abs=1e-10)


def test_checks_and_figures(tmp_path: Path) -> None:
    p = Parameters(end_time=2.0)
    found = result(p)
    checks = CASE.checks(found, p)
    assert [c.name for c in checks if not c.passed] == []
    assert len(checks) == 8
    assert all(path.exists() for path in CASE.plot(found, p, tmp_path))


def test_a_wrong_friction_torque_is_noticed() -> None:
    """With another radius of the pin the differential equation no longer agrees."""
    run_with_other = result(Parameters(end_time=2.0, pin_radius=6e-3))
    failed = [c.name for c in CASE.checks(run_with_other, Parameters(end_time=2.0)) if not c.passed]
    assert "angle minus that of the differential equation [rad]" in failed


def test_without_inputs_the_pendulum_swings_on() -> None:
    p = Parameters(inputs="0010", viscous_effects=0.0, end_time=1.0)  # nothing bends this hinge
    found = result(p)
    assert np.abs(angle(found)).max() == pytest.approx(0.5 * np.pi, abs=1e-3)
    assert found.energy["dissipation_friction"].sum() == pytest.approx(0.0, abs=1e-12)
