"""Tests of the cube on a plane: the source's results with a coarse mesh of steps, variants, bad input."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cases.cube_on_plane import CASE, Histories, Parameters, build, checks, static_shares
from fem_mbd.runs.running.runs import run

ACTIVE = "ignore:LuGre of contact:fem_mbd.friction.ActiveLawWarning"  # bristle damping of the source
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(ACTIVE)]
COARSE = 2e-3


@pytest.mark.parametrize(
    "parameters",
    [Parameters(dt=COARSE), Parameters(dt=COARSE, points=4, directions=(0.0, 20.0, 90.0))],
    ids=["six points", "four points"],
)
def test_checks_pass_and_figures_are_drawn(tmp_path: Path, parameters: Parameters) -> None:
    result = run(build(parameters))
    made = checks(result, parameters)
    assert len(made) >= 9 and all(check.passed for check in made), made
    assert [path.exists() for path in CASE.plot(result, parameters, tmp_path)] == [True, True]


def test_a_run_that_ends_before_the_pull_is_checked_as_far_as_it_came(tmp_path: Path) -> None:
    p = Parameters(dt=COARSE, end_time=0.4, directions=(0.0,))
    result = run(build(p))
    made = checks(result, p)
    assert all("energy" in check.name and check.passed for check in made) and made
    assert all(path.exists() for path in CASE.plot(result, p, tmp_path))


def test_slip_starts_where_other_coefficients_say() -> None:
    """Half the pull holds until a quarter of the normal force remains."""
    p = Parameters(dt=COARSE, pull=0.375, directions=(10.0,))
    assert p.slip_time == pytest.approx(3.75)
    h = Histories(run(build(p)), p)
    assert h.slip_starts() == pytest.approx(3.75, abs=0.03)
    assert h.total[(h.time > 2.1) & (h.time < 3.5)] == pytest.approx(0.375, rel=0.01)


def test_sliding_obeys_newton_and_the_kinetic_coefficient() -> None:
    """In the last tenth of a second the total friction is the kinetic one with its viscous part."""
    p = Parameters(dt=COARSE, directions=(30.0,))
    h = Histories(run(build(p)), p)
    late = (h.time > 3.7) & (h.time < 3.95)
    normal, speed = h.normal.sum(axis=2)[late, 0], h.speed[late, 0]
    assert h.total[late, 0] == pytest.approx(normal * (p.mu_k + p.sigma_2 * speed), rel=5e-3)
    acceleration = np.gradient(h.speed[:, 0], h.time)[late]
    assert p.mass * acceleration == pytest.approx(p.pull - h.total[late, 0], rel=0.02)


def test_static_shares_balance_forces_and_moments() -> None:
    for points, direction in ((6, 17.0), (4, 0.0)):
        p = Parameters(points=points)  # type: ignore[arg-type]
        normal = static_shares(p, direction) / p.pull * p.press
        angle = 2 * np.pi * np.arange(points) / points - np.radians(direction)
        assert normal.sum() == pytest.approx(p.press)
        assert (normal * p.radius * np.cos(angle)).sum() == pytest.approx(p.pull * p.side / 2)
        assert (normal * np.sin(angle)).sum() == pytest.approx(0.0, abs=1e-12)
