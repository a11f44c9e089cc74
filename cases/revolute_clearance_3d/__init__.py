"""Case: spatial slider-crank with radial and axial clearance in the crank's bearing, and four friction laws.

F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015, sections 4.2 and 4.3: the
mechanism of tables 2.1 and 2.2, journal on the ground and bearing in the crank (tables 4.2 and 4.3), friction laws of
table 4.4. Figures 4.10 to 4.25.

Table 4.4 gives the bristles of Dahl's and LuGre's laws in N/m and N s/m. With these units LuGre loses least of all
laws; taken per newton of the normal force the same numbers give the results described in the source, which agrees with
its eq. 4.4, where friction is proportional to the normal force. ``bristles=in_newtons`` uses them as printed.

A run without friction is compared with the other two clearances, one with friction with the frictionless run and the
other laws, each from several starts that differ in digits beyond those of table 2.2; these additional runs are made in
memory (``compare=false`` leaves them out).

**Assumed**, where the source gives no data: the assumptions of `fem_mbd.cases._spatial_slider_crank` on the mechanism;
the journal centred at the start; sticking of Coulomb's and Stribeck's laws by a bond (see `fem_mbd.friction`); crowned
end faces, see `fem_mbd.joints.RevoluteClearance`.

The motion is chaotic: after some impacts runs from neighbouring starts are uncorrelated. So statements about energies
and peaks are about groups of runs (docs/studies/revolute_clearance_3d.md).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, ideal
from fem_mbd.cases.revolute_clearance_3d.model import Parameters, build
from fem_mbd.cases.revolute_clearance_3d.outcomes import Outcome, laws, simulations
from fem_mbd.cases.revolute_clearance_3d.statements import checks
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.result import Result

NAMES = {
    "none": "frictionless",
    "coulomb": "Coulomb",
    "stribeck": "Stribeck",
    "dahl": "Dahl",
    "lugre": "LuGre",
}
HEAD = (
    "run",
    "start",
    "most turns of the crank",
    "energy lost [J]",
    "peaks of the slider's acceleration [m/s^2]",
    "stroke of the slider [m]",
    "acceleration moving outwards, r.m.s. [m/s^2]",
)


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the source's figures 4.10 to 4.25 (motion, phase portraits,
    energies), and the contact scenario.

    A table has the outcomes of all starts of a comparison.
    """
    p, h = parameters, Histories(result)
    title = f"Simulation {p.simulation}, {NAMES[p.friction]}"
    paths = [
        _motion(h, p, title, folder / "motion_of_the_slider.png"),
        _portraits(h, title, folder / "phase_portraits.png"),
        _scenarios(h, title, folder / "contact_scenarios.png"),
    ]
    if p.compare and p.friction == "none":
        groups = {f"simulation {n}": runs for n, runs in simulations(Outcome.of(h), p).items()}
        paths.append(_energies(groups, folder / "energy_of_the_simulations.png"))
        paths.append(_table(groups, folder / "simulations.csv"))
    elif p.compare and p.simulation == 1:
        groups = {NAMES[name]: runs for name, runs in laws(Outcome.of(h), p).items()}
        paths.append(_energies(groups, folder / "energy_of_the_laws.png"))
        paths.append(_table(groups, folder / "laws.csv"))
    return paths


def _motion(h: Histories, p: Parameters, title: str, path: Path) -> Path:
    """Figures 4.10, 4.12, 4.14, 4.17, 4.19, 4.21, 4.23."""
    rigid = ideal(replace(p, friction="none", simulation=1, compare=True))
    slider, time = rigid.of("slider"), rigid.time
    velocity = slider.velocity[:, 1]
    rate = np.diff(velocity, prepend=0.0) / np.diff(time, prepend=0.0)
    panels = [
        Panel("position [m]", {"with clearance": h.position, "ideal joint": (time, slider.position[:, 1])}),
        Panel("velocity [m/s]", {"with clearance": h.velocity, "ideal joint": (time, velocity)}),
        Panel(
            "acceleration [m/s²]", {"with clearance": (h.grid, h.acceleration), "ideal joint": (time, rate)}
        ),
    ]
    return draw_panels(path, h.time, panels, title=f"Slider: {title}")


def _portraits(h: Histories, title: str, path: Path) -> Path:
    """Figures 4.11, 4.13 and so on: velocity over position, acceleration over velocity."""
    with styled():
        figure, axes = new_figure(1, 2, height=3.2, share_x=False)
        left, right = axes[0]
        left.plot(h.position, h.velocity, color=COLOURS[0], linewidth=0.8)
        left.set(xlabel="position [m]", ylabel="velocity [m/s]")
        right.plot(np.interp(h.grid, h.time, h.velocity), h.acceleration, color=COLOURS[0], linewidth=0.4)
        right.set(xlabel="velocity [m/s]", ylabel="acceleration [m/s²]")
        figure.suptitle(f"Phase portraits of the slider: {title}", fontsize=11)
        return save(figure, path)


def _scenarios(h: Histories, title: str, path: Path) -> Path:
    """Number of the scenario (fig. 4.7), tilt and offset of the journal over time."""
    bearing = h.result.of("bearing")
    across = np.hypot(bearing.offset[:, 0], bearing.offset[:, 1])
    with styled():
        figure, axes = new_figure(3)
        number, tilt, offset = axes[:, 0]
        number.plot(h.time, h.scenario, ".", markersize=1.5, color=COLOURS[0])
        number.set(ylabel="contact scenario", yticks=range(1, 14, 2), ylim=(0, 14))
        tilt.plot(h.time, 1e3 * bearing.tilt, color=COLOURS[0])
        tilt.set_ylabel("tilt [mrad]")
        offset.plot(h.time, 1e3 * across, color=COLOURS[0], label="radial")
        offset.plot(h.time, 1e3 * bearing.offset[:, 2], color=COLOURS[1], label="axial")
        offset.set(ylabel="journal's middle [mm]", xlabel="time [s]")
        offset.legend()
        figure.suptitle(f"Journal in its bearing: {title}", fontsize=11)
        return save(figure, path)


def _energies(runs: Mapping[str, Sequence[Outcome]], path: Path) -> Path:
    """Figures 4.16 and 4.25; neighbouring starts thin."""
    with styled():
        figure, axes = new_figure(1, height=3.6)
        panel = axes[0, 0]
        for colour, (name, group) in zip(COLOURS, runs.items(), strict=False):
            for k, run in enumerate(group):
                width, label = (1.6, name) if k == 0 else (0.6, None)
                panel.plot(run.time, run.energy, color=colour, linewidth=width, label=label)
        panel.set(xlabel="time [s]", ylabel="change of mechanical energy [J]")
        panel.legend()
        figure.suptitle("Mechanical energy; thin lines: neighbouring starts", fontsize=11)
        return save(figure, path)


def _table(runs: Mapping[str, Sequence[Outcome]], path: Path) -> Path:
    """One row for each start of each run, the run's own first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEAD)
        for name, group in runs.items():
            for k, outcome in enumerate(group, 1):
                numbers = (outcome.turns, outcome.lost, outcome.peaks, outcome.amplitude, outcome.forward)
                writer.writerow([name, k, *(f"{number:.5g}" for number in numbers)])
    return path


CASE = Case(
    name="revolute_clearance_3d",
    summary="spatial slider-crank, its crank's bearing with radial and axial clearance and friction",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
