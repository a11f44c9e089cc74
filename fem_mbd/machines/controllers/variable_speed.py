"""Laws of controllers for `fem_mbd.Controlled`: the package's own, `VariableSpeedController`; that of a deck, `law_of`.

The equations: `fem_mbd.machines.description.control`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy

from fem_mbd.base.validation import positive
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError
from fem_mbd.machines.controllers.bladed import TORQUE, BladedController, ControlledTurbine
from fem_mbd.machines.description.control import DisconFile, PitchActuator, VariableSpeed

END_OF_FULL_LOAD = 0.01  # rad above the least pitch


class VariableSpeedController:
    """A `VariableSpeed` controller coupled to a turbine: a law for `fem_mbd.Controlled`.

    Parameters
    ----------
    parameters : of the controller
    turbine : the controlled turbine
    interval : s, between two calls; that of `fem_mbd.Controlled`
    wind : m/s over the time (s), where the parameters say
    """

    def __init__(
        self,
        parameters: VariableSpeed,
        turbine: ControlledTurbine,
        interval: float,
        wind: Callable[[float], float],
    ):
        self.parameters, self.turbine, self._wind = parameters, turbine, wind
        self.interval = positive(interval, "controller: interval (s)")
        f, damping = parameters.low_pass
        w = 2 * np.pi * f
        self._filter = scipy.linalg.expm(np.array([[0.0, 1.0], [-w * w, -2.0 * damping * w]]) * self.interval)
        self._smooth: dict[str, np.ndarray] = {}  # by filters of second order: value and rate
        self._filtered: dict[str, float] = {}  # by filters of first order
        self._full_load = False
        self._limits: tuple[float, float] | None = None
        self._torque = self._torque_integral = self._pitch_integral = 0.0

    def __call__(self, sim: Simulation) -> dict[str, float]:
        """Torque and pitch for the interval that begins now.

        Parameters
        ----------
        sim : the turbine's simulation
        """
        p, r = self.parameters, self.parameters.ratings
        speed = self.turbine.rotor_speed(sim)
        pitch = np.array([sim.inputs[name] for name in self.turbine.pitch])
        mean = float(pitch.mean())
        least = r.least_pitch_at(self._first_order("wind", self._wind(sim.time), p.wind_filter))
        low, high = self._torque_limits(speed, self._load_share(mean - least))
        if not self._smooth:  # integrals that hold what there is
            self._pitch_integral = mean
            self._torque = self._torque_integral = float(np.clip(r.partial_torque(speed), low, high))
        self._torque = self._next_torque(speed, low, high)
        demanded = self._next_pitch(speed, self._first_order("pitch", mean, p.schedule_filter), least)
        reached = p.actuator.follow(pitch, np.full(len(pitch), demanded), self.interval)
        torque = self._torque / self.turbine.gearbox
        return {TORQUE: torque, **dict(zip(self.turbine.pitch, reached.tolist(), strict=True))}

    def _first_order(self, name: str, value: float, time_constant: float) -> float:
        """A signal through a low-pass that starts in its first value."""
        if time_constant > 0.0 and name in self._filtered:
            value += np.exp(-self.interval / time_constant) * (self._filtered[name] - value)
        self._filtered[name] = value
        return value

    def _second_order(self, name: str, value: float) -> float:
        """A signal through the low-pass of speed and power, which starts in its first value."""
        steady = np.array([value, 0.0])
        self._smooth[name] = self._filter @ (self._smooth.get(name, steady) - steady) + steady
        return float(self._smooth[name][0])

    def _load_share(self, above_least: float) -> float:
        """0 in partial load, 1 in full load, which ends only near the least pitch (angles in rad)."""
        most = self.parameters.full_load_pitch
        if above_least >= most or above_least <= END_OF_FULL_LOAD:
            self._full_load = above_least >= most
        return 1.0 if self._full_load else _ramp(above_least, 0.0, most)

    def _torque_limits(self, speed: float, load: float) -> tuple[float, float]:
        """Least and largest torque, N m, at a speed (rad/s) and a share of full load."""
        p, r = self.parameters, self.parameters.ratings
        rated, opens = p.rated_torque(max(speed, r.least_speed)), r.opening_speed
        low = _ramp(speed, r.least_speed, r.least_speed / r.open_limits) * r.gain * speed**2
        share = _ramp(speed, opens, r.open_limits * r.rated_speed)
        high = (1.0 - share) * r.gain * speed**2 + share * rated
        limits = np.array([min(low, r.gain * opens**2), high])
        limits += load * (rated - limits)
        if self._limits is not None:
            change = p.torque_rate * self.interval
            limits = np.clip(limits, np.subtract(self._limits, change), np.add(self._limits, change))
        self._limits = float(limits[0]), float(limits[1])
        return min(self._limits), self._limits[1]

    def _next_torque(self, speed: float, low: float, high: float) -> float:
        r, (proportional, integral) = self.parameters.ratings, self.parameters.torque_gains
        upper = speed > 0.5 * (r.least_speed + r.rated_speed)
        error = speed - (r.rated_speed if upper else r.least_speed)
        self._torque_integral = float(
            np.clip(self._torque_integral + integral * error * self.interval, low, high)
        )
        return float(np.clip(proportional * error + self._torque_integral, low, high))

    def _next_pitch(self, speed: float, pitch: float, least: float) -> float:
        p, r = self.parameters, self.parameters.ratings
        error = self._second_order("speed", speed) - r.rated_speed
        power = self._second_order("power", self._torque * speed) - r.rated_torque * r.rated_speed
        first, second = p.schedule
        gain = (1.0 + (max(error, 0.0) / ((p.double_gains - 1.0) * r.rated_speed)) ** 2) / (
            1.0 + pitch / first + pitch**2 / second
        )
        rate = gain * (p.pitch_gains[1] * error + p.power_gains[1] * power)
        most = p.actuator.most
        self._pitch_integral = float(np.clip(self._pitch_integral + rate * self.interval, least, most))
        ahead = gain * (p.pitch_gains[0] * error + p.power_gains[0] * power)
        return float(np.clip(self._pitch_integral + ahead, least, most))


def _ramp(value: float, low: float, high: float) -> float:
    """0 below a limit, 1 above another, cubic between."""
    if low >= high:
        return float(value >= low)
    x = float(np.clip((value - low) / (high - low), 0.0, 1.0))
    return x * x * (3.0 - 2.0 * x)


def law_of(
    controller: VariableSpeed | DisconFile,
    turbine: ControlledTurbine,
    interval: float,
    hub_wind: Callable[[float], float],
    rotor_wind: Callable[[float], float],
) -> VariableSpeedController | BladedController:
    """The law of a machine's controller.

    Parameters
    ----------
    controller : its parameters, or its file
    turbine : the controlled turbine
    interval : s, between two calls
    hub_wind, rotor_wind : m/s over the time (s) at the hub, which libraries are given, and the mean over the rotor

    Raises
    ------
    InputError
        For a library that is missing or cannot be loaded, a file without the numbers that are needed.
    """
    if isinstance(controller, VariableSpeed):
        wind = hub_wind if controller.wind == "hub" else rotor_wind
        return VariableSpeedController(controller, turbine, interval, wind)
    number = controller.number
    return BladedController(
        _library(controller), turbine, interval, infile=controller.file.absolute(), entry=controller.entry,
        outname=str(Path(tempfile.mkdtemp(prefix="fem_mbd_controller_"), "controller")),
        individual=number("IPC_ControlMode") != 0.0,
        actuator=PitchActuator(number("PC_MinPit"), number("PC_MaxPit"), number("PC_MaxRat")), wind=hub_wind,
    )  # fmt: skip


def _library(controller: DisconFile) -> Path:
    """The library given, or that of the package rosco: libraries that decks name are not loaded."""
    if controller.library is not None:
        return controller.library
    found = find_spec("rosco")
    places = [] if found is None else list(found.submodule_search_locations or [])
    files = [file for place in places for file in sorted(Path(place, "lib").glob("libdiscon.*"))]
    if not files:
        raise InputError(
            f"{controller.file}: the controller's library is missing: pip install --no-deps rosco, or name one by "
            "--set library=PATH; --set controller=none keeps the pitch, and a torque K times speed squared"
        )
    return files[0]
