"""Outcome of a timed run: cost, samples and facts, the same for all programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array


class PeerStopped(Exception):
    """A peer program did not finish: time limit, or an error of its own."""


@dataclass(frozen=True)
class Outcome:
    """One run.

    Attributes
    ----------
    parameter : parameter that determines the accuracy: step size, number of steps, or the tolerance of step control
    steps, newton_iterations, factorisations : work counted by the program itself, rejected steps included
    cpu_seconds : processor time of the solve
    samples : (k, d) observed quantities at the problem's sample times; NaN beyond the end of the run
    reached : simulated time, s; complete : whether that is the requested end
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
        """The outcome as plain data for JSON."""
        return asdict(self) | {"samples": np.asarray(self.samples).tolist()}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Outcome:
        """Inverse of `to_plain`."""
        return cls(**(data | {"samples": np.array(data["samples"], dtype=float)}))

    def seeing(self, columns: list[int]) -> Outcome:
        """The outcome with some columns of the samples only."""
        return replace(self, samples=self.samples[:, columns])

    def faster_of(self, other: Outcome | None) -> Outcome:
        """The outcome with the smaller processor time of two equal runs, as other load only increases it."""
        if other is None:
            return self
        return replace(self, cpu_seconds=min(self.cpu_seconds, other.cpu_seconds))


def largest_error(run: Outcome, reference: Outcome) -> float:
    """Largest Euclidean distance of the samples (k, d) from the reference's; inf for a run that stopped early."""
    if not run.complete:
        return float("inf")
    return float(np.linalg.norm(run.samples - reference.samples, axis=1).max())
