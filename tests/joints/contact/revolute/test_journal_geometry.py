"""Geometry of a journal in its bearing: all scenarios, gaps and contact points against explicit formulas and sampling.

Scenarios and closest points: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015,
section 4.2.1.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.friction import Linear
from fem_mbd.joints.contact.revolute_clearance import scenario
from tests.core.scheme_tools import now, pulled_back, simulation
from tests.joints.contact.revolute.bearing_models import (
    CROWN,
    FRAME,
    LENGTH_K,
    LENGTH_L,
    PLACES,
    RADIUS_K,
    RADIUS_L,
    Placed,
    contacts,
    end_reach,
)
from tests.joints.contact.two_bodies import PLACE, closed_step


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
    sim = simulation(p.model(), 1e-6)
    found = now(sim).of("bearing")
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
    """All combinations of four closed contacts give all thirteen numbers, and aligned ones the first four."""
    flags = [[bool(n & bit) for bit in (1, 2, 4, 8)] for n in range(16)]
    assert {scenario(f[:2], f[2:], aligned=False) for f in flags} == set(range(1, 14)) - {2, 3, 4}
    assert {scenario(f[:2], f[2:], aligned=True) for f in flags} >= {1, 2, 3, 4}


@pytest.mark.parametrize("number", [2, 3, 5, 6, 9, 12])
def test_forces_act_at_the_deepest_points_along_the_normals(number: int) -> None:
    """Force and moment on L about the bearing's middle are those of forces f_n n at points found by sampling."""
    p = replace(PLACES[number], normal=Linear(1e6))
    sim, y, kind = closed_step(p, 1e-6, speed=0.0)
    sim.scheme.residual(0 * y, np.empty_like(y))
    rows, state = pulled_back(sim, kind), sim.state
    force = FRAME.T @ rows[2, :3]
    place = FRAME.T @ (state.u[2] - PLACE)
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
    assert -force == pytest.approx(expected, abs=1e-9 * float(np.linalg.norm(expected)) + 1e-9)
    assert -moment == pytest.approx(turning, abs=1e-6 * float(np.linalg.norm(turning)) + 1e-9)


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


def test_gaps_of_faces_and_their_moments_are_smooth_through_alignment() -> None:
    """A journal on its end, tilted through upright: the force acts aside by the tilt times
    rho^2 / eps, eps the crown, less the height of the journal's middle."""
    moments, round_off = [], []
    tilts = np.array([-1e-5, -1e-7, 0.0, 1e-7, 1e-5])
    for tilt in tilts:
        p = replace(PLACES[3], tilt=float(tilt), normal=Linear(1e6))
        sim, y, kind = closed_step(p, 1e-6, speed=0.0)
        sim.scheme.residual(0 * y, np.empty_like(y))
        rows, state = pulled_back(sim, kind), sim.state
        middle = state.u[2] - FRAME @ np.array(p.offset) - PLACE
        about = state.r[2] @ rows[2, 3:6] + np.cross(middle, rows[2, :3])
        moments.append(-(FRAME.T @ about)[0] / kind.records["normal_force"][3])
        # of moments about the origin that cancel: a dozen operations with positions of this size
        places = np.linalg.norm(state.u[2]) + np.linalg.norm(PLACE) + np.linalg.norm(p.offset)
        round_off.append(12 * np.finfo(float).eps * places)
    assert moments[2] == pytest.approx(0.0, abs=float(round_off[2]))
    assert moments == pytest.approx(-(RADIUS_L**2 / CROWN - 0.5 * LENGTH_L) * tilts, rel=1e-4, abs=1e-12)
