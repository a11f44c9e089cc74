"""Building of libraries, several in parallel, each once even if several processes need it."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from fem_mbd.core.compiled.libraries import (
    DUAL,
    file_of,
    folder,
    for_derivatives,
    is_fresh,
)
from fem_mbd.errors import InstallationError

# those that take longest first
ORDER = ("beams", "beam_batches", "contact", "friction", "joints", "scheme", "elements")


@dataclass(frozen=True)
class Wheel:
    """What libraries are built for, when it is no checkout.

    Attributes
    ----------
    version : of the package
    known : folder with one for each processor, whose libraries are taken where they are the same; None for none
    """

    version: str
    known: Path | None = None

    def arguments(self) -> list[str]:
        """For a worker."""
        return ["--version", self.version, *(["--known", str(self.known)] if self.known else [])]


def build(
    names: Sequence[str],
    folders: Sequence[Path] = (),
    jobs: int | None = None,
    wheel: Wheel | None = None,
) -> None:
    """Build libraries that are missing or older than their kernels, and say so on stderr.

    Parameters
    ----------
    names : of libraries
    folders : one for each processor, named as it; by default the checkout's for this one
    jobs : processes at a time, by default as many as processors
    wheel : that they are for, None for a checkout

    Raises
    ------
    InstallationError
        When one cannot be built.
    """
    if importlib.util.find_spec("numba") is None:
        raise InstallationError(
            "kernels cannot be compiled: numba is missing: pip install numba. A wheel of fem_mbd needs none"
        )
    stale = [name for name in names if folders or not is_fresh(file_of(name))]
    wanted = sorted(stale, key=_place)
    places = list(folders) or [folder()]
    more = wheel.arguments() if wheel else []
    progress = _Progress()
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        errors = list(pool.map(lambda name: _built(name, _for(name, places, wheel), more, progress), wanted))
    progress.end()
    for error in filter(None, errors):
        raise InstallationError(error)


def _for(name: str, folders: list[Path], wheel: Wheel | None) -> list[Path]:
    """Folders that get a library."""
    chosen = for_derivatives() if wheel and name.startswith(DUAL) else [path.name for path in folders]
    return [path for path in folders if path.name in chosen]


def _place(name: str) -> tuple[int, str]:
    """Order of building."""
    plain = name.rpartition("-")[2]
    return ORDER.index(plain) if plain in ORDER else len(ORDER), name


def _built(name: str, folders: Sequence[Path], more: Sequence[str], progress: _Progress) -> str:
    """What went wrong, nothing if it went well."""
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        lock = (folders[0] / f"{name}.lock").open("w")
    except OSError as error:
        return f"the library {name} cannot be put into {folders[0]}: {error.strerror}"
    command = [sys.executable, "-m", "fem_mbd.core.compiled.build.worker", name, *map(str, folders), *more]
    environment = {**os.environ, "NUMBA_OPT": "0"}  # all is optimised together, see `module`
    with _alone(lock):
        for folder in folders:
            for half in folder.glob(f".{name}-*"):  # of a build that was killed
                shutil.rmtree(half, ignore_errors=True)
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            pass_fds=(lock.fileno(),),  # it goes on when this process is killed
        ) as worker:
            assert worker.stdout is not None
            if worker.stdout.readline():  # a worker tells when it has to compile
                progress.begin(name)
            said = worker.communicate()[1]
        progress.done(name)
    said = said.strip() or f"its process has ended with status {worker.returncode}"
    return f"the library {name} could not be built:\n{said}" if worker.returncode else ""


@contextmanager
def _alone(lock: TextIO) -> Iterator[None]:
    """Context with a file lock, which is released when the process and its worker end, also when they are killed."""
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Progress:
    """A line on stderr that tells which libraries are being compiled; on a terminal it is written over."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._told = False
        self._lock = threading.Lock()

    def begin(self, name: str) -> None:
        """A library is being compiled."""
        with self._lock:
            self._names.append(name)
            self._tell()

    def done(self, name: str) -> None:
        """It is there."""
        with self._lock:
            if name in self._names:
                self._names.remove(name)

    def end(self) -> None:
        """All are there."""
        if self._told and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")

    def _tell(self) -> None:
        """Which libraries are compiled, and how long it takes, before it does."""
        derivatives = any(name.startswith(DUAL) for name in self._names)
        time = (
            "two minutes of CPU time for all of derivatives" if derivatives else "up to 40 s of CPU time each"
        )
        line = f"compiling kernels: {', '.join(self._names)} (once, {time})"
        sys.stderr.write(f"\r\x1b[K{line}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()
        self._told = True
