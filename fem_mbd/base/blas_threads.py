"""BLAS threads: off where matrices are small, as in every step of a run.

A library of BLAS starts a thread for each processor and lets them share the work of matrices of some ten rows, which
takes longer than the work: up to twenty times on a machine with many processors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS libraries work with one thread inside; afterwards with as many as before."""
    if os.environ.get(VARIABLE) == "1":  # so already; to look for the libraries takes 2 ms
        yield
        return
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    try:
        with controller.limit(limits=1, user_api="blas"):
            yield
    finally:
        controller.lib_controllers.clear()  # they refer to it: it would stay until the garbage collector comes by
