"""Tests of the block on a belt against an integration of the printed laws (`belt_reference`).

With a spring ten times as stiff, slip and stick occur within 2.3 s: slip begins near 0.74 s, sticking near 1.77 s. The
difference is the time of break-away: a step near break-away is up to 0.5 ms long and the slip then below 0.15 m/s. Laws
whose state depends on the previous step are late by a whole one.
"""

import numpy as np
import pytest

from fem_mbd import Result, run
from fem_mbd.cases.belt_block import CASE, Block, Parameters
from tests.cases.contact.belt_reference import integrate, laws

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")]
CONTINUOUS, CREEPING, BOND, LAST_STEP = 1e-5, 4e-5, 1e-4, 4e-4  # m; the block moves through 0.08 m
DISTANCE = {
    "threlfall": CONTINUOUS, "ambrosio": CONTINUOUS, "bengisu_akay": CONTINUOUS, "dahl": CONTINUOUS,
    "gonthier": CONTINUOUS, "reset_integrator": CONTINUOUS, "lugre": CREEPING, "elasto_plastic": CREEPING,
    "stribeck": BOND, "awrejcewicz": BOND, "stiction": LAST_STEP, "karnopp": LAST_STEP, "liang": LAST_STEP,
}  # fmt: skip
SHORT = Parameters(law="all", stiffness=20.0, end_time=2.3)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(CASE.build(SHORT), progress=False, quantities=("position", "contact"))


@pytest.mark.parametrize("name", DISTANCE)
def test_motion_is_that_of_the_printed_law(result: Result, name: str) -> None:
    block = Block(result, SHORT, name)
    law, states, limit = laws(SHORT)[name]
    time, position, slip, _ = integrate(SHORT, law, states, limit)
    assert np.abs(slip).max() > 0.1 and position.max() > 0.07
    until = block.time <= SHORT.end_time
    if name == "stiction":
        # as printed it does not stick again, see below
        until = block.time < block.slip_phases()[0][1]
    off = np.abs(np.interp(block.time, time, position) - block.position)[until].max()
    assert off < DISTANCE[name]


@pytest.mark.parametrize("name", ["lugre", "elasto_plastic", "gonthier"])
def test_frictional_lag_is_that_of_the_printed_law(result: Result, name: str) -> None:
    """Force at increasing minus force at decreasing slip, at one and at two Stribeck velocities."""
    law, states, limit = laws(SHORT)[name]
    _, _, slip, friction = integrate(SHORT, law, states, limit)
    speed = np.abs(slip)
    fastest, slow = int(np.argmax(speed)), np.flatnonzero(speed < 0.5 * SHORT.v_s)
    begin, end = slow[slow < fastest].max(), slow[slow > fastest].min()
    at = np.array([1.0, 2.0]) * SHORT.v_s
    rising = np.interp(at, speed[begin : fastest + 1], friction[begin : fastest + 1])
    falling = np.interp(at, speed[end:fastest:-1], friction[end:fastest:-1])
    assert Block(result, SHORT, name).lag(at) == pytest.approx(rising - falling, abs=0.03)
    assert (rising - falling).max() > 0.1


def test_stiction_as_printed_chatters_and_lets_go_at_kinetic_friction(result: Result) -> None:
    """Static friction acts at a slip of exactly zero, which a Runge-Kutta step reaches at the start only."""
    law, states, limit = laws(SHORT)["stiction"]
    time, position, slip, friction = integrate(SHORT, law, states, limit)
    first, second = (
        np.flatnonzero((np.abs(slip[1:]) > 2e-3) & (np.abs(slip[:-1]) <= 2e-3) & (time[1:] > t))[0]
        for t in (0, 1.8)
    )
    assert SHORT.stiffness * position[first] == pytest.approx(SHORT.mu_s * SHORT.weight, rel=0.01)
    # from kinetic friction on the excess grows by k v_b in a second: slip of 2 mm/s is there a little later
    rate = SHORT.stiffness * SHORT.belt_speed
    late = SHORT.mu_k * SHORT.weight + np.sqrt(2.0 * SHORT.mass * 2e-3 * rate)
    assert SHORT.stiffness * position[second] == pytest.approx(late, rel=0.01)
    assert late < 0.75 * SHORT.mu_s * SHORT.weight
    caught = (time > 1.8) & (time < time[second] - 0.06)
    kinetic = SHORT.mu_k * SHORT.weight
    # the block is held by full kinetic friction that changes its sign within the steps, whatever the spring's pull
    assert np.abs(slip[caught]).min() > 0.0 and SHORT.stiffness * position[caught].min() < 0.6 * kinetic
    assert np.abs(friction[caught]) == pytest.approx(kinetic)
    # a law with any value up to mu_s W at rest sticks again and slips again at mu_s W
    block = Block(result, SHORT, "stiction")
    stuck = (block.time > block.slip_phases()[0][1] + 0.02) & block.stuck
    assert np.abs(block.friction[stuck]).max() == pytest.approx(SHORT.mu_s * SHORT.weight, rel=0.005)
    assert np.count_nonzero(np.diff(np.sign(block.friction[stuck]))) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "distance"), [("lugre", 5e-4), ("elasto_plastic", 5e-4), ("gonthier", 2e-3), ("karnopp", 5e-3)]
)
def test_motion_of_the_full_run_is_that_of_the_printed_law(name: str, distance: float) -> None:
    p = Parameters(law=name)
    block = Block(run(CASE.build(p), progress=False, quantities=("position", "contact")), p, name)
    law, states, limit = laws(p)[name]
    time, position, _, _ = integrate(p, law, states, limit)
    assert np.abs(np.interp(block.time, time, position) - block.position).max() < distance
