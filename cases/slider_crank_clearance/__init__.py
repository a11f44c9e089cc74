"""Case: planar slider-crank with clearance, impacts and LuGre friction in one revolute joint.

O. Muvengei, J. Kihiu and B. Ikua, "Computational implementation of LuGre friction law in a revolute joint with
clearance": a rigid slider-crank at 2500 rev/min, 0.5 mm of radial clearance at the crank-coupler or at the
slider-coupler joint, Hertz stiffness (eq. 19), damping of Lankarani and Nikravesh (eq. 23), LuGre friction per unit
normal force (eqs. 27 and 28). Figures 7 to 10.

Start: crank and coupler in line, journal centred, velocities of the ideal mechanism. In the plane a ball in a socket is
equivalent to a pin in a bearing, so the joint is a `SphericalClearance`: the other joints constrain the mechanism to
its plane.

**Assumed**: no gravity; steel of 7800 kg/m^3; v_s = 0.03 m/s (0.0175 m/s at the slider), the paper's 1 % of the largest
tangential velocity of the run (checked); tolerances of the modified Coulomb law, eq. 5: 0.1 and 1 mm/s.

**Bristle damping.** The paper lists sigma_1 = 400 s/m and takes the bristles at their steady deflection for each
velocity (eq. 32), where sigma_1 has no influence. In the equations as printed 400 s/m gives coefficients of friction of
several hundred whenever bristles come into contact at 2 m/s, and the joint sticks. So the default is 0, with which the
paper's figures come out; `--set sigma_1=400` uses the other interpretation (docs/studies/slider_crank_clearance.md).

Impacts of 1 to 3 m/s are faster than 1e-5 sqrt(E/rho) = 0.05 m/s, the limit that the paper itself quotes for its
contact law: a run warns of that.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.slider_crank_clearance.model import (
    AFTER,
    COUPLER_MASS,
    CRANK,
    SLIDER_MASS,
    STEADY,
    Histories,
    Parameters,
    build,
    companion,
    contact_lasts,
    exact_coefficient,
    fastest_change,
    friction_law,
    law_along_slip,
    reversal_rows,
    steady_means,
)
from fem_mbd.output.figures.plots import COLOURS, Panel, Series, draw_panels, legend, new_figure, save, styled
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


SHORT_WINDOW = 0.005  # s, of figure 8
NAMES = {
    "lugre": "LuGre",
    "ambrosio": "modified Coulomb",
    "coulomb": "regularised Coulomb",
    "none": "frictionless",
}


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the paper's figures 7 to 10."""
    h = Histories(result, parameters)
    paths = [_turn(h, folder / "fig07_acceleration_and_friction.png")]
    if parameters.friction != "none":
        paths.append(_short(h, companion(parameters, "none"), folder / "fig08_with_and_without_friction.png"))
        paths.append(_force_over_velocity(h, folder / "fig10_friction_over_velocity.png"))
    if parameters.friction == "lugre" and any(contact_lasts(h, k) for k in h.reversals()):
        paths.append(_reversal(h, folder / "fig09_zero_slip.png"))
    return paths


def _turn(h: Histories, path: Path) -> Path:
    label = NAMES[h.parameters.friction]
    panels = [
        Panel("slider acceleration [m/s²]", {label: h.acceleration, "ideal mechanism": h.ideal_acceleration}),
        Panel("friction force [N]", {label: h.friction}),
        Panel("normal force [N]", {label: h.normal_force}),
    ]
    return draw_panels(path, h.time, panels, title=f"Clearance at the {h.parameters.clearance_at}'s joint")


def _short(h: Histories, other: Histories, path: Path) -> Path:
    """From a quarter revolution before the reversal of the slider, where impacts occur."""
    start = h.time[0] + 0.25 * (h.time[-1] - h.time[0])
    series: dict[str, Series] = {
        NAMES[h.parameters.friction]: h.acceleration,
        "frictionless": (other.time, other.acceleration),
    }
    return draw_panels(
        path,
        h.time,
        [Panel("slider acceleration [m/s²]", series)],
        limits=(start, start + SHORT_WINDOW),
        title="With and without friction",
    )


def _reversal(h: Histories, path: Path) -> Path:
    """Both laws on the slip of the run while it passes zero in lasting contact, so that the comparison is direct."""
    k = next(k for k in h.reversals() if contact_lasts(h, k))
    laws = {NAMES[name]: friction_law(replace(h.parameters, friction=name)) for name in ("lugre", "ambrosio")}
    time, slip, _ = law_along_slip(h, k, next(iter(laws.values())))
    shown = np.abs(time) < AFTER
    force: dict[str, Series] = {name: -law_along_slip(h, k, law)[2][shown] for name, law in laws.items()}
    return draw_panels(
        path,
        1e6 * time[shown],
        [
            Panel("tangential velocity [mm/s]", {"of the run": 1e3 * slip[shown]}),
            Panel("friction / normal force", force),
        ],
        xlabel="time from zero slip [µs]",
        title="Slip passes zero: both laws on the same slip",
    )


def _force_over_velocity(h: Histories, path: Path) -> Path:
    closed = h.closed
    with styled():
        figure, axes = new_figure(2, share_x=True)
        force, coefficient = axes[:, 0]
        force.plot(h.slip[closed], h.friction[closed], ".", markersize=1.5, color=COLOURS[0])
        force.set_ylabel("friction force [N]")
        coefficient.plot(
            h.slip[closed], -h.coefficient[closed], ".", markersize=1.5, color=COLOURS[0], label="of the run"
        )
        p = h.parameters
        v = np.linspace(h.slip[closed].min(), h.slip[closed].max(), 2001)
        steady = p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((v / p.v_s) ** 2))
        if p.friction == "lugre":
            coefficient.plot(v, -np.sign(v) * steady, color=COLOURS[1], label="steady")
        coefficient.set(xlabel="tangential velocity [m/s]", ylabel="friction / normal force")
        legend(coefficient)
        figure.suptitle("Friction over tangential velocity, second turn", fontsize=11)
        return save(figure, path)


CASE = Case(
    name="slider_crank_clearance",
    summary="planar slider-crank at 2500 rev/min, clearance with impacts and friction in one joint",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
