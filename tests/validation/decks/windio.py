"""windIO decks: IEA 3.4, 10 and 22 MW, BAR."""

from fem_mbd.machines import Machine, read_windio_machine
from tests.machines.hawc2.decks import DECKS
from tests.validation.decks.hawc2 import HALF_A_DIGIT
from tests.validation.decks.rows import IEA10, IEA22, IEA34, Deck, blade_alone, read_quietly, standing
from tests.validation.problem import DeckNumber

FILES = DECKS / "windio1"
BAR = "NREL/BAR_Designs"
TOWER = ("first tower fore-aft", "first tower side-side")
ELASTODYN_BLADE = 48603.4  # kg, IEA 10 MW, ElastoDyn's summary file (issue 22 of its repository)


def rows() -> list[DeckNumber]:
    """All of them."""
    deck = Deck("IEA 3.4 MW, windIO 1", IEA34)
    found = [deck.refused(read_windio_machine, FILES / "IEA-3.4-130-RWT.yaml", "there is no 'labels'")]
    machine = read_quietly(read_windio_machine, FILES / "IEA-10-198-RWT.yaml")
    deck = Deck("IEA 10 MW, windIO 1", IEA10)
    mass = machine.member("blade1").blade.mass
    found.append(deck.row("ElastoDyn, issue 22", "mass of a blade", "kg", ELASTODYN_BLADE, mass, 0.01))
    found += _blade(deck, machine)
    for file, name, what in (
        ("IEA-22-280-RWT.yaml", "IEA 22 MW, windIO 1", True),
        ("IEA-22-280-RWT_Floater.yaml", "IEA 22 MW, windIO 1 (floater, on fixed ground)", False),
    ):
        modes = standing(read_quietly(read_windio_machine, FILES / file), 4)
        deck = Deck(name, IEA22)
        for mode in TOWER:
            if what:
                found.append(deck.row("report, table 13", mode, "Hz", 0.16, modes[mode][0], HALF_A_DIGIT))
            else:
                found.append(deck.alone(mode, "Hz", modes[mode][0]))
    for name in ("DRC", "URC", "USC"):
        machine = read_quietly(read_windio_machine, FILES / f"BAR_{name}.yaml")
        deck = Deck(f"BAR {name}, windIO 1", BAR)
        found.append(deck.alone("mass of a blade", "kg", machine.member("blade1").blade.mass))
        found += _blade(deck, machine)
        modes = standing(machine, 4)
        found += [deck.alone(mode, "Hz", modes[mode][0]) for mode in TOWER]
    deck = Deck("BAR USC, WEIS", BAR)
    found.append(
        deck.refused(read_windio_machine, FILES / "BAR_USC_WEIS.yaml", "there is no 'components.blade'")
    )
    return found


def _blade(deck: Deck, machine: Machine) -> list[DeckNumber]:
    values = blade_alone(machine, 2).frequencies_hz
    return [
        deck.alone(f"{name} frequency of the clamped blade", "Hz", value)
        for name, value in zip(("first", "second"), values, strict=True)
    ]
