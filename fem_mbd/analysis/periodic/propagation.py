"""Derivatives carried along the steps of a run for many directions, with one factorisation of each step.

Groups of directions go along the path one after the other, as in `sensitivity.forward`. What that does for each of them
is done once here: the matrix of a step and its factors are found in the first group, and with them how often the
equations of its derivatives have to be solved, until they change no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import SuperLU, splu

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList

SMALL = 1e-10  # change of the derivatives of the unknowns of a kind, over their largest
ROUND_OFF = 1e-13  # of the derivatives of positions and turns at the start, the same
SOLUTIONS = 6  # of a step's equations; where more were needed, a step is left to `forward`
KEPT = 2_000_000  # numbers of unknowns whose factors are kept, all steps together
PHASES = ("begin", "residual", "residual_after_tangent", "tangent", "accept")


class Propagation:
    """Groups of directions along the path of one run.

    Parameters
    ----------
    scheme : of the model; its simulation is at the start of the run for the first group
    path : of the run
    """

    def __init__(self, scheme: DualScheme, path: Path):
        self._scheme, self._path = scheme, path
        simulation = scheme.simulation
        self._system, self._calls = simulation.system, simulation.scheme.calls
        self._clock = self._system.work.clock
        self._lists = {name: CallList(getattr(self._calls, name)) for name in PHASES}
        kinds = [np.flatnonzero(self._system.unit == k) for k in range(3)]
        self._kinds = [kind for kind in kinds if len(kind)]
        self._state = scheme.shadow.duals(simulation.state.u), scheme.shadow.duals(simulation.state.r)
        self._steps: dict[int, tuple[SuperLU, int]] = {}

    @staticmethod
    def suits(scheme: DualScheme, path: Path, groups: int) -> bool:
        """Whether there are groups enough, and memory for the factors."""
        return groups > 1 and scheme.simulation.system.size * len(path) <= KEPT

    def go(self, rates: Callable[[Array], Array] | None, first: int = 0, last: int | None = None) -> bool:
        """Carry the derivatives in the scheme's lanes along the path, or through some of its steps.

        Parameters
        ----------
        rates : (3, lanes) derivatives of a step's start, end and length from these times (3,)
        first, last : the steps, the last one left out; the scheme is at the start of the first

        Returns
        -------
        bool
            False where a step's derivatives were not found in this way.
        """
        scheme = self._scheme
        for k in range(first, len(self._path) if last is None else last):
            clock, unknowns = self._path.clocks[k], self._path.unknowns[k]
            scheme.begin(clock, 0.0 if rates is None else rates(clock))
            scheme.y[:, 0] = unknowns
            if k in self._steps:
                self._solve(*self._steps[k])
            elif not self._first(k):
                return False
            scheme.accept()
        return True

    def _first(self, k: int) -> bool:
        """Make the factors of step k and solve until nothing changes."""
        self._clock[:] = self._path.clocks[k]
        self._lists["begin"]()
        self._calls.y[:] = self._path.unknowns[k]
        for name in (
            "residual",
            "residual_after_tangent",
            "tangent",
        ):  # stresses of the geometric terms are those here
            self._lists[name]()
        system, scheme = self._system, self._scheme
        matrix = csr_matrix((self._calls.values, system.indices, system.indptr), shape=(system.size,) * 2)
        try:
            factors = splu(matrix.tocsc())
        except RuntimeError:  # singular
            return False
        self._lists["accept"]()
        floor = ROUND_OFF * max(float(np.abs(one[..., 1:]).max()) for one in self._state)
        for solutions in range(SOLUTIONS):
            scheme.residual()
            change = factors.solve(np.ascontiguousarray(scheme.f[:, 1:]))
            if solutions and self._is_small(change, floor):
                self._steps[k] = factors, solutions
                return True
            scheme.y[:, 1:] -= change
        return False

    def _is_small(self, change: Array, floor: float) -> bool:
        y = self._scheme.y
        for kind in self._kinds:
            allowed = SMALL * np.abs(y[kind, 1:]).max(axis=0) + floor
            if not (np.abs(change[kind]).max(axis=0) <= allowed).all():
                return False
        return True

    def _solve(self, factors: SuperLU, solutions: int) -> None:
        scheme = self._scheme
        for _ in range(solutions):
            scheme.residual()
            scheme.y[:, 1:] -= factors.solve(np.ascontiguousarray(scheme.f[:, 1:]))
        scheme.residual()
