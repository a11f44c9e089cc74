"""Floating turbines from OpenFAST's decks: mooring lines, ballast and natural frequencies.

Mooring lines at rest: fairlead forces that MAP++ writes for the decks of OpenFAST's r-test (…OC3Spar….MAP.sum,
…OC4Semi….MAP.sum, 2017), stiffness about the reference point of NREL/TP-500-47535, eq. 5-3 (OC3) and of
NREL/TP-5000-60601, eq. 5-15 (OC4); mass and centre of the OC4 platform with its ballast, table 3-3 there.

Frequencies: OC3 Hywind, pitch of the whole system, J. Jonkman at forums.nrel.gov/t/oc3-spar-natural-frequency/2422. OC4
DeepCwind, state matrix of r-test's 5MW_OC4Semi_Linear.1.lin (2024): heave by its acceleration, surge by the block of
surge, pitch and the first two fore-aft motions of the tower. VolturnUS-S under the IEA 15 MW turbine: free decay by
Flexcom, flexcom.fea.solutions/free-decay-tests.html, with drag and radiation; here with the added mass of slow motions.
IEA 22 MW: first tower mode by OpenFAST's linearisation, github.com/IEAWindSystems/IEA-22-280-RWT, issue 106. Pitch of
VolturnUS-S at rest without wind: OpenFAST, github.com/IEAWindSystems/IEA-15-240-RWT, issue 285.

Allowed: round-off of the sources for forces and masses, 0.3 % for stiffness, half the last digit or 1 % for linear
models, 4 % for free decay, which lines, drag and radiation slow down.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.machines.building.mooring import line_at_rest, mooring
from tests.machines.openfast.test_floaters import frequencies, read
from tests.machines.openfast.test_floaters_in_still_water import pitch_of, resting
from tests.machines.openfast.test_mooring import OC3_MAP, OC4_MAP, OC4_MOORDYN, lines
from tests.validation.checking import check
from tests.validation.problem import Number, Picture, Problem, Solution, ours, reference

FORCES = {"OC3": (OC3_MAP, 320.0, 736.939290, 535.727992), "OC4": (OC4_MAP, 200.0, 909.408441, 631.704309)}
STIFFNESS = {
    "OC3": (OC3_MAP, 320.0, (41.180, 11.940, 311.1, 11.56)), "OC4": (OC4_MOORDYN, 200.0, (70.8, 19.1, 87.3, 117.0)),
}  # fmt: skip
DIRECTIONS = (
    ("surge", "kN/m", 0, 1e3),
    ("heave", "kN/m", 2, 1e3),
    ("pitch", "MN m", 4, 1e6),
    ("yaw", "MN m", 5, 1e6),
)
FAST = "infinite frequency"
FREQUENCIES = [
    ("OC3", FAST, "platform pitch", 0.034, 0.0005), ("OC4", FAST, "platform surge", 0.00931, 0.0001),
    ("OC4", FAST, "platform heave", 0.058147, 0.0001), ("IEA 22", FAST, "first tower fore-aft", 0.31, 0.005),
]  # fmt: skip
PERIODS = {"surge": 137.0, "sway": 137.7, "heave": 20.6, "roll": 29.5, "pitch": 29.5, "yaw": 90.3}
DECAY = 0.04


def solve() -> Solution:
    rows: list[Number] = []
    for name, (path, depth, h, v) in FORCES.items():
        force, _ = line_at_rest(lines(path, depth)[0])
        for what, value, own in (("H", h, float(np.hypot(*force[:2]))), ("V", v, -float(force[2]))):
            rows.append(Number(f"{name}, MAP++: {what} at a fairlead", "kN", value, own / 1e3, 2e-5 * value))
    for name, (path, depth, given) in STIFFNESS.items():
        _, found = mooring(lines(path, depth), np.zeros(3))
        for (what, unit, k, scale), value in zip(DIRECTIONS, given, strict=True):
            rows.append(
                Number(
                    f"{name}, report: mooring {what}", unit, value, float(found[k, k]) / scale, 3e-3 * value
                )
            )
    lumps = [lump for lump in read("OC4").member("tower").lumps if lump.node == 0]
    mass = sum(lump.mass for lump in lumps)
    centre = float(sum(lump.mass * lump.centre[2] for lump in lumps)) / mass + 10.0
    rows.append(Number("OC4, report: platform with ballast", "t", 13473.0, mass / 1e3, 13.0))
    rows.append(Number("OC4, report: height of its mass centre", "m", -13.46, centre, 0.02))
    modes = []
    for name, added, mode, value, bound in FREQUENCIES:
        modes.append(Number(f"{name}: {mode}", "Hz", value, float(frequencies(name, added)[mode]), bound))
    slow = frequencies("IEA 15", "zero frequency")
    for motion, period in PERIODS.items():
        own = float(slow[f"platform {motion}"])
        modes.append(Number(f"IEA 15, Flexcom: platform {motion}", "Hz", 1 / period, own, DECAY / period))
    made, tilted = resting("IEA 15")
    platform = made.node("tower", 0)
    pitch = float(np.degrees(pitch_of(platform, tilted.state.r)))
    rows.append(Number("IEA 15, OpenFAST: pitch at rest", "°", -1.5, pitch, 0.05))
    return Solution([*rows, *modes], [_picture(modes)])


def _picture(rows: list[Number]) -> Picture:
    there = np.array([row.reference for row in rows])
    here = np.array([row.ours for row in rows])
    order = np.argsort(there)
    return Picture(
        "frequency by the other program [Hz]", "frequency here [Hz]",
        [ours(there[order], here[order]), reference(there[order], there[order], "where both are the same")],
        log_x=True, log_y=True,
    )  # fmt: skip


PROBLEM = Problem(
    name="floating_platforms",
    title="Floating turbines: mooring lines, ballast, natural frequencies",
    group="Machines",
    source="decks of OC3 Hywind, OC4 DeepCwind, IEA 15 MW on VolturnUS-S, IEA 22 MW",
    reference="MAP++, reports of NREL, Flexcom, OpenFAST",
    solve=solve,
)


def test_floating_platforms() -> None:
    check(PROBLEM)
