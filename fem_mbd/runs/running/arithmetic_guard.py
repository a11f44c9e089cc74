"""Turns arithmetic errors while a case is built (overflow, division by zero) into an InputError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fem_mbd.errors import FemMbdError, InputError


@contextmanager
def arithmetic_guard(case: str) -> Iterator[None]:
    """Context in which a case is built: overflow, division by zero and the like become an InputError."""
    import numpy as np

    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except FemMbdError:
        raise
    except (ArithmeticError, MemoryError, ValueError, np.linalg.LinAlgError) as error:
        raise InputError(
            f"case {case!r} cannot be built with these parameters: a number is out of range "
            f"({type(error).__name__}: {error})"
        ) from error
