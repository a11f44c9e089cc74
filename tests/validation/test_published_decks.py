"""Published decks that were not used while the readers were written, by machine, program and quantity.

WindPACT 1.5 MW (ElastoDyn, at standstill, shaft free, pitch 2.6 deg, with gravity): eigenvalues of the state matrix
that OpenFAST writes for its regression test WP_Stationary_Linear (2018). Each bending shape has its own damping there.
The drivetrain mode, 5.9 % lower here, is compared with ElastoDyn's shapes and its gearbox, where second modes agree to
0.3 % too: a beam has all edgewise shapes where ElastoDyn has one. The damping of the second side-side motion of the
tower, which is coupled with it, is not compared.

IEA 10 MW (HAWC2, the blade alone): damping by HAWCStab2 2.15, issue 13 of github.com/IEAWindTask37/IEA-10.0-198-RWT; Kx
and Ky of damping_posdef differ. IEA 22 MW (HAWC2, on its monopile): first tower modes of the report's table 13, rounded
to 0.16 Hz, and 0.092 % of damping (pull request 61 of github.com/IEAWindSystems/IEA-22-280-RWT); the isolated blade has
the 0.5 % of critical damping for which its file was tuned, by damping_aniso_v2.

The IEA 22 MW turbine from its windIO file of version 1 too, on its monopile, clamped at the sea bed, without water.
BeamDyn: the driver's static cases of OpenFAST's r-test, with BeamDyn's own results, but for the cantilever under its
weight, where BeamDyn is 3.8 % off (9.06015, -8.52177 m), the equations of the rod, solved by shooting.

Allowed: 1 % for towers, half the last digit where the report rounds, 1.5 % for first blade modes, 3 % for second ones,
5 % for damping, 1 % where a file is tuned to it, 0.1 % for statics.
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.precision import PrecisionWarning
from fem_mbd.machines import LeftOutWarning, Machine, MachineFamily, read_windio_machine
from tests.elements.blades.test_beamdyn_statics import CANTILEVER, UNIT, cantilever, roll_up, twisted
from tests.machines.hawc2.decks import DECKS, iea10, iea22
from tests.machines.openfast.elastodyn_shapes import ritz_frequencies
from tests.machines.openfast.windpact import BLADE as BLADE_FILE
from tests.machines.openfast.windpact import (
    GEAR,
    GENERATOR,
    LINEARISED,
    allowed,
    modes_by_name,
    windpact_family,
)
from tests.machines.openfast.windpact import TOWER as TOWER_FILE
from tests.validation.checking import check
from tests.validation.problem import Number, Picture, Problem, Solution, ours, reference

DAMPED = 0.05
WINDIO = DECKS / "windio1" / "IEA-22-280-RWT.yaml"
WP = "WindPACT 1.5 MW, OpenFAST"
IN_SHAPES = {
    "second tower fore-aft": (8, 2.86322, 0.003),
    "second tower side-side": (9, 2.87608, 0.003),
    "drivetrain": (10, 3.67013, 0.01),
    "second flap yaw": (11, 3.75396, 0.003),
    "second flap tilt": (12, 3.79460, 0.003),
    "second flap collective": (13, 3.87851, 0.003),
}
IEA10_BLADE = {"first flap": 0.3252, "first edge": 0.3614, "second flap": 0.8304}  # % of critical
IEA22_BLADE = {"first flap": 0.5, "first edge": 0.5}
TOWER = ("first tower fore-aft", "first tower side-side")


def standing(machine: Machine, number: int) -> dict[str, tuple[float, float]]:
    """Frequency (Hz) and damping (% of critical) by name, at standstill."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return modes_by_name(MachineFamily(machine), number)


def blade_alone(machine: Machine, number: int) -> Modes:
    model = fm.Model()
    machine.member("blade1").blade.add_to(model)
    return fm.modes(model, number)


def solve() -> Solution:
    rows: list[Number] = []
    family = windpact_family()
    windpact = modes_by_name(family, 14)
    for name, (frequency, ratio) in LINEARISED.items():
        found = windpact[name]
        rows.append(Number(f"{WP}: {name}", "Hz", frequency, found[0], allowed(name) * frequency))
        if ratio is not None:
            rows.append(Number(f"{WP}: damping of {name}", "%", ratio, found[1], DAMPED * ratio))
    shapes = ritz_frequencies(family, TOWER_FILE, BLADE_FILE, GENERATOR, GEAR)
    for name, (k, frequency, bound) in IN_SHAPES.items():
        label = f"{WP}: {name}, in ElastoDyn's shapes"
        rows.append(Number(label, "Hz", frequency, float(shapes[k]), bound * frequency))
    for what, machine, table, bound in (
        ("IEA 10 MW, HAWCStab2", iea10(), IEA10_BLADE, DAMPED), ("IEA 22 MW, tuned", iea22(), IEA22_BLADE, 0.01),
    ):  # fmt: skip
        ratios = 100 * blade_alone(machine, len(table)).damping_ratios
        for (name, value), own in zip(table.items(), ratios, strict=True):
            rows.append(
                Number(f"{what}: damping of the blade's {name}", "%", value, float(own), bound * value)
            )
    tower = standing(iea22(), 4)
    for name in TOWER:
        rows.append(Number(f"IEA 22 MW, report: {name}", "Hz", 0.16, tower[name][0], 0.005))
        rows.append(
            Number(f"IEA 22 MW, HAWC2: damping of {name}", "%", 0.092, tower[name][1], DAMPED * 0.092)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        windio = standing(read_windio_machine(WINDIO), 4)
    for name in TOWER:
        rows.append(Number(f"IEA 22 MW from windIO, report: {name}", "Hz", 0.16, windio[name][0], 0.005))
    return Solution([*rows, *_beamdyn()], [_picture(rows)])


def _beamdyn() -> list[Number]:
    """Tips of BeamDyn's static cases."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        found = {
            "roll-up, BeamDyn": (roll_up(place, UNIT)[1:], (5.49866805, -2.43173271), "yz"),
            "twisted, BeamDyn": (twisted(place), (1.718, -3.592, -1.141), "xyz"),
            "cantilever, exact": (cantilever(place)[[0, 2]], CANTILEVER, "xz"),
        }
    return [
        Number(f"BeamDyn's {case}: tip along {axis}", "m", there, float(here), 1e-3 * abs(there))
        for case, (moved, given, axes) in found.items()
        for here, there, axis in zip(moved, given, axes, strict=True)
    ]


def _picture(rows: list[Number]) -> Picture:
    """Damping over frequency of the WindPACT turbine."""
    pairs = [(f, z) for f, z in pairwise(rows) if z.what == f.what.replace(f"{WP}:", f"{WP}: damping of")]
    order = np.argsort([f.ours for f, _ in pairs])
    x, y = (np.array([pair[k].ours for pair in pairs])[order] for k in (0, 1))
    there = [[pair[k].reference for pair in pairs] for k in (0, 1)]
    return Picture(
        "frequency of a mode of the WindPACT turbine [Hz]", "damping [% of critical]",
        [ours(x, y), reference(there[0], there[1], "OpenFAST's linearisation")],
    )  # fmt: skip


PROBLEM = Problem(
    name="published_decks",
    title="Published decks: frequencies and damping",
    group="Machines",
    source="decks of OpenFAST, BeamDyn, IEA 10 MW, IEA 22 MW",
    reference="OpenFAST, HAWCStab2, BeamDyn, reports",
    solve=solve,
)


def test_published_decks() -> None:
    pytest.importorskip("windIO")
    check(PROBLEM)
