"""Two bodies with a journal and a bearing in general position, placed by offset and tilt."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import brentq

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.friction import Frictionless, Hertz, LankaraniNikravesh
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import RevoluteClearance
from tests.joints.contact.two_bodies import PLACE, contacts, two_bodies

RADIUS_K, RADIUS_L, LENGTH_K, LENGTH_L = 0.01, 0.0095, 0.02, 0.019  # simulation 1 of the source
CROWN = 1e-3 * RADIUS_L
DEPTH = 4e-6  # m, of contacts
TILT = 0.02
FRAME = triad_with_third((0.48, -0.6, 0.64))  # of the bearing, global axes


@dataclass(frozen=True)
class Placed:
    """The journal's middle in the bearing's triad (m), and its tilt (rad) about an axis across it."""

    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tilt: float = 0.0
    about: tuple[float, float] = (1.0, 0.0)
    normal: NormalLaw = field(default_factory=lambda: LankaraniNikravesh(Hertz(6.71e10), 0.9))
    friction: FrictionLaw = field(default_factory=Frictionless)
    length_l: float = LENGTH_L

    @property
    def axis(self) -> Array:
        """Of the journal (3,), in the bearing's triad."""
        return rotation_about((*self.about, 0.0), self.tilt)[:, 2]

    @property
    def frame(self) -> Array:
        """No rotation."""
        return np.eye(3)

    def bristles(self, sim: Simulation, rng: np.random.Generator) -> Array:
        """Of the walls components, the first across the surface; of the faces across the axis."""
        deflection = 1e-6 * rng.normal(size=(4, 3))
        deflection[:2, 0] = 0.0
        axis = sim.state.r[1] @ contacts(sim).records["axes_k"][2, :, 2]
        deflection[2:] -= np.outer(deflection[2:] @ axis, axis)
        return deflection

    def model(self, ground: bool = False) -> Model:
        """Body 1 has the bearing, body 2 the journal."""
        model = Model()
        k, l = two_bodies(model, ground)
        joint = RevoluteClearance(
            k.at_global(PLACE), l.at_global(PLACE + FRAME @ self.offset), RADIUS_K, RADIUS_L, LENGTH_K,
            self.length_l, self.normal, self.friction, axis=FRAME[:, 2], journal_axis=FRAME @ self.axis, name="bearing",
        )  # fmt: skip
        model.add(joint)
        return model


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
