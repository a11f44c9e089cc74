"""Standard experiments on a friction law; its features (stiction, Stribeck effect, lag …) are found by simulation.

Features are found by running the law, never declared. Probes prescribe the slip (steady sliding, oscillating speed
without reversal, closed cycles) or a force (a body on the contact, pulled by a force that increases, is constant or
decreases: ``slip_path.py``), under a normal force of 1 N. Lengths, speeds and times are multiples of the law's own
(``scales``). A "rested" contact has been at rest for 10 000 s. A result that could be caused by the step size or by
``x_stick``, the elastic displacement by which a law without springs finds its force at rest, is repeated with a quarter
of the step and a hundredth of ``x_stick``, and must keep more than half its size.

sticks      creeps less than 1 um (or its presliding length) in 100 s under 60 % of its break-away force
stiction    the break-away force of a rested contact is over 3 % above the least friction of sliding
stribeck    steady friction falls by over 3 % as the speed of sliding grows, continuously: not in one jump
presliding  over 5 % of the displacement under half the break-away force is recovered when the force is removed
lag         at the same speed, sliding without reversal, friction is higher while the speed grows than while it falls:
            by 1 % in the mean over the cycle, at one period at least
rate        the break-away force of a rested contact falls by over 2 % as the force rate increases
dwell       the break-away force is over 2 % higher after a long rest than when the contact has just closed
passive     from rest, the contact never returns more work than it has received, over all cycles tried
states      it has state vectors

The break-away force is the largest friction until the body has moved ten presliding lengths and reached ten
characteristic speeds: the applied force itself would contain the body's inertia.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.friction.probes.slip_path import Pulled, drive_path, pull, run_to_steady
from fem_mbd.friction.tangential import state_count

FEATURES = ("sticks", "stiction", "stribeck", "presliding", "lag", "rate", "dwell", "passive", "states")

REST_TIME = 1e4  # s
SPEEDS = np.geomspace(1e-6, 10.0, 225)  # m/s
USUAL_LENGTH, USUAL_SPEED = 1e-6, 1e-3  # m, m/s: for laws without a length or speed scale
RAMPS = (1000.0, 100.0, 30.0, 10.0, 5.0)  # times to reach kinetic friction over length/speed
CREEP = 1e-6  # m
FINER_STEP, FINER_X_STICK = 4, 0.01
PERIODS = np.geomspace(1e-5, 10.0, 13)  # s
SMOOTH_RAMP = np.sin(np.linspace(0.0, 0.5 * np.pi, 101)[1:]) ** 2  # excites no vibrations


class Scales(NamedTuple):
    """Scales of a law: slip (m) over which friction builds up, speed (m/s) of its largest change, coefficient.

    level: largest steady coefficient up to ten times the speed. kinetic: least coefficient at ten times the speed and
    above. fall, jump: decrease of the steady curve with growing speed, in total and between neighbours of ``SPEEDS``.
    """

    length: float
    speed: float
    level: float
    kinetic: float
    fall: float
    jump: float

    @property
    def time(self) -> float:
        """length/speed in s."""
        return self.length / self.speed

    @property
    def mass(self) -> float:
        """Mass in kg that oscillates on the contact with the period 2 pi time."""
        return self.level * self.length / self.speed**2


def state_at_rest(law: Any) -> Array:
    """State (nz, 3) of a contact that has been at rest for ``REST_TIME``."""
    return drive_path(law, np.zeros(40), np.geomspace(1e-3, 0.25, 40) * REST_TIME).z


def steady_curve(law: Any, speeds: Array) -> Array:
    """Steady coefficient (n,) of a rested contact that slides at ``speeds`` (n,) in m/s."""
    mus, changes = np.empty_like(speeds), np.empty_like(speeds)
    run_to_steady(law.record()[()], speeds, state_at_rest(law), mus, changes)
    return mus


def scales(law: Any) -> Scales:
    """The law's own scales, from steady sliding and from slow loading."""
    steady = steady_curve(law, SPEEDS)
    slope = np.abs(np.gradient(steady, np.log(SPEEDS)))
    peaks = (slope[1:-1] >= slope[:-2]) & (slope[1:-1] > slope[2:]) & (slope[1:-1] > 0.05 * steady[1:-1])
    speed = float(SPEEDS[1 + int(np.argmax(peaks))]) if peaks.any() else USUAL_SPEED
    slips = np.diff(np.geomspace(1e-12, 1e-2, 201))
    mus = drive_path(law, slips, slips / (1e-3 * speed), z=state_at_rest(law)).mus
    # a law without memory of the path has its full force from the first step on
    built_up = float(np.cumsum(slips)[np.argmax(mus > 0.63 * mus[-1])]) if mus[0] < 0.5 * mus[-1] else 0.0
    below, beyond = steady[SPEEDS <= 10.0 * speed], steady[SPEEDS >= 10.0 * speed]
    return Scales(
        built_up or USUAL_LENGTH,
        speed,
        float(below.max()),
        float(beyond.min()),
        float((np.maximum.accumulate(steady) - steady).max()),
        float((steady[:-1] - steady[1:]).max()),
    )


