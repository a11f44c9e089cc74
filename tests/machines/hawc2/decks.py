"""The HAWC2 decks of `decks/`, with where their radii of gyration are taken."""

from pathlib import Path

from fem_mbd.machines import Machine, read_hawc2_machine

DECKS = Path(__file__).parent.parent / "decks"
IEA10 = DECKS / "iea10" / "iea10mw_structure.htc"
IEA22 = DECKS / "iea22" / "iea_22mw_rwt_structure.htc"


def iea10() -> Machine:
    return read_hawc2_machine(IEA10, radii_at="elastic centre")


def iea22() -> Machine:
    return read_hawc2_machine(IEA22, radii_at="mass centre")
