"""Quantities of a run over time, as in the paper's figures, and the paper's statements about them as checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.supercritical_rotor.model import Parameters, Rotor, build, build_rotor, critical_speeds
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, friction_gain, near, within
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

SAME_EPISODE = 0.02  # s: openings closer together belong to one episode of bouncing
RESTORED = 0.05  # s: an impact belongs to an opening that ended at most this long before
QUANTITIES = ("position", "omega", "contact", "reaction")
PAPER = "Bauchau & Ju 2006, section 6.2"
ZONE = (44.069, 44.453)  # rad/s
SPIRAL = 0.875  # s: end of the first part of the orbit in fig. 13, an outward spiral
CONTINUOUS = (0.45, 2.0)  # s: from the first bounces to before the first opening
PRINTED = 0.05  # s: half of the last printed digit
SETTLED_RUN_END = 3.0  # s: end time required for the statements on the settled rotor
SETTLED, OPENINGS = 2.0, (2.1, 2.6)  # s


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run."""

    @cached_property
    def rotor(self) -> Rotor:
        return build_rotor(self.parameters)

    @cached_property
    def speed(self) -> Array:
        """Angular velocity (k,) of the shaft about its axis at R, where the torque acts; rad/s."""
        return np.asarray(self.result.of(self.rotor.shaft.start).angular_velocity_in_body[:, 0])

    @cached_property
    def middle(self) -> Array:
        """Position (k, 2) of the mid-span point M across the axis, m."""
        return np.asarray(self.result.of("disk").position[:, :2])

    @cached_property
    def end(self) -> Array:
        """Position (k, 2) of the end T across the axis, m."""
        return np.asarray(self.result.of(self.rotor.shaft.end).position[:, :2])

    @cached_property
    def contact(self) -> Any:
        return self.result.of("T")

    @property
    def slip_speed(self) -> Array:
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=1))

    @cached_property
    def root_moment(self) -> Array:
        """Moment (k, 4) of the support on the shaft at R: about fixed axes i1, i2 and section axes 2, 3."""
        joint = self.result.of("R")
        return np.concatenate([joint.reaction.moment[:, :2], joint.reaction_in_l.moment[:, 1:]], axis=1)

    def open_episodes(self, after: float) -> list[tuple[float, float]]:
        """(start, end) in s of the episodes with an open contact that begin after the time ``after``."""
        open_steps = np.flatnonzero((self.contact["normal_force"] == 0.0) & (self.time > after))
        if not len(open_steps):
            return []
        breaks = np.flatnonzero(np.diff(self.time[open_steps]) > SAME_EPISODE) + 1
        return [
            (float(self.time[part[0]] - self.dt[part[0]]), float(self.time[part[-1]]))
            for part in np.split(open_steps, breaks)
        ]

    def impacts(self, episodes: list[tuple[float, float]]) -> list[float]:
        """N: largest normal force of each episode and of the 0.05 s after it, when contact is restored."""
        force = self.contact["normal_force"]
        return [float(force[self.between(start, end + RESTORED)].max()) for start, end in episodes]


@lru_cache(maxsize=2)
def undamped_histories(parameters: Parameters) -> Histories:
    """The same rotor without structural damping up to `whirl_time`; takes some ten seconds."""
    p = replace(parameters, damping=0.0, end_time=parameters.whirl_time)
    return Histories(run(build(p), progress=False, quantities=QUANTITIES), p)


def near_stated(name: str, value: float, stated: float, source: str) -> Check:
    """Check of a value given by one digit ("about 100"): within half a unit of that digit."""
    half = 0.5 * 10 ** np.floor(np.log10(stated))
    return within(name, value, stated - half, stated + half, source)


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy and critical speeds always; the paper's statements on the motion for runs that are long enough."""
    h = Histories(result, parameters)
    summary = result.summary
    checks = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    checks += _critical(parameters)
    if h.time[-1] >= CONTINUOUS[1]:
        checks += _passage(h)
    if h.time[-1] >= SETTLED_RUN_END:
        checks += _settled(h)
    return checks


def _critical(parameters: Parameters) -> list[Check]:
    computed = critical_speeds(parameters)
    return [
        near(f"{name} {quantity} [rad/s]", value, target, allowed, PAPER)
        for quantity, pair, allowed in (
            ("critical speed", computed.zone, 5e-4),
            # printed values, reproduced to all digits with a fine mesh
            ("frequency at rest", computed.at_rest, 1e-4),
        )
        for name, value, target in zip(("lower", "upper"), pair, ZONE, strict=True)
    ]


