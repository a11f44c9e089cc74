"""Tells the user why nothing moves during the first run: kernels are being compiled, once, and cached on
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fem_mbd.compiled.compiling.compilations import Watcher, watched_compilations

NOTICE = "compiling kernels (first run only)"


class _Once(Watcher):
    """Calls back at the first compilation; loading from the cache is not one."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say: Callable[[str], None] | None = say

    def begun(self) -> None:
        say, self._say = self._say, None
        if say is not None:
            say(NOTICE)


@contextmanager
def announced_compilation(say: Callable[[str], None]) -> Iterator[None]:
    """Within this context `say` is called once if a kernel has to be compiled."""
    with watched_compilations(_Once(say)):
        yield
