"""Histories of the blocks, and closed forms of Coulomb's law with and without stiction and a viscous part."""

from __future__ import annotations

from math import atan, hypot, pi, sqrt

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.belt_block.model import Parameters
from fem_mbd.runs.results.result import Result

STICKING_RATIO = 0.02  # fraction of the belt's speed
REST_SPEED = 5e-4  # m/s, half of the speed at which laws regularised at rest reach their full force


class Block:
    """Histories of one block, (k,) each: position and slip along the belt, distance slipped, friction force."""

    def __init__(self, result: Result, p: Parameters, name: str) -> None:
        self.time = result.output_time
        self.position: Array = result.of(name).position[:, 0]
        contact = result.of(f"{name}.contact")
        self.slip: Array = contact["slip_velocity"][:, 0]
        self.friction: Array = contact["friction_force"][:, 0]
        self.normal: Array = contact["normal_force"]
        self.stuck = np.abs(self.slip) < STICKING_RATIO * p.belt_speed
        # friction and slip are means over steps
        moved = p.belt_speed * self.time - self.position
        self.slipped: Array = 0.5 * (moved + np.concatenate([[0.0], moved[:-1]]))

    def slip_phases(self) -> list[tuple[float, float]]:
        """Start and end (s) of every slip phase that lies completely within the run."""
        edges = np.flatnonzero(self.stuck[1:] != self.stuck[:-1]) + 1
        begins = [k for k in edges if not self.stuck[k]]
        ends = [k for k in edges if self.stuck[k]]
        return [(float(self.time[b]), float(self.time[min(e for e in ends if e > b)])) for b in begins
                if any(e > b for e in ends)]  # fmt: skip

    def longest_sticking(self) -> float:
        """Longest sticking phase after a slip, s; a phase that lasts to the end of the run counts up to there."""
        last = len(self.time) - 1
        phases = zip(*self._sticking_phases(), strict=True)
        return max(
            (float(self.time[min(end, last)] - self.time[begin]) for begin, end in phases), default=0.0
        )

    def sticking_rows(self, skipped: float) -> np.ndarray:
        """Rows of the sticking phases after a slip, each from ``skipped`` (s) after the block has stopped on the
        belt.
        """
        held = np.zeros(len(self.time), bool)
        at_rest = np.abs(self.slip) < REST_SPEED
        for begin, end in zip(*self._sticking_phases(), strict=True):
            stops = begin + int(np.argmax(at_rest[begin:end])) if at_rest[begin:end].any() else end
            held[begin:end] = self.time[begin:end] > self.time[min(stops, len(held) - 1)] + skipped
        return np.flatnonzero(held)

    def _sticking_phases(self) -> tuple[list[int], list[int]]:
        """First rows of the sticking phases after a slip, and the rows after their last ones."""
        edges = np.flatnonzero(self.stuck[1:] != self.stuck[:-1]) + 1
        begins = [int(k) for k in edges if self.stuck[k]]
        return begins, [min((int(e) for e in edges if e > k), default=len(self.time)) for k in begins]

    def first_slip(self, still: float) -> tuple[int, int, int]:
        """Rows of the first slip: the last one slower than ``still`` (m/s), the fastest, the first one slower again (or
        the last).

        Raises
        ------
        ValueError
            When the block never slips.
        """
        if self.stuck.all():
            raise ValueError("the block never slips")
        speed, begin = np.abs(self.slip), int(np.argmin(self.stuck))
        stays = int(np.argmax(self.stuck[begin:])) or len(speed) - begin
        fastest = begin + int(np.argmax(speed[begin : begin + stays]))
        slow = np.flatnonzero(speed < still)
        before, after = slow[slow < fastest], slow[slow > fastest]
        last = len(speed) - 1
        return int(before[-1]) if len(before) else 0, fastest, int(after[0]) if len(after) else last

    def lag(self, speeds: Array) -> Array:
        """Friction at increasing minus friction at decreasing ``speeds`` (m/s), N; first slip."""
        begin, fastest, end = self.first_slip(0.5 * float(speeds.min()))
        speed = np.abs(self.slip)
        rising = np.interp(speeds, speed[begin : fastest + 1], self.friction[begin : fastest + 1])
        falling = np.interp(speeds, speed[end:fastest:-1], self.friction[end:fastest:-1])
        return rising - falling


def pull_time(p: Parameters, mu: float) -> float:
    """Time (s) at which the spring of a block that moves with the belt pulls with mu m g."""
    return mu * p.weight / (p.stiffness * p.belt_speed)


def slip_time(p: Parameters) -> float:
    """Duration of a slip under Coulomb friction with stiction, s: 2 [pi - atan(D omega/v)]/omega."""
    drop = (p.mu_s - p.mu_k) * p.weight / p.stiffness
    return 2.0 * (pi - atan(drop * p.omega / p.belt_speed)) / p.omega


def furthest(p: Parameters, mu: float) -> float:
    """Largest displacement when slip begins at coefficient ``mu`` and mu_k acts from then on, m."""
    middle = p.mu_k * p.weight / p.stiffness
    return middle + hypot((mu - p.mu_k) * p.weight / p.stiffness, p.belt_speed / p.omega)


def holding_time(p: Parameters, speed: float) -> float:
    """Time (s) that static friction needs from a pull of mu_s m g to slip at ``speed`` (m/s).

    The excess of the pull grows by k v_b per second, hence the slip as k v_b t**2/(2 m).
    """
    return sqrt(2.0 * p.mass * speed / (p.stiffness * p.belt_speed))


def sliding(p: Parameters, viscosity: float, time: Array) -> Array:
    """Position (k,) in m under mu_k m g + viscosity |slip| of a block that does not stick again after the start.

    It moves with the belt up to the pull of Coulomb friction, then oscillates freely about the position where spring
    force and friction balance, damped by the viscous part.
    """
    start, damping = pull_time(p, p.mu_k), 0.5 * viscosity / p.mass
    rate = sqrt(p.omega**2 - damping**2)
    middle = (p.mu_k * p.weight + viscosity * p.belt_speed) / p.stiffness
    offset = p.belt_speed * start - middle
    t = np.maximum(time - start, 0.0)
    swing = offset * np.cos(rate * t) + (p.belt_speed + damping * offset) / rate * np.sin(rate * t)
    return np.where(time < start, p.belt_speed * time, middle + np.exp(-damping * t) * swing)
