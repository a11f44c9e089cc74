"""Case: the blade of the IEA 15 MW turbine, prebent and twisted, with fully populated section matrices.

E. Gaertner and others, Definition of the IEA 15-megawatt offshore reference wind turbine, NREL/TP-5000-75698 (2020),
from the files of IEAWindTask37/IEA-15-240-RWT: BeamDyn (26 stations, 50 key points, 117 m, 66 996.9 kg), and HAWC2 with
full matrices, which `files` = "hawc2" selects.

Run, model and axes as in the case `nrel5mw_blade`. Checks: the mass of an independent computation from the BeamDyn
files; the first six frequencies at rest against those of the other set of files, whose axes, reference line, reference
points and sign of twist differ (1 %: the two sets come from slightly different versions of the sections); the tip's
flexibility against the integral of the sections' flexibilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.cases import _blades
from fem_mbd.cases._blades import DATA, BladeParameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements.blades import Blade, read_beamdyn, read_hawc2
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result

NAME = "iea15mw_blade"
MASS = {"beamdyn": 66996.9, "hawc2": 66994.8}  # kg; HAWC2: the trapezoids of its table of r and m
COMPARED_MODES = 6


@dataclass(frozen=True)
class Parameters(BladeParameters):
    """SI units except for the rotor's speed."""

    files: Literal["beamdyn", "hawc2"] = parameter("beamdyn", "", "program whose files are read")
    rotor_speed: float = parameter(7.56, "rev/min", "constant speed of the rotor")
    hub_radius: float = parameter(3.97, "m", "from the rotor's axis to the blade's root")
    chord_root: float = parameter(5.8, "m", "chord at the root, linear to the tip")
    chord_tip: float = parameter(2.0, "m", "chord at the tip")


@cache
def blade(files: str) -> Blade:
    """The blade as described by the files."""
    folder = DATA / "iea15"
    if files == "beamdyn":
        return read_beamdyn(folder / "IEA-15-240-RWT_BeamDyn.dat", name=NAME)
    st, htc = (
        folder / "IEA_15MW_RWT_Blade_st_FPM.st",
        DATA / "iea15_turbine" / "IEA_15MW_RWT_WTG_bodies_noFPM.htc",
    )
    return read_hawc2(st, htc, "blade1", radii_at="mass centre", name=NAME)


def build(p: Parameters) -> Simulation:
    """The transient."""
    return _blades.simulation(blade(p.files), p)


def model(p: Parameters) -> Model:
    """The blade at rest."""
    return _blades.at_rest(blade(p.files), p)[0]


def checks(result: Result, p: Parameters) -> list[Check]:
    other = "hawc2" if p.files == "beamdyn" else "beamdyn"
    theirs = modes(
        _blades.at_rest(blade(other), Parameters())[0], COMPARED_MODES, undamped=True
    ).frequencies_hz
    source = f"the blade's {other} files"
    references = _blades.References(MASS[p.files], theirs.tolist(), source, 1e-2)
    return _blades.checks(result, blade(p.files), p, references)


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    return _blades.plot(result, blade(p.files), p, folder, "IEA 15 MW blade")


CASE = Case(
    name=NAME,
    summary="prebent blade of the IEA 15 MW turbine in a gust; statics, modes, Campbell diagram",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    speeds=(0.0, 1.0),  # rated 0.79 rad/s
)
