"""HAWC2 decks: IEA 3.4, 10, 15 and 22 MW."""

from fem_mbd.machines import read_hawc2_machine
from tests.machines.hawc2.decks import DECKS, iea10, iea22
from tests.validation.decks.rows import IEA10, IEA22, IEA34, Deck, blade_alone, standing
from tests.validation.problem import DeckNumber
from tests.validation.test_iea_15mw_turbine import TABLE, allowed, turning

DAMPED = 0.05
IEA10_BLADE = {"first flap": 0.3252, "first edge": 0.3614, "second flap": 0.8304}  # % of critical
IEA22_BLADE = {"first flap": 0.5, "first edge": 0.5}
HALF_A_DIGIT = 0.005 / 0.16


def rows() -> list[DeckNumber]:
    """All of them."""
    found = [
        Deck("IEA 3.4 MW, HAWC2 (master)", IEA34).refused(
            read_hawc2_machine, DECKS / "iea34" / "iea34_master_structure.htc", "is a tag of a template"
        ),
        Deck("IEA 3.4 MW, HAWC2 (dlc12…)", IEA34).refused(
            read_hawc2_machine, DECKS / "iea34" / "iea34_structure.htc", "a principal moment of inertia"
        ),
        Deck("IEA 10 MW, HAWC2 (steadystate_modal)", IEA10).refused(
            read_hawc2_machine, DECKS / "iea10" / "steadystate_modal_structure.htc", "a principal moment of inertia",
            radii_at="elastic centre",
        ),
    ]  # fmt: skip
    for deck, program, machine, table, bound in (
        (Deck("IEA 10 MW, HAWC2 (dlc10…, dlc12…)", IEA10), "HAWCStab2 2.15, issue 13", iea10(), IEA10_BLADE, DAMPED),
        (Deck("IEA 22 MW, HAWC2", IEA22), "tuned to it", iea22(), IEA22_BLADE, 0.01),
    ):  # fmt: skip
        ratios = 100 * blade_alone(machine, len(table)).damping_ratios
        for (name, value), own in zip(table.items(), ratios, strict=True):
            found.append(deck.row(program, f"damping of the blade's {name}", "%", value, own, bound))
    found += _iea22()
    deck = Deck("IEA 15 MW, HAWC2, at 7.1 rev/min", "IEAWindTask37/IEA-15-240-RWT")
    ours = turning(7.1, 0.0)
    for name, (_, value) in TABLE.items():
        found.append(deck.row("HAWCStab2", name, "Hz", value, ours[name][0], allowed(name)))
    return found


def _iea22() -> list[DeckNumber]:
    deck, tower = Deck("IEA 22 MW, HAWC2", IEA22), standing(iea22(), 4)
    found = []
    for name in ("first tower fore-aft", "first tower side-side"):
        found.append(deck.row("report, table 13", name, "Hz", 0.16, tower[name][0], HALF_A_DIGIT))
        found.append(
            deck.row("HAWC2, pull request 61", f"damping of {name}", "%", 0.092, tower[name][1], DAMPED)
        )
    return found
