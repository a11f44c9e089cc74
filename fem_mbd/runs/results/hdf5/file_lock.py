"""Locks against a second process that would write to the same results file or run's folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from fem_mbd.errors import InputError


def lock(handle: int, location: Path) -> None:
    """Lock an open file or folder, until its handle is closed.

    Raises
    ------
    InputError
        When another process has locked it.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"{location}: another run is writing there; wait until it ends or give another path"
        ) from None
    except OSError:
        # Some network file systems have no locks; there the user has to prevent two writers.
        return


class FileLock:
    """Exclusive access to the file at `path`, which is first written beside it under another name.

    Both names are locked: a run being resumed uses the final name, a new one the temporary name. The lock belongs to
    the file, not to its name, so it persists when the file is renamed.
    """

    def __init__(self, path: Path, temporary: Path) -> None:
        self._handles: list[int] = []
        try:
            if path.exists():
                self._acquire(path, path, os.O_RDONLY)
            self._acquire(temporary, path, os.O_RDWR | os.O_CREAT)
        except BaseException:
            self.release()
            raise

    def _acquire(self, file: Path, location: Path, flags: int) -> None:
        while True:
            handle = os.open(file, flags, 0o666)
            self._handles.append(handle)
            lock(handle, location)
            if _is_same_file(handle, file):
                return
            # The file was renamed between opening and locking: the name belongs to another file now.
            if not flags & os.O_CREAT and not file.exists():
                return

    def release(self) -> None:
        """Release the locks."""
        while self._handles:
            os.close(self._handles.pop())


def _is_same_file(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(file))
    except FileNotFoundError:
        return False
