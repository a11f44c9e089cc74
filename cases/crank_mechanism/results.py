"""What the paper states about the crank mechanism, as checks of a run."""

from __future__ import annotations

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.cases.crank_mechanism.histories import Histories, near_zero_intervals
from fem_mbd.cases.crank_mechanism.ideal import ideal_histories
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.results.checks import Check, at_least, at_most, within
from fem_mbd.results.result import Result
from fem_mbd.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS

PAPER = "Bauchau & Ju 2006, section 6.1"
SCHEME = "energy balance of the scheme"
NEARLY_ZERO = 0.02  # m/s
STUDIED_REVOLUTION = 5
WINDOWS = 12  # of a revolution, for running means


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy always; the paper's statements on case 2 when the fifth revolution has been reached."""
    found = _energy(result)
    if parameters.case == 2:
        histories = Histories(result, parameters)
        found += _contact(histories)
        if histories.revolution == STUDIED_REVOLUTION:
            found += _slip(histories)
            found += _forces(histories, ideal_histories(parameters))
    return found


def _energy(result: Result) -> list[Check]:
    energy = result.energy
    total = sum(energy[name] for name in ENERGIES if name != "bristle")
    change = np.diff(total) + sum(energy[name][1:] for name in DISSIPATIONS if name != "dissipation_friction")
    gain = change - sum(energy[name][1:] for name in WORKS)
    # what friction may give back at most is what the bristles hold
    released = np.maximum(gain - energy["bristle"][:-1], 0.0)
    scale = result.summary["energy"]["scale"]
    return [
        at_most(
            "largest energy residual of a step / scale", result.summary["energy"]["relative"], 1e-11, SCHEME
        ),
        at_most(
            "energy gained beyond the bristles' / scale",
            float(released.max(initial=0.0)) / scale,
            1e-11,
            SCHEME,
        ),
    ]


def _contact(h: Histories) -> list[Check]:
    power = np.einsum("ki,ki->k", h.contact["friction_force"], h.contact["slip_velocity"])
    work = float((power * h.dt).sum())
    by_friction = float(np.mean(h.rule == "stribeck"))
    return [
        at_most("work of friction in the revolution [J]", work, 0.0, "friction dissipates"),
        at_least("fraction of steps sized by the friction rule", by_friction, 0.5, PAPER + ", fig. 10"),
        within("smallest step [s]", float(h.dt.min()), 1e-6, 2e-3 * (1 + 1e-9), PAPER + ", fig. 10"),
        within("largest step [s]", float(h.dt.max()), 1e-6, 2e-3 * (1 + 1e-9), PAPER + ", fig. 10"),
    ]


def _slip(h: Histories) -> list[Check]:
    found = near_zero_intervals(h.angle, h.slip_speed, h.contact["normal_force"] > 0, NEARLY_ZERO)
    inside = [i for i in found if 150.0 <= i[0] and i[1] <= 250.0]
    source = PAPER + ", fig. 6"
    return [
        at_least("near-zero slip: times between 150 and 250 deg", len(inside), 8, source),
        at_most("near-zero slip: times elsewhere", len(found) - len(inside), 0, source),
    ]


def _forces(h: Histories, ideal: Histories) -> list[Check]:
    source = PAPER + ", figs. 8 and 9"
    pairs = [
        ("root force F2", h.root_force[:, 1], ideal.root_force[:, 1]),
        ("link axial force", h.midspan_force[:, 0], ideal.midspan_force[:, 0]),
    ]
    found = []
    for name, with_clearance, without in pairs:
        mean, other = (
            window_means(h.angle, h.dt, with_clearance),
            window_means(ideal.angle, ideal.dt, without),
        )
        difference = float(np.abs(mean - other).max() / np.ptp(other))
        found.append(at_most(f"{name}: mean differs from case 1 / range", difference, 0.2, source))
        rough = roughness(h.angle, h.dt, with_clearance) / roughness(ideal.angle, ideal.dt, without)
        found.append(at_least(f"{name}: oscillation / that of case 1", float(rough), 2.0, source))
    return found


def window_means(angle: Array, dt: Array, values: Array) -> Array:
    """Time means over equal windows of the revolution, (WINDOWS,)."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    return np.bincount(window, values * dt, WINDOWS) / np.bincount(window, dt, WINDOWS)


def roughness(angle: Array, dt: Array, values: Array) -> float:
    """Root mean square of what a parabola in each window leaves: the fast part of a history."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    total = 0.0
    for w in range(WINDOWS):
        inside = window == w
        x, y, weight = angle[inside], values[inside], np.sqrt(dt[inside])
        fit = np.polynomial.Polynomial.fit(x, y, 2, w=weight)
        total += float((dt[inside] * (y - fit(x)) ** 2).sum())
    return float(np.sqrt(total / dt.sum()))
