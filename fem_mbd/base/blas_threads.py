"""Context manager that limits BLAS to one thread, for code with small matrices such as every step of a run.

A BLAS library starts a thread for each processor and shares even the work of matrices of some ten rows among them. That
takes longer than the work itself: up to twenty times on a machine with many processors.
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
    """Limit BLAS libraries to one thread inside the context; restore the former number afterwards."""
    if os.environ.get(VARIABLE) == "1":  # limited already
        yield
        return
    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """The BLAS libraries of this process; the search (2 ms) is repeated when more modules have been imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
