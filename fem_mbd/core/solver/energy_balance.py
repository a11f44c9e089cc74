"""The size of a run's energies, against which what its balance does not explain is held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, record, several, vector, void
from fem_mbd.core.scheme.ledger_names import LEDGER, RESOLVED, WORKS

BALANCE = np.dtype([("scale", "f8"), ("done", "f8")], align=True)  # J: `EnergyBalance.scale`, works so far
KINETIC, ELASTIC, CONTACT = (LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
WORK_LOADS, WORK_DRIVERS = (LEDGER.index(name) for name in WORKS)
RESIDUAL = LEDGER.index("residual")
MOST_LEFT = (
    1e-9  # of the scale: a step that leaves more unexplained is not solved, whatever Newton's updates say
)


@kernel(several(float64, float64)(record(BALANCE)[::1], vector))
def with_row(balance, row):
    """Scale and work done (J) with a step of that row of the ledger; ``balance`` (1,) of dtype BALANCE."""
    done = balance[0].done + (abs(row[WORK_LOADS]) + abs(row[WORK_DRIVERS]))
    stored = abs(row[KINETIC] + row[ELASTIC] + row[CONTACT])
    return max(balance[0].scale, stored + done), done


@kernel(void(record(BALANCE)[::1], vector))
def add(balance, row):
    """Take over an accepted step's row."""
    balance[0].scale, balance[0].done = with_row(balance, row)


@kernel(boolean(record(BALANCE)[::1], vector, float64))
def explained(balance, row, round_off):
    """Whether what a step's row leaves unexplained is small, or no more than ``round_off`` (J) can make of it.

    Newton judges places and turns. Forces that are large against all inertia (stiff friction in steps of nanoseconds)
    can be far off where the motion is right to 1e-10.
    """
    scale = balance[0].scale
    return scale == 0.0 or abs(row[RESIDUAL]) <= max(MOST_LEFT * scale, round_off)


@kernel(boolean(record(BALANCE)[::1], vector, float64))
def resolved(balance, row, round_off):
    """Whether what a step's row leaves unexplained is nothing to ask about, or no more than ``round_off`` (J)."""
    scale = balance[0].scale
    return scale == 0.0 or abs(row[RESIDUAL]) <= max(RESOLVED * scale, round_off)


class EnergyBalance:
    """Kept over the accepted steps.

    Attributes
    ----------
    balance : (1,) of dtype `BALANCE`
    """

    def __init__(self, energy: float):
        self.balance: Any = np.zeros(1, dtype=BALANCE)
        self.balance["scale"] = abs(energy)

    @property
    def scale(self) -> float:
        """Largest |stored energy| + works done so far, J."""
        return float(self.balance["scale"][0])

    def add(self, row: Array) -> None:
        """Take over an accepted step's row of the ledger."""
        add(self.balance, row)

    def scale_with(self, row: Array) -> float:
        """The scale (J) that it would be with a step of that row."""
        return float(with_row(self.balance, row)[0])

    def missing(self, row: Array, round_off: float) -> str:
        """A sentence on a step whose equations are not solved, seen in its row of the ledger; "" when they are."""
        if explained(self.balance, row, round_off):
            return ""
        left = abs(float(row[RESIDUAL]))
        return f"{left:.2g} J of its energy balance are unexplained: its forces are not found well enough"

    def resolved(self, row: Array, round_off: float) -> bool:
        """Whether what a step's row leaves unexplained is nothing to ask about, or no more than ``round_off`` (J)."""
        return bool(resolved(self.balance, row, round_off))

    def state(self) -> dict[str, float]:
        """For `restore`."""
        return {"work_done": float(self.balance["done"][0]), "scale": self.scale}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self.balance["done"], self.balance["scale"] = state["work_done"], state["scale"]
