"""Calls that put the state at the start of a step into dual numbers, and take derivatives of its end out of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.matrices import matrix_kernels as kernels
from fem_mbd.analysis.sensitivity.matrices.matrix_kernels import MOTION
from fem_mbd.analysis.sensitivity.matrices.rows import Numbers
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.duals.number import WIDTH
from fem_mbd.core.solver.simulation import Simulation


class StartAndEnd:
    """Start and end of a step.

    Parameters
    ----------
    simulation : whose steps they are
    numbers : of its states

    Attributes
    ----------
    start : the state at the start, as `StateVector` has it
    clock : (3,) start, end and length of the step, s
    end : (8 numbers,) derivatives of the end
    """

    def __init__(self, simulation: Simulation, numbers: Numbers):
        self._numbers, self._simulation = numbers, simulation
        self.start = np.zeros(sum(one.nbytes // 8 for one in self._arrays()))
        self.clock, self.end = np.zeros(3), np.zeros(numbers.size * WIDTH)

    def _arrays(self) -> list[Any]:
        """Those of the state, in the order of `StateVector`."""
        state, work = self._simulation.state, self._simulation.scheme.work
        own: list[Any] = [state.u, state.r, state.v, state.omega, state.slope, state.multipliers, work.lam]
        return [*own, *state.history]

    def put(self, scheme: DualScheme, components: Indices, of_clock: Indices | None = None) -> list[Task]:
        """Calls that put the start into a scheme, with unit directions in components (numbers,) and, of the clock,
        (3,); None: in none.
        """
        simulation, n, duals = scheme.simulation, self._numbers, scheme.shadow.duals
        state, work = simulation.state, simulation.scheme.work
        times = np.zeros(3, dtype=np.int64) if of_clock is None else of_clock.copy()
        own = state.u, state.r, state.v, state.omega, state.slope, work.q_i, work.r_i
        of_nodes = components[n.of_nodes].reshape(-1, MOTION).copy()
        tasks: list[Task] = [
            Call(kernels.put_unknowns, self.clock, times, flat(scheme.clock)),
            Call(kernels.put_nodes, self.start, of_nodes, *(flat(duals(one)) for one in own)),
        ]
        place, m = 24 * n.entities.nodes, n.entities.constraints
        targets = [
            ([state.multipliers], np.zeros(2 * m, dtype=np.int64)),
            ([work.lam], components[n.of_reactions]),
            *(
                ([stored, simulation.system.kinds[k].history], components[where])
                for stored, (k, where) in zip(state.history, n.of_histories, strict=True)
            ),
        ]
        for several, some in targets:
            for one in several if len(some) else []:
                tasks.append(Call(kernels.put_numbers, self.start, place, some.copy(), flat(duals(one))))
            place += len(some)
        return tasks

    def take(self, scheme: DualScheme) -> list[Task]:
        """Calls that take the derivatives of the end out of a scheme."""
        state, work, n = scheme.simulation.state, scheme.simulation.scheme.work, self._numbers
        duals, own = scheme.shadow.duals, (state.u, state.r, state.v, state.omega)
        tasks: list[Task] = [Call(kernels.end_of_nodes, *(flat(duals(one)) for one in own), self.end)]
        places = [n.of_reactions, *(where for _, where in n.of_histories)]
        for one, where in zip((work.lam, *state.history), places, strict=True):
            if where.stop > where.start:
                target = self.end[WIDTH * where.start : WIDTH * where.stop]
                tasks.append(Call(kernels.copy_lanes, flat(duals(one)), target))
        return tasks

    def keep(self, scheme: DualScheme) -> list[Task]:
        """Calls that make the values of the end in a scheme the start."""
        place, tasks = 0, []
        for one in self._arrays():
            source = flat(scheme.shadow.duals(one))
            if len(source):
                tasks.append(Call(kernels.take_numbers, source, place, self.start))
            place += len(source) // WIDTH
        return list(tasks)


def flat(duals: Any) -> Array:
    """All numbers of an array of dual numbers as one vector, without a copy."""
    found = duals.view()
    found.shape = (duals.size,)
    return np.asarray(found)
