"""A turbine controller in a library with Bladed's interface (DISCON), as a law for `fem_mbd.Controlled`.

Every interval the library is called with what is measured now. What it demands holds for the interval that follows:
the generator torque from its start on, the pitch angles at its end, reached straight and within the limits of the
actuators. Records: `fem_mbd.machines.controllers.swap`; all others are zero.
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
    """What a controller's library warns of."""


@dataclass(frozen=True)
class PitchActuator:
    """Limits of the pitch actuators.

    Parameters
    ----------
    least, most : rad
    rate : rad/s, both ways

    Raises
    ------
    InputError
        For a rate that is not above zero, or limits that leave no room.
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
        """Angles (blades,), rad, that are reached at the end of an interval (s).

        Parameters
        ----------
        now, demanded : (blades,) rad
        interval : s
        """
        way = self.rate * interval
        return np.clip(np.clip(demanded, self.least, self.most), now - way, now + way)


class BladedController:
    """A controller library joined to a turbine.

    ``with BladedController(file, turbine, 0.01) as law: fem_mbd.run(fem_mbd.Controlled(sim, law, 0.01))``

    Parameters
    ----------
    file : the shared library
    turbine : what it controls
    interval : s, between two calls; that of `fem_mbd.Controlled`
    infile : the controller's own input file
    entry : name of the function in the library
    outname : root of the names of files that the library writes
    individual : each blade follows its own demand (records 42 to 44), not all of them record 45
    actuator : limits of the pitch actuators
    wind : wind speed at the hub (m/s) over the time (s), which the library is told
    more : further records by number, constant: set-points that a library may ask for

    Raises
    ------
    InputError
        For a library that is not there, cannot be loaded or lacks the entry point, an input file that is not there,
        records that there are not, or more blades than there are records for.
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
                f"controller: records for {len(swap.EACH_PITCH)} blades, the turbine has {len(turbine.pitch)}"
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
        given = {
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
        for record, value in given.items():
            self.library.set(record, value)

    def __call__(self, sim: Simulation) -> dict[str, float]:
        """Ask the library: inputs for the interval that begins now.

        Parameters
        ----------
        sim : the turbine's simulation

        Raises
        ------
        SolverFailure
            When the library crashes, fails, asks to stop, or demands what is no finite number or cannot be followed.
        """
        measured = self.turbine.measure(sim)
        self._time = sim.time
        self._tell(measured)
        self._status = swap.LAST  # of a controller that fails here no more is asked
        self._call()
        demands = self._demands(measured)
        self._status = swap.NORMAL
        return demands

    def _tell(self, measured: Measured) -> None:
        power = self.turbine.gearbox * self._torque * measured.rotor_speed
        wind = 0.0 if self._wind is None else float(self._wind(self._time))
        first = float(measured.pitch[0])
        given = {
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
            **dict(zip((swap.FORE_AFT, swap.SIDE_SIDE), self._acceleration(measured), strict=True)),
        }
        for record, value in given.items():
            self.library.set(record, value)

    def _acceleration(self, measured: Measured) -> tuple[float, float]:
        """Of the tower's top, mean of the interval before, m/s^2; zero at the start."""
        before, self._before = self._before, (self._time, measured.tower_top_velocity)
        if before is None:
            return 0.0, 0.0
        change = (measured.tower_top_velocity - before[1]) / (self._time - before[0])
        return float(change[0]), float(change[1])

    def _call(self) -> None:
        flag, message = self.library.call(self._time)
        said = f"controller {self.library.file} at t = {self._time:g} s"
        if flag < 0:
            raise SolverFailure(f"{said}: {message or 'it reports a failure without a message'}")
        if flag > 0 and message:
            warnings.warn(f"{said}: {message}", ControllerWarning, stacklevel=4)

    def _demands(self, measured: Measured) -> dict[str, float]:
        get, said = self.library.get, f"controller {self.library.file} at t = {self._time:g} s"
        if get(swap.STATUS) < 0:
            raise SolverFailure(f"{said}: it requests to stop the simulation")
        pitches = swap.EACH_PITCH[: len(measured.pitch)] if self.individual else (swap.ALL_PITCH,)
        for record in (swap.TORQUE, swap.CONTACTOR, *pitches):
            if not np.isfinite(get(record)):
                raise SolverFailure(f"{said}: record {record.number} ({record.meaning}) is {get(record)}")
        for record in (swap.PITCH_OVERRIDE, swap.TORQUE_OVERRIDE, swap.BRAKE):
            if get(record) != 0.0:
                raise SolverFailure(f"{said}: record {record.number} is {get(record):g}: {record.meaning}")
        demanded = np.broadcast_to([get(record) for record in pitches], measured.pitch.shape)
        self._demanded = float(demanded[0])
        self._torque = get(swap.TORQUE) if round(get(swap.CONTACTOR)) else 0.0
        reached = self.actuator.follow(measured.pitch, demanded, self.interval)
        return {TORQUE: self._torque, **dict(zip(self.turbine.pitch, reached.tolist(), strict=True))}

    def close(self) -> None:
        """The last call, and the end of the library's process."""
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
