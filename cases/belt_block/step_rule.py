"""Step rule by the change of slip: small steps where a block starts or stops slipping, large ones in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import StepRule

LEAST = 0.1  # lower limit of the reduction of a repeated step


class SlipChange(StepRule):
    """Keeps the change of slip velocity per step of each of ``count`` contacts at about share (|slip| + v_ref).

    v_ref in m/s: the speed range in which the laws change from rest to sliding. A step is repeated when the change is
    more than twice that, but not below ``shortest`` (s): slip that jumps when a bond breaks jumps in any step. The last
    step before break-away is thus short, and with it the error of laws whose state depends on it.
    """

    name: ClassVar[str] = "slip change"

    def __init__(self, count: int, share: float, v_ref: float, shortest: float) -> None:
        self.count, self.share, self.v_ref, self.shortest = count, share, v_ref, shortest
        self._slip: Array = np.zeros((count, 3))

    def for_run(self) -> SlipChange:
        return SlipChange(self.count, self.share, self.v_ref, self.shortest)

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        excess = self._excess(record)
        self._slip = np.array(record.contacts["slip_velocity"])
        return max(record.dt / excess, self.shortest) if excess > 0.0 else np.inf

    def reject(self, record: StepRecord) -> float:
        excess = self._excess(record)
        wanted = max(record.dt * max(1.0 / excess, LEAST), self.shortest) if excess > 2.0 else np.inf
        return wanted if wanted < record.dt else 0.0

    def state(self) -> dict[str, float]:
        return {f"slip {k}": float(v) for k, v in enumerate(self._slip.ravel())}

    def restore(self, state: Mapping[str, float]) -> None:
        for k in range(self._slip.size):
            self._slip.flat[k] = state[f"slip {k}"]

    def _excess(self, record: StepRecord) -> float:
        """Largest change of slip velocity over the desired change."""
        slip = record.contacts["slip_velocity"]
        change = np.linalg.norm(slip - self._slip, axis=1)
        speed = np.minimum(np.linalg.norm(slip, axis=1), np.linalg.norm(self._slip, axis=1))
        return float(np.max(change / (self.share * (speed + self.v_ref)), initial=0.0))
