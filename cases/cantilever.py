"""Case: the Princeton beam, a strip bent about both axes and twisted by a weight at its tip, and released.

E. H. Dowell and J. J. Traybar, An experimental study of the nonlinear stiffness of a rotor blade undergoing flap, lag
and twist deformations, Princeton University AMS reports 1194 and 1257 (1975); a benchmark of O. A. Bauchau and others,
Multibody System Dynamics 37 (2016) 29-48. The strip of aluminium, 508 x 12.377 x 3.2024 mm, is clamped along global x
with its chord rotated by `angle` from the load, which acts along y: at 0 degrees it bends edgewise, at 90 flatwise.

`fem-mbd static cantilever` computes the equilibrium; `fem-mbd run cantilever` starts from it without the load. The
published loads are 4.448, 8.896 and 13.345 N. TIP is a solution of the boundary value problem for the first one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from pathlib import Path

import numpy as np

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.base.validation import whole_number
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Beam, BeamHandle, Force, Material, Section, Straight
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_most, balance
from fem_mbd.runs.results.result import Result

ALUMINIUM = Material(young=71.7e9, poisson=0.31, density=2700.0)
LENGTH, CHORD, THICKNESS = 0.508, 12.377e-3, 3.2024e-3
REFERENCE_LOAD = 4.448
# angle (degrees): displacement of the tip (m) along beam, chord and normal of the strip
TIP = {
    0: (-0.00003391, 0.00535954, 0.0),
    15: (-0.00054378, 0.00521016, 0.02080109),
    30: (-0.00191679, 0.00475107, 0.03994940),
    45: (-0.00374689, 0.00396516, 0.05605519),
    60: (-0.00552706, 0.00286221, 0.06812912),
    75: (-0.00680012, 0.00150299, 0.07557150),
    90: (-0.00725995, 0.0, 0.07808187),
}
TIP_TOLERANCE = 1e-8  # m: precision of the table
RESIDUAL_BOUND = 1e-11


@dataclass(frozen=True)
class Parameters:
    """SI units and degrees."""

    load: float = parameter(REFERENCE_LOAD, "N", "at the tip, along y, fixed in space")
    angle: float = parameter(45.0, "deg", "of the chord from the load")
    elements: int = parameter(4, "", "beam elements of four nodes")
    damping: float = parameter(2e-5, "s", "Kelvin-Voigt damping in the run after release")
    end_time: float = parameter(0.3, "s", "simulated time after release")
    dt: float = parameter(5e-4, "s", "constant step")

    def __post_init__(self) -> None:
        whole_number(self.elements, "cantilever: elements")

    @property
    def strip(self) -> np.ndarray:
        """(3, 3) columns: axis of the beam, chord, normal of the strip, global axes."""
        return rotation_about((1.0, 0.0, 0.0), -radians(self.angle))


def structure(p: Parameters, loaded: bool = True) -> tuple[Model, BeamHandle]:
    """The clamped strip, with or without its load."""
    model = Model(name="cantilever")
    section = Section.rectangle(CHORD, THICKNESS, ALUMINIUM)
    line = Straight((0.0, 0.0, 0.0), (LENGTH, 0.0, 0.0), up=p.strip[:, 2])
    strip = model.add(Beam(section, line=line, elements=p.elements, damping=p.damping, name="strip"))
    model.fix(strip.start)
    if loaded:
        model.add(Force(strip.end, (0.0, p.load, 0.0), name="tip load"))
    return model, strip


def build(p: Parameters) -> Simulation:
    """The strip released from its equilibrium under the load."""
    equilibrium = find_equilibrium(structure(p)[0])
    return Simulation(
        structure(p, loaded=False)[0], p.end_time, StepControl.fixed(p.dt), initial=equilibrium.state
    )


def _displacement(result: Result, p: Parameters) -> np.ndarray:
    """(m, 3) displacement of the tip along beam, chord and normal of the strip."""
    return np.asarray((result.of("strip").position(at=1.0) - (LENGTH, 0.0, 0.0)) @ p.strip)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, no gain of energy, and start from the published equilibrium."""
    scale = result.summary["energy"]["scale"]
    growth = float(np.max(np.diff(sum(result.energy[name] for name in ENERGIES)), initial=0.0)) / scale
    checks = [
        *balance(result.summary),
        at_most(
            "largest growth of the energy in a step / scale", growth, RESIDUAL_BOUND, "property of the scheme"
        ),
    ]
    if p.load == REFERENCE_LOAD and p.angle in TIP and p.elements >= 4:
        model, strip = structure(p)
        tip = find_equilibrium(model).of(strip.end).position
        deviation = float(np.abs((tip - (LENGTH, 0.0, 0.0)) @ p.strip - TIP[int(p.angle)]).max())
        source = "Princeton beam, boundary value problem"
        checks.append(
            at_most("tip before release, difference from the reference [m]", deviation, TIP_TOLERANCE, source)
        )
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Displacement of the tip after release."""
    displacement = 1e3 * _displacement(result, p)
    panels = [
        Panel("chordwise [mm]", {"tip": displacement[:, 1]}),
        Panel("normal to the strip [mm]", {"tip": displacement[:, 2]}),
    ]
    title = f"Princeton beam released from {p.load:g} N at {p.angle:g}°"
    return [draw_panels(folder / "cantilever.png", result.output_time, panels, title=title)]


CASE = Case(
    "cantilever",
    "the Princeton beam: a strip bent and twisted by a weight, and released",
    Parameters,
    build,
    checks,
    plot,
    model=lambda p: structure(p)[0],
    axis=((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
)
