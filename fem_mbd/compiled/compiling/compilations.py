"""Who is told that kernels are compiled: notices, counts, Ctrl-C. To read kept code is no compilation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Watcher:
    """Is told when a compilation begins and ends; those of called kernels lie within those of their callers."""

    def begun(self) -> None:
        """A compilation has begun."""

    def ended(self) -> None:
        """A compilation has ended."""


class Counter(Watcher):
    """Counts compilations.

    Attributes
    ----------
    count : compilations that have begun
    """

    def __init__(self) -> None:
        self.count = 0

    def begun(self) -> None:
        """One more."""
        self.count += 1


_watchers: list[Watcher] = []


@contextmanager
def announced() -> Iterator[None]:
    """Within this context something is compiled: those who want to know are told."""
    told = tuple(_watchers)
    for watcher in told:
        watcher.begun()
    try:
        yield
    finally:
        for watcher in told:
            watcher.ended()


@contextmanager
def watched_compilations(watcher: Watcher) -> Iterator[None]:
    """Within this context ``watcher`` is told."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
