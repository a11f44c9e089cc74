"""`kernel`: how every function of the package that runs in a step is compiled, and kept on disk.

numba keeps compiled code as long as the function's own file is unchanged, although code of imported kernels is
compiled into it: after an update it would go on with parts of the old version. Here what is kept belongs to the text of
all kernels of the package; when any of them changes, all are compiled again.

Processes may compile side by side (tests on all processors, two runs started at once), and what several of them have
kept meets in one process later: see `KernelFile` and `name_records_by_content`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import IndexDataCacheFile
from numba.core.types import Record

_MARK = "compiled import " + "kernel"


def package_files(package: Path) -> Iterator[Path]:
    """All Python files below ``package``, at any depth, links followed (which `Path.rglob` does not)."""
    for folder, _, names in os.walk(package, followlinks=True):
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


@cache
def kernels_digest() -> str:
    """Digest of all files of the package that define kernels, and of this one, which says how they are compiled."""
    digest = sha256(Path(__file__).read_bytes())
    package = Path(__file__).parent
    for path in sorted(package_files(package)):
        text = path.read_bytes()
        if _MARK.encode() in text:
            digest.update(path.relative_to(package).as_posix().encode() + text)
    return digest.hexdigest()


class KernelFile(IndexDataCacheFile):
    """What is kept of one kernel; each file of machine code says what it is, and is named after it.

    numba numbers these files. Two processes that compile versions of a kernel at the same time take the same
    number, and the index then leads from one version to the code of the other: crashes, wrong results, for good.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep ``data``, the code compiled for the signature in ``key``."""
        known = self._load_index()
        name = f"{self._index_name.removesuffix('.nbi')}.{sha256(repr(key).encode()).hexdigest()[:16]}.nbc"
        if known.get(key) != name:
            self._save_index(known | {key: name})
        self._save_data(name, (self._source_stamp, repr(key), data))

    def load(self, key: Any) -> Any:
        """The code for ``key``, None when there is none of this version of the package."""
        kept = super().load(key)
        if kept is None or kept[:2] != (self._source_stamp, repr(key)):
            return None
        return kept[2]


def name_records_by_content() -> None:
    """Let the names of machine code tell record types by their fields.

    numba numbers record types, and functions, in the order in which a process meets them. Code that two processes kept,
    one for beams of three nodes and one for beams of four, can have the same names inside; a third process that loads
    both then jumps from the one into the other.
    """

    def by_content(self: Any) -> tuple[str, tuple[str]]:
        return type(self).__name__, (sha256(repr(self).encode()).hexdigest()[:24],)

    record_type: Any = Record
    record_type.mangling_args = property(by_content)


name_records_by_content()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual.
    """
    compiled: Any = njit(cache=True, error_model="numpy")(function)
    # private to numba, and the only way in; a test notices when it is gone
    cache = compiled._cache
    plain = cache._cache_file
    base = plain._index_name.removesuffix(".nbi")
    cache._cache_file = KernelFile(plain._cache_path, base, (plain._source_stamp, kernels_digest()))
    return compiled