def _passage(h: Histories) -> list[Check]:
    """Checks of the passage through the unstable zone, in continuous contact with fast sliding."""
    radius = np.hypot(*h.middle.T)
    sliding = h.between(*CONTINUOUS)
    force = h.contact["normal_force"]
    slowest = float(h.slip_speed[sliding].min() / h.parameters.stribeck_velocity)
    growth = float(radius.max() / h.parameters.eccentricity)
    largest = float(h.time[sliding][np.argmax(force[sliding])])
    crossing = h.time[h.speed >= ZONE[0]][0] if h.speed.max() >= ZONE[0] else np.nan
    return [
        at_least("largest speed [rad/s]", float(h.speed.max()), ZONE[1], PAPER + ", fig. 12"),
        at_least(
            "largest orbit of mid-span / eccentricity",
            growth,
            1.5,
            PAPER + ", fig. 13: spirals away from 1 mm",
        ),
        at_most(
            "open contact between 0.45 and 2 s [s]", _open_time(h, *CONTINUOUS), 0.0, PAPER + ", fig. 14"
        ),
        near_stated(
            "largest force of continuous contact [N]",
            float(force[sliding].max()),
            10.0,
            PAPER + ": an order of magnitude below 100 N",
        ),
        within(
            "time of the largest force of continuous contact [s]",
            largest,
            float(crossing),
            SPIRAL,
            PAPER + ": as the shaft crosses the unstable zone",
        ),
        at_least("slip speed of closed contact / Stribeck velocity", slowest, 100.0, PAPER),
    ]


def _settled(h: Histories) -> list[Check]:
    """Checks after 2 s: speed, orbit of mid-span, and the two episodes of intermittent contact."""
    last = float(h.time[-1])
    radius = np.hypot(*h.middle.T)
    speed = h.mean(h.speed, h.between(SETTLED, last))
    shrunk = float(radius[h.time > SETTLED].max() / radius[h.time <= SETTLED].max())
    orbit = np.sqrt(h.mean(radius**2, h.between(SETTLED, last)))
    return [
        near_stated("mean speed after 2 s [rad/s]", speed, 50.0, PAPER),
        at_least("smallest speed after 2 s [rad/s]", float(h.speed[h.time > SETTLED].min()), ZONE[1], PAPER),
        near_stated("orbit of mid-span after 2 s, r.m.s. [m]", float(orbit), 1e-3, PAPER),
        at_most("largest orbit after 2 s / largest before", shrunk, 1.0, PAPER + ": the amplitude decreases"),
        *_intermittent(h),
        *_smaller(h),
    ]


def _intermittent(h: Histories) -> list[Check]:
    """Checks of the two openings named in the text, and of the impacts after each of them."""
    force = h.contact["normal_force"]
    continuous = float(force[h.between(*CONTINUOUS)].max())
    episodes = h.open_episodes(SETTLED)
    middles = [0.5 * (start + end) for start, end in episodes]
    impacts = h.impacts(episodes)
    checks = [within("episodes of intermittent contact", len(episodes), 2, 2, PAPER + ": at 2.1 and 2.6 s")]
    for k, stated in enumerate(OPENINGS):
        middle, impact = (middles[k], impacts[k]) if k < len(episodes) else (np.nan, np.nan)
        name = f"intermittent contact, episode {k + 1}"
        checks += [
            within(f"{name}, middle [s]", middle, stated - PRINTED, stated + PRINTED, PAPER),
            at_least(
                f"{name}, impact / largest force of continuous contact",
                impact / continuous,
                1.0,
                PAPER + ": when contact is restored, large impact forces",
            ),
        ]
    largest = max(impacts, default=np.nan)
    return [
        *checks,
        near_stated("largest impact force [N]", largest, 100.0, PAPER),
        near_stated(
            "largest impact / largest force of continuous contact",
            largest / continuous,
            10.0,
            PAPER + ": an order of magnitude",
        ),
    ]


def _smaller(h: Histories) -> list[Check]:
    """Check that contact force and root moment decrease in supercritical operation: means over seconds, relative to the
    previous one.
    """
    quantities = (
        ("contact force", h.contact["normal_force"], ", fig. 14: decreases to smaller levels"),
        ("root moment", np.hypot(*h.root_moment[:, :2].T), ", fig. 15: similar behavior"),
    )
    ends = np.arange(CONTINUOUS[1], h.time[-1] + 1e-9, 1.0)
    return [
        at_most(f"mean {name} {end - 1:g} to {end:g} s / that of the previous second", now / before, 1.0, PAPER + words)
        for name, values, words in quantities
        for means in [[h.mean(values, h.between(end - 1.0, end)) for end in ends]]
        for end, before, now in zip(ends[1:], means, means[1:], strict=False)
    ]  # fmt: skip


def _open_time(h: Histories, start: float, end: float) -> float:
    open_steps = h.between(start, end) & (h.contact["normal_force"] == 0.0)
    return float(h.dt[open_steps].sum())
