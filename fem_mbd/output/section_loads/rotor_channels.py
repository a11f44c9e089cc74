"""Channels of a rotor in wind under AeroDyn's names, from the recorded flow at its stations.

RtAeroFxh, RtAeroMxh, RtAeroPwr: thrust along the shaft (N), torque about it (N m), power (W)
RtVAvgxh: free wind along the shaft, mean over the disk (m/s); RtSpeed (rpm), RtTSR, RtArea (m^2)
RtAeroCt, RtAeroCp: thrust and power over rho/2 A V^2, V^3 with that wind
B1N3Alpha, B1N3VRel: angle of attack (deg) and relative speed (m/s) of blade 1 at its station 3 from the root

Aerodynamic numbers are means over a step; A is pi times the square of the tip's distance from the shaft, V^2 and V^3
are powers of the mean. Numbers of rotors after the first have the ending of a number, R2 and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array

PART = "aerodynamic load"
UNITS = {
    "RtAeroFxh": "N", "RtAeroMxh": "N m", "RtAeroPwr": "W", "RtVAvgxh": "m/s", "RtSpeed": "rpm", "RtTSR": "1",
    "RtArea": "m^2", "RtAeroCt": "1", "RtAeroCp": "1",
}  # fmt: skip
STATION = {"Alpha": "deg", "VRel": "m/s"}
RPM = np.pi / 30.0


class RotorChannels:
    """The channels of one rotor.

    Parameters
    ----------
    of : function for the view of a part, such as `Result.of`
    model : description by `System.describe()`
    parts : its elements as described there
    ending : of the names
    """

    def __init__(
        self,
        of: Callable[[Any], Any],
        model: Mapping[str, Any],
        parts: list[Mapping[str, Any]],
        ending: str = "",
    ):
        self._of, self._model, self._parts, self._ending = of, model, parts, ending
        blades = sorted({part["blade"] for part in parts})
        self._blades = [[part for part in parts if part["blade"] == b] for b in blades]

    @property
    def units(self) -> dict[str, str]:
        """Unit of each channel by name."""
        units = {name + self._ending: unit for name, unit in UNITS.items()}
        for b, blade_parts in enumerate(self._blades, start=1):
            count = sum(len(part["lengths"]) for part in blade_parts)
            for n in range(1, count + 1):
                units |= {f"B{b}N{n}{name}{self._ending}": unit for name, unit in STATION.items()}
        return units

    def value(self, name: str) -> Array:
        """(m,) a channel of `units`.

        Parameters
        ----------
        name : of the channel
        """
        plain = name.removesuffix(self._ending)
        if plain.startswith("B"):
            blade, rest = plain[1:].split("N", 1)
            quantity = next(q for q in STATION if rest.endswith(q))
            view, k = self._views[int(blade) - 1], int(rest.removesuffix(quantity)) - 1
            if quantity == "Alpha":
                return np.degrees(view.angle_of_attack[..., k])
            return np.asarray(view.speed[..., k])
        return np.asarray(getattr(self, f"_{plain[2:].lower()}"))

    @cached_property
    def _views(self) -> list[Any]:
        return [self._of(blade_parts[0]["name"]) for blade_parts in self._blades]

    def _sum(self, quantity: str) -> Array:
        """Integral of a quantity per length over all blades."""
        lengths = [np.concatenate([part["lengths"] for part in parts]) for parts in self._blades]
        of_blades = [
            getattr(view, quantity) @ length for view, length in zip(self._views, lengths, strict=True)
        ]
        return np.asarray(np.sum(of_blades, axis=0))

    def _node(self, key: str) -> Any:
        return self._of(self._model["nodes"][self._parts[0][key]]["name"])

    @cached_property
    def _axis(self) -> Array:
        """(m, 3) of the shaft."""
        reference = np.array(self._model["nodes"][self._parts[0]["hub"]].get("rotation", np.eye(3)))
        return self._node("hub").rotation_matrix @ (reference.T @ np.array(self._parts[0]["axis"]))

    @cached_property
    def _omega(self) -> Array:
        return np.einsum("...i,...i->...", self._node("hub").angular_velocity, self._axis)

    @cached_property
    def _radius(self) -> Array:
        arm = self._node("tip").position - self._node("hub").position
        arm = arm - np.einsum("...i,...i->...", arm, self._axis)[..., None] * self._axis
        return np.asarray(np.linalg.norm(arm, axis=-1))

    @property
    def _aerofxh(self) -> Array:
        return self._sum("thrust")

    @property
    def _aeromxh(self) -> Array:
        return self._sum("torque")

    @property
    def _aeropwr(self) -> Array:
        return self._aeromxh * self._omega

    @property
    def _vavgxh(self) -> Array:
        """Weighted by the area that a station sweeps: its length times its distance along the blade."""
        means = []
        for view, blade_parts in zip(self._views, self._blades, strict=True):
            length = np.concatenate([part["lengths"] for part in blade_parts])
            weight = length * (np.cumsum(length) - 0.5 * length)
            means.append(view.wind @ weight / weight.sum())
        return np.asarray(np.mean(means, axis=0))

    @property
    def _speed(self) -> Array:
        return self._omega / RPM

    @property
    def _tsr(self) -> Array:
        return self._omega * self._radius / self._vavgxh

    @property
    def _area(self) -> Array:
        return np.pi * self._radius**2

    @property
    def _aeroct(self) -> Array:
        return self._aerofxh / (0.5 * self._parts[0]["density"] * self._area * self._vavgxh**2)

    @property
    def _aerocp(self) -> Array:
        return self._aeropwr / (0.5 * self._parts[0]["density"] * self._area * self._vavgxh**3)


def of_a_station(name: str) -> bool:
    """Whether a channel is that of a single station.

    Parameters
    ----------
    name : of the channel
    """
    return bool(re.match(r"B\d+N\d+[A-Z]", name))


def rotors(of: Callable[[Any], Any], model: Mapping[str, Any]) -> list[RotorChannels]:
    """The rotors in wind of a model.

    Parameters
    ----------
    of : function for the view of a part, such as `Result.of`
    model : description by `System.describe()`
    """
    parts = model.get("parts", {}).get(PART, [])
    names = list(dict.fromkeys(part["rotor"] for part in parts if part["rotor"]))
    return [
        RotorChannels(of, model, [part for part in parts if part["rotor"] == name], f"R{k}" if k > 1 else "")
        for k, name in enumerate(names, start=1)
    ]


def channels(of_model: Iterable[RotorChannels]) -> dict[str, RotorChannels]:
    """The rotor of each channel by name.

    Parameters
    ----------
    of_model : rotors of a model
    """
    return {name: rotor for rotor in of_model for name in rotor.units}
