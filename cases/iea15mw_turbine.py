"""Case: the IEA 15 MW turbine on its fixed substructure: tower, nacelle, drivetrain with free shaft, three blades.

E. Gaertner and others, Definition of the IEA 15-megawatt offshore reference wind turbine, NREL/TP-5000-75698 (2020), as
HAWC2 input of IEAWindTask37/IEA-15-240-RWT (November 2022). Global axes: x downwind, z up, the origin at sea level.

Modes and Campbell diagram: in multi-blade coordinates, shaft free, no wind; `gravity` adds the stress of the weight,
its mean over the azimuth (see `fem_mbd.analysis.rotors.weight`). `shape` = "undeflected" uses undeflected blades with
the stress of their rotation, "equilibrium" their deflected shape in steady rotation. Reference: HAWCStab2's structural
modes of the same input, from the examples of DLR-AE/CampbellViewer (Apache 2.0).

The run: the rotor turns freely in still air without wind, from the equilibrium in steady rotation, with `gravity` from
the steady sway of the machine under its weight. Checks: closed energy balance, the rotor's speed, the reference's
frequencies at 5 rev/min.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases import _turbines
from fem_mbd.cases._blades import DATA
from fem_mbd.cases._turbines import TurbineParameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.machines import Assembly, Machine, MachineFamily, read_hawc2_machine
from fem_mbd.runs.results.checks import Check, near
from fem_mbd.runs.results.result import Result

NAME = "iea15mw_turbine"
SPEED, PITCH = 5.0, 2.667  # rev/min, degrees: a steady state of the reference
# Hz at that state, and the tolerance of frequencies about the undeflected shape
REFERENCE = {
    "first tower fore-aft": (0.22946, 2e-3),
    "first tower side-side": (0.23531, 2e-3),
    "first flap backward": (0.40559, 3e-3),
    "first flap collective": (0.53298, 3e-3),
    "first flap forward": (0.57149, 3e-3),
    "first edge backward": (0.61308, 3e-3),
    "first edge forward": (0.78131, 3e-3),
    "second flap backward": (1.22840, 1e-2),
    "drivetrain": (1.39691, 1e-2),
}


@dataclass(frozen=True)
class Parameters(TurbineParameters):
    """SI units except for the rotor's speed and the pitch."""


@cache
def machine() -> Machine:
    """The machine as described by the files, with radii of gyration at the mass centre, see
    docs/how-to/machines/blades.md.
    """
    path = DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
    return read_hawc2_machine(path, radii_at="mass centre", name=NAME)


def turbine(p: Parameters, locked: bool = False) -> Assembly:
    """The model of the turbine, with the shaft free or locked."""
    return _turbines.turbine(machine(), p, locked)


def family(p: Parameters) -> MachineFamily:
    """Linear models over speed."""
    return _turbines.family(machine(), p)


def model(p: Parameters) -> Model:
    """The turbine at rest, shaft locked."""
    return turbine(p, locked=True).model


def build(p: Parameters) -> Simulation:
    """The transient."""
    return _turbines.simulation(machine(), p)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, speed, and comparison with the reference's frequencies."""
    checks = _turbines.motion_checks(result, machine(), p)
    by_name = _turbines.frequencies(family(Parameters(pitch=PITCH)), SPEED * np.pi / 30, 11)
    for name, (expected, bound) in REFERENCE.items():
        label = f"{name} at {SPEED:g} rev/min [Hz]"
        checks.append(near(label, by_name.get(name, 0.0), expected, bound, "HAWCStab2"))
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The rotor's speed, and positions of the tower's top and of a blade's tip."""
    return _turbines.plot(result, machine(), p, folder, "IEA 15 MW turbine")


CASE = Case(
    name=NAME,
    summary="the whole IEA 15 MW turbine: modes in multi-blade coordinates, Campbell diagram, free rotation",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    family=family,
    speeds=(0.0, 0.8),  # rated 0.79 rad/s
)
