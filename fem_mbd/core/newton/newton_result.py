"""Class `NewtonResult`: outcome of the solution of a step's equations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or the reason of the failure (a sentence), and the computational effort."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""

    def after(self, earlier: NewtonResult) -> NewtonResult:
        """This outcome with the effort of an earlier attempt added."""
        self.iterations += earlier.iterations
        self.factorisations += earlier.factorisations
        return self
