"""`kernel`: how every function of the package that runs in a step is compiled, and kept on disk.

numba keeps compiled code as long as the function's own file is unchanged, although code of imported kernels is
compiled into it. Here the folder in which it is kept belongs to the text of all kernels of the package
(`cache`): when any of them changes, all are compiled again, into another folder.

Processes may compile side by side (tests on all processors, two runs started at once), and what several of them have
kept meets in one process later. Two things would then go wrong, see `saving` and `_PROCESS`.
"""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex
from typing import Any

from fem_mbd.compiled.dispatcher import Dispatcher
from fem_mbd.compiled.kept import Kept

# numba names machine code after the function and its types of arguments, and record types by a number that counts the
# types a process has met. Code that two processes kept, one for beams of three nodes and one for beams of four, could
# then have the same names inside; a third process that loads both would jump from the one into the other. So the
# functions' names in machine code are those of the process that compiled them.
_PROCESS = token_hex(6)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual. What is compiled for kernels
    that call it gets no machine code of its own, and no entry for Python until Python calls it, see `dispatcher`.
    """
    return _compiled(function, counting=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """As `kernel`, for a function that makes no arrays and returns none.

    It does not count who holds the arrays that it is given and hands on. A count is an atomic operation, and those of
    the few small arrays of a joint or contact took more time than its forces.
    """
    return _compiled(function, counting=False)


def _compiled(function: Callable[..., Any], counting: bool) -> Any:
    options = {"nopython": True, "boundscheck": None, "error_model": "numpy", "_nrt": counting}
    compiled = Dispatcher(function, targetoptions=options)
    compiled._cache = Kept(function)
    function.__qualname__ = f"{function.__qualname__}_{_PROCESS}"
    return compiled
