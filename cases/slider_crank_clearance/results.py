"""What the paper states about the slider-crank, as checks of a run."""

from __future__ import annotations

import numpy as np

from fem_mbd.cases.slider_crank_clearance.histories import Histories
from fem_mbd.cases.slider_crank_clearance.mechanism import COUPLER_MASS, CRANK, SLIDER_MASS
from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.checks import Check, at_least, at_most, near, within
from fem_mbd.results import Result

PAPER = "Muvengei et al., section IV"
FLIGHT = "momentum in free flight"
FAST, SLOW = 4.0, 0.25  # times v_s: kinetic friction; static friction


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Books, flight and impacts always; friction's statements with the LuGre model without bristle damping."""
    h = Histories(result, parameters)
    found = _books(result)
    if parameters.revolutions >= 2:
        found += _flight(h) + _impacts(h)
        if parameters.friction == "lugre" and parameters.sigma_1 == 0:
            found += _friction(h)
    return found


def _books(result: Result) -> list[Check]:
    lost = float(result.energy["dissipation_friction"].sum() + result.energy["dissipation_contact"].sum())
    residual = result.summary["energy"]["relative"]
    return [
        at_most("largest energy residual of a step / scale", residual, 1e-11, "energy balance of the scheme"),
        at_least("energy lost to contact and friction [J]", lost, 0.0, "second law"),
    ]


def _flight(h: Histories) -> list[Check]:
    p = h.parameters
    scale = (COUPLER_MASS + SLIDER_MASS) * p.omega**2 * CRANK
    flying = ~h.closed
    force = float(np.abs(h.force_on_guide[flying]).max(initial=0.0)) / scale
    slider = float(np.abs(h.acceleration[flying]).max(initial=0.0)) / (p.omega**2 * CRANK)
    # The coupler swings about the slider while the crank's end flies: it keeps pulling a little.
    bound = 0.1 if p.clearance_at == "crank" else 1e-7
    return [
        at_most("free flight: force along the guide / ideal", force, 1e-7, FLIGHT),
        at_most("free flight: slider acceleration / ideal", slider, bound, PAPER + ", fig. 7a"),
        at_most("free flight: friction [N]", float(np.abs(h.friction[flying]).max(initial=0.0)), 0.0, PAPER),
    ]


def _impacts(h: Histories) -> list[Check]:
    p = h.parameters
    peak = float(np.abs(h.acceleration).max() / np.abs(h.ideal_acceleration).max())
    mean = float((h.acceleration - h.ideal_acceleration) @ h.dt) / (p.omega * CRANK)
    return [
        at_least("impacts in the second turn", h.impacts(), 3, PAPER + ", fig. 7a"),
        at_least("largest slider acceleration / ideal", peak, 1.5, PAPER + ", fig. 7a"),
        within(
            "contact closed, part of the time", float(h.dt[h.closed].sum() / h.dt.sum()), 0.1, 0.99, PAPER
        ),
        within("slider's velocity gained over the turn / ideal", mean, -0.5, 0.5, "it follows the crank"),
    ]


def _friction(h: Histories) -> list[Check]:
    p = h.parameters
    speed, size = np.abs(h.slip[h.closed]), np.abs(h.coefficient[h.closed])
    source = PAPER + ", fig. 10"
    fast = float(np.median(size[speed > FAST * p.stribeck_velocity]))
    slow = float(size[speed < SLOW * p.stribeck_velocity].max(initial=0.0))
    power = h.friction * h.slip
    largest = float(speed.max())
    found = [
        near("coefficient of fast slip", fast, p.mu_k, 0.01, source),
        # the bristles lag behind a slip that turns round within microns, so mu_s itself is not reached
        within(
            "largest coefficient of slow slip / mu_k", slow / p.mu_k, 1.05, 1.05 * p.mu_s / p.mu_k, source
        ),
        near("v_s / largest tangential velocity", p.stribeck_velocity / largest, 0.01, 0.2, PAPER),
        at_most("work of friction [J]", float(power @ h.dt), 0.0, "friction dissipates"),
    ]
    around = h.reversals()
    found.append(at_least("reversals of slip in contact", len(around), 1, PAPER + ", fig. 9"))
    if around:
        jump = max(abs(h.coefficient[k + 1] - h.coefficient[k]) for k in around)
        found.append(
            at_most("largest jump of the coefficient at zero slip", float(jump), 0.1 * p.mu_k, PAPER)
        )
    return found
