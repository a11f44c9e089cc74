"""Repetition of every step of a path as two half steps from the same state, to estimate the step's local error.

A step of length h from a state has an error e = C h^(p + 1) at its end, two steps of h/2 together an error e/2^p. Their
difference is therefore d = e (1 - 2^-p), with p = 3 for the scheme's motions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import phases_of
from fem_mbd.analysis.sensitivity.recorded_run import StateVector
from fem_mbd.analysis.sensitivity.steps.stretch import Factors
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.solver.simulation import Simulation

ORDER = 3
TOLERANCE = 1e-12  # of the unknowns of a kind
MAX_ITERATIONS = 30  # iterations of Newton's method


class HalfSteps:
    """Half steps of a simulation that is not run.

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    columns : names of the outputs that are wanted at the ends of half steps

    Attributes
    ----------
    unsolved : steps so far whose half steps did not converge
    """

    def __init__(self, simulation: Simulation, columns: Sequence[str] = ()):
        self._vector, self._work = StateVector(simulation), simulation.scheme.work
        self._calls = calls = simulation.scheme.calls
        phases = phases_of(simulation)
        self._begin, self._residual, self._accept = map(CallList, (calls.begin, calls.residual, calls.accept))
        self._linearise = CallList([*calls.residual_after_tangent, *calls.tangent])
        self._record = CallList(phases.record)
        self._measure = CallList(phases.measure_plain)
        self._outputs = {name: phases.outputs[name] for name in columns}
        self._factors = Factors(simulation.system, calls.values, 1)
        kinds = [np.flatnonzero(simulation.system.unit == k) for k in range(3)]
        self._kinds = [kind for kind in kinds if len(kind)]
        self.unsolved = 0

    def error(self, state: Array, end: Array, clock: Array) -> tuple[Array, list[dict[str, Array]]]:
        """Error of the end of a step, and outputs after its two half steps.

        Parameters
        ----------
        state, end : (size,) at the start and at the end of the step
        clock : (3,) its start, end and length, s

        Returns
        -------
        (size,) the error, zero where half steps do not converge; outputs by name, (k,) each, none then
        """
        start, last, length = map(float, clock)
        middle, outputs = start + 0.5 * length, []
        self._vector.put(state)
        for begin, until in ((start, middle), (middle, last)):
            if not self._step(begin, until, 0.5 * length):
                self.unsolved += 1
                return np.zeros_like(end), []
            outputs.append(
                {name: np.concatenate([_flat(one) for one in all_]) for name, all_ in self._outputs.items()}
            )
        return (end - self._vector.get()) / (1.0 - 2.0**-ORDER), outputs

    def _step(self, start: float, end: float, length: float) -> bool:
        self._work.clock[:] = start, end, length
        self._begin()
        y, last = self._calls.y, np.inf
        for _ in range(MAX_ITERATIONS):
            self._residual()
            right = self._calls.f[:, None].copy()
            self._linearise()
            self._factors.make()
            change = self._factors.solve(right)[:, 0]
            y -= change
            left = max(float(np.abs(change[k]).max() / max(np.abs(y[k]).max(), 1e-300)) for k in self._kinds)
            if not np.isfinite(left):
                return False
            if left <= TOLERANCE or (left < 1e-6 and left > 0.3 * last):
                break
            last = left
        else:
            return False
        self._residual()
        if self._outputs:
            self._record()
        self._accept()
        if self._outputs:
            self._measure()
        return True


def _flat(array: Array) -> Array:
    found: Array = array.view(np.float64) if array.dtype.names else array
    return found.ravel().copy()
