"""Quantities of a run over time, as the source draws them, and the runs that one is compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.mechanism import build, build_ideal
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters
from fem_mbd.results.result import Result
from fem_mbd.running.runs import run
from fem_mbd.scheme.ledger_names import DISSIPATIONS

QUANTITIES = ("position", "velocity", "quaternion", "omega", "contact", "journal")


@dataclass(frozen=True)
class Histories:
    """One run; one row per step, (k,)."""

    result: Result

    @cached_property
    def time(self) -> Array:
        return self.result.time

    @cached_property
    def place(self) -> Array:
        """Of the slider along y, m."""
        found: Array = self.result.of("slider").position[:, 1]
        return found

    @cached_property
    def velocity(self) -> Array:
        """Of the slider along y, m/s."""
        found: Array = self.result.of("slider").velocity[:, 1]
        return found

    @cached_property
    def acceleration(self) -> Array:
        """Of the slider along y, mean of each step, m/s^2; the start of the run counts as at rest."""
        rate: Array = np.diff(self.velocity, prepend=0.0) / np.diff(self.time, prepend=0.0)
        return rate

    @cached_property
    def turned(self) -> Array:
        """Angle of the crank about -y from upright, rad, whole turns counted."""
        x, _, z = self.result.of("crank").position.T
        turned: Array = np.unwrap(np.arctan2(-x, z))
        return turned

    @cached_property
    def energy(self) -> Array:
        """Change of the mechanical energy of all parts since the start, J: what the ledger counts as lost."""
        lost: Array = np.cumsum(sum(self.result.energy[name] for name in DISSIPATIONS))
        return -lost

    @cached_property
    def lost(self) -> float:
        """Energy lost by the end of the run, J."""
        return -float(self.energy[-1])

    @cached_property
    def peak(self) -> float:
        """Largest acceleration of the slider, m/s^2."""
        return float(np.abs(self.acceleration).max())

    @cached_property
    def amplitude(self) -> float:
        """Way of the slider between its extreme places after the first outward stroke, m."""
        after = self.place[int(np.argmax(self.place)) :]
        return float(np.ptp(after))

    @cached_property
    def forward_oscillation(self) -> float:
        """Root mean square of the slider's acceleration while it moves outwards, m/s^2."""
        dt = np.diff(self.time, prepend=0.0)
        on = self.velocity > 0.0
        return float(np.sqrt((self.acceleration[on] ** 2 @ dt[on]) / dt[on].sum()))

    @cached_property
    def scenario(self) -> Array:
        """Number of the contact scenario at the end of each step."""
        found: Array = self.result.of("bearing").scenario
        return found

    @cached_property
    def force(self) -> Array:
        """Sum of the normal forces of all contacts, N."""
        wall, face = (self.result.of(f"bearing.{part}").normal_force for part in ("wall", "face"))
        return np.asarray(wall.sum(axis=1) + face.sum(axis=1))


@lru_cache(maxsize=8)
def companion(p: Parameters) -> Histories:
    """A run of these parameters, in memory."""
    return Histories(run(build(p), progress=False, quantities=QUANTITIES))


@lru_cache(maxsize=2)
def ideal(p: Parameters) -> Result:
    """The mechanism with an ideal joint, in memory."""
    return run(build_ideal(p), progress=False, quantities=("position", "velocity"))


def simulations(own: Histories, p: Parameters) -> dict[int, Histories]:
    """All three clearances, the run's own among them."""
    return {n: own if n == p.simulation else companion(replace(p, simulation=n)) for n in (1, 2, 3)}


def laws(own: Histories, p: Parameters) -> dict[str, Histories]:
    """All friction laws and none, the run's own among them."""
    names = ("none", "coulomb", "stribeck", "dahl", "lugre")
    return {n: own if n == p.friction else companion(replace(p, friction=n)) for n in names}  # type: ignore[arg-type]
