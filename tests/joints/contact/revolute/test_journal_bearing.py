"""The journal bearing as a joint: its two contacts, sliding along the sleeve, largest tilt, bad input."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody
from fem_mbd.friction import HuntCrossley, Linear, LuGre
from fem_mbd.joints import JournalBearing
from tests.core.scheme_tools import now, orders, run, simulation, worst_residual

SLEEVE, JOURNAL, LENGTH, MASS, GRAVITY = 20.2e-3, 20e-3, 0.1, 2.0, 9.81
STIFFNESS = 5e6


def bearing(
    turn: np.ndarray, friction: float = 0.2, pressed: bool = True, **changed: Any
) -> tuple[Model, Any]:
    """A horizontal journal in a fixed sleeve, resting on its bottom; the model is rotated by ``turn`` (3, 3)."""
    model = Model(gravity=turn @ (0, 0, -GRAVITY))
    depth = SLEEVE - JOURNAL + 0.5 * MASS * GRAVITY / STIFFNESS if pressed else 0.0
    body = model.add(RigidBody(MASS, (4e-4, 2e-3, 2e-3), turn @ (0.0, 0, -depth), rotation=turn)).node
    options: dict[str, Any] = {
        "radius_k": SLEEVE, "radius_l": JOURNAL, "length": LENGTH,
        "normal": HuntCrossley(Linear(STIFFNESS), 0.5), "axis": turn @ (1, 0, 0),
        "friction": LuGre(sigma_0=1e5, mu_s=friction, mu_k=friction, v_s=1e-3),
    }  # fmt: skip
    handle = model.add(JournalBearing(model.ground, body, **(options | changed)))
    return model, handle


@pytest.mark.parametrize("turn", [np.eye(3), rotation_about((1, 2, -1), 2.0)], ids=["along i1", "skew"])
def test_sliding_along_the_sleeve(turn: np.ndarray) -> None:
    """Stops after v / (mu g) and v^2 / (2 mu g); the two edges carry the weight and the moment of friction."""
    speed, friction = 0.3, 0.2
    model, handle = bearing(turn, friction)
    body = handle.l.node
    model.set_velocity(body, turn @ (speed, 0, 0))
    sim = simulation(model, 1e-4, 0.2)
    ledger, forces, times = [], [], []
    for record in sim.steps():
        ledger.append(record.energy)
        forces.append(now(sim).of(handle).normal_force)
        times.append(record.time)
    assert worst_residual(sim, np.array(ledger)) < 1e-12
    state = turn.T @ sim.state.u[body.index]
    assert state[0] == pytest.approx(speed**2 / (2 * friction * GRAVITY), rel=5e-3)
    assert np.abs(sim.state.v[body.index]).max() < 1e-3
    time, force = np.array(times), np.array(forces)
    sliding = (time > 0.03) & (time < 0.9 * speed / (friction * GRAVITY))
    weight = MASS * GRAVITY
    # friction acts at the bottom, journal radius below the mass centre: the front edge has a larger load
    shift = friction * weight * JOURNAL / LENGTH
    assert force[sliding].mean(axis=0) == pytest.approx((weight / 2 - shift, weight / 2 + shift), rel=0.01)


def test_second_order_in_sliding_contact() -> None:
    """Forces are constant over a step: order two, also of the bristles, while both edges slide and rotate."""

    def solve(count: int) -> tuple[np.ndarray, ...]:
        model, handle = bearing(np.eye(3))
        body = handle.l.node
        model.set_velocity(body, (0.1, 0.01, 0.0), (3.0, 0.02, 0.05))
        sim = simulation(model, 8e-3 / count, 8e-3)
        assert min(record.contacts["normal_force"].min() for record in sim.steps()) > 5.0
        state = sim.state
        bristles = state.history[0]["bristles"][:, 0]
        return state.u, state.r, state.v, state.omega, bristles

    assert orders(solve, (200, 400, 800), 6400) == pytest.approx([2.0] * 5, abs=0.1)


def test_cocking_ends_when_the_edges_touch_opposite_sides() -> None:
    """A slow rotation across the axis: both edges touch at the tilt 2 (clearance) / length, on opposite sides."""
    model, handle = bearing(np.eye(3), pressed=False)
    model.gravity[:] = 0.0
    tilt = 2 * (SLEEVE - JOURNAL) / LENGTH
    model.set_velocity(handle.l.node, omega=(0, 1.0, 0))
    sim = simulation(model, 1e-5, 2 * tilt)
    for record in sim.steps():
        force = record.contacts["normal_force"]
        if force.max() > 0:
            break
    assert record.time == pytest.approx(tilt, abs=2e-5)
    assert force.min() > 0 and force[0] == pytest.approx(force[1], rel=1e-6)
    # rotated about i2: the end at +i1 moves down, the other one up
    assert record.contacts["normal"][:, 2] == pytest.approx((-1.0, 1.0), abs=1e-9)
    assert sim.state.r[handle.l.node.index][2, 0] == pytest.approx(-tilt, rel=0.01)


def test_a_journal_in_the_middle_floats() -> None:
    model, _ = bearing(np.eye(3), pressed=False)
    model.gravity[:] = 0.0
    ledger = run(simulation(model, 1e-3, 0.01))
    assert np.isfinite(ledger).all() and not ledger.any()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"length": 0.0}, "length is 0: it must be above zero"),
        ({"radius_l": 0.03}, "does not fit"),
        ({"axis": None}, "journal bearing 'journal bearing': give its axis in global axes"),
        ({"journal_axis": (-1, 0, 0)}, "points against axis"),
        ({"journal_axis": (1, 0, 0.6)}, "outside its radius"),
        ({"normal": Linear}, "no normal law"),
    ],
)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bearing(np.eye(3), **changed)
