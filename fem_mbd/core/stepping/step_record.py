"""Records of a time step and of a block of steps: size, computational effort, energy ledger, contacts, outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array

# One entry per contact. Vectors are in global axes; friction_force acts on body L; the gap is positive when
# open.
CONTACT_RECORD = np.dtype(
    [
        ("gap_i", "f8"),  # m, at the start of the step
        ("gap_f", "f8"),  # m, at its end
        ("normal_force", "f8"),  # N, constant over the step, >= 0
        ("friction_force", "f8", (3,)),  # N
        ("slip_velocity", "f8", (3,)),  # m/s, of L relative to K, in the tangent plane
        ("normal", "f8", (3,)),  # unit vector from K's centre towards the contact point
        ("stribeck_velocity", "f8"),  # m/s, 0 when the law has none
        # 1/s, sigma_0 v_s / mu_k (Bauchau & Ju, eq. 27), 0 when the law has no time constant
        ("omega", "f8"),
    ],
    align=True,
)


@dataclass
class StepRecord:
    """One time step from t_f - dt to t_f, after Newton has converged.

    Attributes
    ----------
    index : its number, from 1
    time : t_f, s
    dt : s
    rule : the rule that decided its size
    newton_iterations, factorisations, rejections : computational effort
    energy : (len(LEDGER),) one row of the energy balance, in the order of `fem_mbd.core.scheme.ledger.LEDGER`
    round_off : J, bound of the part of this step's energy residual that round-off alone can cause
    contacts : (number of contacts,), dtype `CONTACT_RECORD`
    rotation : rad, largest rotation of a node in the step
    """

    index: int  # accepted steps so far, 1 for the first
    time: float  # t_f, s
    dt: float  # s
    rule: str  # name of the step-size rule that decided this dt
    newton_iterations: int
    factorisations: int  # of this step, rejected attempts included
    rejections: int  # attempts rejected before this one was accepted
    energy: Array
    round_off: float  # J
    contacts: NDArray[np.void]
    rotation: float = 0.0


@dataclass(frozen=True, eq=False)
class Sink:
    """Arrays for the outputs of a run.

    Attributes
    ----------
    rows : (…, *shape) by the names of outputs: arrays whose rows are filled one after the other
    every : steps of the run from one row to the next; 0: the block ends at output times, where Python stores outputs
    """

    rows: Mapping[str, Any]
    every: int


@dataclass(frozen=True, eq=False)
class Block:
    """Steps made one after the other in compiled code.

    Attributes
    ----------
    first : index of the first of them in the run
    statistics : (n,) dtype `time_loop.STATISTICS`
    energy : (n, len(LEDGER)) J
    contacts : (n, contacts) dtype `CONTACT_RECORD`
    rules : names of the rules, numbered by ``statistics["rule"]``
    outputs : number of rows of outputs that were stored
    next_begun : whether the next step has been begun
    """

    first: int
    statistics: Any
    energy: Array
    contacts: Any
    rules: tuple[str, ...]
    outputs: int
    next_begun: bool

    @property
    def index(self) -> int:
        """Index of the last step in the run."""
        return self.first + len(self.statistics) - 1

    @property
    def time(self) -> float:
        """End of the last step, s."""
        return float(self.statistics["time"][-1])

    def record(self, row: int) -> StepRecord:
        """Record of one of the steps.

        Parameters
        ----------
        row : its index in the block, from 0
        """
        end, dt, rule, iterations, factorisations, round_off, rotation = self.statistics[row].item()
        return StepRecord(
            self.first + row, end, dt, self.rules[rule], iterations, factorisations, 0, self.energy[row].copy(),
            round_off, self.contacts[row].copy(), rotation,
        )  # fmt: skip

    def records(self) -> Iterator[StepRecord]:
        """Records of the steps."""
        return map(self.record, range(len(self.statistics)))
