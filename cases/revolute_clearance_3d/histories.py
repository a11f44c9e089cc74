"""Quantities of a run over time, as in the source's figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.signal import find_peaks

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.model import Parameters, build, build_ideal
from fem_mbd.core.scheme.ledger import DISSIPATIONS
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

SAMPLE = 1e-5  # s, a tenth of an impact
PEAK_COUNT, PEAK_SPACING = 5, 5e-3  # peaks of the acceleration used; s, smallest distance between them
QUANTITIES = ("position", "velocity", "quaternion", "omega", "contact", "journal")


@dataclass(frozen=True)
class Histories:
    """One run; one row per step, (k,)."""

    result: Result

    @cached_property
    def time(self) -> Array:
        return self.result.time

    @cached_property
    def position(self) -> Array:
        """Position of the slider along y, m."""
        return self.result.of("slider").position[:, 1]

    @cached_property
    def velocity(self) -> Array:
        """Velocity of the slider along y, m/s."""
        return self.result.of("slider").velocity[:, 1]

    @cached_property
    def grid(self) -> Array:
        """(m,) s, equally spaced times between which mean accelerations are computed: some steps are too short for
        differences.
        """
        return np.arange(SAMPLE, self.time[-1] + 0.5 * SAMPLE, SAMPLE)

    @cached_property
    def acceleration(self) -> Array:
        """(m,) m/s^2, of the slider along y, mean up to each instant of ``grid``."""
        velocity = np.interp(self.grid, self.time, self.velocity)
        return np.diff(velocity, prepend=0.0) / SAMPLE

    @cached_property
    def crank_angle(self) -> Array:
        """Angle of the crank about -y from upright, rad, counting full revolutions."""
        x, _, z = self.result.of("crank").position.T
        return np.unwrap(np.arctan2(-x, z))

    @cached_property
    def energy(self) -> Array:
        """Change of the mechanical energy of all parts since the start, J: the losses of the ledger."""
        lost: Array = np.cumsum(sum(self.result.energy[name] for name in DISSIPATIONS))
        return -lost

    @cached_property
    def lost(self) -> float:
        """Energy lost by the end of the run, J."""
        return -float(self.energy[-1])

    @cached_property
    def peaks(self) -> float:
        """Mean of the five highest peaks of the slider's acceleration, m/s^2, at least 5 ms apart."""
        size = np.abs(self.acceleration)
        rows, _ = find_peaks(size, distance=round(PEAK_SPACING / SAMPLE))
        return float(np.sort(size[rows])[-PEAK_COUNT:].sum()) / PEAK_COUNT

    @cached_property
    def amplitude(self) -> float:
        """Stroke of the slider between its extreme positions after it has first been out, the crank down, m."""
        return float(np.ptp(self.position[int(np.argmax(self.crank_angle >= np.pi)) :]))

    @cached_property
    def forward_oscillation(self) -> float:
        """Root mean square of the slider's acceleration while it moves outwards, m/s^2."""
        outwards = np.interp(self.grid, self.time, self.velocity) > 0.0
        return float(np.sqrt(np.mean(self.acceleration[outwards] ** 2)))

    @cached_property
    def scenario(self) -> Array:
        """Number of the contact scenario at the end of each step."""
        return self.result.of("bearing").scenario

    @cached_property
    def force(self) -> Array:
        """Sum of the normal forces of all contacts, N."""
        wall, face = (self.result.of(f"bearing.{part}").normal_force for part in ("wall", "face"))
        return np.asarray(wall.sum(axis=1) + face.sum(axis=1))


def in_memory(p: Parameters) -> Histories:
    """A run with these parameters in memory."""
    return Histories(run(build(p), progress=False, quantities=QUANTITIES))


@lru_cache(maxsize=2)
def ideal(p: Parameters) -> Result:
    """A run of the mechanism with an ideal joint, in memory."""
    return run(build_ideal(p), progress=False, quantities=QUANTITIES[:4])
