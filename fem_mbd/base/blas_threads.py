"""Context manager that limits BLAS to one thread, for code with small matrices such as every step of a run.

A BLAS library starts a thread for each processor and shares even the work of matrices of some ten rows among them. That
takes longer than the work itself: up to twenty times on a machine with many processors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS libraries to one thread inside the context; restore the former number afterwards."""
    if os.environ.get(VARIABLE) == "1":  # limited already; looking for the libraries takes 2 ms
        yield
        return
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    try:
        with controller.limit(limits=1, user_api="blas"):
            yield
    finally:
        controller.lib_controllers.clear()  # breaks a reference cycle: else the garbage collector has to free it
