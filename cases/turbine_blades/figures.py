"""Figures of a run: the paper's figures 16 to 34 for one simulation and one law."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.cases.turbine_blades.histories import Histories
from fem_mbd.cases.turbine_blades.model import PLACES, Parameters
from fem_mbd.cases.turbine_blades.set_up import PRELOADED, amplitude, frequency
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.result import Result

EARLY = (1.95, 2.05)  # s, of the loops of simulation 2
AROUND = 0.05  # s, before and after the largest displacement
NAMES = {"lugre": "LuGre", "gkf": "GKF"}


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``."""
    h = Histories(result, parameters)
    title = f"Simulation {parameters.simulation}, {NAMES[parameters.friction]}"
    paths = [
        draw_panels(folder / "fig16_loads.png", h.time, _loads(h), title=title),
        draw_panels(folder / "fig19_tips.png", h.time, _tips(h), title=title),
        draw_panels(folder / "fig21_contact.png", h.time, _contact(h), title=title),
        draw_panels(folder / "fig34_power.png", h.time, _power(h), title=title),
    ]
    if parameters.simulation == 2 and h.time[-1] > EARLY[1]:
        paths.append(_loops(h, folder / "fig29_loops.png", title))
        paths.append(_coefficient(h, folder / "fig32_coefficient.png", title))
    return paths


def _loads(h: Histories) -> list[Panel]:
    p = h.parameters
    amplitudes = np.array([amplitude(p, t) for t in h.time])
    panels = [
        Panel("normal force [N]", {"left face": h.normal_force[:, 0], "right face": h.normal_force[:, 1]}),
        Panel("excitation, amplitude [N]", {"centre tip": amplitudes}),
    ]
    if p.simulation == 2:
        panels.append(
            Panel("excitation [Hz]", {"frequency": np.array([max(30.0, frequency(p, t)) for t in h.time])})
        )
    return panels


def _tips(h: Histories) -> list[Panel]:
    return [Panel(f"{name} tip [µm]", {name: 1e6 * h.tips[:, n]}) for n, (name, _) in enumerate(PLACES)]


def _contact(h: Histories) -> list[Panel]:
    return [
        Panel("tangential velocity [m/s]", {"left face": np.linalg.norm(h.slip[:, 0], axis=1)}),
        Panel("tangential force [N]", {"left face": np.linalg.norm(h.friction[:, 0], axis=1)}),
    ]


def _power(h: Histories) -> list[Panel]:
    lost = np.cumsum(h.power * h.dt[:, None], axis=0)
    return [
        Panel("power lost in both faces [W]", {"both faces": h.power.sum(axis=1)}),
        Panel("energy lost [J]", {"both faces": lost.sum(axis=1), "left face": lost[:, 0]}),
    ]


def _loops(h: Histories, path: Path, title: str) -> Path:
    rows = (h.time > EARLY[0]) & (h.time < EARLY[1])
    with styled():
        figure, axes = new_figure(1, height=3.6)
        ax = axes[0, 0]
        ax.plot(1e3 * h.slip[rows, 0, 0], h.friction[rows, 0, 0], color=COLOURS[0])
        ax.set(xlabel="slip velocity along i1 [mm/s]", ylabel="friction force along i1 [N]")
        ax.set_title(f"{title}: left face, {EARLY[0]:g} to {EARLY[1]:g} s", loc="left")
        return save(figure, path)


def _coefficient(h: Histories, path: Path, title: str) -> Path:
    """Friction over normal force around the largest displacement of the centre tip."""
    swept = h.time > PRELOADED + AROUND
    at = float(h.time[swept][int(np.argmax(np.abs(h.tips[swept, 0])))])
    rows = np.abs(h.time - at) < AROUND
    force = h.friction[rows, 0, 0] / np.maximum(h.normal_force[rows, 0], 1e-12)
    panels = [
        Panel("friction / normal force [-]", {"left face, along i1": force}),
        Panel("slip velocity [mm/s]", {"left face, along i1": 1e3 * h.slip[rows, 0, 0]}),
    ]
    return draw_panels(path, h.time[rows], panels, title=f"{title}: around the largest displacement")
