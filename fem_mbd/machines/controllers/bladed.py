"""A turbine controller in a library with Bladed's interface (DISCON), as a law for `fem_mbd.Controlled`.

At the start of every interval the library is called with the present measurements. Its demands apply to the interval:
the generator torque is constant, the pitch angles change linearly to the demanded ones within the limits of the
actuators. Records used: `fem_mbd.machines.controllers.swap`; all others are zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.machines.controllers import swap
from fem_mbd.machines.controllers.controlled_turbine import TORQUE, ControlledTurbine, Measured
from fem_mbd.machines.controllers.library import ControllerLibrary


class ControllerWarning(FemMbdWarning):
    """Warning issued by a controller's library."""


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


class BladedController:
    """A controller library coupled to a turbine.

    ``with BladedController(file, turbine, 0.01) as law: fem_mbd.run(fem_mbd.Controlled(sim, law, 0.01))``

    Parameters
    ----------
    file : the shared library
    turbine : the controlled turbine
    interval : s, between two calls; that of `fem_mbd.Controlled`
    infile : the controller's own input file
    entry : name of the function in the library
    outname : root of the names of files that the library writes
    individual : each blade follows its own demand (records 42 to 44); otherwise all follow record 45
    actuator : limits of the pitch actuators
    wind : wind speed at the hub (m/s), a function of time (s), passed to the library
    more : constant values of further records by number, such as set-points

    Raises
    ------
    InputError
        For a library that does not exist, cannot be loaded or lacks the entry point, an input file that does not exist,
        unknown records, or more blades than there are records for.
    """

    def __init__(
        self,
        file: str | Path,
        turbine: ControlledTurbine,
        interval: float,
        *,
        infile: str | Path = "",
        entry: str = "DISCON",
        outname: str = "controller",
        individual: bool = False,
        actuator: PitchActuator | None = None,
        wind: Callable[[float], float] | None = None,
        more: dict[int, float] | None = None,
    ):
        self.turbine, self.interval = turbine, positive(interval, "controller: interval (s)")
        for number, value in (more or {}).items():
            whole_number(number, "controller: record", most=swap.SIZE)
            finite(value, f"controller: record {number}")
        if individual and len(turbine.pitch) > len(swap.EACH_PITCH):
            raise InputError(
                f"controller: there are records for {len(swap.EACH_PITCH)} blades, the turbine has {len(turbine.pitch)}"
            )
        self.actuator, self.individual = actuator or PitchActuator(), individual
        self._wind = wind
        self.library = ControllerLibrary(file, entry, str(infile), outname)
        self._set_constants(more or {})
        self._status = swap.FIRST
        self._time = 0.0
        self._torque = 0.0
        self._demanded: float | None = None
        self._before: tuple[float, Array] | None = None

    def _set_constants(self, more: dict[int, float]) -> None:
        records = {
            **{swap.Record(number, "", ""): value for number, value in more.items()},
            swap.INTERVAL: self.interval,
            swap.LEAST_PITCH: self.actuator.least,
            swap.LARGEST_PITCH: self.actuator.most,
            swap.LEAST_PITCH_RATE: -self.actuator.rate,
            swap.LARGEST_PITCH_RATE: self.actuator.rate,
            swap.PITCH_ACTUATOR: 0.0,
            swap.PITCH_CONTROL: float(self.individual),
            swap.BLADES: len(self.turbine.pitch),
            swap.CONTACTOR: 1.0,
        }
        for record, value in records.items():
            self.library.set(record, value)

    def __call__(self, sim: Simulation) -> dict[str, float]:
        """Call the library: inputs for the interval that begins now.

        Parameters
        ----------
        sim : the turbine's simulation

        Raises
        ------
        SolverFailure
            When the library crashes, fails, requests a stop, or its demands are not finite or not supported.
        """
        measured = self.turbine.measure(sim)
        self._time = sim.time
        self._set_measurements(measured)
        self._status = swap.LAST  # should the call fail, it is the last one
        self._call()
        demands = self._demands(measured)
        self._status = swap.NORMAL
        return demands

    def _set_measurements(self, measured: Measured) -> None:
        power = self.turbine.gearbox * self._torque * measured.rotor_speed
        wind = 0.0 if self._wind is None else float(self._wind(self._time))
        first = float(measured.pitch[0])
        records = {
            swap.STATUS: self._status,
            swap.TIME: self._time,
            **dict(zip(swap.PITCH, measured.pitch.tolist(), strict=False)),
            swap.PITCH_BEFORE: first if self._demanded is None else self._demanded,
            swap.SHAFT_POWER: power,
            swap.ELECTRICAL_POWER: power,
            swap.GENERATOR_SPEED: measured.generator_speed,
            swap.ROTOR_SPEED: measured.rotor_speed,
            swap.TORQUE_BEFORE: self._torque,
            swap.WIND_SPEED: wind,
            swap.AZIMUTH: measured.azimuth,
            **dict(zip(swap.OUT_OF_PLANE, measured.root_moments[:, 0].tolist(), strict=False)),
            **dict(zip(swap.IN_PLANE, measured.root_moments[:, 1].tolist(), strict=False)),
            **dict(zip((swap.FORE_AFT, swap.SIDE_SIDE), self._acceleration(measured), strict=True)),
        }
        for record, value in records.items():
            self.library.set(record, value)

    def _acceleration(self, measured: Measured) -> tuple[float, float]:
        """Acceleration of the tower's top, m/s^2, mean over the previous interval; zero at the start."""
        previous, self._before = self._before, (self._time, measured.tower_top_velocity)
        if previous is None:
            return 0.0, 0.0
        change = (measured.tower_top_velocity - previous[1]) / (self._time - previous[0])
        return float(change[0]), float(change[1])

    def _call(self) -> None:
        flag, message = self.library.call(self._time)
        label = f"controller {self.library.file} at t = {self._time:g} s"
        if flag < 0:
            raise SolverFailure(f"{label}: {message or 'it reports a failure without a message'}")
        if flag > 0 and message:
            warnings.warn(f"{label}: {message}", ControllerWarning, stacklevel=4)

    def _demands(self, measured: Measured) -> dict[str, float]:
        get, label = self.library.get, f"controller {self.library.file} at t = {self._time:g} s"
        if get(swap.STATUS) < 0:
            raise SolverFailure(f"{label}: it requests to stop the simulation")
        pitches = swap.EACH_PITCH[: len(measured.pitch)] if self.individual else (swap.ALL_PITCH,)
        for record in (swap.TORQUE, swap.CONTACTOR, *pitches):
            if not np.isfinite(get(record)):
                raise SolverFailure(f"{label}: record {record.number} ({record.meaning}) is {get(record)}")
        for record in (swap.PITCH_OVERRIDE, swap.TORQUE_OVERRIDE, swap.BRAKE):
            if get(record) != 0.0:
                raise SolverFailure(f"{label}: record {record.number} is {get(record):g}: {record.meaning}")
        demanded = np.broadcast_to([get(record) for record in pitches], measured.pitch.shape)
        self._demanded = float(demanded[0])
        self._torque = get(swap.TORQUE) if round(get(swap.CONTACTOR)) else 0.0
        reached = self.actuator.follow(measured.pitch, demanded, self.interval)
        return {TORQUE: self._torque, **dict(zip(self.turbine.pitch, reached.tolist(), strict=True))}

    def close(self) -> None:
        """Make the last call and end the library's process."""
        try:
            if self._status == swap.NORMAL:
                self.library.set(swap.STATUS, swap.LAST)
                self._call()
        finally:
            self.library.close()

    def __enter__(self) -> BladedController:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.library.close()
