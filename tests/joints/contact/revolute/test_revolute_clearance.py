"""The revolute joint with radial and axial clearance: common motions, journals at rest, bad input."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody
from fem_mbd.friction import HuntCrossley, Linear, LuGre
from fem_mbd.joints import RevoluteClearance
from fem_mbd.runs.results.views.part_access import SingleState
from tests.core.scheme_tools import now, pulled_back, rigid_step, run, simulation
from tests.joints.contact.revolute.bearing_models import (
    CROWN,
    LENGTH_K,
    LENGTH_L,
    PLACES,
    RADIUS_K,
    RADIUS_L,
    Placed,
    end_reach,
    tilt_of,
    wall_reach,
)
from tests.joints.contact.two_bodies import closed_step

FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)
SOFT = LuGre(sigma_0=1e2, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=1.0)


def test_a_common_rigid_motion_changes_no_gap() -> None:
    sim, _, kind = closed_step(PLACES[12], 1e-3)
    rigid_step(sim, np.random.default_rng(3), 0.5)
    pulled_back(sim, kind)
    assert kind.records["gap_f"] == pytest.approx(kind.records["gap_i"], abs=1e-15)


STIFFNESS, MASS, GRAVITY, SLOPE = 1e7, 2.0, 9.81, np.radians(30.0)
PRESS, SLIDE = (
    MASS * GRAVITY * np.cos(SLOPE),
    MASS * GRAVITY * np.sin(SLOPE),
)  # N, on the wall and on the lower end


def at_rest(p: Placed, overhang: float = 0.0) -> SingleState:
    """A journal that came to rest in a bearing whose axis, i3, rises by SLOPE; i2 is up in the bearing.

    ``p`` is about where it lies, ``overhang`` (m) how far out of its middle, along its axis, its weight acts. Its edges
    and faces are springs with so much damping that there is almost no rebound.
    """
    turn = rotation_about((1, 0, 0), p.tilt)
    down = np.array([0.0, -np.cos(SLOPE), -np.sin(SLOPE)])
    model = Model(gravity=GRAVITY * down)
    arm = np.array([0.0, 0.0, overhang])
    body = model.add(
        RigidBody(MASS, (1e-4, 1e-4, 1e-4), p.offset + turn @ arm, rotation=turn, name="journal")
    ).node
    model.add(
        RevoluteClearance(
            model.ground, body.at(-arm), RADIUS_K, RADIUS_L, LENGTH_K, LENGTH_L, HuntCrossley(Linear(STIFFNESS), 500.0),
            axis=(0, 0, 1), journal_axis=turn[:, 2], name="bearing",
        )
    )  # fmt: skip
    sim = simulation(model, 5e-4, 0.4)
    run(sim)
    assert np.abs(sim.state.v).max() < 1e-12 and np.abs(sim.state.omega).max() < 1e-12
    return now(sim)


def test_an_aligned_journal_at_rest() -> None:
    """In line with the wall each edge has half of the load, and the lower face its axial component."""
    low, fallen = 0.5 * (LENGTH_K - LENGTH_L) + 1e-6, RADIUS_K - RADIUS_L + 1e-6
    found = at_rest(Placed((0.0, -fallen, -low)))
    assert found.of("bearing.wall").normal_force == pytest.approx([PRESS / 2, PRESS / 2], rel=1e-12)
    assert found.of("bearing.wall").gap == pytest.approx([-PRESS / 2 / STIFFNESS] * 2, rel=1e-9, abs=0.0)
    assert found.of("bearing.face").normal_force == pytest.approx([SLIDE, 0.0], rel=1e-12)
    assert found.of("bearing.face").gap[0] == pytest.approx(-SLIDE / STIFFNESS, rel=1e-9, abs=0.0)
    assert found.of("bearing").scenario == 4 and found.of("bearing").tilt == pytest.approx(0.0, abs=1e-15)


def test_a_cocked_journal_at_rest() -> None:
    """With an overhung weight one edge touches below and one above: three forces at three points, from statics."""
    tilt, overhang = tilt_of(wall_reach, RADIUS_K + 1e-6, LENGTH_L), 0.03
    found = at_rest(Placed((0.0, 0.0, end_reach(tilt) - 0.5 * LENGTH_K - 1e-6), tilt), overhang)
    assert found.of("bearing").scenario == 11
    upper, lower = found.of("bearing.wall").normal_force
    face = found.of("bearing.face").normal_force[0]
    assert (lower - upper, face) == pytest.approx((PRESS, SLIDE), rel=1e-10)
    # moments about i1 through the journal's middle; points of action from the tilt
    s, c = np.sin(found.of("bearing").tilt), np.cos(found.of("bearing").tilt)
    arm = (
        0.5 * LENGTH_L - CROWN
    ) * c - RADIUS_L * s  # of an edge's deepest point, along the axis of the bearing
    half = 0.5 * LENGTH_L - CROWN
    rim = half * s - (RADIUS_L**2 - CROWN**2) * s * c / np.hypot(
        RADIUS_L * s, CROWN * c
    )  # along i2, of the face
    weight = overhang * (c * PRESS + s * SLIDE)
    assert (upper + lower) * arm == pytest.approx(weight + face * rim, rel=1e-9)


def test_face_law_and_handle() -> None:
    model = PLACES[1].model()
    with pytest.raises(InputError, match="no part of model"):
        now(simulation(model, 1e-6)).of("journal")
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    handle = model.add(
        RevoluteClearance(
            model.ground, body, 0.01, 0.009, 0.03, 0.029, Linear(1e6), axis=(0, 0, 1), face_normal=Linear(2e6)
        )
    )
    assert [c.spec.normal for c in (*handle.walls, *handle.faces)] == [Linear(1e6)] * 2 + [Linear(2e6)] * 2
    found = now(simulation(model, 1e-6))
    assert found.of(handle.walls).gap == pytest.approx([1e-3, 1e-3])
    assert found.of(handle.faces).gap == pytest.approx([5e-4, 5e-4])


def make(**changed: Any) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    options: dict[str, Any] = {
        "k": model.ground, "l": (0, 0, 0), "radius_k": RADIUS_K, "radius_l": RADIUS_L, "length_k": LENGTH_K,
        "length_l": LENGTH_L, "normal": Linear(1e6), "axis": (0, 0, 1), "name": "crank bearing",
    } | changed  # fmt: skip
    options["l"] = body.at_global(options["l"])
    model.add(RevoluteClearance(**options))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"radius_l": 0.011}, "'crank bearing': radius_l = 0.011 m does not fit into radius_k = 0.01 m"),
        ({"radius_l": RADIUS_K}, "'crank bearing': radius_l = 0.01 m does not fit"),
        ({"length_l": 0.021}, "'crank bearing': length_l = 0.021 m does not fit into length_k = 0.02 m"),
        ({"length_l": -0.01}, "'crank bearing': length_l is -0.01: it must be above zero"),
        ({"crown": 0.0}, "'crank bearing': crown is 0: it must be above zero"),
        ({"crown": 0.01}, "'crank bearing': two crowns of 0.01 m exceed length_l"),
        ({"axis": None}, "'crank bearing': give its axis in global axes"),
        ({"axis": (0, 0, 0)}, "axis of .*'crank bearing' is the zero vector"),
        ({"journal_axis": (0, 0, -1)}, "'crank bearing': journal_axis points against axis"),
        ({"l": (0.011, 0, 0)}, "'crank bearing.wall.start'.* outside its radius"),
        ({"l": (0, 0, 0.003)}, "'crank bearing': the journal starts outside the bearing's end"),
        ({"normal": Linear}, "'crank bearing': normal is .*no normal law"),
        ({"face_normal": FRICTION}, "'crank bearing': normal is .*no normal law"),
    ],
)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(**changed)
