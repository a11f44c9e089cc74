"""Controllers in C, compiled by gcc for the tests, and a small turbine for them."""

import subprocess
from pathlib import Path

import numpy as np

from fem_mbd import Machine
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import Drivetrain, Hub, Nacelle, Rotor, Tower, build_turbine

HERE = Path(__file__).parent

GEARBOX, GAIN = 20.0, 0.05  # of the generator's torque law, N m/(rad/s)^2
HEAD = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
NAME = "void DISCON(float *swap, int *fail, char *infile, char *outname, char *message)"
# torque gain omega^2 with the gain from the input file; pitch 0.05 rad from 1 s on; a message; a log of the status
LAW = (HERE / "law.c").read_text()


def compiled(folder: Path, body: str, name: str = NAME, before: str = "") -> Path:
    """A controller's library of a function body."""
    source, library = folder / "controller.c", folder / "controller.so"
    source.write_text(f"{HEAD}{before}\n{name}\n{body}\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-lm"], check=True)
    return library


def law(folder: Path) -> tuple[Path, Path]:
    """The library of LAW and its input file."""
    infile = folder / "gain.in"
    infile.write_text(f"{GAIN}\n")
    declared, body = LAW.split("{", 1)
    return compiled(folder, "{" + body, before=declared), infile


def turbine(speed: float = 0.0) -> Machine:
    """Three stiff blades of 6 m on a short tower, the rotor upwind, without tilt."""
    section = Section(np.diag([1e8, 1e8, 1e8, 1e8, 1e8, 1e8]), 7.0, 7.0 * np.diag([2e-3, 1e-3, 1e-3]))
    heavy = Section(np.diag([1e10] * 6), 500.0, 500.0 * np.diag([2.0, 1.0, 1.0]))

    def beam(length: float, own: Section) -> Blade:
        axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, length]], [0.0, 0.0])
        return Blade(axis, SectionTable([0.0, 1.0], [own, own]))

    rotor = Rotor(beam(6.0, section), Hub(0.5, 50.0, inertia=10.0))
    drivetrain = Drivetrain(overhang=-2.0, height=1.0, generator=100.0, speed=speed)
    nacelle = Nacelle(500.0, inertia=np.eye(3) * 200.0)
    return build_turbine("small turbine", Tower(beam(15.0, heavy)), nacelle, drivetrain, rotor)
