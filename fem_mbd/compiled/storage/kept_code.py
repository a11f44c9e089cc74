"""Files of machine code, one for each kernel and kind of arguments, that are read without numba.

numba keeps its own files beside them (`kept`): code in the compiler's language, which a kernel that is compiled later
links, and from which a file here is made again when it is missing. A file is written under another name and then given
its own, so that it is whole or not there; several processes that write the same one write the same. What a disk has
damaged is told by a checksum and not used.
"""

from __future__ import annotations

import json
import os
from ast import literal_eval
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any
from zlib import crc32

import numpy as np
from llvmlite import binding as llvm

from fem_mbd.compiled.storage.cache import cache_folder
from fem_mbd.compiled.storage.machine_code import Code

_SUM = 4  # bytes of the checksum
# the checksum, and the length of names and constants in JSON, which stand before the object code
_START = Struct(f"<{_SUM}xI")


def place_of(function: Callable[..., Any], types: str) -> Path | None:
    """The file of a kernel for arguments of some types; None for a function that comes from no file.

    Its name stands for all that decides the code: the kernel and the state of its file, as numba looks at it, the
    types, the processor, and settings of numba. The package's version is that of the folder.
    """
    code = function.__code__
    try:
        found = os.stat(code.co_filename)
    except OSError:
        return None
    state = f"{found.st_mtime_ns} {found.st_size} {code.co_firstlineno} {code.co_code.hex()}"
    name = f"{function.__module__}.{function.__name__}"
    digest = sha256(f"{name} {state} {types} {_machine()}".encode()).hexdigest()
    return _folder() / f"{name}-{digest[:24]}"


@cache
def _folder() -> Path:
    folder = cache_folder() / "linked"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return folder


@cache
def _machine() -> str:
    """The processor, and numba's settings but for the place of its files."""
    settings = sorted(
        f"{k}={v}" for k, v in os.environ.items() if k.startswith("NUMBA_") and k != "NUMBA_CACHE_DIR"
    )
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {settings}"


def read(place: Path) -> Code | None:
    """The code in a file; None when there is none or it is damaged."""
    try:
        with open(place, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if len(data) <= _START.size or crc32(data[_SUM:]).to_bytes(_SUM, "little") != data[:_SUM]:
        return None
    (length,) = _START.unpack_from(data)
    behind = _START.size + length
    function, wrapper, constants = json.loads(data[_START.size : behind])
    constants = {symbol: tuple(map(_dtype, some)) for symbol, some in constants.items()}
    return Code(function, wrapper, constants, data[behind:])


def write(place: Path, code: Code) -> None:
    """Keep code in a file; nothing is kept on a full disk or in a folder that may not be written.

    Nor is code with a constant that is no type of NumPy's, or one that words do not tell whole.
    """
    if not all(_told(constant) for some in code.constants.values() for constant in some):
        return
    constants = {symbol: list(map(_words, some)) for symbol, some in code.constants.items()}
    head = json.dumps([code.function, code.wrapper, constants]).encode()
    data = _START.pack(len(head))[_SUM:] + head + code.object_code
    unfinished = place.with_name(f".{place.name}.{os.getpid()}")
    with suppress(OSError):
        unfinished.write_bytes(crc32(data).to_bytes(_SUM, "little") + data)
        unfinished.replace(place)


def _words(dtype: np.dtype) -> str:
    return repr(np.lib.format.dtype_to_descr(dtype))


def _dtype(words: str) -> np.dtype:
    return np.lib.format.descr_to_dtype(literal_eval(words))


def _told(constant: Any) -> bool:
    """Whether a constant is a type of NumPy's that its words give again."""
    if not isinstance(constant, np.dtype) or constant.hasobject:
        return False
    again = _dtype(_words(constant))
    return again == constant and again.isalignedstruct == constant.isalignedstruct
