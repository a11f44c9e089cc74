"""`one_at_a_time`: processes that compile side by side store what they have compiled one after the other.

numba numbers the files of a function's versions and reads the next number from an index: two processes that store at
the same moment take the same number, and one's index then leads to the other's code.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep
from typing import Any

from fem_mbd.compiled.storage.cache import cache_folder

PATIENCE = 20.0  # s


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold a lock on a file of the cache's folder meanwhile."""
    handle: Any = None
    with suppress(OSError):  # a full disk, or one without locks
        handle = open(cache_folder() / "saving", "a")
        wait_for(handle)
    try:
        yield
    finally:
        if handle is not None:
            handle.close()


def wait_for(file: Any) -> None:
    """Lock an open file. Storing takes milliseconds: a lock held much longer belongs to a process that is stopped."""
    for _ in range(round(PATIENCE / 0.01)):
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(0.01)
