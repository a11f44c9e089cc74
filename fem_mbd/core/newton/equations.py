"""Class `StepEquations`: the equations of a step for a Newton solver, with sparsity and scales."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.scheme.matrix.pattern import Pattern


@dataclass(frozen=True, eq=False)
class StepEquations:
    """Equations f(y) = 0 whose derivatives have a fixed sparsity.

    Attributes
    ----------
    indptr, indices : of the matrix, CSR
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    length : m, of the model
    residual : ``residual(y, f)`` fills f (size,)
    tangent : evaluates the matrix values of the calls at the last y
    inertia : as for `Convergence`
    work : multiplications of a factorisation, from which "auto" chooses the linear solver
    redundant : whether constraints depend on each other, so that factorisations are not reused from step to step
    pattern : of the matrix by blocks, for the compiled iteration
    spacing : m, the smallest distance of two nodes of a flexible line; 0: the length
    scale : (size,) of the equations of models that are far from 1 kg (`fem_mbd.core.scheme.matrix.scale`), or None
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    unit: Indices
    length: float
    residual: Callable[[Array, Array], None]
    tangent: Callable[[], object]
    inertia: float = 0.0
    work: float = 0.0
    redundant: bool = False
    pattern: Pattern | None = None
    scale: Array | None = None
    spacing: float = 0.0
