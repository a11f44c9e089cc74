"""How the solution of a step's equations ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or why not (a sentence), and the work it took."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""

    def after(self, earlier: NewtonResult) -> NewtonResult:
        """This outcome with the work of an earlier attempt added."""
        self.iterations += earlier.iterations
        self.factorisations += earlier.factorisations
        return self
