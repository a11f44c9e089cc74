"""Level flight of an aircraft under a rotor: the equilibrium that `trim` finds controls for.

    F + sum D_i - W up = 0      M + sum r_i x D_i - W r_cg x up = 0 about the axes e1 and e2

with the drag D_i = rho/2 |v| (f v) of areas f along e1, e2, e3 at r_i from the rotor's centre, v the flow past the
aircraft. The side force is balanced by rolling: ``up`` is normal to v. Yaw is left to a tail rotor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.disks import FORCE, MOMENT
from fem_mbd.aerodynamics.momentum import AIR
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite, positive


@arguments()
@dataclass(frozen=True, eq=False)
class DragArea:
    """A part of the aircraft, fuselage or tail, with drag.

    Parameters
    ----------
    areas : (3,) m^2, f, along e1 (aft), e2 (to the advancing side), e3 (the rotor's axis)
    position : (3,) m, from the rotor's centre, along the same axes
    """

    areas: Any
    position: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("areas", "position"):
            object.__setattr__(self, name, array(getattr(self, name), (3,), f"drag area: {name}"))


@arguments()
@dataclass(frozen=True, eq=False)
class FreeFlight:
    """Level flight of an aircraft under the rotor; controls are collective, two cyclics and the angle of the shaft.

    Parameters
    ----------
    weight : N, with the rotor's
    speed : m/s
    shaft_angle : name of the control that is the angle of the axis behind the normal of the flow (nose up), rad
    centre : (3,) m, centre of gravity from the rotor's centre, along e1, e2, e3
    drag : fuselage and tail
    density : kg/m^3

    Raises
    ------
    InputError
        For a weight or a density that is not above zero, a speed that is no number.
    """

    weight: float
    speed: float
    shaft_angle: str = "shaft_angle"
    _: KW_ONLY
    centre: Any = (0.0, 0.0, 0.0)
    drag: Sequence[DragArea] = ()
    density: float = AIR
    names: tuple[str, ...] = field(init=False, default=("lift", "propulsion", "roll_moment", "pitch_moment"))

    def __post_init__(self) -> None:
        positive(self.weight, "free flight: weight (N)")
        finite(self.speed, "free flight: speed (m/s)")
        positive(self.density, "free flight: density (kg/m^3)")
        object.__setattr__(self, "centre", array(self.centre, (3,), "free flight: centre (m)"))

    @property
    def units(self) -> Array:
        """(4,) what `misses` are measured in: the weight, and the weight times 1 m."""
        return np.full(len(self.names), self.weight)

    def _loads(self, mean: Any, angle: Any) -> tuple[Any, Any, Any]:
        """Force and moment of air on rotor and aircraft, and the direction of the flow, along e1, e2, e3."""
        along = np.array([np.cos(angle), 0.0 * angle, np.sin(angle)])
        force, moment = (
            mean[FORCE : FORCE + 3].astype(along.dtype),
            mean[MOMENT : MOMENT + 3].astype(along.dtype),
        )
        for part in self.drag:
            drag_force = 0.5 * self.density * abs(self.speed) * self.speed * part.areas * along
            force, moment = force + drag_force, moment + np.cross(part.position, drag_force)
        return force, moment, along

    def misses(self, mean: Any, values: Mapping[str, Any]) -> Any:
        """(4,) what the equilibrium of forces (over the weight) and moments (over it and 1 m) misses.

        Parameters
        ----------
        mean : (9,) mean rates of the sums, real or complex
        values : of the controls by name
        """
        force, moment, along = self._loads(mean, np.asarray(values[self.shaft_angle]) + 0.0 * mean[0])
        lift = force - (force @ along) * along
        size = np.sqrt(lift @ lift)
        about = moment - np.cross(self.centre, self.weight * lift / size)
        return np.array([size - self.weight, force @ along, about[0], about[1]]) / self.weight

    def roll(self, mean: Array, values: Mapping[str, float]) -> float:
        """Roll of the aircraft to the advancing side, rad.

        Parameters
        ----------
        mean, values : as of `misses`
        """
        force, _, along = self._loads(np.asarray(mean), np.asarray(values[self.shaft_angle]))
        lift = force - (force @ along) * along
        upright = np.array([-along[2], 0.0, along[0]])
        return float(np.arctan2(-lift[1], lift @ upright))
