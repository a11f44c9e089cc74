"""What the paper states about the rotor, as checks of a run."""

from __future__ import annotations

from math import sqrt

import numpy as np

from fem_mbd.cases.supercritical_rotor.critical_speeds import critical_speeds
from fem_mbd.cases.supercritical_rotor.histories import Histories
from fem_mbd.cases.supercritical_rotor.parameters import Parameters
from fem_mbd.results.checks import Check, at_least, at_most, near, within
from fem_mbd.results.energy_checks import balance, friction_gain
from fem_mbd.results.result import Result

PAPER = "Bauchau & Ju 2006, section 6.2"
ZONE = (44.069, 44.453)  # rad/s
SETTLED, OPENINGS = 2.0, (2.1, 2.6)  # s
CONTINUOUS = (0.45, 2.0)  # s: from the first bounces to before the first opening
PRINTED = 0.05  # s: half of the last digit that the paper prints of them
ORDER = sqrt(10.0)  # a number of an order of magnitude lies between this part of it and this multiple
REACHED = 3.0  # s: what a run has to reach for the statements on the settled rotor


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy and critical speeds always; the paper's statements on the motion when a run is long enough for them."""
    h = Histories(result, parameters)
    summary = result.summary
    found = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    found += _critical(parameters)
    if h.time[-1] >= CONTINUOUS[1]:
        found += _passage(h)
    if h.time[-1] >= REACHED:
        found += _settled(h)
    return found


def _critical(parameters: Parameters) -> list[Check]:
    found = critical_speeds(parameters)
    return [
        near(f"{name} {what} [rad/s]", value, target, allowed, PAPER)
        for what, pair, allowed in (
            ("critical speed", found.zone, 5e-4),
            # what the paper gives, to all its digits once the mesh is fine
            ("frequency at rest", found.at_rest, 1e-4),
        )
        for name, value, target in zip(("lower", "upper"), pair, ZONE, strict=True)
    ]


def _passage(h: Histories) -> list[Check]:
    """Across the unstable zone, in continuous contact that slides fast."""
    radius = np.hypot(*h.middle.T)
    sliding = h.between(*CONTINUOUS)
    force = h.contact["normal_force"]
    slowest = float((h.slip_speed / h.contact["stribeck_velocity"])[sliding].min())
    growth = float(radius.max() / h.parameters.eccentricity)
    return [
        at_least("largest speed [rad/s]", float(h.speed.max()), ZONE[1], PAPER + ", fig. 12"),
        at_least("largest orbit of mid-span / eccentricity", growth, 2.0, PAPER + ", fig. 13"),
        at_most(
            "open contact between 0.45 and 2 s [s]", _open_time(h, *CONTINUOUS), 0.0, PAPER + ", fig. 14"
        ),
        within(
            "largest force of continuous contact [N]",
            float(force[sliding].max()),
            10.0 / ORDER,
            10.0 * ORDER,
            PAPER + ": an order of magnitude below 100 N",
        ),
        at_least("slip speed of closed contact / Stribeck velocity", slowest, 100.0, PAPER),
    ]


def _settled(h: Histories) -> list[Check]:
    """After 2 s: speed, orbit of mid-span, and the two episodes of intermittent contact."""
    last = float(h.time[-1])
    radius = np.hypot(*h.middle.T)
    speed = h.mean(h.speed, SETTLED, last)
    shrunk = float(radius[h.time > SETTLED].max() / radius[h.time <= SETTLED].max())
    orbit = np.sqrt(h.mean(radius**2, SETTLED, last))
    episodes = h.open_episodes(CONTINUOUS[1])
    middles = [0.5 * (start + end) for start, end in episodes[:2]] + [float("nan")] * (2 - len(episodes))
    force = h.contact["normal_force"]
    impact, steady = float(force[h.between(SETTLED, last)].max()), float(force[h.between(*CONTINUOUS)].max())
    return [
        within("mean speed after 2 s [rad/s]", speed, 45.0, 55.0, PAPER + ": about 50"),
        at_least("smallest speed after 2 s [rad/s]", float(h.speed[h.time > SETTLED].min()), ZONE[1], PAPER),
        within(
            "orbit of mid-span after 2 s, r.m.s. [m]", float(orbit), 0.5e-3, 1.5e-3, PAPER + ": about 1 mm"
        ),
        at_most("largest orbit after 2 s / largest before", shrunk, 1.0, PAPER + ": the amplitude decreases"),
        *(
            within(
                f"intermittent contact, episode {k + 1}, middle [s]",
                middle,
                at - PRINTED,
                at + PRINTED,
                PAPER,
            )
            for k, (middle, at) in enumerate(zip(middles, OPENINGS, strict=True))
        ),
        within("episodes of intermittent contact", len(episodes), 2, 2, PAPER + ", fig. 14: 2.1 and 2.6 s"),
        within(
            "largest impact force [N]", impact, 100.0 / ORDER, 100.0 * ORDER, PAPER + ": up to about 100 N"
        ),
        at_least(
            "impact / largest force of continuous contact",
            impact / steady,
            ORDER,
            PAPER + ": an order of magnitude",
        ),
        *_smaller(h),
    ]


def _smaller(h: Histories) -> list[Check]:
    """In supercritical operation the contact force decreases: means over seconds, each beside the one before."""
    force, ends = h.contact["normal_force"], np.arange(CONTINUOUS[1], h.time[-1] + 1e-9, 1.0)
    means = [h.mean(force, end - 1.0, end) for end in ends]
    return [
        at_most(f"mean contact force {end - 1:g} to {end:g} s / that of the second before", now / before, 1.0,
                PAPER + ": decreases to smaller levels")
        for end, before, now in zip(ends[1:], means, means[1:], strict=False)
    ]  # fmt: skip


def _open_time(h: Histories, start: float, end: float) -> float:
    apart = h.between(start, end) & (h.contact["normal_force"] == 0.0)
    return float(h.dt[apart].sum())
