"""The same motion in any units, at any place, in any direction, mirrored, seen from a moving observer, in any order."""

import functools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array
from tests.symmetry.frames import Frame
from tests.symmetry.machines import MACHINES, motion

TURN = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
PLACE: Array = np.array([0.36, -0.48, 0.8])
# frames, and the allowed difference (m) in mechanisms of some 0.5 m that move by some 0.1 m
FRAMES = {
    "mm-t-s": (Frame(length=1e3, mass=1e-3), 1e-10),
    "km-Gg-ks": (Frame(length=1e-3, mass=1e-6, time=1e-3), 1e-10),
    "um-ug-us": (Frame(length=1e6, mass=1e9, time=1e6), 1e-10),
    "small and light": (Frame(length=1e-5, mass=1e-15, time=1e-5), 1e-9),
    "turned": (Frame(turn=TURN), 1e-10),
    "mirrored": (Frame(turn=np.diag([1.0, -1.0, 1.0])), 1e-10),
    "turned mirror image": (Frame(turn=TURN @ np.diag([-1.0, 1.0, 1.0])), 1e-10),
    "100 m away": (Frame(shift=100 * PLACE), 1e-9),
    "10 km away": (Frame(shift=1e4 * PLACE), 1e-7),
    "reverse order": (Frame(reverse=True), 1e-10),
}
FAR = Frame(shift=1e6 * PLACE), 1e-5  # bodies; the round-off of beams is too large there for their stiffness
BOOSTS = {"10 m/s": (10.0, 1e-10), "10 km/s": (1e4, 1e-7)}


@functools.cache
def _usual(machine: str) -> tuple[np.ndarray, int]:
    places, result = motion(MACHINES[machine], Frame())
    return places, result.steps


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_motion_does_not_depend_on_the_frame(machine: str, frame: str) -> None:
    (usual, steps), (seen, allowed) = _usual(machine), FRAMES[frame]
    places, result = motion(MACHINES[machine], seen)
    assert result.steps == steps
    assert places == pytest.approx(usual, abs=allowed)


def test_bodies_move_the_same_1000_km_away() -> None:
    (usual, steps), (seen, allowed) = _usual("free_bodies"), FAR
    places, result = motion(MACHINES["free_bodies"], seen)
    assert result.steps == steps
    assert places == pytest.approx(usual, abs=allowed)


@pytest.mark.parametrize("boost", BOOSTS)
def test_a_moving_observer_sees_the_same_motion(boost: str) -> None:
    (usual, steps), (speed, allowed) = _usual("free_bodies"), BOOSTS[boost]
    places, result = motion(MACHINES["free_bodies"], Frame(boost=speed * PLACE))
    assert result.steps == steps
    assert places == pytest.approx(usual, abs=allowed)
