"""The revolute joint with radial and axial clearance: scenarios, contact points, tangent, work, statics, bad input.

Scenarios and closest points: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015,
section 4.2.1; here against geometry by hand and against sampled surfaces.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from fem_mbd.arrays import Array
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.normal.dispatch import normal_potential
from fem_mbd.friction.tangential import bristle_energy
from fem_mbd.joints import RevoluteClearance
from fem_mbd.joints.contact.journal_position import scenario
from fem_mbd.model.model import Model
from fem_mbd.results.views.answering import OneState
from fem_mbd.rotations import rotation_about
from tests.joints.contact.bearing_models import (
    CROWN,
    FRAME,
    LENGTH_K,
    LENGTH_L,
    RADIUS_K,
    RADIUS_L,
    Placed,
    bearing_model,
    bearing_step,
    contact_rows,
    contacts,
)
from tests.scheme_tools import (
    column,
    difference_tangent,
    now,
    rigid_step,
    run,
    simulation,
    tangent,
    worst_residual,
)

DEPTH = 4e-6  # m
RUBBER = HuntCrossley(Linear(1e6), 0.5)
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)
SOFT = LuGre(sigma_0=1e2, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=1.0)
TILT = 0.02


def end_reach(tilt: float, length: float = LENGTH_L) -> float:
    """How far the end of a tilted journal reaches along the bearing from the journal's middle, m."""
    s, c = np.sin(tilt), np.cos(tilt)
    return float((0.5 * length - CROWN) * c + np.hypot(RADIUS_L * s, CROWN * c))


def wall_reach(tilt: float, length: float = LENGTH_L) -> float:
    """How far its two edges reach across, to opposite sides, m."""
    return float((0.5 * length - CROWN) * np.sin(tilt) + RADIUS_L * np.cos(tilt))


def tilt_of(reach: Any, wanted: float, length: float) -> float:
    """Tilt at which a journal of this length reaches so far."""
    return float(brentq(lambda tilt: reach(tilt, length) - wanted, 0.01, 0.1, xtol=1e-16))


def places(depth: float) -> dict[int, Placed]:
    """A journal in every scenario, its contacts ``depth`` (m) deep; short ones touch the wall first, long ones ends."""
    across, along, short, long = RADIUS_K + depth, 0.5 * LENGTH_K + depth, 0.0186, 0.0192
    aside, up = across - wall_reach(TILT), along - end_reach(TILT)
    cocked, jammed = tilt_of(wall_reach, across, short), tilt_of(end_reach, along, long)
    fitting = brentq(
        lambda length: end_reach(tilt_of(wall_reach, across, length), length) - along, short, long, xtol=1e-16
    )
    return {
        1: Placed((1e-4, -2e-4, 1e-4), 0.01),
        2: Placed((0.6 * (across - RADIUS_L), 0.8 * (across - RADIUS_L), 0.0)),
        3: Placed((1e-4, 0.0, along - 0.5 * LENGTH_L)),
        4: Placed((0.0, across - RADIUS_L, 0.5 * LENGTH_L - along)),
        5: Placed((0.0, -aside, 0.0), TILT),
        6: Placed((0.0, 0.0, up), TILT),
        7: Placed(tilt=cocked, about=(0.6, 0.8), length_l=short),
        8: Placed(tilt=jammed, length_l=long),
        9: Placed((0.0, -aside, up), TILT),
        10: Placed((0.0, -aside, -up), TILT),
        11: Placed((0.0, 0.0, along - end_reach(cocked, short)), cocked, length_l=short),
        12: Placed((0.0, across - wall_reach(jammed, long), 0.0), jammed, length_l=long),
        13: Placed(tilt=tilt_of(wall_reach, across, fitting), length_l=fitting),
    }


PLACES = places(DEPTH)


def surfaces(p: Placed, count: int = 2000) -> Array:
    """Gaps by a search over the journal's sampled edges and crowned faces: walls, then faces."""
    turn = rotation_about((*p.about, 0.0), p.tilt)
    phi = np.linspace(0.0, 2 * np.pi, count, endpoint=False)
    found = []
    for side in (-1, 1):
        rim = [
            0 * phi + RADIUS_L * np.cos(phi),
            RADIUS_L * np.sin(phi),
            0 * phi + side * (p.length_l / 2 - CROWN),
        ]
        x, y, _ = turn @ rim + np.array(p.offset)[:, None]
        found.append(RADIUS_K - np.hypot(x, y).max())
    for side in (-1, 1):
        part = np.sin(np.linspace(0.0, 0.5 * np.pi, 300))[:, None]  # of the radius, dense at the rim
        cap = np.array([
            RADIUS_L * part * np.cos(phi),
            RADIUS_L * part * np.sin(phi),
            side * (p.length_l / 2 - CROWN + CROWN * np.sqrt(1 - part**2)) + 0 * phi,
        ])  # fmt: skip
        z = np.tensordot(turn[2], cap, 1) + p.offset[2]
        found.append(0.5 * LENGTH_K - (side * z).max())
    return np.array(found)


