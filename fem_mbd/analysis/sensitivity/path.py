"""Record of a run for its derivatives: states at the ends of the accepted steps, and the unknowns of each step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.solver.impacts import Impact
from fem_mbd.core.solver.simulation import Simulation


@dataclass(eq=False)
class Path:
    """Accepted steps, in their order; steps that were refused leave nothing.

    Attributes
    ----------
    clocks : (3,) each: start, end and length of a step, s
    unknowns : (size,) each: solution of a step, as the solver has it
    closed : (rigid contacts,) each: whether they are closed in a step
    impacts : by the index of the step at whose end they are
    """

    clocks: list[Array] = field(default_factory=list)
    unknowns: list[Array] = field(default_factory=list)
    closed: list[Array] = field(default_factory=list)
    impacts: dict[int, Impact] = field(default_factory=dict)

    def follow(self, simulation: Simulation) -> None:
        """Take down the steps of a simulation that has made none."""
        clock, y, impacts = simulation.system.work.clock, simulation.scheme.calls.y, simulation.impacts

        def note() -> None:
            self.clocks.append(clock.copy())
            self.unknowns.append(y.copy())
            self.closed.append(impacts.kind.closed.copy() if impacts.kind is not None else np.zeros(0, bool))

        def note_impact(impact: Impact) -> None:
            self.impacts[len(self.clocks) - 1] = impact

        simulation.scheme.before_accepting(note)
        impacts.observer = note_impact

    def __len__(self) -> int:
        return len(self.clocks)

    @property
    def ends(self) -> Array:
        """(steps,) s, ends of the steps."""
        return np.array([clock[1] for clock in self.clocks])
