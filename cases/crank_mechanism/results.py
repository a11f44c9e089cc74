"""Statements of the paper about the crank mechanism, as checks of a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.crank_mechanism.histories import Histories, near_zero_intervals, open_intervals
from fem_mbd.cases.crank_mechanism.ideal import ideal_histories
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.runs.results.checks import Check, at_least, at_most
from fem_mbd.runs.results.energy_checks import balance, friction_gain
from fem_mbd.runs.results.result import Result

PAPER = "Bauchau & Ju 2006, section 6.1"
NEARLY_ZERO = 0.02  # m/s
PAGE = "docs/studies/crank_mechanism_scan.md"
SEVERAL = 3  # "several occurrences"
OPENS, ABOUT = 275.0, 5.0  # deg
STUDIED_REVOLUTION = 5
WINDOWS = 12  # number of windows per revolution, for running means


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy always; the paper's statements on case 2 when the fifth revolution has been reached."""
    summary = result.summary
    found = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    if parameters.case == 2:
        histories = Histories(result, parameters)
        found += [_work(histories)]
        if histories.revolution == STUDIED_REVOLUTION:
            found += (
                _sizes(histories, parameters) + _slip(histories, parameters) + _opening(histories, parameters)
            )
            found += _forces(histories, ideal_histories(parameters))
    return found


def known(parameters: Parameters, steps: str) -> str:
    """The page that explains known differences with the case's own data and these ``steps``; "" for other data."""
    own = Parameters(steps=parameters.steps, revolutions=parameters.revolutions, dt=parameters.dt)
    return PAGE if parameters == own and parameters.steps == steps else ""


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
    found = near_zero_intervals(h.angle, h.slip_speed, closed, NEARLY_ZERO)
    inside = [i for i in found if 150.0 <= i[0] and i[1] <= 250.0]
    source = PAPER + ", fig. 6"
    # where the ball hardly slips steps are fractions of the bristles' time constant, elsewhere they are longer
    smallest = h.dt <= np.quantile(h.dt[closed], 0.01)
    return [
        at_least("near-zero slip: times between 150 and 250 deg", len(inside), SEVERAL, source),
        replace(
            at_most("near-zero slip: times elsewhere", len(found) - len(inside), 0, source),
            known=known(p, "printed"),
        ),
        at_most("fastest slip at the smallest 1 % of steps [m/s]", float(h.slip_speed[smallest & closed].max()),
                NEARLY_ZERO, PAPER + ", fig. 10"),
    ]  # fmt: skip


def _opening(h: Histories, p: Parameters) -> list[Check]:
    """Check of a loss of contact at about 275 degrees, and nowhere else."""
    source = PAPER + ", fig. 7"
    middles = [0.5 * (a + b) for a, b in open_intervals(h.angle, h.contact["normal_force"])]
    away = [abs(middle - OPENS) for middle in middles]
    nearest = at_most(
        f"loss of contact: distance of the nearest from {OPENS:g} deg [deg]",
        min(away, default=np.inf),
        ABOUT,
        source,
    )
    elsewhere = at_most("loss of contact: times elsewhere", sum(a > ABOUT for a in away), 0, source)
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
    found = []
    for name, ours, theirs in force_pairs(h, ideal):
        mean, other = window_means(h.angle, h.dt, ours), window_means(ideal.angle, ideal.dt, theirs)
        fast, extent = roughness(h.angle, h.dt, ours), float(np.ptp(theirs))
        source = PAPER + (", fig. 8" if name.startswith("root") else ", fig. 9")
        away = float(np.abs(mean - other).max())
        amplitude = np.sqrt(2.0) * fast
        found.append(
            at_most(f"{name}: mean differs from case 1 / oscillation", away / amplitude, 1.0, source)
        )
        double = 2.0 * amplitude / extent
        found.append(at_least(f"{name}: double amplitude of oscillation / range", float(double), 0.1, source))
    return found


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
