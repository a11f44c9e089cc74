"""What a timed run leaves behind, the same for both programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array


class PeerStopped(Exception):
    """A peer's run did not deliver: the time limit, or an error of its own."""


@dataclass(frozen=True)
class Outcome:
    """One run.

    Attributes
    ----------
    parameter : what sets its accuracy: step size, number of steps, or the tolerance of step control
    steps, newton_iterations, factorisations : work counted by the program itself, rejected steps included
    cpu_seconds : processor time of the solve
    samples : (k, d) observed quantities at the problem's sample times; NaN where the run did not get to
    reached : simulated time, s; complete : whether that is the end
    facts : further figures of the problem, by name
    """

    parameter: float
    steps: int
    newton_iterations: int
    factorisations: int
    cpu_seconds: float
    samples: Array
    reached: float
    complete: bool
    facts: dict[str, float] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """As data for JSON."""
        return asdict(self) | {"samples": np.asarray(self.samples).tolist()}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Outcome:
        """Inverse of `to_plain`."""
        return cls(**(data | {"samples": np.array(data["samples"], dtype=float)}))

    def seeing(self, columns: list[int]) -> Outcome:
        """The same with these columns of the samples only."""
        return replace(self, samples=self.samples[:, columns])

    def faster_of(self, other: Outcome | None) -> Outcome:
        """This run with the smaller processor time of two that did the same: other programs only ever slow one down."""
        if other is None:
            return self
        return replace(self, cpu_seconds=min(self.cpu_seconds, other.cpu_seconds))


def largest_error(run: Outcome, reference: Outcome) -> float:
    """Largest Euclidean distance of the samples (k, d) from the reference's; inf for a run that stopped early."""
    if not run.complete:
        return float("inf")
    return float(np.linalg.norm(run.samples - reference.samples, axis=1).max())
