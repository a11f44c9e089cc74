"""Small systems of equations in Python for a `NewtonSolver`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.newton.newton_solver import NewtonSolver, StepEquations


class PythonCalls:
    """Equations f(y) and the values of their full matrix, with the attributes of `StepCalls` that a solver needs."""

    def __init__(self, size: int, equations: Callable[[Array], Array], tangent: Callable[[Array], Array]):
        self.y, self.f, self.diagonal = np.zeros(size), np.zeros(size), np.zeros(size)
        self.values, self.after_tangent = np.zeros(size * size), np.zeros(1, dtype=np.int64)
        self.start, self.longest = np.zeros((1, 4, 3)), np.ones(1)
        self._equations, self._tangent = equations, tangent
        evaluate, evaluate_tangent = CallList([self.evaluate]), CallList([self.evaluate_tangent])
        self.lists = evaluate, evaluate, evaluate_tangent

    def evaluate(self) -> None:
        """Fill ``f``."""
        self.f[:] = self._equations(self.y)

    def evaluate_at(self, y: Array, f: Array) -> None:
        """The same for arrays of PETSc."""
        self.y[:] = y
        self.evaluate()
        f[:] = self.f

    def evaluate_tangent(self) -> None:
        """Fill ``values`` and ``diagonal``."""
        matrix = np.asarray(self._tangent(self.y)).reshape(len(self.y), -1)
        self.values[:], self.diagonal[:] = matrix.ravel(), matrix.diagonal()


def solver_of(
    size: int,
    equations: Callable[[Array], Array],
    tangent: Callable[[Array], Array],
    options: NewtonOptions | None = None,
    **more: Any,
) -> NewtonSolver:
    """A solver of equations that are lengths, in a model of 1 m; ``more`` : of `StepEquations`."""
    calls: Any = PythonCalls(size, equations, tangent)
    step = StepEquations(
        np.arange(0, size * size + 1, size, dtype=np.int32),
        np.tile(np.arange(size, dtype=np.int32), size),
        np.zeros(size, dtype=np.int64),
        1.0,
        calls.evaluate_at,
        calls.evaluate_tangent,
        **more,
    )
    return NewtonSolver(step, options or NewtonOptions(), calls)
