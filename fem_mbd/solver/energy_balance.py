"""The size of a run's energies, against which what its balance does not explain is held."""

from __future__ import annotations

from collections.abc import Mapping

from fem_mbd.arrays import Array
from fem_mbd.scheme.ledger_names import LEDGER, WORKS

# energies that set the scale of the balance
STORED = tuple(LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
DONE = tuple(LEDGER.index(name) for name in WORKS)


class EnergyBalance:
    """Kept over the accepted steps.

    Attributes
    ----------
    scale : largest |stored energy| + works done so far, J
    round_off : largest of a step's residual that round-off alone can make (`Scheme.round_off`), J
    """

    def __init__(self, energy: float):
        self.scale, self.round_off = abs(energy), 0.0
        self._work_done = 0.0

    def add(self, row: Array, round_off: float) -> None:
        """Take over an accepted step's row of the ledger."""
        amounts: list[float] = row.tolist()
        self._work_done += sum(abs(amounts[k]) for k in DONE)
        stored = abs(sum(amounts[k] for k in STORED))
        self.scale = max(self.scale, stored + self._work_done)
        self.round_off = max(self.round_off, round_off)

    def state(self) -> dict[str, float]:
        """For `restore`."""
        return {"work_done": self._work_done, "scale": self.scale, "round_off": self.round_off}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self._work_done, self.scale, self.round_off = state["work_done"], state["scale"], state["round_off"]
