"""`Dispatcher`: compiles a kernel for types of arguments, and makes no more of it than is asked for.

numba's dispatcher makes machine code and an entry for Python of whatever it compiles. Here a kernel that other kernels
call gets neither (`LateLibrary`), one that is called by its address machine code, and one that Python calls the entry
that unpacks its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core.compiler import Flags, _make_subtarget, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.types import unliteral

from fem_mbd.compiled.compiling.compilations import announced
from fem_mbd.compiled.compiling.library import LateLibrary
from fem_mbd.compiled.compiling.pipeline import KernelCompiler, Operators
from fem_mbd.compiled.compiling.target import Target
from fem_mbd.compiled.storage.saving import one_at_a_time

_Dispatcher: Any = CPUDispatcher
_operators = cache(Operators.of)  # one for all kernels


class Dispatcher(_Dispatcher):
    """A kernel for all types that it is called with."""

    def __init__(self, *given: Any, **options: Any):
        super().__init__(*given, **options)
        self._entries: list[Any] = []  # for Python: what numba calls does not hold them
        self._finished: Callable[[Any], Any] = _linked

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """For a caller's types.

        A kernel that calls another one with constants would have it compiled for each of them: a fifth of all
        compiling.
        """
        return super().get_call_template(tuple(map(unliteral, args)), kws)

    def compile(self, sig: Any) -> Any:
        """Compile for callers that link it; what numba knows the result by."""
        return self._overload(tuple(normalize_signature(sig)[0]), self._finished).entry_point

    def address(self, args: tuple[Any, ...]) -> int:
        """Of its machine code for arguments of these types, compiled or read from disk if need be."""
        with global_compiler_lock:
            found = self._overload(args, _generated)
            if not found.library.generated:
                self._keep(args, _generated(found))
            return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What Python's first call with arguments of such types goes to; the entry for further calls."""
        types = tuple(map(self.typeof_pyval, args))
        with global_compiler_lock:
            self._finished = self._with_python_entry
            try:
                super()._compile_for_args(*args, **kws)  # says what is wrong with types that do not serve
            finally:
                self._finished = _linked
            found = self.overloads[types]
            if found.fndesc.llvm_cpython_wrapper_name not in found.library.entries:
                found = self._with_python_entry(found)
                self._keep(types, found)
            entry = self.targetctx.get_executable(found.library, found.fndesc, found.environment)
            self._entries.append(entry)
            self._insert([one._code for one in types], entry, False)
            return entry

    def _overload(self, args: tuple[Any, ...], finished: Callable[[Any], Any]) -> Any:
        """The code for arguments of these types; what is compiled now is kept when it is ``finished``."""
        with global_compiler_lock, self._compiling_counter:
            if args not in self.overloads:
                found = self._cache.load_overload(args, self.targetctx)
                (self._cache_misses if found is None else self._cache_hits)[args] += 1
                if found is None:
                    found = finished(self._compiled(args))
                    self._keep(args, found)
                found = found._replace(entry_point=object())
                self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
                self.overloads[args] = found
            return self.overloads[args]

    def _compiled(self, args: tuple[Any, ...]) -> Any:
        library = LateLibrary(self.targetctx.codegen(), self.py_func.__qualname__)
        flags, known = self._flags(), _operators(self.typingctx)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        with announced():
            found = compile_extra(
                known, Target.of(self.targetctx, known), self.py_func, args, None, flags, {},
                library=library, pipeline_class=KernelCompiler,
            )  # fmt: skip
        library.entries = {found.fndesc.llvm_func_name}
        return found._replace(type_annotation=None)  # pages of text

    def _flags(self) -> Any:
        flags: Any = Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        return flags

    def _with_python_entry(self, found: Any) -> Any:
        """The same code with an entry for Python."""
        self.typingctx.refresh()
        self.targetctx.refresh()
        context = _make_subtarget(self.targetctx, self._flags())
        library = LateLibrary(context.codegen(), found.library.name)
        for linked in (found.library, rtsys.library):  # its code stands alone, see `machine_code`
            library.add_linking_library(linked)
        context.create_cpython_wrapper(library, found.fndesc, found.environment, None)
        library.entries = {found.fndesc.llvm_func_name, found.fndesc.llvm_cpython_wrapper_name}
        return _generated(found._replace(library=library))

    def _keep(self, args: tuple[Any, ...], found: Any) -> None:
        """In memory where it is known already, and on disk."""
        if args in self.overloads:
            self.overloads[args] = found
        with one_at_a_time():
            self._cache.save_overload(args, found)


def _linked(found: Any) -> Any:
    """As callers link it."""
    return found


def _generated(found: Any) -> Any:
    """With its machine code."""
    found.library.generate()
    return found
