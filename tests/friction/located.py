"""A block on a spring with event location: steps end where the block stops or breaks away.

Friction is constant over a step, so a jump of the force within a step reduces the order to one. Here a step in which
the slip would reverse is shortened until it ends at rest, and steps decrease in proportion to the remaining force to
break-away: the remaining errors are those of the scheme and of the regularisation of the law.
"""

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.friction.tangential import state_count
from tests.friction.one_mass import run_mass_step

MASS, F_N, SPRING = 1.0, 10.0, 2.0  # kg, N, N/m
SMALL, GROWTH, SHARE = 1e-8, 1.5, 0.05


class Event(NamedTuple):
    """stop: the sliding block comes to rest; otherwise it breaks away. Time in s, position in m."""

    time: float
    place: float
    stop: bool


class Block:
    """The block with its spring, stretched by ``elongation`` (m), whose far end moves at ``pull`` (m/s).

    It counts as sliding where friction is ``static`` (breaking away) or ``kinetic``, but for the part ``at_cap``.
    """

    def __init__(
        self,
        law: Any,
        static: float,
        kinetic: float,
        pull: float = 0.0,
        elongation: float = 0.0,
        at_cap: float = 1e-10,
    ):
        self.law, self.static, self.kinetic, self.pull = law.record()[()], static, kinetic, pull
        self.at_cap = at_cap
        self.now, self.time, self.mu = np.array([0.0, elongation, 0.0]), 0.0, 0.0
        self.z = np.zeros((max(1, int(state_count(self.law))), 3))
        self.sliding, self.dt = False, SMALL
        self.events: list[Event] = []

    def run(self, end: float, largest: float, stops: int = 10_000) -> list[Event]:
        """Events until ``end`` (s) or so many stops, with steps of at most ``largest`` (s)."""
        while self.time < end and sum(event.stop for event in self.events) < stops:
            self._step(largest)
        return self.events

    def _step(self, largest: float) -> None:
        dt = min(self.dt, largest)
        now, z, mu = self._try(dt)
        while np.isnan(mu):
            dt *= 0.5
            now, z, mu = self._try(dt)
        stops = self.sliding and now[0] * self.now[0] < 0.0
        if stops:
            dt, now, z, mu = self._end_at_rest(dt, now, z, mu)
        cap = self.kinetic if self.sliding else self.static
        slides = not stops and abs(mu) >= cap * (1.0 - self.at_cap) and now[0] * mu >= 0.0
        if slides and not self.sliding and dt > 2 * SMALL:
            self.dt = 0.5 * dt
            return
        rate, self.time = (mu - self.mu) / dt, self.time + dt
        if stops or (slides and not self.sliding):
            self.events.append(Event(self.time, now[2], stops))
        self.now, self.z, self.mu, self.sliding = now, z, mu, slides
        self.dt = SMALL if stops else GROWTH * dt
        if not slides and not stops and rate * mu > 0.0:
            self.dt = min(self.dt, max(SHARE * (self.static - abs(mu)) / abs(rate), SMALL))

    def _try(self, dt: float) -> tuple[Any, Any, float]:
        now, z = self.now.copy(), self.z.copy()
        mu = run_mass_step(self.law, MASS, SPRING, self.pull, F_N, dt, now, z)
        return now, z, float(mu)

    def _end_at_rest(self, dt: float, now: Any, z: Any, mu: float) -> tuple[float, Any, Any, float]:
        """The step shortened by secants until it ends without speed."""
        for _ in range(40):
            if abs(now[0]) <= 1e-12:
                break
            dt *= self.now[0] / (self.now[0] - now[0])
            now, z, mu = self._try(dt)
        return dt, now, z, mu
