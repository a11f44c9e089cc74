"""Where compiled kernels are kept: one folder for each state of the package, so that no version meets another's code.

The folder is named by a digest of all files with kernels and of the versions of numba, numpy and Python. It lies in

1. ``NUMBA_CACHE_DIR`` when the user has set it,
2. ``__pycache__`` of the package,
3. the user's cache folder, when the installation may not be written,
4. a temporary folder that only this user can read, when there is no home either.

A process holds a shared lock on the folder it uses. A process that makes a new one removes the oldest of those that
nobody holds, and keeps the `KEPT` newest.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fem_mbd.errors import FemMbdWarning

KEPT = 4  # folders of other versions, for going back and forth between a few
PREFIX = "fem_mbd-"
COMPILED = Path(__file__).parent.parent
PACKAGE = COMPILED.parent
# what a file with kernels imports
_MARKS = (b"fem_mbd.compiled import ", b"compiled.calling.late import ", b"compiled.unrolled import ")


def package_files(package: str) -> Iterator[str]:
    """All Python files below ``package``, at any depth, links followed (which `Path.rglob` does not)."""
    for folder, _, names in os.walk(package, followlinks=True):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))


@cache
def kernels_digest() -> str:
    """Digest of all files of the package that define kernels, of how they are compiled, and by which versions."""
    digest = sha256(f"{_numba_version()} {np.__version__} {sys.version}".encode())
    package, own = str(PACKAGE), str(COMPILED) + os.sep
    for path in sorted(package_files(package)):
        with open(path, "rb") as file:
            text = file.read()
        if path.startswith(own) or any(mark in text for mark in _MARKS):
            digest.update(os.path.relpath(path, package).encode() + text)
    return digest.hexdigest()[:24]


def _numba_version() -> str:
    """The file in which numba keeps its version: to import numba, or to read its metadata, takes longer."""
    package = find_spec("numba")
    if package is not None and package.origin is not None:
        file = Path(package.origin).with_name("_version.py")
        if file.exists():
            return file.read_text(encoding="utf-8")
    from importlib.metadata import version

    return version("numba")


@cache
def cache_folder() -> Path:
    """The folder for kernels of this version of the package, made if need be and held by this process.

    Warns
    -----
    FemMbdWarning
        When only a temporary folder can be written.
    """
    name = PREFIX + kernels_digest()
    for base in _lasting_bases():
        try:
            return claimed(base / name)
        except OSError:
            continue
    base = Path(tempfile.gettempdir()) / f"{PREFIX}user-{os.getuid()}"
    if not _only_ours(base):
        base = Path(tempfile.mkdtemp(prefix=PREFIX))
    warnings.warn(
        f"compiled code is kept in {base}: neither the installation nor a home folder may be written. "
        "Set NUMBA_CACHE_DIR to a folder that lasts",
        FemMbdWarning,
        stacklevel=2,
    )
    return claimed(base / name)


def _lasting_bases() -> Iterator[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        yield Path(given)
    yield PACKAGE / "__pycache__"
    user = os.environ.get("XDG_CACHE_HOME")
    try:
        yield (Path(user) if user else Path.home() / ".cache") / "fem_mbd"
    except RuntimeError:  # a user without a home
        return


def _only_ours(folder: Path) -> bool:
    """Whether ``folder`` is, or could be made, this user's alone: code is loaded from it."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and found.st_uid == os.getuid()
        and not found.st_mode & 0o77
    )


def claimed(folder: Path) -> Path:
    """``folder``, made if need be; OSError when it cannot be written.

    The lock against its removal is that of an open file, which the end of the process closes.
    """
    new = not folder.exists()
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / "in_use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        fcntl.flock(handle, fcntl.LOCK_SH)
        try:
            # removed by another process between the two lines above?
            if os.path.samestat(os.stat(folder / "in_use"), os.fstat(handle)):
                break
        except FileNotFoundError:
            pass
        os.close(handle)
    os.utime(folder)  # says when it was last used
    if new:
        remove_old(folder.parent, folder)
    return folder


def remove_old(base: Path, but: Path) -> None:
    """Remove what is kept of other versions in ``base``, but for the `KEPT` newest and for what a process holds."""
    others = [f for f in base.glob(PREFIX + "*") if f != but and (f / "in_use").exists()]
    others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in others[KEPT:]:
        try:
            with open(folder / "in_use", "a") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
        except OSError:
            continue
