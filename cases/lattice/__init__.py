"""Case: a square lattice of steel tubes, hinged along its edges, started in its lowest mode by initial velocities.

All crossings are rigid, beams are continuous there. With the phase pi / cells from crossing to crossing the motion is
one wave, whose frequency the textbook's matrices of a single beam give (`bloch`), for any number of beams. With `cells`
from 4 to hundreds it shows the cost of large plane grids: 20,200 elements at 100, 100,800 at 224.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.lattice.model import Parameters, build_model, reference, set_velocities
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

SOURCE = "a wave in a lattice of beams (Przemieniecki 1968)"
# Discretisation error of elements of length h: (phase / per_edge)^2 / 12 with two nodes, the fourth and sixth power
# with more; of the scheme (omega dt)^3 in the amplitude: 1e-4 at 40 steps, and less than the square of the mean slope.
TOLERANCE = 2e-3


def build(p: Parameters) -> Simulation:
    """From the undeflected lattice with the velocities of its lowest motion, in equal steps."""
    model, _ = build_model(p)
    set_velocities(model, p)
    period = 2.0 * np.pi / reference(p).omega
    return Simulation(model, p.periods * period, StepControl.fixed(period / p.steps))


def _middle(result: Result, p: Parameters) -> np.ndarray:
    """(t,) deflection, m, of the crossing nearest to the middle, divided by that of the wave there."""
    half = p.cells // 2
    shape = float(np.sin(np.pi * half / p.cells) ** 2)
    return np.asarray(result.of(f"crossing {half} {half}").position[:, 2] / shape)


def _frequency(result: Result, deflection: np.ndarray) -> float:
    """rad/s, from the time at which the middle returns."""
    time = result.output_time
    back = int(np.flatnonzero((deflection[:-1] > 0.0) & (deflection[1:] <= 0.0))[0])
    share = deflection[back] / (deflection[back] - deflection[back + 1])
    return float(np.pi / (time[back] + share * (time[back + 1] - time[back])))


def checks(result: Result, p: Parameters) -> list[Check]:
    """The energy balance closes; frequency and amplitude are those of the wave."""
    checks = balance(result.summary)
    deflection = _middle(result, p)
    if p.periods < 0.75:
        return checks  # the middle has not returned
    omega, tolerance = reference(p).omega, TOLERANCE
    if p.order == 2:
        tolerance += (np.pi / p.cells / p.per_edge) ** 2 / 12.0
    checks.append(near("frequency [rad/s]", _frequency(result, deflection), omega, tolerance, SOURCE))
    swing = np.sin(omega * result.output_time)
    amplitude = float(swing @ deflection / (swing @ swing))
    checks.append(near("amplitude [m]", amplitude, p.amplitude, 2.0 * tolerance, SOURCE))
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Deflection of the middle, and its difference from the wave's."""
    deflection = _middle(result, p)
    expected = p.amplitude * np.sin(reference(p).omega * result.output_time)
    panels = [
        Panel("deflection [m]", {"run": deflection, "wave": expected}),
        Panel("difference [m]", {"run minus wave": deflection - expected}),
    ]
    title = f"Middle of a lattice of {p.cells} by {p.cells} cells"
    return [draw_panels(folder / "lattice.png", result.output_time, panels, title=title)]


CASE = Case(
    "lattice",
    "a square lattice of beams, 144 elements or 100,000, oscillates at the frequency of one wave",
    Parameters,
    build,
    checks,
    plot,
    model=lambda p: build_model(p)[0],
)
