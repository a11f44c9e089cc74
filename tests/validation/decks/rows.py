"""Rows of the table of published decks: one quantity of one machine's file."""

import re
import warnings
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import fem_mbd as fm
from fem_mbd import InputError, Machine, Modes
from fem_mbd.analysis.statics.bordered_newton import PrecisionWarning
from fem_mbd.machines import LeftOutWarning, MachineFamily
from tests.machines.openfast.windpact import modes_by_name
from tests.validation.problem import DeckNumber

IEA10, IEA22, IEA34 = (
    f"IEAWindTask37/{name}" for name in ("IEA-10.0-198-RWT", "IEA-22-280-RWT", "IEA-3.4-130-RWT")
)
RTEST = "OpenFAST/r-test"


class Deck:
    """Makes the rows of one file.

    Parameters
    ----------
    machine : with the form of its file
    source : where it is published
    """

    def __init__(self, machine: str, source: str):
        self.machine, self.source = machine, source

    def row(
        self, program: str, what: str, unit: str, reference: float, ours: float, allowed: float
    ) -> DeckNumber:
        """With a reference; ``allowed`` is relative."""
        return DeckNumber(
            what, unit, reference, float(ours), allowed * abs(reference), self.machine, self.source, program
        )

    def alone(self, what: str, unit: str, ours: float) -> DeckNumber:
        """A quantity without a reference."""
        return DeckNumber(what, unit, nan, float(ours), nan, self.machine, self.source, "")

    def refused(self, read: Callable[..., Any], path: Path, *said: str, **options: Any) -> DeckNumber:
        """A file that is refused; AssertionError where its message does not match these patterns, or it is read."""
        try:
            read(path, **options)
        except InputError as error:
            text = str(error)
            assert all(re.search(part, text) for part in said), text
            line = re.search(r"line (\d+)", text)
            says = f"refused, line {line.group(1)}" if line else "refused"
            return DeckNumber(
                f"reading: {' '.join(said)}", "", nan, nan, nan, self.machine, self.source, "", says
            )
        raise AssertionError(f"{path} is read")


def read_quietly(read: Callable[..., Machine], path: Path, **options: Any) -> Machine:
    """A machine without its warnings of what is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return read(path, **options)


def standing(machine: Machine, number: int) -> dict[str, tuple[float, float]]:
    """Frequency (Hz) and damping (% of critical) by name, at standstill."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return modes_by_name(MachineFamily(machine, machine.start), number)


def blade_alone(machine: Machine, number: int) -> Modes:
    """Modes of a blade clamped at its root."""
    model = fm.Model()
    machine.member("blade1").blade.add_to(model)
    return fm.modes(model, number)
