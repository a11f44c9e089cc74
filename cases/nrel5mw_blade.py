"""Case: the blade of the NREL 5 MW turbine: static tip load, frequencies, Campbell diagram, and a gust.

J. Jonkman, S. Butterfield, W. Musial, G. Scott, Definition of a 5-MW reference wind turbine for offshore system
development, NREL/TP-500-38060 (2009), as BeamDyn input (OpenFAST documentation). 61.5 m, 49 stations, 16 844.8 kg.

The run: the rotor turns at 12.1 rev/min in steady wind, starts from the equilibrium there, and a gust begins after 5 s;
gravity makes the blade oscillate in its plane. Loads: `cases/_blades.py`. The model for statics, modes and
Campbell diagrams is the blade fixed at its root, with the rotor's axis as global z axis through the origin; `tip_load`
is a flapwise force on its tip.

Checks: mass and the first six frequencies at rest of an independent computation from the same file, 0.5 %; the tip's
flexibility against the integral of the sections' flexibilities.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fem_mbd.case import Case
from fem_mbd.cases import _blades
from fem_mbd.cases._blades import DATA, BladeParameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements.blades import Blade, read_beamdyn
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result

NAME = "nrel5mw_blade"
MASS = 16844.8  # kg
FREQUENCIES = (0.6858, 1.0806, 1.9468, 3.7393, 4.3851, 5.5759)  # Hz: flap, edge, flap, edge, flap, torsion


@cache
def blade() -> Blade:
    """The blade as described by the files."""
    return read_beamdyn(DATA / "nrel5mw" / "bd_primary_nrel_5mw.inp", name=NAME)


def build(p: BladeParameters) -> Simulation:
    """The transient."""
    return _blades.simulation(blade(), p)


def model(p: BladeParameters) -> Model:
    """The blade at rest."""
    return _blades.at_rest(blade(), p)[0]


def checks(result: Result, p: BladeParameters) -> list[Check]:
    source = "independent computation from the same file"
    return _blades.checks(result, blade(), p, _blades.References(MASS, FREQUENCIES, source, 5e-3))


def plot(result: Result, p: BladeParameters, folder: Path) -> list[Path]:
    return _blades.plot(result, blade(), p, folder, "NREL 5 MW blade")


CASE = Case(
    name=NAME,
    summary="blade of the NREL 5 MW turbine in a gust; statics, modes, Campbell diagram",
    parameters=BladeParameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    speeds=(0.0, 1.6),  # rated 1.267 rad/s
)