@pytest.mark.parametrize("number", PLACES)
def test_each_scenario_by_hand_and_on_sampled_surfaces(number: int) -> None:
    p = PLACES[number]
    model, handle = bearing_model(p)
    sim = simulation(model, 1e-6)
    found = now(sim).of(handle)
    assert found.scenario == number
    assert found.tilt == pytest.approx(p.tilt, abs=1e-15)
    assert found.offset == pytest.approx(p.offset, abs=1e-15)
    gaps = contacts(sim).records["gap_f"]
    assert gaps == pytest.approx(surfaces(p), abs=2e-9)  # of the search
    if p.offset[0] == 0.0 and p.about == (1.0, 0.0):
        _, y, z = p.offset
        out = (0.5 * p.length_l - CROWN) * np.sin(p.tilt)  # the start's edge is at +out, the end's at -out
        edges = [RADIUS_K - RADIUS_L * np.cos(p.tilt) - abs(y + side * out) for side in (1, -1)]
        ends = [0.5 * LENGTH_K - end_reach(p.tilt, p.length_l) + side * z for side in (1, -1)]
        assert gaps == pytest.approx([*edges, *ends], abs=1e-15)


def test_scenarios_are_the_sources_list() -> None:
    """All ways in which four contacts can be closed give all thirteen numbers, and aligned ones the first four."""
    flags = [[bool(n & bit) for bit in (1, 2, 4, 8)] for n in range(16)]
    assert {scenario(f[:2], f[2:], aligned=False) for f in flags} == set(range(1, 14)) - {2, 3, 4}
    assert {scenario(f[:2], f[2:], aligned=True) for f in flags} >= {1, 2, 3, 4}


@pytest.mark.parametrize("number", [2, 3, 5, 6, 9, 12])
def test_forces_act_at_the_deepest_points_along_the_normals(number: int) -> None:
    """Force and moment on L about the bearing's middle are those of forces f_n n at points found by sampling."""
    p = replace(PLACES[number], normal=Linear(1e6))
    sim, y, kind = bearing_step(p, 1e-6, speed=0.0)
    sim.scheme.residual(0 * y, np.empty_like(y))
    rows, state = contact_rows(sim, kind), sim.state
    force = FRAME.T @ rows[2, :3]
    place = FRAME.T @ (state.u[2] - np.array([0.4, 0.1, -0.2]))
    moment = FRAME.T @ state.r[2] @ rows[2, 3:6] + np.cross(place, force)
    expected, turning = np.zeros(3), np.zeros(3)
    turn = rotation_about((*p.about, 0.0), p.tilt)
    for gap, side, wall in zip(
        kind.records["gap_f"], (-1, 1, -1, 1), (True, True, False, False), strict=True
    ):
        if gap < 0.0:
            point, normal = deepest(p, turn, side, wall)
            expected += -1e6 * gap * normal
            turning += np.cross(point, -1e6 * gap * normal)
    # rows are internal forces, along the growing gap's opposite
    assert -force == pytest.approx(expected, abs=1e-9 * np.linalg.norm(expected) + 1e-9)
    assert -moment == pytest.approx(turning, abs=1e-6 * np.linalg.norm(turning) + 1e-9)


def deepest(p: Placed, turn: Array, side: int, wall: bool) -> tuple[Array, Array]:
    """Deepest point of an edge, by a search along it, or of a face, a spheroid's; and the normal towards L."""
    axis = turn[:, 2]
    rim = np.array(p.offset) + side * (p.length_l / 2 - CROWN) * axis
    if wall:
        at = lambda phi: rim + RADIUS_L * (np.cos(phi) * turn[:, 0] + np.sin(phi) * turn[:, 1])  # noqa: E731
        far = max(np.linspace(0, 2 * np.pi, 1000), key=lambda phi: np.hypot(*at(phi)[:2]))
        slope = lambda phi: at(phi)[:2] @ (at(phi + 0.5 * np.pi) - rim)[:2]  # noqa: E731
        point = at(brentq(slope, far - 0.01, far + 0.01, xtol=1e-15))
        across = np.array([point[0], point[1], 0.0])
        return point, -across / np.linalg.norm(across)
    normal = np.array([0.0, 0.0, -float(side)])
    shape = RADIUS_L**2 * (np.eye(3) - np.outer(axis, axis)) + CROWN**2 * np.outer(axis, axis)
    return rim - shape @ normal / np.sqrt(normal @ shape @ normal), normal


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 9, 11, 12, 13])
def test_tangent(number: int, ground: bool) -> None:
    """The law linear and bristles soft, so that differences of 1e-7 are good to 1e-10."""
    p = replace(places(8e-6)[number], normal=HuntCrossley(Linear(1e6), 0.2), friction=SOFT)
    sim, y, kind = bearing_step(p, 1e-4, 1, ground=ground)
    closed = {2: 2, 3: 1, 4: 3, 5: 1, 6: 1, 9: 2, 11: 3, 12: 3, 13: 4}[number]
    assert np.count_nonzero(kind.records["normal_force"]) == closed
    exact = difference_tangent(sim, y, 1e-7)
    error = np.abs(tangent(sim, y) - exact) / np.abs(exact).max(axis=1, keepdims=True)
    assert error.max() < 1e-9


