"""Record of a run for its sensitivities: ends of the accepted steps, and the unknowns that solve them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.solver.simulation import Simulation


@dataclass(eq=False)
class Path:
    """Accepted steps, in their order; steps that were refused leave nothing.

    Attributes
    ----------
    clocks : (3,) each: start, end and length of a step, s
    unknowns : (size,) each: solution of a step, as the solver has it
    """

    clocks: list[Array] = field(default_factory=list)
    unknowns: list[Array] = field(default_factory=list)

    def follow(self, simulation: Simulation) -> None:
        """Take down the steps of a simulation that has made none."""
        clock, y = simulation.system.work.clock, simulation.scheme.calls.y

        def note() -> None:
            self.clocks.append(clock.copy())
            self.unknowns.append(y.copy())

        simulation.scheme.before_accepting(note)

    def __len__(self) -> int:
        return len(self.clocks)

    @property
    def ends(self) -> Array:
        """(steps,) s, ends of the steps."""
        return np.array([clock[1] for clock in self.clocks])
