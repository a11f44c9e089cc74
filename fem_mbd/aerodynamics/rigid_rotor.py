"""Rotors of rigid blades in uniform axial flow, without a model: momentum theory by the kernels of `station`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.aerodynamics import station as stations
from fem_mbd.aerodynamics.blade import MachPolars, Polar
from fem_mbd.aerodynamics.momentum import AIR, DEFAULT, SOUND, Induction, set_options
from fem_mbd.aerodynamics.rotor_kernels import FOREVER
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.errors import InputError, SolverFailure


@kernel(
    void(
        record(stations.STATION)[::1], record(stations.ROTOR), array3, vector, matrix, float64, matrix, matrix
    )
)
def solve_all(each, rotor, tables, angles, z, dt, history, y):
    """Solve all stations (n,) of one blade; z (n, 11), y (n, 5) as in `station.solve_station`; history is replaced."""
    states = np.empty(stations.STATES)
    for k in range(each.shape[0]):
        stations.solve_station(each[k], rotor, tables[k], angles, z[k], dt, history[k], states, y[k])
        for i in range(stations.STATES):
            history[k, i] = states[i]


@dataclass(frozen=True, eq=False)
class RigidRotor:
    """A rotor of rigid blades, given in cylindrical coordinates, in steady axial flow.

    Parameters
    ----------
    r : (n,) m, radii of the stations
    chord : (n,) m
    twist : (n,) rad, of the chord against the plane of rotation, positive nose upwind
    polars : of the stations
    blades : their number
    radius : m, of the tip
    hub_radius : m; 0 without loss there
    induction : model of the induced velocities
    density : kg/m^3
    sound : m/s, speed of sound, for polars over the Mach number

    Raises
    ------
    InputError
        For numbers or lengths that do not fit.
    """

    r: Any
    chord: Any
    twist: Any
    polars: Sequence[Polar | MachPolars]
    blades: int
    radius: float
    hub_radius: float = 0.0
    induction: Induction = DEFAULT
    density: float = AIR
    sound: float = SOUND

    def at(self, wind: float, speed: float, pitch: float = 0.0) -> dict[str, Array]:
        """Induction and forces: a and a' (n,), forces per length along the wind and driving the rotor (n,), N/m.

        Parameters
        ----------
        wind : m/s, along the axis
        speed : rad/s
        pitch : rad, to feather

        Raises
        ------
        InputError
            For numbers that are not finite.
        SolverFailure
            When the equations of momentum theory have no solution.
        """
        wind, speed = positive(wind, "wind (m/s)"), positive(speed, "speed (rad/s)")
        r = np.asarray(self.r, dtype=float)
        n = len(r)
        if not len(self.polars) == np.size(self.chord) == np.size(self.twist) == n:
            raise InputError(f"rigid rotor: give {n} chords, twists and polars, as there are radii")
        tables, angles = self._tables()
        each: Any = np.zeros(n, dtype=stations.STATION)
        each["chord"] = self.chord
        rotor: Any = np.zeros(1, dtype=stations.ROTOR)
        rotor["blades"], rotor["radius"] = self.blades, self.radius
        rotor["density"], rotor["sound"] = self.density, self.sound
        set_options(rotor, self.induction, self.hub_radius)
        beta = np.asarray(self.twist, dtype=float) + finite(pitch, "pitch (rad)")
        c, s = np.cos(beta), np.sin(beta)
        # x is the suction side, downwind for a flat blade; the flow of rotation comes along t towards the trailing edge
        z = np.stack(
            [
                wind * c - speed * r * s,
                wind * s + speed * r * c,
                c,
                s,
                -s,
                c,
                0 * r,
                0 * r + wind,
                r,
                0 * r + 1.0,
                0 * r + 1.0,
            ],
            axis=1,
        )
        y = np.zeros((n, stations.RESULTS))
        solve_all(each, rotor[0], tables, angles, z, FOREVER, np.zeros((n, stations.STATES)), y)
        if not each["converged"].all():
            k = int(np.argmin(each["converged"]))
            raise SolverFailure(f"momentum theory has no solution at radius {r[k]:g} m, wind {wind:g} m/s")
        self._warn_of_mach(
            r, np.hypot(*stations.flow_in_section.in_python(z.T, y[:, 0], y[:, 1])) / self.sound
        )
        axial, driving = y[:, 2] * c + y[:, 3] * s, y[:, 2] * s - y[:, 3] * c
        return {"a": y[:, 0] / wind, "a_prime": y[:, 1] / (speed * r), "axial": axial, "driving": driving}

    def _tables(self) -> tuple[Array, Array]:
        """Tables of the stations, see `fem_mbd.aerodynamics.stall`, and their angles, rad."""
        angles = np.unique(np.concatenate([np.radians(p.alpha) for p in self.polars]))
        machs = np.unique(np.concatenate([p.machs for p in self.polars]))
        of = [[p.at_mach(mach).on(angles, mach) for mach in machs] for p in self.polars]
        return np.array([np.concatenate(each, axis=1) for each in of]), angles

    def _warn_of_mach(self, r: Array, machs: Array) -> None:
        """Warn of the outermost station (radius m) beyond its polars."""
        for k in np.flatnonzero(machs > [p.largest_mach for p in self.polars])[-1:]:
            text = f"rigid rotor: Mach number {machs[k]:.3g} at radius {r[k]:g} m is beyond its polars: their end holds"
            warnings.warn(text, RangeWarning, stacklevel=3)