def force_ramp(
    law: Any, scale: Scales, ramp: float, rest: bool = True, steps: int = 250
) -> tuple[Array, Pulled]:
    """Forces (n,) in N that reach ``scale.level`` after ``ramp`` (s), and the motion of the body until it slides."""
    loads = scale.level * np.arange(1, 4 * steps + 1) / steps
    until = (10.0 * scale.length, 10.0 * scale.speed)
    motion = pull(law, loads, ramp / steps, scale.mass, state_at_rest(law) if rest else None, until)
    return loads[: motion.x.size], motion


def break_away(law: Any, scale: Scales, ramp: float, rest: bool = True, steps: int = 250) -> float:
    """Break-away coefficient when the force reaches ``scale.level`` in the time ``ramp`` (s)."""
    return float(force_ramp(law, scale, ramp, rest, steps)[1].mus.max())


def falls_with_rate(law: Any, scale: Scales) -> bool:
    """Whether the break-away force falls from the slowest ramp to a faster one, also with finer steps."""
    ramps = np.array(RAMPS) * scale.time
    forces = [break_away(law, scale, ramp) for ramp in ramps]
    fall = forces[0] - min(forces)
    if fall <= 0.02 * forces[0]:
        return False
    slow, fast = (
        break_away(finer(law), scale, ramp, steps=250 * FINER_STEP)
        for ramp in (ramps[0], ramps[np.argmin(forces)])
    )
    return slow - fast > 0.5 * fall


def creep(law: Any, scale: Scales, force: float) -> float:
    """Displacement in m during 100 s under ``force`` (N), applied smoothly and held for 10 s before."""
    loads = force * np.concatenate([SMOOTH_RAMP, np.ones(110)])
    x = pull(law, loads, 1.0, scale.mass, state_at_rest(law)).x
    return float(abs(x[-1] - x[-101]))


def elastic_displacement(law: Any, scale: Scales, force: float) -> tuple[float, float]:
    """Displacement in m under ``force`` (N), applied smoothly, and the part recovered when it is removed."""
    loads = force * np.concatenate([SMOOTH_RAMP, SMOOTH_RAMP[::-1], [0.0]])
    x = pull(law, loads, 1.0, scale.mass, state_at_rest(law)).x
    return float(x[SMOOTH_RAMP.size - 1]), float(x[SMOOTH_RAMP.size - 1] - x[-1])


