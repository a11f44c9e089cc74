"""The paper's figures 7 to 10."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.cases.slider_crank_clearance.histories import Histories, companion
from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.figures.plots import COLOURS, Panel, Series, draw_panels, legend, new_figure, save, styled
from fem_mbd.results.result import Result

SHORT = 0.005  # s, of figure 8
NAMES = {
    "lugre": "LuGre",
    "ambrosio": "modified Coulomb",
    "coulomb": "regularised Coulomb",
    "none": "frictionless",
}


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``."""
    h = Histories(result, parameters)
    paths = [_turn(h, folder / "fig07_acceleration_and_friction.png")]
    if parameters.friction != "none":
        paths.append(_short(h, companion(parameters, "none"), folder / "fig08_with_and_without_friction.png"))
        paths.append(_force_over_velocity(h, folder / "fig10_friction_over_velocity.png"))
    if parameters.friction == "lugre" and h.reversals():
        other = companion(parameters, "ambrosio")
        if other.reversals():
            paths.append(_reversal(h, other, folder / "fig09_zero_slip.png"))
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
    """From a quarter turn before the slider turns round, where impacts are."""
    start = h.time[0] + 0.25 * (h.time[-1] - h.time[0])
    series: dict[str, Series] = {
        NAMES[h.parameters.friction]: h.acceleration,
        "frictionless": (other.time, other.acceleration),
    }
    return draw_panels(
        path,
        h.time,
        [Panel("slider acceleration [m/s²]", series)],
        limits=(start, start + SHORT),
        title="With and without friction",
    )


def slowest_reversal(h: Histories) -> int:
    """Row of the reversal with the most steps of closed contact within half a millisecond around it."""
    return max(
        h.reversals(), key=lambda k: int(np.count_nonzero(h.closed[np.abs(h.time - h.time[k]) < 5e-4]))
    )


def _reversal(h: Histories, other: Histories, path: Path) -> Path:
    """Both laws while the slip passes zero, each counted from its own reversal: the runs drift apart."""
    panels: list[dict[str, Series]] = [{}, {}, {}]
    for run in (h, other):
        k = slowest_reversal(run)
        around = np.abs(run.time - run.time[k]) < 1e-4
        sign = np.sign(run.slip[k + 1])
        x = 1e3 * (run.time[around] - run.time[k])
        name = NAMES[run.parameters.friction]
        for panel, y in zip(
            panels, (sign * run.slip, sign * run.friction, 1e-3 * run.acceleration), strict=True
        ):
            panel[name] = (x, y[around])
    labels = "tangential velocity [m/s]", "friction force [N]", "slider acceleration [km/s²]"
    return draw_panels(
        path,
        np.zeros(0),
        [Panel(label, series) for label, series in zip(labels, panels, strict=True)],
        xlabel="time from zero slip [ms]",
        title="Slip passes zero",
    )


def _force_over_velocity(h: Histories, path: Path) -> Path:
    on = h.closed
    with styled():
        figure, axes = new_figure(2, share_x=True)
        force, coefficient = axes[:, 0]
        force.plot(h.slip[on], h.friction[on], ".", markersize=1.5, color=COLOURS[0])
        force.set_ylabel("friction force [N]")
        coefficient.plot(
            h.slip[on], -h.coefficient[on], ".", markersize=1.5, color=COLOURS[0], label="of the run"
        )
        p = h.parameters
        v = np.linspace(h.slip[on].min(), h.slip[on].max(), 2001)
        steady = p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((v / p.v_s) ** 2))
        if p.friction == "lugre":
            coefficient.plot(v, -np.sign(v) * steady, color=COLOURS[1], label="steady")
        coefficient.set(xlabel="tangential velocity [m/s]", ylabel="friction / normal force")
        legend(coefficient)
        figure.suptitle("Friction over tangential velocity, second turn", fontsize=11)
        return save(figure, path)
