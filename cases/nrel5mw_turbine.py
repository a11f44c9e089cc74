"""Case: the NREL 5 MW turbine on land: tower, nacelle with yaw drive, drivetrain with generator, three blades.

J. Jonkman, S. Butterfield, W. Musial, G. Scott, Definition of a 5-MW reference wind turbine for offshore system
development, NREL/TP-500-38060 (2009), as input of OpenFAST. `blades` = "elastodyn" selects those of the definition,
"beamdyn" the finer ones of BeamDyn's example, whose mass is 4.3 % less. Global axes: x downwind, z up.

Modes and Campbell diagram: as for `iea15mw_turbine`; `locked` holds the generator, at standstill.

The run: the rotor turns freely in still air. Checks: closed energy balance, the rotor's speed, the mass of tower and
blades, and table 9-1 of the definition: frequencies of the whole turbine at standstill with a locked generator by FAST
and by ADAMS; the computed ones have to lie between these or within 1.2 % of the nearer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.cases import _turbines
from fem_mbd.cases._blades import DATA
from fem_mbd.cases._turbines import TurbineParameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.machines import Machine, MachineFamily, read_openfast_machine
from fem_mbd.runs.results.checks import Check, near
from fem_mbd.runs.results.result import Result

NAME = "nrel5mw_turbine"
FILES = {"elastodyn": "NREL_5MW.fst", "beamdyn": "NREL_5MW_BeamDyn.fst"}
TOWER_MASS = 347460.0  # kg
# Hz by FAST and ADAMS; "pitch" in the table is tilt of the rotor, for edge motion vertical here
TABLE_9_1 = {
    "first tower fore-aft": (0.3240, 0.3195),
    "first tower side-side": (0.3120, 0.3164),
    "drivetrain": (0.6205, 0.6094),
    "first flap yaw": (0.6664, 0.6296),
    "first flap tilt": (0.6675, 0.6686),
    "first flap collective": (0.6993, 0.7019),
    "first edge vertical": (1.0793, 1.0740),
    "first edge horizontal": (1.0898, 1.0877),
    "second flap yaw": (1.9337, 1.6507),
    "second flap tilt": (1.9223, 1.8558),
    "second flap collective": (2.0205, 1.9601),
    "second tower fore-aft": (2.9003, 2.8590),
}
TOLERANCE = 0.012


@dataclass(frozen=True)
class Parameters(TurbineParameters):
    """SI units except for the rotor's speed and the pitch."""

    rotor_speed: float = parameter(12.1, "rev/min", "run: speed at the start")
    blades: Literal["elastodyn", "beamdyn"] = parameter("elastodyn", "", "selects one of the two blade files")
    locked: bool = parameter(False, "", "modes: with the generator locked, at standstill only")


@cache
def machine(blades: str) -> Machine:
    """The machine as described by the files."""
    return read_openfast_machine(DATA / "nrel5mw" / FILES[blades], name=NAME)


def family(p: Parameters) -> MachineFamily:
    """Linear models over speed."""
    return _turbines.family(machine(p.blades), p, p.locked)


def model(p: Parameters) -> Model:
    """The turbine at rest, shaft locked."""
    return _turbines.turbine(machine(p.blades), p, locked=True).model


def build(p: Parameters) -> Simulation:
    """The transient."""
    return _turbines.simulation(machine(p.blades), p)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, speed, mass, and the frequencies of the definition."""
    checks = _turbines.motion_checks(result, machine(p.blades), p)
    tower = machine(p.blades).member("tower").blade.mass
    checks.append(near("mass of the tower [kg]", tower, TOWER_MASS, 1e-5, "NREL/TP-500-38060, table 6-2"))
    by_name = _turbines.frequencies(family(Parameters(locked=True)), 0.0, 14)
    for name, pair in TABLE_9_1.items():
        low, high = min(pair) * (1 - TOLERANCE), max(pair) * (1 + TOLERANCE)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        label, source = f"{name}, locked [Hz]", "NREL/TP-500-38060, table 9-1"
        checks.append(near(label, by_name.get(name, 0.0), middle, half / middle, source))
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The rotor's speed, and positions of the tower's top and of a blade's tip."""
    return _turbines.plot(result, machine(p.blades), p, folder, "NREL 5 MW turbine")


CASE = Case(
    name=NAME,
    summary="the whole NREL 5 MW turbine from OpenFAST's files: modes, Campbell diagram, free rotation",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    family=family,
    speeds=(0.0, 1.35),  # rated 1.267 rad/s
)
