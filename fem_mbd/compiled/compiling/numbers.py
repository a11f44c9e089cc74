"""Products of complex numbers, said in six of LLVM's instructions.

numba compiles a function of Python for them and calls it at every product, which LLVM then takes apart again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types

from fem_mbd.compiled.compiling.loops import structure

Lowering = Callable[..., Any]
_PRODUCTS = frozenset((operator.mul, operator.imul))


def multiplying(function: Any, signature: Any) -> Lowering | None:
    """What writes down a product of complex numbers; None for what is left to numba.

    Parameters
    ----------
    function : what numba asks the lowering of
    signature : the types of what it takes and gives
    """
    key = getattr(function, "typing_key", function)
    if not callable(key) or key not in _PRODUCTS:
        return None
    kinds = {signature.return_type, *signature.args}
    return _product if kinds == {types.complex128} else None


def _product(context: Any, signature: Any, builder: Any, given: Any) -> Any:
    """(a + b i) (c + d i) = a c - b d + (a d + b c) i, rounded as numba's."""
    (a, b), (c, d) = ([builder.extract_value(one, part) for part in range(2)] for one in given)
    real = builder.fsub(builder.fmul(a, c), builder.fmul(b, d))
    imaginary = builder.fadd(builder.fmul(a, d), builder.fmul(b, c))
    return structure(context, builder, signature.return_type, (real, imaginary))
