"""Controllers as data: parameters of the package's own (`VariableSpeed`), files of libraries (`DisconFile`).

`VariableSpeed` is as in Hansen & Henriksen 2013 (Basic DTU Wind Energy controller, DTU Wind Energy E-0028, sections 2.1
to 2.4) and, where they differ, in the controller's later release (github.com/DTUWindEnergy/BasicDTUController), without
filters of the drive train, safety systems and sequences of starting and stopping. With the speed w, the pitch t, the
limits w_1 (least) and w_r (rated speed), every interval:

- the least pitch is that of a table at the wind, at the hub or mean over the rotor, filtered by a low-pass of first
  order (near rated wind a least pitch above the best one avoids large thrust, "peak shaving");
- the torque's set-point is w_1 below (w_1 + w_r)/2, w_r above. In partial load both its limits are K w^2, but for their
  openings: down to 0 from w_1/s to w_1; the lower one stays at K ((2 s - 1) w_r)^2 from (2 s - 1) w_r, the upper one
  goes to Q_r(w) from there to s w_r. s is ``open_limits``; Q_r is the rated torque, or rated power over w, or between
  these by ``constant_power``. Both limits go to Q_r as the pitch rises from its least angle by ``full_load_pitch``, and
  stay there until it is within 0.01 rad of its least angle. They change at most by ``torque_rate``.
  Q = k_p e + k_i int e dt with e of the speed, between the limits. Ramps are cubic, 3 x^2 - 2 x^3.
- the pitch is (p_p e + q_p (P - P_r)) g + int (p_i e + q_i (P - P_r)) g dt with e = w - w_r, w and P = Q w filtered by
  low-passes of second order, between its limits; g = h/(1 + t/t_1 + t^2/t_2), t filtered by one of first order,
  h = 1 + (e/((c - 1) w_r))^2 for e > 0 and 1 below, c the relative speed of doubled gains.

Torques and speeds are those of the rotor.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive
from fem_mbd.elements.blades.text import TextFile, as_number
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class PitchActuator:
    """Limits of the pitch actuators.

    Parameters
    ----------
    least, most : rad
    rate : rad/s, in both directions

    Raises
    ------
    InputError
        For a rate that is not above zero, or a lower limit that is not below the upper one.
    """

    least: float = -0.1
    most: float = np.pi / 2
    rate: float = 0.2

    def __post_init__(self) -> None:
        positive(self.rate, "pitch actuator: rate (rad/s)")
        if not self.least < self.most:
            raise InputError(
                f"pitch actuator: from {self.least} to {self.most} rad: give the smaller limit first"
            )

    def follow(self, now: Array, demanded: Array, interval: float) -> Array:
        """Angles (blades,), rad, at the end of an interval (s).

        Parameters
        ----------
        now, demanded : (blades,) rad
        interval : s
        """
        max_change = self.rate * interval
        return np.clip(np.clip(demanded, self.least, self.most), now - max_change, now + max_change)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Operating points that a controller holds in steady wind; torques and speeds are those of the rotor.

    Attributes
    ----------
    gain : N m s^2, torque over the square of the speed in partial load
    least_speed, rated_speed : rad/s
    rated_torque : N m
    least_pitch : rad, or (n, 2) wind (m/s) and pitch (rad), between which it is linear
    open_limits : relative speed s at which the limits of the torque open, see the module; 1 for a torque K w^2
        from the least to the rated speed
    """

    gain: float
    least_speed: float
    rated_speed: float
    rated_torque: float
    least_pitch: float | Array = 0.0
    open_limits: float = 1.0

    def least_pitch_at(self, wind: float) -> float:
        """The least pitch, rad.

        Parameters
        ----------
        wind : m/s
        """
        table = np.asarray(self.least_pitch)
        return float(table) if table.ndim == 0 else float(np.interp(wind, *table.T))

    @property
    def opening_speed(self) -> float:
        """Speed, rad/s, up to which the torque of partial load is K w^2 in steady wind; constant from there."""
        return (2.0 * self.open_limits - 1.0) * self.rated_speed

    def partial_torque(self, speed: float) -> float:
        """The torque, N m, held in steady wind between least and rated speed.

        Parameters
        ----------
        speed : rad/s
        """
        return min(self.gain * min(speed, self.opening_speed) ** 2, self.rated_torque)


