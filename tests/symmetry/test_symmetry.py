"""The same motion in any units, at any place and time, in any direction, mirrored, seen from a moving observer, in any
order of the parts: mechanisms of the most different parts, random chains, and a turbine."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.cases import nrel5mw_turbine
from fem_mbd.machines import assemble
from tests.symmetry.frames import Frame
from tests.symmetry.machines import MACHINES, motion
from tests.symmetry.random_chains import chain

TURN = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
PLACE: Array = np.array([0.36, -0.48, 0.8])
# frames, and the allowed difference (m) in mechanisms of some 0.5 m that move by some 0.1 m. Places at a distance x
# have a round-off of 1e-16 x, which contacts and a hundred steps make larger
FRAMES = {
    "mm-t-s": (Frame(length=1e3, mass=1e-3), 1e-10),
    "km-Gg-ks": (Frame(length=1e-3, mass=1e-6, time=1e-3), 1e-10),
    "um-ug-us": (Frame(length=1e6, mass=1e9, time=1e6), 1e-10),
    "small and light": (Frame(length=1e-5, mass=1e-15, time=1e-5), 1e-9),
    "turned": (Frame(turn=TURN), 1e-10),
    "mirrored": (Frame(turn=np.diag([1.0, -1.0, 1.0])), 1e-10),
    "turned mirror image": (Frame(turn=TURN @ np.diag([-1.0, 1.0, 1.0])), 1e-10),
    "100 m away": (Frame(shift=100 * PLACE), 1e-11),
    "10 km away": (Frame(shift=1e4 * PLACE), 1e-9),
    "1000 km away": (Frame(shift=1e6 * PLACE), 1e-6),
    "reverse order": (Frame(reverse=True), 1e-10),
    "an hour later": (Frame(start=3600.0), 1e-8),
}
BOOSTS = {"10 m/s": (10.0, 1e-10), "10 km/s": (1e4, 1e-7)}
# m: a hundred steps, each solved to 1e-10 of 80 m
LARGE = {"turbine": 8e-7}
CHAINS = range(12)
SITE = np.array([4e5, 6e6, 0.0])  # m, coordinates of a site in a map projection


@functools.cache
def _usual(machine: str, steps: int | None = 100) -> tuple[np.ndarray, int]:
    places, result = motion(MACHINES[machine], Frame(), steps)
    return places, result.steps


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_motion_does_not_depend_on_the_frame(machine: str, frame: str) -> None:
    (usual, steps), (seen, allowed) = _usual(machine), FRAMES[frame]
    places, result = motion(MACHINES[machine], seen)
    assert result.steps == steps
    assert places == pytest.approx(usual, abs=max(allowed, LARGE.get(machine, 0.0)))


@pytest.mark.parametrize("boost", BOOSTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_moving_observer_sees_the_same_motion(machine: str, boost: str) -> None:
    """The ground is a node that moves as it does; the places of the last step are at 0.4 to 2000 m."""
    (usual, steps), (speed, allowed) = _usual(machine), BOOSTS[boost]
    places, result = motion(MACHINES[machine], Frame(boost=speed * PLACE))
    assert result.steps == steps
    assert places == pytest.approx(usual, abs=max(allowed, LARGE.get(machine, 0.0)))


@pytest.mark.parametrize("frame", ["um-ug-us", "small and light", "turned mirror image", "10 km away"])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_default_steps_do_not_depend_on_the_frame(machine: str, frame: str) -> None:
    usual, steps = _usual(machine, None)
    places, result = motion(MACHINES[machine], FRAMES[frame][0], None)
    assert result.steps == steps
    assert places[:, -1] == pytest.approx(usual[:, -1], abs=max(1e-7, LARGE.get(machine, 0.0)))


@pytest.mark.parametrize("machine", MACHINES)
def test_the_default_steps_are_as_long_1000_km_away(machine: str) -> None:
    """Round-off of places makes steps of rest out of it, whose error estimate is not zero."""
    usual, steps = _usual(machine, None)
    places, result = motion(MACHINES[machine], FRAMES["1000 km away"][0], None)
    assert result.steps == pytest.approx(steps, rel=0.02)
    assert places[:, -1] == pytest.approx(usual[:, -1], abs=1e-6)


@pytest.mark.parametrize("seed", CHAINS)
def test_random_chains_do_not_depend_on_the_frame(seed: int) -> None:
    usual, result = motion(functools.partial(chain, seed=seed), Frame())
    for name in ("um-ug-us", "small and light", "turned mirror image", "1000 km away", "an hour later"):
        seen, allowed = FRAMES[name]
        places, there = motion(functools.partial(chain, seed=seed), seen)
        assert there.steps == result.steps, name
        assert places == pytest.approx(usual, abs=allowed), name


def _turbine(yaw: float, place: Array) -> tuple[Array, int]:
    """Places (nodes, steps, 3) of a turbine that is turned about the vertical and moved, as if it were not."""
    turn = Rotation.from_rotvec([0.0, 0.0, yaw]).as_matrix()
    machine = nrel5mw_turbine.machine("elastodyn")
    placements = tuple(
        replace(one, position=turn @ one.position + place, rotation=turn @ one.rotation)
        if one.parent is None
        else one
        for one in machine.placements
    )
    model = assemble(replace(machine, placements=placements), gravity=9.81, turning=True).model
    result = fm.simulate(model, 0.2, fm.StepControl.fixed(0.01))
    places = np.array([result.of(node.name).position for node in model.nodes[1:]])
    return (places - place) @ turn, result.steps


def test_a_turbine_does_not_depend_on_its_site() -> None:
    """Blades of 61 m, tips at 80 m/s; 6000 km away places have a round-off of 1e-9 m."""
    usual, steps = _turbine(0.0, np.zeros(3))
    for yaw, place, allowed in ((0.7, np.zeros(3), 1e-8), (0.7, SITE, 1e-6)):
        places, number = _turbine(yaw, place)
        assert number == steps
        assert places == pytest.approx(usual, abs=allowed)
