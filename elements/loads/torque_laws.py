"""Torque-speed laws of generators: T(Omega), N m, and dT/dOmega, N m s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.validation import array, positive
from fem_mbd.errors import InputError


class TorqueLaw(Protocol):
    """Interface of a law: called with the speed (rad/s) it returns torque (N m) and its derivative (N m s)."""

    def __call__(self, speed: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class QuadraticTorque:
    """T = k Omega^2 for Omega above zero, none below: a generator below rated speed, at the best tip-speed ratio.

    Parameters
    ----------
    factor : k, N m s^2
    """

    factor: float

    def __post_init__(self) -> None:
        positive(self.factor, "QuadraticTorque: factor (N m s^2)")

    def __call__(self, speed: float) -> tuple[float, float]:
        """T and dT/dOmega."""
        forward = max(speed, 0.0)
        return self.factor * forward**2, 2.0 * self.factor * forward


@dataclass(frozen=True, eq=False)
class TorqueTable:
    """Torque over speed as a table, linear interpolation, constant beyond its ends.

    Parameters
    ----------
    speeds : (n,) rad/s, ascending
    torques : (n,) N m

    Raises
    ------
    InputError
        For speeds that do not ascend, or another number of torques.
    """

    speeds: Any
    torques: Any

    def __post_init__(self) -> None:
        speeds = array(self.speeds, np.shape(self.speeds), "TorqueTable: speeds (rad/s)")
        if speeds.ndim != 1 or len(speeds) < 2 or np.any(np.diff(speeds) <= 0.0):
            raise InputError("TorqueTable: speeds (rad/s) have to ascend, two at least")
        object.__setattr__(self, "speeds", speeds)
        object.__setattr__(self, "torques", array(self.torques, speeds.shape, "TorqueTable: torques (N m)"))

    def __call__(self, speed: float) -> tuple[float, float]:
        """T and dT/dOmega."""
        if not self.speeds[0] < speed < self.speeds[-1]:
            return float(self.torques[0 if speed <= self.speeds[0] else -1]), 0.0
        k = int(np.searchsorted(self.speeds, speed, side="right")) - 1
        slope = float((self.torques[k + 1] - self.torques[k]) / (self.speeds[k + 1] - self.speeds[k]))
        return float(self.torques[k]) + slope * (speed - float(self.speeds[k])), slope
