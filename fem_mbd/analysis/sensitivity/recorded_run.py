"""Record of a run for its derivatives: states at the ends of the accepted steps, and the unknowns of each step.

`Path` holds them. `StateVector` is the state of a run between two steps as one vector: all that a restart and the
equations of the next step need.

`end_rates` is for events: steps that end at a kink or jump of a function of time, at an instant that moves with the
parameters. Steps end at the breakpoints of functions of time, so that there is no kink within a step. With an instant
t0(p) the end of one step and the start of the next one move by t0'. A derivative with this step boundary kept fixed
would leave the kink within one of the two steps: the derivative of a jump is lost then, and that of a kink has an error
of first order. The term is the one that a saltation matrix has for an impact (P. C. Mueller, Chaos, Solitons & Fractals
5 (1995) 1671).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF
from fem_mbd.core.solver.impacts import Impact
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError


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
        clock, y, impacts = simulation.system.workspace.clock, simulation.scheme.calls.y, simulation.impacts

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


class StateVector:
    """The numbers of a simulation's state.

    Parameters
    ----------
    simulation : whose state it is

    Attributes
    ----------
    arrays : each array of the state, and its copies, itself among them, that the equations of a step read
    size : numbers of a state
    """

    def __init__(self, simulation: Simulation):
        self._scheme = simulation.scheme
        state, workspace = simulation.state, simulation.scheme.workspace
        kinds = [kind.history for kind in simulation.system.kinds if kind.history is not None]
        self.arrays: list[tuple[Any, list[Any]]] = [
            (state.u, [state.u, workspace.q_i[:, 0]]),
            (state.r, [state.r, workspace.r_i, np.swapaxes(workspace.q_i[:, 1:], 1, 2)]),
            *(
                (array, [array])
                for array in (state.v, state.omega, state.slope, state.multipliers, workspace.lam)
            ),
            *(
                (_numbers(history), [history, kind])
                for history, kind in zip(state.history, kinds, strict=True)
            ),
        ]
        self.size = sum(plain.size for plain, _ in self.arrays)
        first = state.u.size + state.r.size
        self.velocities = slice(first, first + state.v.size + state.omega.size)

    def get(self) -> Array:
        """(size,) the numbers as they are now."""
        return np.concatenate([plain.ravel() for plain, _ in self.arrays])

    def put(self, numbers: Array) -> None:
        """Put a state (size,) into the arrays."""
        at = 0
        for plain, _ in self.arrays:
            plain[...] = numbers[at : at + plain.size].reshape(plain.shape)
            at += plain.size
        self._scheme.load_state()


def _numbers(array: Any) -> Array:
    """View of all float64 of records as an array with one more axis; other arrays as they are."""
    if array.dtype.fields is None:
        return np.asarray(array)
    flat = array.view(np.float64)
    flat.shape = (*array.shape, -1)
    return np.asarray(flat)


SAME_RATE = 1e-9  # relative: derivatives of two instants that move together


def breakpoints_of(simulation: Simulation) -> Array:
    """(k,) s, the instants of kinks and jumps of all functions of time, function after function."""
    functions = simulation.system.functions()
    return np.array([t for function in functions for t in function.breakpoints()], dtype=float)


def end_rates(
    path: Path, breakpoints: Array, rates: Mapping[str, Array], names: Sequence[str], count: int = DIRECTIONS
) -> Array:
    """(steps, count) derivatives of the ends of the steps of a path by parameters, one to a component.

    Parameters
    ----------
    path : of the run
    breakpoints : (k,) s, of `breakpoints_of`
    rates : of each parameter, (k,) derivatives of the breakpoints
    names : of the parameters
    count : components, at least as many

    Raises
    ------
    InputError
        Where two kinks or jumps are at the same instant and a parameter moves them apart.
    """
    ends, of_ends = path.ends, np.zeros((len(path), count))
    for component, name in enumerate(names):
        of_breakpoints = rates[name]
        for k in np.flatnonzero(of_breakpoints):
            t = breakpoints[k]
            # the run's end does not move
            steps = np.flatnonzero(np.abs(ends[:-1] - t) <= ROUND_OFF * abs(t))
            if not len(steps):
                continue
            together = of_breakpoints[np.abs(breakpoints - t) <= ROUND_OFF * abs(t)]
            if np.ptp(together) > SAME_RATE * np.abs(together).max():
                raise InputError(
                    f"parameter {name} moves one of several kinks or jumps of functions of time at t = {t:.9g} s and "
                    "not the others: what happens depends on their order, so that there is no derivative; choose a "
                    "value beside this one"
                )
            of_ends[steps[0], component] = of_breakpoints[k]
    return of_ends
