"""Energy scale of a run, and checks of a step's energy residual against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, record, several, vector, void
from fem_mbd.core.scheme.ledger import LEDGER, RESOLVED, WORKS

BALANCE = np.dtype([("scale", "f8"), ("works", "f8")], align=True)  # J: `EnergyBalance.scale`, works so far
KINETIC, ELASTIC, CONTACT = (LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
WORK_LOADS, WORK_DRIVERS = (LEDGER.index(name) for name in WORKS)
RESIDUAL = LEDGER.index("residual")
# fractions of the scale: a step with a larger residual is not solved, even if Newton's updates are small; above the
# smaller one it is repeated without reused factorisations
MAX_RESIDUAL, IMPROVABLE = 1e-9, 5e-12


@kernel(several(float64, float64)(record(BALANCE)[::1], vector))
def with_row(balance, row):
    """Scale and works (J) including a step with that row of the ledger; ``balance`` (1,) of dtype BALANCE."""
    works = balance[0].works + (abs(row[WORK_LOADS]) + abs(row[WORK_DRIVERS]))
    stored = abs(row[KINETIC] + row[ELASTIC] + row[CONTACT])
    return max(balance[0].scale, stored + works), works


@kernel
def _scale_of_step(balance, row):
    """Scale (J) with the energies stored at the end of a step: a run may begin at rest, or nearly.

    The works of the step are left out: those of drivers that contradict each other are large without any motion.
    """
    return max(balance[0].scale, abs(row[KINETIC] + row[ELASTIC] + row[CONTACT]))


@kernel(void(record(BALANCE)[::1], vector))
def add(balance, row):
    """Add the row of an accepted step."""
    balance[0].scale, balance[0].works = with_row(balance, row)


@kernel(boolean(record(BALANCE)[::1], vector, float64))
def acceptable(balance, row, round_off):
    """Whether the energy residual of a step's row is small, or not larger than ``round_off`` (J).

    Newton tests positions and rotations. Forces that are large compared with all inertia (stiff friction in steps of
    nanoseconds) can be wrong where the motion is accurate to 1e-10.
    """
    scale = _scale_of_step(balance, row)
    return balance[0].scale == 0.0 or abs(row[RESIDUAL]) <= max(MAX_RESIDUAL * scale, round_off)


@kernel(boolean(record(BALANCE)[::1], vector, float64))
def resolved(balance, row, round_off):
    """Whether the energy residual of a step's row is below `RESOLVED` of the scale, or not above ``round_off`` (J)."""
    scale = _scale_of_step(balance, row)
    return balance[0].scale == 0.0 or abs(row[RESIDUAL]) <= max(RESOLVED * scale, round_off)


class EnergyBalance:
    """The energy scale of a run, updated with each accepted step.

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
        """Add the ledger row of an accepted step."""
        add(self.balance, row)

    def scale_with(self, row: Array) -> float:
        """The scale (J) including a step with that row."""
        return float(with_row(self.balance, row)[0])

    def failure_message(self, row: Array, round_off: float) -> str:
        """Message for a step whose ledger row shows that its equations are not solved; "" when they are."""
        if acceptable(self.balance, row, round_off):
            return ""
        residual = abs(float(row[RESIDUAL]))
        return f"its energy balance has a residual of {residual:.2g} J: its forces are not accurate enough"

    def resolved(self, row: Array, round_off: float) -> bool:
        """Whether the energy residual is below `RESOLVED` of the scale, or not above ``round_off`` (J)."""
        return bool(resolved(self.balance, row, round_off))

    def improvable(self, row: Array, round_off: float) -> bool:
        """Whether the energy residual is so large that fresh factorisations may leave a smaller one."""
        scale = float(_scale_of_step(self.balance, row))
        return self.scale > 0.0 and abs(float(row[RESIDUAL])) > max(IMPROVABLE * scale, round_off)

    def state(self) -> dict[str, float]:
        """State for `restore`."""
        return {"work_done": float(self.balance["works"][0]), "scale": self.scale}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self.balance["works"], self.balance["scale"] = state["work_done"], state["scale"]
