"""Events: steps that end at a kink or jump of a function of time, at an instant that moves with the parameters.

Steps end at the breakpoints of functions of time, so that there is no kink within a step. With an instant t0(p) the end
of one step and the start of the next one move by t0'. A derivative with this step boundary kept fixed would leave the
kink within one of the two steps: the derivative of a jump is lost then, and that of a kink has an error of first order.
The term is the one that a saltation matrix has for an impact (P. C. Mueller, Chaos, Solitons & Fractals 5 (1995) 1671).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

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
    ends, found = path.ends, np.zeros((len(path), count))
    for component, name in enumerate(names):
        own = rates[name]
        for k in np.flatnonzero(own):
            t = breakpoints[k]
            # the run's end does not move
            steps = np.flatnonzero(np.abs(ends[:-1] - t) <= ROUND_OFF * abs(t))
            if not len(steps):
                continue
            together = own[np.abs(breakpoints - t) <= ROUND_OFF * abs(t)]
            if np.ptp(together) > SAME_RATE * np.abs(together).max():
                raise InputError(
                    f"parameter {name} moves one of several kinks or jumps of functions of time at t = {t:.9g} s and "
                    "not the others: what happens depends on their order, so that there is no derivative; choose a "
                    "value beside this one"
                )
            found[steps[0], component] = own[k]
    return found