@pytest.mark.parametrize("dt", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("number", [2, 4, 9, 11, 12, 13])
def test_work_is_exact_at_any_step(number: int, dt: float) -> None:
    """What the joint takes from the bodies is what contacts and bristles store and what they count as lost."""
    p = replace(PLACES[number], normal=HuntCrossley(Linear(1e6), 0.2), friction=FRICTION)
    sim, _, kind = bearing_step(p, dt, number, speed=min(0.1, 1e-3 / dt))
    taken = float((contact_rows(sim, kind) * sim.scheme.work.x).sum())
    counted = size = 0.0
    for n, r in enumerate(kind.records):
        law, normal, past = kind.friction_laws[n], kind.normal_laws[n], kind.history[n]
        before = past["normal_force"] * float(bristle_energy(law, past["bristles"]))
        after = r["normal_force"] * float(bristle_energy(law, kind.z_f[n]))
        v_i, v_f = (float(normal_potential(normal, r[gap])) for gap in ("gap_i", "gap_f"))
        counted += v_f - v_i + after - before + r["loss_contact"] + r["loss_friction"]
        size += v_i + v_f + abs(r["loss_friction"]) + after + before
        assert r["loss_contact"] >= 0.0
    assert size > 0.0
    assert taken == pytest.approx(counted, abs=2e-13 * size + 1e-15 * kind.records["normal_force"].sum())


def test_a_common_rigid_motion_changes_no_gap() -> None:
    sim, _, kind = bearing_step(PLACES[12], 1e-3)
    rigid_step(sim, np.random.default_rng(3), 0.5)
    contact_rows(sim, kind)
    assert kind.records["gap_f"] == pytest.approx(kind.records["gap_i"], abs=1e-15)


def test_gaps_of_faces_and_their_moments_are_smooth_through_alignment() -> None:
    """A journal on its end, tilted through upright: the force acts aside by the tilt times
    rho^2 / eps, eps the crown, less the height of the journal's middle."""
    moments = []
    tilts = np.array([-1e-5, -1e-7, 0.0, 1e-7, 1e-5])
    for tilt in tilts:
        p = replace(PLACES[3], tilt=float(tilt), normal=Linear(1e6))
        sim, y, kind = bearing_step(p, 1e-6, speed=0.0)
        sim.scheme.residual(0 * y, np.empty_like(y))
        rows, state = contact_rows(sim, kind), sim.state
        middle = state.u[2] - FRAME @ np.array(p.offset) - (0.4, 0.1, -0.2)
        about = state.r[2] @ rows[2, 3:6] + np.cross(middle, rows[2, :3])
        moments.append(-(FRAME.T @ about)[0] / kind.records["normal_force"][3])
    assert moments[2] == pytest.approx(0.0, abs=1e-15)
    assert moments == pytest.approx(-(RADIUS_L**2 / CROWN - 0.5 * LENGTH_L) * tilts, rel=1e-4, abs=1e-12)


STIFFNESS, MASS, GRAVITY, SLOPE = 1e7, 2.0, 9.81, np.radians(30.0)
PRESS, SLIDE = (
    MASS * GRAVITY * np.cos(SLOPE),
    MASS * GRAVITY * np.sin(SLOPE),
)  # N, on the wall and on the lower end


def at_rest(p: Placed, overhang: float = 0.0) -> OneState:
    """A journal that came to rest in a bearing whose axis, i3, rises by SLOPE; i2 is up in the bearing.

    ``p`` is about where it lies, ``overhang`` (m) how far out of its middle, along its axis, its weight acts. Its edges
    and faces are springs with so much damping that hardly a bounce is left.
    """
    turn = rotation_about((1, 0, 0), p.tilt)
    down = np.array([0.0, -np.cos(SLOPE), -np.sin(SLOPE)])
    model = Model(gravity=GRAVITY * down)
    arm = np.array([0.0, 0.0, overhang])
    body = model.add(RigidBody(MASS, (1e-4, 1e-4, 1e-4), p.offset + turn @ arm, turn, name="journal")).node
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
    """In line with the wall either edge takes half of the load, and the lower face all that the slope leaves."""
    low, fallen = 0.5 * (LENGTH_K - LENGTH_L) + 1e-6, RADIUS_K - RADIUS_L + 1e-6
    found = at_rest(Placed((0.0, -fallen, -low)))
    assert found.of("bearing.wall").normal_force == pytest.approx([PRESS / 2, PRESS / 2], rel=1e-12)
    assert found.of("bearing.wall").gap == pytest.approx([-PRESS / 2 / STIFFNESS] * 2, rel=1e-9)
    assert found.of("bearing.face").normal_force == pytest.approx([SLIDE, 0.0], rel=1e-12)
    assert found.of("bearing.face").gap[0] == pytest.approx(-SLIDE / STIFFNESS, rel=1e-9)
    assert found.of("bearing").scenario == 4 and found.of("bearing").tilt == pytest.approx(0.0, abs=1e-15)


def test_a_cocked_journal_at_rest() -> None:
    """Its weight far out, one edge lies below and one above: three forces at three points, by statics."""
    tilt, overhang = tilt_of(wall_reach, RADIUS_K + 1e-6, LENGTH_L), 0.03
    found = at_rest(Placed((0.0, 0.0, end_reach(tilt) - 0.5 * LENGTH_K - 1e-6), tilt), overhang)
    assert found.of("bearing").scenario == 11
    upper, lower = found.of("bearing.wall").normal_force
    face = found.of("bearing.face").normal_force[0]
    assert (lower - upper, face) == pytest.approx((PRESS, SLIDE), rel=1e-10)
    # moments about i1 through the journal's middle; places of the forces from the tilt
    s, c = np.sin(found.of("bearing").tilt), np.cos(found.of("bearing").tilt)
    arm = (
        0.5 * LENGTH_L - CROWN
    ) * c - RADIUS_L * s  # of an edge's deepest point, along the axis of the bearing
    half = 0.5 * LENGTH_L - CROWN
    rim = half * s - (RADIUS_L**2 - CROWN**2) * s * c / np.hypot(
        RADIUS_L * s, CROWN * c
    )  # along i2, of the face
    weight = overhang * (c * PRESS - s * SLIDE)
    assert (upper + lower) * arm == pytest.approx(weight + face * rim, rel=1e-9)


@pytest.mark.parametrize("law", [Frictionless(), FRICTION], ids=["none", "LuGre"])
def test_books_of_a_journal_that_rattles(law: Any) -> None:
    """Both bodies free and turning: energy falls as counted, momentum stays, many scenarios are passed."""
    model, _ = bearing_model(Placed((1e-4, 0.0, 1e-4), 0.01, normal=RUBBER, friction=law))
    sim = simulation(model, 5e-5, 0.06)
    rng = np.random.default_rng(5)
    sim.state.v[1:] = 0.05 * rng.normal(size=(2, 3))
    sim.state.omega[1:] = rng.normal(size=(2, 3))
    sim.scheme.load_state()
    sim.scheme.energy = sim.scheme._initial_energy()
    momentum = sim.scheme.work.mass @ sim.state.v
    ledger, seen = [], set()
    for record in sim.steps():
        ledger.append(record.energy)
        seen.add(int(sim.outputs()["journal"][0, 0]))
    assert worst_residual(sim, np.array(ledger)) < 1e-12
    assert sim.scheme.work.mass @ sim.state.v == pytest.approx(momentum, abs=1e-12)
    assert len(seen) >= 4 and column(np.array(ledger), "dissipation_contact").sum() > 0.0


def test_face_law_and_handle() -> None:
    model, _ = bearing_model(PLACES[1])
    with pytest.raises(InputError, match="no part of model"):
        now(simulation(model, 1e-6)).of("journal")
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    handle = model.add(
        RevoluteClearance(model.ground, body, 0.01, 0.009, 0.03, 0.029, Linear(1e6), face_normal=Linear(2e6))
    )
    laws = [c.spec.normal for c in (*handle.walls, *handle.faces)]
    assert [law.stiffness for law in laws] == [1e6, 1e6, 2e6, 2e6]
    found = now(simulation(model, 1e-6))
    assert found.of(handle.walls).gap == pytest.approx([1e-3, 1e-3])
    assert found.of(handle.faces).gap == pytest.approx([5e-4, 5e-4])


def make(**changed: Any) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    options: dict[str, Any] = {
        "k": model.ground, "l": (0, 0, 0), "radius_k": RADIUS_K, "radius_l": RADIUS_L, "length_k": LENGTH_K,
        "length_l": LENGTH_L, "normal": Linear(1e6), "name": "crank bearing",
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
        ({"crown": 0.01}, "'crank bearing': two crowns of 0.01 m make up all of length_l"),
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