@dataclass(frozen=True)
class VariableSpeed:
    """Parameters of the controller, see `fem_mbd.machines.description.control`.

    Parameters
    ----------
    ratings : operating points
    torque_gains : N m s and N m, proportional and integral, on the speed
    pitch_gains : s and 1
    power_gains : rad/W and rad/J
    schedule : rad and rad^2, pitch t_1 and square t_2 of the schedule of gains; infinite for none
    double_gains : speed over the rated one at which the gains are doubled; infinite for none
    constant_power : 0 for constant torque above rated wind, 1 for constant power
    full_load_pitch : rad above the least pitch, up to which the torque goes from partial to full load
    actuator : limits of the pitch
    low_pass : Hz and damping ratio of the filter of speed and power
    torque_rate : N m/s, of the limits of the torque
    wind : "hub" or "rotor" (mean over it), for the table of the least pitch
    wind_filter, schedule_filter : s, time constants of the filters of the wind for the least pitch and of the pitch for
        the schedule of gains; 0 for none

    Raises
    ------
    InputError
        For numbers that are not finite, speeds, torque, gain or frequency that are not above zero, a table of least
        pitch that does not ascend.
    """

    ratings: Ratings
    _: KW_ONLY
    torque_gains: tuple[float, float]
    pitch_gains: tuple[float, float]
    power_gains: tuple[float, float] = (0.0, 0.0)
    schedule: tuple[float, float] = (np.inf, np.inf)
    double_gains: float = np.inf
    constant_power: float = 0.0
    full_load_pitch: float = float(np.radians(2.0))
    actuator: PitchActuator = PitchActuator()
    low_pass: tuple[float, float] = (0.3, 0.7)
    torque_rate: float = np.inf
    wind: Literal["hub", "rotor"] = "hub"
    wind_filter: float = 0.0
    schedule_filter: float = 0.0

    def __post_init__(self) -> None:
        what, r = "variable-speed controller", self.ratings
        for name in ("gain", "least_speed", "rated_speed", "rated_torque"):
            positive(getattr(r, name), f"{what}: {name}")
        if not r.least_speed < r.rated_speed:
            raise InputError(
                f"{what}: the least speed {r.least_speed:g} rad/s is not below the rated one, {r.rated_speed:g}"
            )
        for name in ("torque_gains", "pitch_gains", "power_gains"):
            for value in getattr(self, name):
                finite(value, f"{what}: {name}")
        positive(self.full_load_pitch, f"{what}: full_load_pitch (rad)")
        for value in self.low_pass:
            positive(value, f"{what}: low_pass (Hz, damping ratio)")
        if not self.torque_rate > 0.0:
            raise InputError(f"{what}: torque_rate is {self.torque_rate:g} N m/s: give a rate above zero")
        if self.wind not in ("hub", "rotor"):
            raise InputError(f"{what}: wind is {self.wind!r}: give 'hub' or 'rotor'")
        for name in ("wind_filter", "schedule_filter"):
            if finite(getattr(self, name), f"{what}: {name} (s)") < 0.0:
                raise InputError(
                    f"{what}: {name} is {getattr(self, name):g} s: give a time, or 0 for no filter"
                )
        _check_limits(r, what)
        if not self.double_gains > 1.0:
            raise InputError(f"{what}: double_gains is {self.double_gains:g}: give a ratio above 1")

    def rated_torque(self, speed: float) -> float:
        """The generator's torque above rated speed, N m.

        Parameters
        ----------
        speed : rad/s, of the generator
        """
        r = self.ratings
        return r.rated_torque * (1.0 - self.constant_power + self.constant_power * r.rated_speed / speed)


def _check_limits(ratings: Ratings, what: str) -> None:
    table = np.asarray(ratings.least_pitch, float)
    rows = table.ndim == 2 and table.shape[1:] == (2,) and len(table) > 1
    if not np.all(np.isfinite(table)) or not (
        table.ndim == 0 or (rows and np.all(np.diff(table[:, 0]) > 0.0))
    ):
        raise InputError(
            f"{what}: least_pitch: give an angle (rad), or rows of wind (m/s, ascending) and angle"
        )
    if not (
        0.5 < ratings.open_limits <= 1.0
        and ratings.least_speed / ratings.open_limits <= ratings.opening_speed
    ):
        raise InputError(
            f"{what}: open_limits is {ratings.open_limits:g}: give a relative speed up to 1 that leaves speeds between "
            "those at which the limits open"
        )


@dataclass(frozen=True)
class DisconFile:
    """An input file of a controller library with Bladed's interface, such as ROSCO's DISCON.IN.

    Its lines are `VALUE ! NAME - description`.

    Parameters
    ----------
    file : path of the input file
    entry : name of the library's function
    library : path of the library; that of `rosco` when left out

    Raises
    ------
    InputError
        For a file that cannot be read.
    """

    file: Path
    entry: str = "DISCON"
    library: Path | None = None

    @cached_property
    def _values(self) -> dict[str, float]:
        """The numbers of the file by name; those of lists are the first ones."""
        values = {}
        for line in TextFile(self.file, "controller's input file").lines:
            value, mark, name = line.partition("!")
            words = value.replace(",", " ").split()
            number = as_number(words[0]) if words else None
            if mark and number is not None and name.split():
                values[name.split()[0].rstrip("-").lower()] = number
        return values

    def number(self, name: str) -> float:
        """The number of that name.

        Parameters
        ----------
        name : as behind the `!`, in any case

        Raises
        ------
        InputError
            When the file has none.
        """
        if name.lower() not in self._values:
            raise InputError(
                f"{self.file}: there is no line 'NUMBER ! {name}': is it an input file of ROSCO?"
            )
        return self._values[name.lower()]

    @property
    def gearbox(self) -> float:
        """Speed of the generator over that of the rotor."""
        return self.number("WE_GearboxRatio")

    @property
    def ratings(self) -> Ratings:
        """Operating points in steady wind."""
        n = self.gearbox
        return Ratings(
            self.number("VS_Rgn2K") * n**3, self.number("VS_MinOMSpd") / n, self.number("PC_RefSpd") / n,
            self.number("VS_RtTq") * n, self.number("PC_FinePit"),
        )  # fmt: skip
