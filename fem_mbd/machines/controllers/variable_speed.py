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


class VariableSpeedController:
    """A `VariableSpeed` controller coupled to a turbine: a law for `fem_mbd.Controlled`.

    Parameters
    ----------
    parameters : of the controller
    turbine : the controlled turbine
    interval : s, between two calls; that of `fem_mbd.Controlled`
    """

    def __init__(self, parameters: VariableSpeed, turbine: ControlledTurbine, interval: float):
        self.parameters, self.turbine = parameters, turbine
        self.interval = positive(interval, "controller: interval (s)")
        f, damping = parameters.low_pass
        w = 2 * np.pi * f
        self._filter = scipy.linalg.expm(np.array([[0.0, 1.0], [-w * w, -2.0 * damping * w]]) * self.interval)
        self._speed: np.ndarray | None = None  # filtered: value and rate
        self._torque = self._torque_integral = self._pitch_integral = 0.0

    def __call__(self, sim: Simulation) -> dict[str, float]:
        """Torque and pitch for the interval that begins now.

        Parameters
        ----------
        sim : the turbine's simulation
        """
        speed = self.turbine.rotor_speed(sim)
        pitch = np.array([sim.inputs[name] for name in self.turbine.pitch])
        if self._speed is None:
            self._start(speed, float(pitch[0]))
        assert self._speed is not None
        self._speed = self._filter @ (self._speed - [speed, 0.0]) + [speed, 0.0]
        w, at = float(self._speed[0]), float(pitch.mean())
        self._torque = self._next_torque(w, at)
        reached = self.parameters.actuator.follow(
            pitch, np.full(len(pitch), self._next_pitch(w, at)), self.interval
        )
        torque = self._torque / self.turbine.gearbox
        return {TORQUE: torque, **dict(zip(self.turbine.pitch, reached.tolist(), strict=True))}

    def _start(self, speed: float, pitch: float) -> None:
        """Integrals that hold what there is."""
        self._speed, self._pitch_integral = np.array([speed, 0.0]), pitch
        low, high, _ = self._torque_limits(speed, pitch)
        r = self.parameters.ratings
        self._torque = self._torque_integral = float(np.clip(r.gain * speed**2, low, high))

    def _torque_limits(self, speed: float, pitch: float) -> tuple[float, float, float]:
        """Least and largest torque, and the set-point of the speed."""
        p, r = self.parameters, self.parameters.ratings
        rated = p.rated_torque(max(speed, r.least_speed))
        optimal = min(r.gain * speed**2, rated)
        share = float(np.clip((pitch - r.least_pitch) / p.full_load_pitch, 0.0, 1.0))
        if speed < 0.5 * (r.least_speed + r.rated_speed):
            return 0.0, optimal, r.least_speed
        return optimal + share * (rated - optimal), rated, r.rated_speed

    def _next_torque(self, speed: float, pitch: float) -> float:
        low, high, wanted = self._torque_limits(speed, pitch)
        proportional, integral = self.parameters.torque_gains
        error = speed - wanted
        self._torque_integral = float(
            np.clip(self._torque_integral + integral * error * self.interval, low, high)
        )
        return float(np.clip(proportional * error + self._torque_integral, low, high))

    def _next_pitch(self, speed: float, pitch: float) -> float:
        p, r = self.parameters, self.parameters.ratings
        error = speed - r.rated_speed
        power = self._torque * speed - r.rated_torque * r.rated_speed
        first, second = p.schedule
        gain = (1.0 + (error / ((p.double_gains - 1.0) * r.rated_speed)) ** 2) / (
            1.0 + pitch / first + pitch**2 / second
        )
        rate = gain * (p.pitch_gains[1] * error + p.power_gains[1] * power)
        low, high = r.least_pitch, p.actuator.most
        self._pitch_integral = float(np.clip(self._pitch_integral + rate * self.interval, low, high))
        ahead = gain * (p.pitch_gains[0] * error + p.power_gains[0] * power)
        return float(np.clip(self._pitch_integral + ahead, low, high))


def law_of(
    controller: VariableSpeed | DisconFile,
    turbine: ControlledTurbine,
    interval: float,
    wind: Callable[[float], float],
) -> VariableSpeedController | BladedController:
    """The law of a machine's controller.

    Parameters
    ----------
    controller : its parameters, or its file
    turbine : the controlled turbine
    interval : s, between two calls
    wind : m/s at the hub over the time (s)

    Raises
    ------
    InputError
        For a library that is missing or cannot be loaded, a file without the numbers that are needed.
    """
    if isinstance(controller, VariableSpeed):
        return VariableSpeedController(controller, turbine, interval)
    number = controller.number
    return BladedController(
        _library(controller), turbine, interval, infile=controller.file.absolute(), entry=controller.entry,
        outname=str(Path(tempfile.mkdtemp(prefix="fem_mbd_controller_"), "controller")),
        individual=number("IPC_ControlMode") != 0.0,
        actuator=PitchActuator(number("PC_MinPit"), number("PC_MaxPit"), number("PC_MaxRat")), wind=wind,
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
