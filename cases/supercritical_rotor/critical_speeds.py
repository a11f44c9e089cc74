"""Critical speeds of the rotor with its end T held on the axis, from the linear model of small motions.

Between the two critical speeds of a shaft of unequal stiffness the straight shaft is unstable: the paper's unstable
zone. The shaft is taken without its eccentricity, which is a load on these small motions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.supercritical_rotor.parameters import Parameters
from fem_mbd.cases.supercritical_rotor.rotor import AXIS, build_shaft
from fem_mbd.core.model.model import Model
from fem_mbd.joints.pair import Condition, Joint, PairFrame, on_axis

SLOWEST = 1.0  # rad/s: what is below is the shaft turning or sliding as a whole


@dataclass(frozen=True, eq=False)
class PointOnAxis(Joint):
    """Two conditions: the point of L stays on the shaft's axis through the point of K, free to slide and to tilt."""

    def axis_direction(self) -> Array:
        return AXIS

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return on_axis(x_k, x_l, frame, 0)


@dataclass(frozen=True)
class CriticalSpeeds:
    """rad/s: the two lowest critical speeds, and the two lowest natural frequencies at rest."""

    zone: tuple[float, float]
    at_rest: tuple[float, float]


def held_shaft(parameters: Parameters) -> Model:
    """The shaft at rest, clamped in bending at R, held on its axis at T and without eccentricity."""
    p = replace(parameters, gravity=0.0, eccentricity=0.0)
    rotor = build_shaft(p)
    model = rotor.model
    model.add(PointOnAxis(model.ground.at(p.length * AXIS), rotor.shaft.end, name="T"))
    return model


@lru_cache(maxsize=4)
def critical_speeds(parameters: Parameters) -> CriticalSpeeds:
    """For the undamped `held_shaft`."""
    from fem_mbd.analysis.modal.modes import modes  # not at the top: a run begins without
    from fem_mbd.analysis.rotors import critical

    model = held_shaft(replace(parameters, damping=0.0))
    zone = critical.critical_speeds(model, axis=AXIS, number=2).speeds
    natural = modes(model, 6, undamped=True).frequencies_hz * 2 * np.pi
    natural = np.sort(natural[natural > SLOWEST])
    return CriticalSpeeds((float(zone[0]), float(zone[1])), (float(natural[0]), float(natural[1])))
