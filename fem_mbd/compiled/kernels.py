"""`kernel`: how every function of the package that runs in a step is compiled, and kept on disk.

numba keeps compiled code as long as the function's own file is unchanged, although code of imported kernels is
compiled into it. Here the folder in which it is kept belongs to the text of all kernels of the package
(`cache`): when any of them changes, all are compiled again, into another folder.

Processes may compile side by side (tests on all processors, two runs started at once), and what several of them have
kept meets in one process later. Two things would then go wrong, see `Saving` and `_PROCESS`.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex
from time import sleep
from typing import Any

from numba import njit
from numba.core import event
from numba.core.types import unliteral

from fem_mbd.compiled.cache import cache_folder
from fem_mbd.compiled.kept import Kept

# numba names machine code after the function and its types of arguments, and record types by a number that counts the
# types a process has met. Code that two processes kept, one for beams of three nodes and one for beams of four, could
# then have the same names inside; a third process that loads both would jump from the one into the other. So the
# functions' names in machine code are those of the process that compiled them.
_PROCESS = token_hex(6)


PATIENCE = 20.0  # s

_OPTIONS: Any = {"error_model": "numpy", "no_cfunc_wrapper": True}


class Saving(event.Listener):
    """Lets one process at a time store what it has compiled.

    numba numbers the files of a function's versions and reads the next number from an index: two processes that store
    at the same moment take the same number, and one's index then leads to the other's code. numba tells when a
    compilation ends ("numba:compile"), stores, and gives up its own lock ("numba:compiler_lock"); a lock on a
    file is held in between.
    """

    def __init__(self) -> None:
        self.depth = 0  # how often the compiler's lock is held
        self.until = 0  # the depth at which storing is over
        self.handle: Any = None

    def on_start(self, event: Any) -> None:
        """Count how deep compilations of called functions lie in those of the callers."""
        self.depth += event.kind == "numba:compiler_lock"

    def on_end(self, event: Any) -> None:
        """Take the lock behind a compilation, release it behind the storing."""
        if event.kind == "numba:compile" and self.handle is None and self.depth > 0:
            self.until = self.depth
            with suppress(OSError):  # a full disk, or one without locks
                self.handle = open(cache_folder() / "saving", "a")
                wait_for(self.handle)
        elif event.kind == "numba:compiler_lock":
            if self.handle is not None and self.depth == self.until:
                self.handle.close()
                self.handle = None
            self.depth -= 1


def wait_for(file: Any) -> None:
    """Lock an open file. Storing takes milliseconds: a lock held much longer belongs to a process that is stopped."""
    for _ in range(round(PATIENCE / 0.01)):
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(0.01)


_saving = Saving()
for _kind in ("numba:compile", "numba:compiler_lock"):
    event.register(_kind, _saving)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual. Entries that nobody calls are
    not compiled, which saves a quarter of the time: none for C, and none for Python where the name begins with an
    underscore: such a function is called by kernels only.
    """
    return _compiled(function, counting=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """As `kernel`, for a function that makes no arrays and returns none.

    It does not count who holds the arrays that it is given and hands on. A count is an atomic operation, and those of
    the few small arrays of a joint or contact took more time than its forces.
    """
    return _compiled(function, counting=False)


def _compiled(function: Callable[..., Any], counting: bool) -> Any:
    own = {"no_cpython_wrapper": function.__name__.startswith("_"), "_nrt": counting}
    compiled = njit(**_OPTIONS | own)(function)
    compiled._cache = Kept(function)
    # a kernel that calls another one with constants would have it compiled for each of them: a fifth of all compiling
    template = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template(tuple(map(unliteral, args)), kws)
    function.__qualname__ = f"{function.__qualname__}_{_PROCESS}"
    return compiled
