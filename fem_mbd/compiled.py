"""`kernel`: how every function of the package that runs in a step is compiled, and kept on disk.

numba keeps compiled code as long as the function's own file is unchanged, although code of imported kernels is
compiled into it: after an update it would go on with parts of the old version. Here what is kept belongs to the text of
all kernels of the package; when any of them changes, all are compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit

_MARK = "@" + "kernel"


@cache
def kernels_digest() -> str:
    """Digest of all files of the package that define kernels."""
    digest = sha256()
    package = Path(__file__).parent
    # sub-packages may be links, which a recursive glob does not follow
    for path in sorted([*package.glob("*.py"), *package.glob("*/*.py")]):
        text = path.read_bytes()
        if _MARK.encode() in text:
            digest.update(path.name.encode() + text)
    return digest.hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual.
    """
    compiled: Any = njit(cache=True, error_model="numpy")(function)
    # private to numba, and the only way to widen its stamp; a test notices when it is gone
    kept = compiled._cache._cache_file
    kept._source_stamp = (kept._source_stamp, kernels_digest())
    return compiled
