"""Quantities of a run over crank angle, as in the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases.crank_mechanism.mechanism import Mechanism, build_mechanism
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.runs.results.result import Result


@dataclass(frozen=True)
class Histories:
    """Histories over the last complete revolution of a run, or over the fifth where there is one.

    Arrays have one row per step of that revolution; ``angle`` (k,) is in degrees from its start.
    """

    result: Result
    parameters: Parameters

    @cached_property
    def revolution(self) -> int:
        """Number of this revolution, counted from 1; 1 also for a run shorter than one."""
        return max(1, min(5, int(self.turns[-1] + 1e-9)))

    @cached_property
    def turns(self) -> Array:
        return self.result.time * self.parameters.crank_speed / (2 * np.pi)

    @cached_property
    def rows(self) -> slice:
        inside = np.flatnonzero((self.turns > self.revolution - 1) & (self.turns <= self.revolution + 1e-9))
        return slice(int(inside[0]), int(inside[-1]) + 1)

    @cached_property
    def mechanism(self) -> Mechanism:
        return build_mechanism(self.parameters)

    @property
    def angle(self) -> Array:
        return 360.0 * (self.turns[self.rows] - (self.revolution - 1))

    @property
    def dt(self) -> Array:
        return self.result.step["dt"][self.rows]

    @property
    def rule(self) -> Array:
        return self.result.step["rule"][self.rows]

    @cached_property
    def contact(self) -> Any:
        """Quantities of the contact at Q by name, one row per step; case 2 only."""
        contact = self.result.of("Q")
        return {
            name: contact[name][self.rows] for name in ("normal_force", "friction_force", "slip_velocity")
        }

    @property
    def slip_speed(self) -> Array:
        return np.linalg.norm(self.contact["slip_velocity"], axis=1)

    @property
    def friction_force(self) -> Array:
        return np.linalg.norm(self.contact["friction_force"], axis=1)

    @cached_property
    def root_force(self) -> Array:
        """Force (k, 3) that the beam exerts on its support at O, global axes, mean of each step."""
        return -self.result.of(self.mechanism.beam.end).support.force[self.rows]

    @cached_property
    def midspan_force(self) -> Array:
        """Axial and shear forces (k, 3) at the middle of the link, section axes."""
        return np.asarray(self.result.of("link").section_force(at=0.5)[self.rows, :3])

    def beam_places(self, name: str) -> Array:
        """Positions (n, nodes, 3) of a beam's nodes in the revolution."""
        return np.asarray(self.result.of(name).position()[self.rows])


def open_intervals(angle: Array, force: Array) -> list[tuple[float, float]]:
    """Angles (first, last) of the separate intervals in which the contact of normal ``force`` (k,) is open."""
    return _intervals(angle, np.flatnonzero(force == 0.0), 2.0)


def near_zero_intervals(angle: Array, speed: Array, closed: Flags, limit: float) -> list[tuple[float, float]]:
    """Angles (first, last) of the separate intervals in which the closed contact slips slower than ``limit``."""
    return _intervals(angle, np.flatnonzero((speed < limit) & closed), 1.0)


def _intervals(angle: Array, rows: np.ndarray, gap: float) -> list[tuple[float, float]]:
    """First and last angle of the groups of ``rows`` that are more than ``gap`` degrees apart."""
    if not len(rows):
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(angle[rows]) > gap) + 1)
    return [(float(angle[p[0]]), float(angle[p[-1]])) for p in parts]
