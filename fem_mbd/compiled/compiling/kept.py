"""`Kept`: machine code of a kernel on disk, of which no more is read than a run needs.

numba makes its compiler ready before it looks for kept code. With a kernel it reads what only kernels that are compiled
later would link: its code in the compiler's own language, and the modules of all that was compiled into it. That takes
longer than a small model's run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import compile_result
from numba.core.runtime import rtsys

from fem_mbd.compiled.compiling.library import LateLibrary
from fem_mbd.compiled.storage.cache import cache_folder

_settings: Any = config


class _Results(CompileResultCacheImpl):
    """What is kept of a compilation, and how it is read."""

    def reduce(self, data: Any) -> Any:
        *most, environments = super().reduce(data)
        # environments without constants are never looked into, and would have numba's modules imported
        return *most, tuple(one for one in environments if one.consts)

    def rebuild(self, target_context: Any, reduced_data: Any) -> Any:
        code, fndesc, environment, signature, *_, reload, environments = reduced_data
        for function in reload:
            function()
        library = LateLibrary._unserialize(target_context.codegen(), code)
        if library.generated:
            for one in environments:
                library.codegen.set_env(one.env_name, one)
        return compile_result(
            typing_context=target_context.typing_context, target_context=target_context, library=library,
            fndesc=fndesc, environment=environment, signature=signature, objectmode=False, lifted=(),
            reload_init=reload, referenced_envs=environments,
        )  # fmt: skip


class _Files(FunctionCache):
    _impl_class = _Results


class Kept:
    """What numba asks of the cache of a function, found when it asks for the first time: most are never called.

    Parameters
    ----------
    function : named as its files are to be
    """

    def __init__(self, function: Callable[..., Any]):
        self._function: Any = function
        self._name = function.__qualname__

    @cached_property
    def _files(self) -> Any:
        f = self._function
        plain = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        plain.__qualname__ = self._name  # that of the function is for its machine code, see `kernels`
        given, _settings.CACHE_DIR = _settings.CACHE_DIR, str(cache_folder())
        try:
            return _Files(plain)
        finally:
            _settings.CACHE_DIR = given

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._files.cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for arguments of these types, None where none is kept.

        Code from disk needs numba's allocator only; where there is none the compiler makes itself ready.
        """
        rtsys.initialize(target_context)
        return self._files._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for arguments of these types."""
        self._files.save_overload(sig, data)
