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
"""

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.catenary import line_at_rest
from fem_mbd.machines import MachineFamily, with_elements
from fem_mbd.machines.building.substructure import mooring
from fem_mbd.machines.report import describe
from tests.machines.openfast.test_floaters import frequencies, read
from tests.machines.openfast.test_floaters_in_still_water import pitch_of, resting
from tests.machines.openfast.test_mooring import OC3_MAP, OC4_MAP, OC4_MOORDYN, lines
from tests.validation.decks.openfast import SUMMARY
from tests.validation.decks.rows import IEA22, RTEST, Deck
from tests.validation.problem import DeckNumber

FORCES = {"OC3": (OC3_MAP, 320.0, 736.939290, 535.727992), "OC4": (OC4_MAP, 200.0, 909.408441, 631.704309)}
STIFFNESS = {
    "OC3": (OC3_MAP, 320.0, (41.180, 41.180, 11.940, 311.1, 311.1, 11.56)),
    "OC4": (OC4_MOORDYN, 200.0, (70.8, 70.8, 19.1, 87.3, 87.3, 117.0)),
}  # fmt: skip
DIRECTIONS = (
    ("surge", "kN/m", 0, 1e3),
    ("sway", "kN/m", 1, 1e3),
    ("heave", "kN/m", 2, 1e3),
    ("roll", "MN m", 3, 1e6),
    ("pitch", "MN m", 4, 1e6),
    ("yaw", "MN m", 5, 1e6),
)
FAST = "infinite frequency"
FREQUENCIES = [
    ("OC3", FAST, "platform pitch", 0.034, 0.01), ("OC4", FAST, "platform surge", 0.00931, 0.01),
    ("OC4", FAST, "platform heave", 0.058147, 0.001), ("IEA 22", FAST, "first tower fore-aft", 0.31, 0.016),
]  # fmt: skip
# s, and how far frequencies may be off
DECAY = {
    "surge": (137.0, 0.02), "sway": (137.7, 0.02), "heave": (20.6, 0.02), "roll": (29.5, 0.04), "pitch": (29.5, 0.04),
    "yaw": (90.3, 0.03),
}  # fmt: skip
# MN m: hydrostatics (eq. 4-3) and lines (eq. 5-15) of the OC4 report; weight times height of the platform with its
# ballast, of the tower and of the rotor with its nacelle (NREL/TP-500-38060): t, m
OC4_PITCH = -377.6 + 87.3 - 9.80665e-3 * (13473.0 * -13.46 + 249.718 * 43.4 + 350.0 * 89.56)
# kg m^2, with added mass, about the still water line: the issue gives it over the square of the hub's height
OC4_INERTIA = 2456913.0 * 90.0**2


DECKS = {
    "OC3": Deck("OC3 Hywind, OpenFAST", RTEST), "OC4": Deck("OC4 DeepCwind, OpenFAST", RTEST),
    "TLP": Deck("MIT/NREL TLP, OpenFAST", RTEST),
    "IEA 15": Deck("IEA 15 MW on VolturnUS-S, OpenFAST", "IEAWindTask37/IEA-15-240-RWT"),
    "IEA 22": Deck("IEA 22 MW on its semi-submersible, OpenFAST", IEA22),
}  # fmt: skip
WEIGHED = {"OC3": 8065437.845, "TLP": 9297260.074}  # kg, r-test (2017), .ED.sum; OC4's without its ballast
REPORTS = {"OC3": "NREL/TP-500-47535", "OC4": "NREL/TP-5000-60601"}
LINEAR = "OpenFAST, linearisation"
PROGRAMS = {"OC3": "forum of NREL, 2422", "OC4": f"{LINEAR} (r-test 2024)", "IEA 22": f"{LINEAR} (issue 106)"}


def rows() -> list[DeckNumber]:
    """All of them."""
    found = []
    for name, (path, depth, h, v) in FORCES.items():
        force, _ = line_at_rest(lines(path, depth)[0])
        for what, value, own in (("H", h, float(np.hypot(*force[:2]))), ("V", v, -float(force[2]))):
            found.append(DECKS[name].row("MAP++", f"{what} at a fairlead", "kN", value, own / 1e3, 2e-5))
    for name, (path, depth, given) in STIFFNESS.items():
        _, stiffness = mooring(lines(path, depth), np.zeros(3))
        for (what, unit, k, scale), value in zip(DIRECTIONS, given, strict=True):
            own = stiffness[k, k] / scale
            found.append(DECKS[name].row(REPORTS[name], f"mooring {what}", unit, value, own, 3e-3))
    lumps = [lump for lump in read("OC4").member("tower").lumps if lump.node == 0]
    mass = sum(lump.mass for lump in lumps)
    centre = float(sum(lump.mass * lump.centre[2] for lump in lumps)) / mass + 10.0
    oc4 = DECKS["OC4"]
    found.append(oc4.row(REPORTS["OC4"], "platform with ballast", "t", 13473.0, mass / 1e3, 1e-3))
    found.append(oc4.row(REPORTS["OC4"], "height of its mass centre", "m", -13.46, centre, 0.02 / 13.46))
    for name, mass in WEIGHED.items():
        found.append(DECKS[name].row(SUMMARY, "mass", "kg", mass, describe(read(name))["mass_kg"], 1e-3))
    for name, added, mode, value, bound in FREQUENCIES:
        own = frequencies(name, added)[mode]
        found.append(DECKS[name].row(PROGRAMS[name], mode, "Hz", value, own, bound))
    tension = frequencies("TLP", FAST)
    found += [
        DECKS["TLP"].alone(mode, "Hz", tension[mode]) for mode in ("platform surge", "first tower fore-aft")
    ]
    return found + _iea15() + _pitch_of_oc4()


def _iea15() -> list[DeckNumber]:
    deck, slow = DECKS["IEA 15"], frequencies("IEA 15", "zero frequency")
    found = [
        deck.row(
            "Flexcom, free decay", f"platform {motion}", "Hz", 1 / period, slow[f"platform {motion}"], bound
        )
        for motion, (period, bound) in DECAY.items()
    ]
    made, tilted = resting("IEA 15")
    pitch = float(np.degrees(pitch_of(made.node("tower", 0), tilted.state.r)))
    found.append(deck.row("OpenFAST (issue 285)", "pitch at rest", "°", -1.5, pitch, 0.05 / 1.5))
    return found


def _pitch_of_oc4() -> list[DeckNumber]:
    """Sway; pitch with surge, and alone about the still water line, as published; its stiffness and inertia."""
    deck, pitch = DECKS["OC4"], "platform pitch"
    mass, stiffness = _surge_and_pitch("OC4")
    alone = float(np.sqrt(stiffness[1, 1] / mass[1, 1])) / (2 * np.pi)
    program, slow = "forum of NREL, 1730", frequencies("OC4", "zero frequency")
    return [
        deck.row(program, "platform sway", "Hz", 0.0088, slow["platform sway"], 0.01),
        deck.row(REPORTS["OC4"], "stiffness of pitch", "MN m", OC4_PITCH, stiffness[1, 1] / 1e6, 5e-3),
        deck.row("OpenFAST, issue 2903", "inertia of pitch", "kg m²", OC4_INERTIA, mass[1, 1], 5e-3),
        deck.row(program, f"{pitch}, surge held", "Hz", 0.0373, alone, 0.02),
        deck.row(program, pitch, "Hz", 0.0373, slow[pitch], 0.05),
    ]


def _surge_and_pitch(name: str) -> tuple[Array, Array]:
    """Mass and stiffness (2, 2) of the whole machine as one body, about the point at the still water line."""
    machine = with_elements(read(name), 6)
    linear = MachineFamily(machine, machine.start).at(0.0)
    assert machine.floater is not None
    arms = linear.state.u - machine.floater.reference
    motions = np.zeros((2, len(arms), 6))
    motions[0, :, 0] = 1.0
    motions[1, :, :3] = np.cross([0.0, 1.0, 0.0], arms)
    motions[1, :, 3:] = linear.state.r[:, 1]  # R^T e_y
    rigid = motions[:, ~linear.system.fixed]
    return np.asarray(rigid @ (linear.mass @ rigid.T)), np.asarray(rigid @ (linear.stiffness @ rigid.T))
