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
from fem_mbd.cases.slider_crank_clearance.histories import (
    AFTER,
    Histories,
    companion,
    contact_lasts,
    law_along_slip,
)
from fem_mbd.cases.slider_crank_clearance.model import Parameters, build, friction_law
from fem_mbd.cases.slider_crank_clearance.results import checks
from fem_mbd.output.figures.plots import COLOURS, Panel, Series, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result

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
