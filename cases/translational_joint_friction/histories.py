"""Histories of the slider, and runs with the other laws for comparison."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.translational_joint_friction.model import Friction, Parameters, build
from fem_mbd.friction import ActiveLawWarning
from fem_mbd.runs.running.runs import run

LAWS: tuple[Friction, ...] = ("none", "coulomb", "stribeck", "dahl", "lugre")
FRICTION_LAWS = LAWS[1:]
MOTION = ("position", "velocity", "omega", "reaction")
FRICTION = ("joint_friction", "joint_friction_contribution")
FINER = 10  # step refinement of a detail: with the default 5e-5 s, as in the source
SHORTEST = 1.0  # s of motion, in which the crank reverses
DETAIL_WINDOW = 0.05  # s, before and after the reversal shown in a detail


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run; k steps; the slider moves along y."""

    @cached_property
    def position(self) -> Array:
        """(k,) m."""
        return np.asarray(self.result.of("slider").position[:, 1])

    @cached_property
    def speed(self) -> Array:
        """(k,) m/s."""
        return np.asarray(self.result.of("slider").velocity[:, 1])

    @cached_property
    def acceleration(self) -> Array:
        """(k,) m/s^2, mean of each step."""
        start = np.concatenate([[0.0], self.speed[:-1]])  # the slider starts from rest
        return (self.speed - start) / self.dt

    @cached_property
    def force(self) -> Array:
        """(k,) N, friction on the slider."""
        if self.parameters.friction == "none":
            return np.zeros_like(self.time)
        return np.asarray(self.result.of("guide").friction.force[:, 2])

    @cached_property
    def normal_force(self) -> Array:
        """(k,) N, on both pairs of faces."""
        return np.asarray(self.result.of("guide").friction.normal_force.sum(axis=1))

    @cached_property
    def reversal(self) -> int:
        """The step in which the crank, and with it the slider, first reverses.

        At a dead centre, where the slider reverses too, friction has no lever arm: its acceleration depends on the
        crank's speed alone.

        Raises
        ------
        ValueError
            When the crank does not reverse within the run.
        """
        crank = self.result.of("crank").omega[:, 1]
        turned = np.flatnonzero((crank[1:] * crank[:-1] < 0.0) & (self.speed[1:] * self.speed[:-1] < 0.0))
        if not len(turned):
            raise ValueError("the crank does not reverse")
        return int(turned[0]) + 1

    @cached_property
    def since(self) -> Array:
        """(k,) s, relative to the time at which the slider's speed passes zero in its reversal."""
        k = self.reversal
        before, after = self.speed[k - 1 : k + 1]
        zero = self.time[k - 1] - before * (self.time[k] - self.time[k - 1]) / (after - before)
        return np.asarray(self.time - zero)

    @property
    def fastest_late(self) -> float:
        """Largest speed of the last fifth of the run, m/s."""
        return float(np.abs(self.speed[self.time > 0.8 * self.time[-1]]).max())

    @property
    def peak_acceleration(self) -> float:
        """Largest of the run, m/s^2."""
        return float(np.abs(self.acceleration).max())

    @property
    def lost(self) -> Array:
        """(k,) J, energy dissipated by friction so far, including the energy stored in bristles."""
        energy = self.result.energy
        return np.asarray(energy["dissipation_friction"].cumsum() + energy["bristle"])


@lru_cache(maxsize=16)  # all runs of the checks: the figures use them again
def companion(p: Parameters) -> Histories:
    """A run in memory; some ten seconds for 5 s of motion."""
    quantities = MOTION if p.friction == "none" else MOTION + FRICTION
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ActiveLawWarning)  # issued once, by the run of the case
        return Histories(run(build(p), progress=False, quantities=quantities), p)


def runs_of_all_laws(h: Histories) -> dict[Friction, Histories]:
    """Runs with all laws on the same mechanism, including the run itself."""
    p = h.parameters
    return {name: h if name == p.friction else companion(replace(p, friction=name)) for name in LAWS}


def details(h: Histories, finer: int = FINER) -> dict[Friction, Histories]:
    """Runs of the laws with friction, with steps ``finer`` times as small, up to shortly after the reversal of
    ``h``.
    """
    p = h.parameters
    end = min(float(h.time[h.reversal]) + 2 * DETAIL_WINDOW, p.end_time)
    return {
        name: companion(replace(p, friction=name, end_time=end, dt=p.dt / finer)) for name in FRICTION_LAWS
    }
