"""Case: three turbine blades with friction between their tie-bosses.

L. Colantonio et al. 2022 (doi 10.1007/s11044-022-09820-5), section 5: three blades of two beams, a tie-boss and a tip
body each; the outer tie-bosses are pressed against the centre one by 5 N; a harmonic force acts on the tip of the
centre blade. Simulation 1: 30 Hz, force growing from 0 to 5 N between 0.2 s and 1.8 s. Simulation 2: 2 N, logarithmic
sweep from 30 to 80 Hz.

The blades extend along i3, next to each other along i2; they are flexible along i1, the direction of the force. Faces
are normal to i2.

Not given, and **assumed** (docs/studies/turbine_blades.md; docs/studies/turbine_blades.py searches):

- the lengths of the beams. `set=simulated`: 97.5 mm and 67.4 mm, from the frequencies of one blade of the paper's
  multibody model, its table 3, the one it simulates. `set=cad`: 115.4 mm and 46.7 mm, parallel blades, both neighbours
  set back by 9.7 mm, 45 mm apart, from tables 4 and 5, the solid model, which it does not simulate;
- the support of the outer tie-bosses of the simulated set. Parallel blades with opposite faces would have the first
  frequency of one blade and oscillate together without slip, so the outer blades must be stiffer along i1: they are
  rotated by 90 degrees about their axes, which leaves the normal forces at 5 N;
- the contact law, that of the cube in section 3, by area; the sweep takes 8 s from the end of the preload at 1 s.

Slip begins at 0.7 s instead of about 1 s, and the sweep dissipates more than twice the paper's energy: these checks
fail.

The mass-proportional part of Rayleigh's damping is lumped at tie-bosses and tips.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.turbine_blades.model import PLACES, PRELOADED, Parameters, amplitude, build, frequency
from fem_mbd.cases.turbine_blades.results import Histories, checks
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.result import Result

LOOP_WINDOW = (1.95, 2.05)  # s, of the loops of simulation 2
PEAK_WINDOW = 0.05  # s, before and after the largest displacement
NAMES = {"lugre": "LuGre", "gkf": "GKF"}


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the paper's figures 16 to 34 for one simulation and one law."""
    h = Histories(result, parameters)
    title = f"Simulation {parameters.simulation}, {NAMES[parameters.friction]}"
    paths = [
        draw_panels(folder / "fig16_loads.png", h.time, _loads(h), title=title),
        draw_panels(folder / "fig19_tips.png", h.time, _tips(h), title=title),
        draw_panels(folder / "fig21_contact.png", h.time, _contact(h), title=title),
        draw_panels(folder / "fig34_power.png", h.time, _power(h), title=title),
    ]
    if parameters.simulation == 2 and h.time[-1] > LOOP_WINDOW[1]:
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
    rows = (h.time > LOOP_WINDOW[0]) & (h.time < LOOP_WINDOW[1])
    with styled():
        figure, axes = new_figure(1, height=3.6)
        ax = axes[0, 0]
        ax.plot(1e3 * h.slip[rows, 0, 0], h.friction[rows, 0, 0], color=COLOURS[0])
        ax.set(xlabel="slip velocity along i1 [mm/s]", ylabel="friction force along i1 [N]")
        ax.set_title(f"{title}: left face, {LOOP_WINDOW[0]:g} to {LOOP_WINDOW[1]:g} s", loc="left")
        return save(figure, path)


def _coefficient(h: Histories, path: Path, title: str) -> Path:
    """Friction over normal force around the largest displacement of the centre tip."""
    swept = h.time > PRELOADED + PEAK_WINDOW
    at = float(h.time[swept][int(np.argmax(np.abs(h.tips[swept, 0])))])
    rows = np.abs(h.time - at) < PEAK_WINDOW
    force = h.friction[rows, 0, 0] / np.maximum(h.normal_force[rows, 0], 1e-12)
    panels = [
        Panel("friction / normal force [-]", {"left face, along i1": force}),
        Panel("slip velocity [mm/s]", {"left face, along i1": 1e3 * h.slip[rows, 0, 0]}),
    ]
    return draw_panels(path, h.time[rows], panels, title=f"{title}: around the largest displacement")


CASE = Case(
    name="turbine_blades",
    summary="three turbine blades with friction between their tie-bosses, shaken: stick to slip, swept sine",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
