"""Statements of the paper about the slider-crank, as checks of a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.cases.slider_crank_clearance.histories import (
    STEADY,
    Histories,
    contact_lasts,
    exact_coefficient,
    fastest_change,
    law_along_slip,
    reversal_rows,
    steady_means,
)
from fem_mbd.cases.slider_crank_clearance.model import (
    COUPLER_MASS,
    CRANK,
    SLIDER_MASS,
    Parameters,
    friction_law,
)
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result

PAPER = "Muvengei et al., section IV"
FLIGHT = "momentum in free flight"
FIGURE_TIME, SUDDEN_RATIO = 5e-3, 0.1  # s, range of figure 8; fraction of it that appears sudden
FAST, SLOW = 4.0, 0.25  # times v_s: kinetic friction; static friction


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance, free flight and impacts always; statements on friction for the LuGre model without bristle
    damping.
    """
    h = Histories(result, parameters)
    checks = _balance_checks(result)
    if parameters.revolutions >= 2:
        checks += _flight(h) + _impacts(h)
        if parameters.friction == "lugre" and parameters.sigma_1 == 0:
            checks += _friction(h)
    return checks


def _balance_checks(result: Result) -> list[Check]:
    lost = float(result.energy["dissipation_friction"].sum() + result.energy["dissipation_contact"].sum())
    return [
        *balance(result.summary),
        at_least("energy lost to contact and friction [J]", lost, 0.0, "second law"),
    ]


def _flight(h: Histories) -> list[Check]:
    p = h.parameters
    scale = (COUPLER_MASS + SLIDER_MASS) * p.omega**2 * CRANK
    flying = ~h.closed
    force = float(np.abs(h.force_on_guide[flying]).max(initial=0.0)) / scale
    slider = float(np.abs(h.acceleration[flying]).max(initial=0.0)) / (p.omega**2 * CRANK)
    # The coupler swings about the slider while the crank's end is in free flight: it still exerts a small force.
    bound = 0.1 if p.clearance_at == "crank" else 1e-7
    return [
        at_most("free flight: force along the guide / ideal", force, 1e-7, FLIGHT),
        at_most("free flight: slider acceleration / ideal", slider, bound, PAPER + ", fig. 7a"),
        at_most("free flight: friction [N]", float(np.abs(h.friction[flying]).max(initial=0.0)), 0.0, PAPER),
    ]


def _impacts(h: Histories) -> list[Check]:
    p = h.parameters
    if p.clearance_at == "slider" and p.friction != "none":
        # beyond the paper's figures: friction at the slider's pin damps the impacts within the first revolution
        return []
    peak = float(np.abs(h.acceleration).max() / np.abs(h.ideal_acceleration).max())
    return [
        at_least("largest slider acceleration / ideal", peak, 1.5, PAPER + ", fig. 7a"),
        at_least("impacts in the second turn", h.impacts(), 3, PAPER + ", fig. 7a"),
    ]


def _friction(h: Histories) -> list[Check]:
    p = h.parameters
    speed, size = np.abs(h.slip[h.closed]), np.abs(h.coefficient[h.closed])
    source = PAPER + ", fig. 10"
    fast_size = size[speed > FAST * p.v_s]
    fast = float(np.median(fast_size)) if len(fast_size) else np.nan
    slow = float(size[speed < SLOW * p.v_s].max(initial=0.0))
    solved = exact_coefficient(h)
    exact = float(np.abs(solved[h.closed])[speed < SLOW * p.v_s].max(initial=0.0)) or np.inf
    power = h.friction * h.slip
    slow_steps = h.closed & (np.abs(h.slip) < FAST * p.v_s)
    # nan, which fails every bound, where the pin never slips slowly
    difference = (
        float(np.abs(solved - h.coefficient)[slow_steps].mean()) / p.mu_k if slow_steps.any() else np.nan
    )
    checks = [
        near("coefficient of fast slip", fast, p.mu_k, 0.01, source),
        # the bristles lag behind a slip that reverses within microns, so mu_s itself is not reached: the remaining
        # Stribeck effect follows from the paper's equations along the run's slip
        near("largest coefficient of slow slip / that of eqs. 27 and 28", slow / exact, 1.0, 0.01, source),
        at_most("coefficient minus that of eqs. 27 and 28 solved exactly / mu_k", difference, 5e-3, source),
        at_most("work of friction [J]", float(power @ h.dt), 0.0, "friction dissipates"),
    ]
    if steady := steady_means(h):
        worst = max(abs(mean / law - 1.0) for _, mean, law in steady)
        checks.append(
            at_most(
                "coefficient where bristles follow the slip / steady curve - 1", worst, 0.5 * STEADY, source
            )
        )
    if p.stribeck_velocity == 0.0:
        checks.append(near("v_s / largest tangential velocity", p.v_s / float(speed.max()), 0.01, 0.2, PAPER))
    return checks + _zero_slip(h) + _sudden(h)


def _sudden(h: Histories) -> list[Check]:
    """Check that friction, and with it the slider's acceleration, changes suddenly at slip reversals, as in the
    figure.
    """
    source = PAPER + ", fig. 8: suddenly"
    if h.parameters.clearance_at != "crank":
        return []
    turns = [turn for k in h.reversals() if contact_lasts(h, k) and (turn := reversal_rows(h, k)) is not None]
    checks = [at_least("slip reversals with friction reversal", len(turns), 1, source)]
    if turns:
        longest = SUDDEN_RATIO * FIGURE_TIME
        times = [float(h.time[last] - h.time[first]) for first, last in turns]
        checks.append(at_most("longest duration of a friction reversal [s]", max(times), longest, source))
        sharpest = [
            float(np.ptp(h.acceleration[first : last + 1]) / np.ptp(h.ideal_acceleration[first : last + 1]))
            for first, last in turns
        ]
        label = "smallest change of the slider's acceleration meanwhile / the ideal mechanism's"
        checks.append(at_least(label, min(sharpest), 2.0, source))
    return checks


def _zero_slip(h: Histories) -> list[Check]:
    """The law and the modified Coulomb law on the same slip, where it passes zero fastest in lasting contact."""
    p, source = h.parameters, PAPER + ", fig. 9"
    rows = [k for k in h.reversals() if contact_lasts(h, k)]
    checks = [at_least("reversals of slip in lasting contact", len(rows), 1, source)]
    if rows:
        laws = friction_law(p), friction_law(replace(p, friction="ambrosio"))
        changes = [[fastest_change(*law_along_slip(h, k, law)[::2]) for law in laws] for k in rows]
        lugre, coulomb = max(changes, key=lambda pair: pair[1])
        checks += [
            at_most("change of the coefficient in 1 us at zero slip / mu_k", lugre / p.mu_k, 0.1, source),
            at_least("that of the modified Coulomb law / that of this law", coulomb / lugre, 10.0, source),
        ]
    return checks