def lag(law: Any, scale: Scales, period: float, steps: int = 64, cycles: int = 1) -> Array:
    """Friction while speeding up minus friction at the same speed while slowing down, mean over each cycle (cycles,).

    Speed between 0.2 and 2.4 characteristic speeds, steps at the same speeds up and down: a law without memory gives
    exactly zero.
    """
    start = drive_path(law, np.full(400, scale.length), 1.0 / 1.3 * scale.time, z=state_at_rest(law)).z
    phase = 2.0 * np.pi * (np.arange(steps) + 0.5) / steps
    speed = scale.speed * (1.3 - 1.1 * np.cos(phase))
    weight = np.sin(phase[: steps // 2]) / np.sin(phase[: steps // 2]).sum()
    dt = period / steps
    mus = drive_path(law, np.tile(speed, cycles + 2) * dt, dt, z=start).mus.reshape(-1, steps)[2:]
    return (mus[:, : steps // 2] - mus[:, : steps // 2 - 1 : -1]) @ weight


def least_work(law: Any, scale: Scales) -> float:
    """Minimum over time and all cycles of the work (J) received by a contact that is fresh at the start; 0 at most."""
    least = 0.0
    for slips, dts in cycles_to_try(scale):
        least = min(least, float(np.cumsum(drive_path(law, slips, dts).mus * slips).min()))
    return least


def cycles_to_try(scale: Scales) -> list[tuple[Array, Array]]:
    """Slips (n,) and durations (n,): sinusoids; slow sliding, then fast, to and fro or on; to and fro with rests."""
    paths = []
    for size in (0.3, 1.0, 3.0, 30.0):
        for fastest in (0.1, 1.0, 10.0, 100.0, 1000.0):
            phase = np.linspace(0.0, 6.0 * np.pi, 241)
            slips = size * scale.length * np.diff(-np.cos(phase))
            dt = size * scale.length / (fastest * scale.speed) * (phase[1] - phase[0])
            paths.append((slips, np.full(240, dt)))
    for length in (0.5, 5.0):
        for fast in (3.0, 30.0, 300.0, 1000.0):
            for sign in (1.0, -1.0):
                slow_part = np.full(20, 5.0 / 20.0 * scale.length)
                fast_part = np.full(20, sign * length / 20.0 * scale.length)
                slips = np.tile(np.concatenate([slow_part, fast_part]), 4)
                speeds = np.tile(np.repeat([0.03, fast], 20), 4) * scale.speed
                paths.append((slips, np.abs(slips) / speeds))
    for length in (2.0, 20.0):
        for speed in (0.01, 0.3):
            forth = np.full(20, length / 20.0 * scale.length)
            slips = np.tile(np.concatenate([forth, np.zeros(5), -forth, np.zeros(5)]), 3)
            dts = np.where(slips == 0.0, 20.0, length / 20.0 * scale.time / speed)
            paths.append((slips, dts))
    return paths


def finer(law: Any) -> Any:
    """The law with a hundredth of its ``x_stick``, unchanged when it has none."""
    if any(f.name == "x_stick" for f in fields(law)):
        return replace(law, x_stick=FINER_X_STICK * law.x_stick)
    return law


def lags(law: Any, scale: Scales) -> bool:
    """Whether friction lags behind the speed, at any period, also with finer steps."""
    by_period = {period: float(lag(law, scale, period)[0]) for period in PERIODS}
    largest = max(by_period.values())
    if largest < 0.01 * scale.level:
        return False
    for period in (period for period in PERIODS if by_period[period] > 0.5 * largest):
        coarse = lag(law, scale, period, cycles=12)
        mean, spread = float(coarse.mean()), float(coarse.std() / np.sqrt(coarse.size))
        # random laws differ up and down by chance
        fine = lag(finer(law), scale, period, steps=64 * FINER_STEP, cycles=12)
        if mean > 5.0 * spread and fine.mean() > 0.5 * mean:
            return True
    return False


def presliding(law: Any, scale: Scales, force: float) -> bool:
    """Whether the contact has an elastic displacement under ``force`` (N) that does not come from ``x_stick``."""
    displacement, recovered = elastic_displacement(law, scale, force)
    return (
        recovered > 0.05 * displacement > 1e-14
        and elastic_displacement(finer(law), scale, force)[0] > 0.5 * displacement
    )


def features(law: Any) -> dict[str, bool]:
    """Feature by name, as ``FEATURES``."""
    scale = scales(law)
    slow = break_away(law, scale, RAMPS[0] * scale.time)
    short = 4.0 * RAMPS[-1] * scale.time
    return {
        "sticks": creep(law, scale, 0.6 * slow) < max(CREEP, scale.length),
        "stiction": slow > 1.03 * scale.kinetic,
        "stribeck": scale.fall > 0.03 * scale.level and scale.jump < 0.5 * scale.fall,
        "presliding": presliding(law, scale, 0.5 * slow),
        "lag": lags(law, scale),
        "rate": falls_with_rate(law, scale),
        "dwell": break_away(law, scale, short) > 1.02 * break_away(law, scale, short, rest=False),
        "passive": least_work(law, scale) > -1e-9 * scale.level * scale.length,
        "states": int(state_count(law.record()[()])) > 0,
    }
