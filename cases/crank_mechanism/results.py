"""Quantities of a run over crank angle, and the paper's statements about them as checks.

They are compared with a run of the same mechanism with the ideal joint: in memory, once per set of parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases.crank_mechanism.model import Mechanism, Parameters, build, build_mechanism
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, friction_gain
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

PAPER = "Bauchau & Ju 2006, section 6.1"
NEARLY_ZERO = 0.02  # m/s
PAGE = "docs/studies/crank_mechanism_scan.md"
SEVERAL = 3  # smallest number for "several occurrences"
STUDIED_REVOLUTION = 5
WINDOWS = 12  # number of windows per revolution, for running means
OPENING_ANGLE, ANGLE_TOLERANCE = 275.0, 5.0  # deg


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
        return max(1, min(STUDIED_REVOLUTION, int(self.turns[-1] + 1e-9)))

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

    def beam_positions(self, name: str) -> Array:
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


@lru_cache(maxsize=2)
def ideal_histories(parameters: Parameters) -> Histories:
    """Case 1 with the other parameters unchanged; takes about two seconds."""
    ideal = replace(parameters, case=1)
    return Histories(run(build(ideal), progress=False), ideal)


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy always; the paper's statements on case 2 when the fifth revolution has been reached."""
    summary = result.summary
    checks = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    if parameters.case == 2:
        histories = Histories(result, parameters)
        checks += [_work(histories)]
        if histories.revolution == STUDIED_REVOLUTION:
            checks += (
                _sizes(histories, parameters) + _slip(histories, parameters) + _opening(histories, parameters)
            )
            checks += _forces(histories, ideal_histories(parameters))
    return checks


def known(parameters: Parameters, steps: str) -> str:
    """The page that explains known differences with the case's own data and these ``steps``; "" for other data."""
    defaults = replace(
        Parameters(steps=parameters.steps, friction_point=parameters.friction_point),
        revolutions=parameters.revolutions,
        dt=parameters.dt,
    )
    return PAGE if parameters == defaults and parameters.steps == steps else ""


def _work(h: Histories) -> Check:
    power = np.einsum("ki,ki->k", h.contact["friction_force"], h.contact["slip_velocity"])
    work = float((power * h.dt).sum())
    return at_most("work of friction in the revolution [J]", work, 0.0, "friction dissipates")


def _sizes(h: Histories, p: Parameters) -> list[Check]:
    """Check of "The time step size is driven by the friction model": by the number of steps, and by their total
    time.
    """
    by_friction = np.char.startswith(h.rule.astype(str), "stribeck")
    source, time = PAPER + ", fig. 10", float(h.dt[by_friction].sum() / h.dt.sum())
    return [
        at_least("fraction of steps sized by the friction rule", float(by_friction.mean()), 0.5, source),
        replace(
            at_least("fraction of the time in such steps", time, 0.5, source), known=known(p, "resolved")
        ),
    ]


def _slip(h: Histories, p: Parameters) -> list[Check]:
    closed = h.contact["normal_force"] > 0
    intervals = near_zero_intervals(h.angle, h.slip_speed, closed, NEARLY_ZERO)
    inside = [i for i in intervals if 150.0 <= i[0] and i[1] <= 250.0]
    source = PAPER + ", fig. 6"
    # where the ball hardly slips steps are fractions of the bristles' time constant, elsewhere they are longer
    smallest = h.dt <= np.quantile(h.dt[closed], 0.01)
    return [
        at_least("near-zero slip: times between 150 and 250 deg", len(inside), SEVERAL, source),
        replace(
            at_most("near-zero slip: times elsewhere", len(intervals) - len(inside), 0, source),
            known=known(p, "printed"),
        ),
        at_most("slip at 99 in 100 of the smallest 1 % of steps [m/s]",
                float(np.quantile(h.slip_speed[smallest & closed], 0.99)), NEARLY_ZERO, PAPER + ", fig. 10"),
    ]  # fmt: skip


def _opening(h: Histories, p: Parameters) -> list[Check]:
    """Check of a loss of contact at about 275 degrees, and nowhere else."""
    source = PAPER + ", fig. 7"
    middles = [0.5 * (a + b) for a, b in open_intervals(h.angle, h.contact["normal_force"])]
    distances = [abs(middle - OPENING_ANGLE) for middle in middles]
    nearest = at_most(
        f"loss of contact: distance of the nearest from {OPENING_ANGLE:g} deg [deg]",
        min(distances, default=np.inf),
        ANGLE_TOLERANCE,
        source,
    )
    elsewhere = at_most(
        "loss of contact: times elsewhere", sum(a > ANGLE_TOLERANCE for a in distances), 0, source
    )
    return [
        replace(nearest, known=known(p, "resolved") or known(p, "printed")),
        replace(elsewhere, known=known(p, "printed")),
    ]


def _forces(h: Histories, ideal: Histories) -> list[Check]:
    """Checks of root forces and mid-span forces of the link: overall as in case 1, with superimposed elastic
    oscillations.

    The paper prints no numbers. Overall similar: the running means differ by no more than the amplitude of the
    superimposed oscillation. An oscillation visible in a figure has a double amplitude of at least a tenth of the range
    of case 1, a few line widths.
    """
    checks = []
    for name, ours, theirs in force_pairs(h, ideal):
        mean, ideal_mean = window_means(h.angle, h.dt, ours), window_means(ideal.angle, ideal.dt, theirs)
        fast, extent = roughness(h.angle, h.dt, ours), float(np.ptp(theirs))
        source = PAPER + (", fig. 8" if name.startswith("root") else ", fig. 9")
        deviation = float(np.abs(mean - ideal_mean).max())
        amplitude = np.sqrt(2.0) * fast
        checks.append(
            at_most(f"{name}: mean differs from case 1 / oscillation", deviation / amplitude, 1.0, source)
        )
        double = 2.0 * amplitude / extent
        checks.append(
            at_least(f"{name}: double amplitude of oscillation / range", float(double), 0.1, source)
        )
    return checks


def force_pairs(h: Histories, ideal: Histories) -> list[tuple[str, Array, Array]]:
    """Name, history with clearance and history without it, for the forces in the paper's figures 8 and 9."""
    root = [(f"root force F{k + 1}", h.root_force[:, k], ideal.root_force[:, k]) for k in (1, 2)]
    names = ("axial force", "shear force 2", "shear force 3")
    link = [(f"link {n}", h.midspan_force[:, k], ideal.midspan_force[:, k]) for k, n in enumerate(names)]
    return root + link


def window_means(angle: Array, dt: Array, values: Array) -> Array:
    """Time means over equal windows of the revolution, (WINDOWS,)."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    return np.bincount(window, values * dt, WINDOWS) / np.bincount(window, dt, WINDOWS)


def roughness(angle: Array, dt: Array, values: Array) -> float:
    """Root mean square deviation from a parabola in each window: the fast part of a history."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    total = 0.0
    for w in range(WINDOWS):
        inside = window == w
        x, y, weight = angle[inside], values[inside], np.sqrt(dt[inside])
        fit = np.polynomial.Polynomial.fit(x, y, 2, w=weight)
        total += float((dt[inside] * (y - fit(x)) ** 2).sum())
    return float(np.sqrt(total / dt.sum()))
