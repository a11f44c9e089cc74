"""What a Newton solver has to know of a step's equations."""

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
    unit : (size,) what an unknown is measured in, as `Convergence` takes it
    length : m, of the model
    residual : ``residual(y, f)`` fills f (size,)
    tangent : returns the matrix's values at the last y
    inertia : as `Convergence` takes it
    work : multiplications of a factorisation, by which "auto" chooses who factorises
    redundant : whether constraints depend on each other, so that factorisations are not kept from step to step
    pattern : the step's, for the compiled iteration
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    unit: Indices
    length: float
    residual: Callable[[Array, Array], None]
    tangent: Callable[[], Array]
    inertia: float = 0.0
    work: float = 0.0
    redundant: bool = False
    pattern: Pattern | None = None
