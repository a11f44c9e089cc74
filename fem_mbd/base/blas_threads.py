"""BLAS threads: off where matrices are small, as in every step of a run.

A library of BLAS starts a thread for each processor and lets them share the work of matrices of some ten rows, which
takes longer than the work: up to twenty times on a machine with many processors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

VARIABLE = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS libraries work with one thread inside; afterwards with as many as before."""
    if os.environ.get(VARIABLE) == "1":  # so already
        yield
        return
    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """The libraries of BLAS in this process, looked for (2 ms) when more modules have been imported since."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
