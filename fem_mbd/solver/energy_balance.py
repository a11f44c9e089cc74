"""The size of a run's energies, against which what its balance does not explain is held."""

from __future__ import annotations

from collections.abc import Mapping

from fem_mbd.arrays import Array
from fem_mbd.scheme.ledger_names import LEDGER, WORKS

# energies that set the scale of the balance
STORED = tuple(LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
DONE = tuple(LEDGER.index(name) for name in WORKS)
RESIDUAL = LEDGER.index("residual")
MOST_LEFT = (
    1e-9  # of the scale: a step that leaves more unexplained is not solved, whatever Newton's updates say
)


class EnergyBalance:
    """Kept over the accepted steps.

    Attributes
    ----------
    scale : largest |stored energy| + works done so far, J
    """

    def __init__(self, energy: float):
        self.scale = abs(energy)
        self._work_done = 0.0

    def add(self, row: Array) -> None:
        """Take over an accepted step's row of the ledger."""
        self.scale, self._work_done = self._with(row)

    def scale_with(self, row: Array) -> float:
        """The scale (J) that it would be with a step of that row."""
        return self._with(row)[0]

    def _with(self, row: Array) -> tuple[float, float]:
        """Scale and work done (J) with a step of that row."""
        amounts: list[float] = row.tolist()
        done = self._work_done + sum(abs(amounts[k]) for k in DONE)
        stored = abs(sum(amounts[k] for k in STORED))
        return max(self.scale, stored + done), done

    def missing(self, row: Array, round_off: float) -> str:
        """A sentence on a step whose equations are not solved, seen in its row of the ledger; "" when they are.

        Newton judges places and turns. Forces that are large against all inertia (stiff friction in steps of
        nanoseconds) can be far off where the motion is right to 1e-10.
        """
        left = abs(float(row[RESIDUAL]))
        if self.scale == 0.0 or left <= max(MOST_LEFT * self.scale, round_off):
            return ""
        return f"{left:.2g} J of its energy balance are unexplained: its forces are not found well enough"

    def state(self) -> dict[str, float]:
        """For `restore`."""
        return {"work_done": self._work_done, "scale": self.scale}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self._work_done, self.scale = state["work_done"], state["scale"]
