"""Class `Wind`: the wind field in which a rotor turns, steady, varying or turbulent."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import numpy as np

from fem_mbd.aerodynamics import wind_kernels as kernels
from fem_mbd.aerodynamics.turbulence import TurbulenceBox
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.errors import InputError

PROFILES = {"uniform": kernels.UNIFORM, "power": kernels.POWER, "log": kernels.LOGARITHMIC}
NO_BOX = np.zeros((2, 2, 2, 3), dtype=np.float32)


@dataclass(frozen=True)
class TowerShadow:
    """A round vertical tower that deflects the wind, see `fem_mbd.aerodynamics.wind_kernels`.

    Parameters
    ----------
    x, y : m, of its axis, global axes
    foot, top : m, heights of its ends
    radius_foot, radius_top : m
    """

    x: float
    y: float
    foot: float
    top: float
    radius_foot: float
    radius_top: float


@arguments()
@dataclass(frozen=True, eq=False)
class Wind:
    """The wind, in global axes with z up; without direction along x.

    Parameters
    ----------
    speed : m/s at the reference height: a number, or a table (n, 2) of time (s) and speed, linear in between
    profile : over the height: "uniform", "power" or "log"
    height : m above ground, at which the speed is given; needed by the profiles and by veer
    exponent : of the power law
    roughness : m, length of the logarithmic law
    direction : deg, about the vertical, from x to y: a number or a table (n, 2) over time
    inclination : deg, upwards
    veer : deg/m, change of direction with height
    ground : m, height of the ground
    turbulence : added to the mean wind
    tower : that deflects the wind

    Raises
    ------
    InputError
        For times that do not ascend, numbers that are not finite, an unknown profile.
    """

    speed: Any
    _: KW_ONLY
    profile: Literal["uniform", "power", "log"] = "uniform"
    height: float = 100.0
    exponent: float = 0.2
    roughness: float = 0.03
    direction: Any = 0.0
    inclination: float = 0.0
    veer: float = 0.0
    ground: float = 0.0
    turbulence: TurbulenceBox | None = None
    tower: TowerShadow | None = None
    arrays: kernels.WindArrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise InputError(f"wind: profile is {self.profile!r}: give 'uniform', 'power' or 'log'")
        numbers = np.zeros(kernels.NUMBERS)
        numbers[kernels.PROFILE] = PROFILES[self.profile]
        numbers[kernels.HEIGHT] = positive(self.height, "wind: height (m)")
        law = positive(self.roughness, "wind: roughness (m)") if self.profile == "log" else self.exponent
        numbers[kernels.EXPONENT] = finite(law, "wind: exponent")
        numbers[kernels.VEER] = np.radians(finite(self.veer, "wind: veer (deg/m)"))
        numbers[kernels.GROUND] = finite(self.ground, "wind: ground (m)")
        box: Any = NO_BOX
        if self.turbulence is not None:
            box = self.turbulence.fill(numbers)
        if self.tower is not None:
            t = self.tower
            numbers[kernels.TOWER : kernels.START] = [
                1.0,
                t.x,
                t.y,
                t.foot,
                t.top,
                t.radius_foot,
                t.radius_top,
            ]
        object.__setattr__(self, "arrays", kernels.WindArrays(numbers, self._table(), box))

    def _table(self) -> Array:
        """(times, 4) time, speed, direction, inclination."""
        speed, direction = (
            _over_time(getattr(self, name), f"wind: {name}") for name in ("speed", "direction")
        )
        times = np.unique(np.concatenate([speed[:, 0], direction[:, 0]]))
        table = np.zeros((len(times), kernels.COLUMNS))
        table[:, kernels.TIME] = times
        table[:, kernels.SPEED] = np.interp(times, *speed.T)
        table[:, kernels.DIRECTION] = np.radians(np.interp(times, *direction.T))
        table[:, kernels.INCLINATION] = np.radians(finite(self.inclination, "wind: inclination (deg)"))
        return table

    def at(self, points: Any, time: float = 0.0) -> Array:
        """(n, 3) m/s at points (n, 3) in m, global axes, at a time (s)."""
        return np.array(
            [kernels.wind_at.in_python(self.arrays, *p, time) for p in np.asarray(points, dtype=float)]
        )


def _over_time(value: Any, what: str) -> Array:
    """(n, 2) time and value."""
    if np.ndim(value) == 0:
        return np.array([[0.0, finite(value, what)]])
    table = array(value, np.shape(value), what)
    if table.ndim != 2 or table.shape[1] != 2 or not np.all(np.diff(table[:, 0]) > 0.0):
        raise InputError(f"{what}: give a number, or a table (n, 2) of ascending times (s) and values")
    return table


def coherent_gust(speed: float, amplitude: float, start: float, rise: float) -> Array:
    """Extreme coherent gust of IEC 61400-1: (n, 2) s and m/s, V + A (1 - cos(pi t/T))/2, then V + A.

    Parameters
    ----------
    speed, amplitude : m/s
    start, rise : s
    """
    t = np.linspace(0.0, rise, 101)
    gust = speed + 0.5 * amplitude * (1.0 - np.cos(np.pi * t / rise))
    return _from(speed, start, t, gust)


def operating_gust(speed: float, amplitude: float, start: float, length: float = 10.5) -> Array:
    """Extreme operating gust of IEC 61400-1: (n, 2) s and m/s, V - .37 A sin(3 pi t/T) (1 - cos(2 pi t/T)).

    Parameters
    ----------
    speed, amplitude : m/s
    start, length : s
    """
    t = np.linspace(0.0, length, 211)
    gust = speed - 0.37 * amplitude * np.sin(3 * np.pi * t / length) * (1.0 - np.cos(2 * np.pi * t / length))
    return _from(speed, start, t, gust)


def _from(speed: float, start: float, t: Array, values: Array) -> Array:
    table = np.column_stack([start + t, values])
    return table if start <= 0.0 else np.vstack([[0.0, speed], table])
