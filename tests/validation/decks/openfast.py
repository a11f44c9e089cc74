"""OpenFAST decks on land: WindPACT 1.5 MW, AWT-27, AOC 15/50; static cases of BeamDyn's driver."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.statics.bordered_newton import PrecisionWarning
from fem_mbd.machines import MachineFamily, read_openfast_machine
from fem_mbd.machines.report import describe
from tests.elements.blades.test_beamdyn_statics import CANTILEVER, UNIT, cantilever, roll_up, twisted
from tests.machines.hawc2.decks import DECKS
from tests.machines.openfast.elastodyn_shapes import ritz_frequencies
from tests.machines.openfast.windpact import (
    BLADE,
    GEAR,
    GENERATOR,
    LINEARISED,
    TOWER,
    WINDPACT,
    allowed,
    modes_by_name,
    windpact_family,
)
from tests.validation.decks.rows import RTEST, Deck, read_quietly, standing
from tests.validation.problem import DeckNumber

DAMPED = 0.05
MASS = 0.01  # ElastoDyn sums over the middles of its elements
WP = Deck("WindPACT 1.5 MW, OpenFAST", RTEST)
LINEARISATION, SUMMARY = "OpenFAST, linearisation", "OpenFAST, ElastoDyn's summary"
IN_SHAPES = {
    "second tower fore-aft": (8, 2.86322, 0.002),
    "second tower side-side": (9, 2.87608, 0.002),
    "drivetrain": (10, 3.67013, 0.01),
    "second flap yaw": (11, 3.75396, 0.003),
    "second flap tilt": (12, 3.79460, 0.003),
    "second flap collective": (13, 3.87851, 0.003),
}
# kg, r-test (2017): "Mass Incl. Platform" of the .ED.sum files
WEIGHED = {
    "WindPACT 1.5 MW": (WINDPACT, 201059.149),
    "AWT-27": (DECKS / "rtest" / "AWT_YFree_WSt" / "AWT_YFree_WSt.fst", 44123.175),
    "AOC 15/50": (DECKS / "rtest" / "AOC_YFree_WTurb" / "AOC_YFree_WTurb.fst", 5644.585),
}


def rows() -> list[DeckNumber]:
    """All of them."""
    family = windpact_family()
    windpact = modes_by_name(family, 14)
    found = []
    for name, (frequency, ratio) in LINEARISED.items():
        ours = windpact[name]
        found.append(WP.row(LINEARISATION, name, "Hz", frequency, ours[0], allowed(name)))
        if ratio is not None:
            found.append(WP.row(LINEARISATION, f"damping of {name}", "%", ratio, ours[1], DAMPED))
    shapes = ritz_frequencies(family, TOWER, BLADE, GENERATOR, GEAR)
    for name, (k, frequency, bound) in IN_SHAPES.items():
        label = f"{name}, in ElastoDyn's shapes"
        found.append(WP.row(LINEARISATION, label, "Hz", frequency, shapes[k], bound))
    for name, (path, mass) in WEIGHED.items():
        machine = read_quietly(read_openfast_machine, path)
        deck = Deck(f"{name}, OpenFAST", RTEST)
        found.append(deck.row(SUMMARY, "mass", "kg", mass, describe(machine)["mass_kg"], MASS))
        if name == "AOC 15/50":
            modes = standing(machine, 5)
            found += [
                deck.alone(mode, "Hz", modes[mode][0])
                for mode in ("first tower fore-aft", "first tower side-side", "first flap collective")
            ]
        elif name == "AWT-27":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrecisionWarning)
                lowest = modes_of(MachineFamily(machine, machine.start).at(0.0), 6).frequencies_hz
            found += [
                deck.alone(f"{which} frequency, rotor upright", "Hz", value)
                for which, value in zip(("first", "second"), lowest[lowest > 0.1], strict=False)
            ]
    return found


def beamdyn() -> list[DeckNumber]:
    """Tips of BeamDyn's static cases."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        cases = {
            "roll-up": (roll_up(place, UNIT)[1:], (5.49866805, -2.43173271), "yz", "BeamDyn", 1e-5),
            "twisted": (twisted(place), (1.718, -3.592, -1.141), "xyz", "BeamDyn", 1e-3),
            "cantilever": (cantilever(place)[[0, 2]], CANTILEVER, "xz", "rod's equations", 1e-4),
        }
    return [
        Deck(f"BeamDyn: {case}", RTEST).row(program, f"tip along {axis}", "m", there, here, bound)
        for case, (moved, given, axes, program, bound) in cases.items()
        for here, there, axis in zip(moved, given, axes, strict=True)
    ]
