"""Tests of friction in the guide: moments of inner and outer sliders, the source's statements, bad input."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cases._spatial_slider_crank import slider_y
from fem_mbd.cases.translational_joint_friction import (
    CASE,
    LAWS,
    Histories,
    Parameters,
    companion,
    lag,
    moments,
    reversal_checks,
    spread,
)
from fem_mbd.runs.running.runs import run

pytestmark = pytest.mark.slow

SHORT = Parameters(end_time=0.05)
ACTIVE = "ignore:ClassicalLuGre in prismatic joint"


@pytest.mark.filterwarnings(ACTIVE)
@pytest.mark.parametrize("friction", LAWS)
def test_energy_balance_and_moments(friction: str, tmp_path: Path) -> None:
    p = replace(SHORT, friction=friction)  # type: ignore[arg-type]
    result = run(CASE.build(p), progress=False)
    checks = CASE.checks(result, p)
    assert len(checks) == (2 if friction == "none" else 3)
    assert all(c.passed for c in checks), [c for c in checks if not c.passed]
    if friction == "none":
        assert [path.name for path in CASE.plot(result, p, tmp_path)] == ["translational_joint_friction.png"]


def test_inner_and_outer_slider() -> None:
    """Opposite moments (fig. 4.1), and the same motion: the guide balances any moment without a normal force."""
    inner, outer = (companion(replace(SHORT, friction="stribeck", slider=s)) for s in ("inner", "outer"))
    assert moments(inner.parameters) == pytest.approx(1.0, abs=0.02)
    assert inner.position == pytest.approx(outer.position, abs=1e-12)
    assert inner.force == pytest.approx(outer.force, abs=1e-9)
    assert (
        np.abs(inner.result.of("guide").reaction.moment - outer.result.of("guide").reaction.moment).max()
        > 5e-3
    )


def test_friction_is_the_coefficient_times_the_reactions_of_the_same_step() -> None:
    """Coulomb, sliding: each pair of faces, to round-off; the reaction is that of statics for a slider at rest."""
    h = companion(replace(SHORT, friction="coulomb"))
    friction = h.result.of("guide").friction
    slid = h.speed > 0.01
    sizes = np.abs(friction.friction_force[slid, :, 0])
    assert sizes == pytest.approx(h.parameters.mu_k * friction.normal_force[slid], rel=1e-10)
    assert np.all(h.force[slid] * h.speed[slid] < 0.0)


def test_place_of_the_slider_in_closed_form() -> None:
    """Friction or not, the linkage's geometry holds."""
    h = companion(replace(SHORT, friction="dahl"))
    crank = h.result.of("crank").position
    angle = np.arctan2(crank[:, 0], crank[:, 2])
    assert h.position == pytest.approx(slider_y(angle), abs=1e-13)


@pytest.mark.filterwarnings("ignore:LuGre in prismatic joint")
def test_bristles_per_newton_do_not_jam_with_the_printed_damping() -> None:
    """In newtons the guide jams before 0.06 s, with normal forces of 60 N and more (docs)."""
    h = companion(Parameters(end_time=0.1, bristles="per_normal_force", v_d=0.0))
    assert h.normal_force.max() < 40.0
    assert h.speed[-1] > 0.3  # m/s, as fast as without friction to a few per cent
    assert h.result.summary["energy"]["relative"] < 1e-13


@pytest.mark.slow
@pytest.mark.filterwarnings(ACTIVE)
@pytest.mark.parametrize(("end_time", "dt"), [(1.0, 1e-3), pytest.param(5.0, 5e-4, marks=pytest.mark.study)])
def test_statements_of_the_source(end_time: float, dt: float, tmp_path: Path) -> None:
    """Past the reversal of the crank at 0.55 s; the source's figures end at 5 s."""
    p = Parameters(end_time=end_time, dt=dt)
    result = run(CASE.build(p), progress=False)
    checks = CASE.checks(result, p)
    assert len(checks) == 3 + 13 + 9 + 2
    assert all(c.passed for c in checks), [c for c in checks if not c.passed]
    names = [path.name for path in CASE.plot(result, p, tmp_path)]
    assert names == ["translational_joint_friction.png", "slider_reversal.png"]


def made_up(dt: float, width: float, overshoot: float = 0.0) -> Histories:
    """Friction that changes from -1 to 1 N at zero speed within ``width`` (s), with an overshoot just after."""
    since = np.arange(-0.06, 0.06, dt) + 0.3 * dt
    force = np.tanh(since / width) + overshoot * (since > 0) * np.exp(-since.clip(0) / 5e-3)
    h = Histories(None, Parameters())  # type: ignore[arg-type]
    h.__dict__.update(
        since=since, speed=2.0 * since, force=force, acceleration=-force, normal_force=np.ones_like(since)
    )
    return h


def test_turning_checks_tell_jumps_from_passages() -> None:
    jump, smooth, more = 1e-9, 1e-3, 1.0
    shapes = {"coulomb": (jump,), "stribeck": (jump,), "dahl": (smooth,), "lugre": (smooth, more)}
    good = [{law: made_up(dt, *shape) for law, shape in shapes.items()} for dt in (5e-5, 1e-4)]
    swapped = [dict(zip(runs, reversed(runs.values()), strict=True)) for runs in good]
    failed = {c.name for c in reversal_checks(*swapped) if not c.passed}  # type: ignore[arg-type]
    for law in ("stribeck", "dahl", "lugre"):
        assert f"{law}: change of friction in half a step / in a step" in failed
    assert "LuGre: coefficient of growing slip / of falling slip" in failed
    assert lag(good[0]["lugre"]) > 1.5 and lag(good[0]["coulomb"]) == pytest.approx(1.0)
    near_it, apart = spread(good[0])  # type: ignore[arg-type]
    assert near_it > 3.0 * apart
