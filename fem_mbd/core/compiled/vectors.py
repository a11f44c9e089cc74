"""Compiled algebra of vectors in space, for all kernels; numbers may be complex for a derivative by complex step."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.core.compiled.kernels import kernel


@kernel
def cross(a: Any, b: Any) -> Any:
    """a x b as three numbers; a and b are arrays (3,) or three numbers each."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def dot(a: Any, b: Any) -> Any:
    """a . b without conjugation; a and b as in `cross`."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def length(a: Any) -> Any:
    """Length of a, as in `cross`, without conjugation."""
    return np.sqrt(dot(a, a))
