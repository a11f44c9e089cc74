"""`LateLibrary`: the code of a kernel, which becomes machine code when its address is asked for.

numba makes machine code of every function that it compiles. Most kernels are called by other kernels only, which link
their code in LLVM's language and optimise it with their own: machine code of theirs, and what optimising them alone
brings, would never be used. That was a third of all compiling.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary, _parse_refprune_flags
from numba.core.environment import lookup_environment

_ENVIRONMENT = "_ZN08NumbaEnv"  # how numba's names of the variables with a function's Python constants begin


class LateLibrary(JITCodeLibrary):
    """Code of a kernel, compiled here or read from disk.

    Attributes
    ----------
    generated : whether there is machine code
    linked : how many libraries have been linked into it
    entries : names of functions that are called by their addresses; their code stays although it is inlined elsewhere
    """

    generated = False
    linked = 0  # libraries within
    _bitcode = b""  # what callers link, not parsed yet
    _code = b""  # machine code read from disk

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self.entries: set[str] = set()
        self.enable_object_caching()

    def _optimize_functions(self, ll_module: Any) -> None:
        """Tidy up function by function what callers link; all else is left to `generate`."""
        codegen: Any = self._codegen
        ll_module.data_layout = codegen._data_layout
        passes, builder = _tidying(codegen)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        """Link what the kernel calls. Optimising waits for `generate`."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # linked by many
        for library in sorted(dict.fromkeys(self._linking_libraries), key=_linked_into, reverse=True):
            self._reload_init.update(library._reload_init)
            if self._asks_for(library):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
                self.linked += 1 + _linked_into(library)
        self._shared_module = self._final_module
        self._finalize_dynamic_globals()
        self._finalized = True

    def _asks_for(self, library: Any) -> bool:
        """Whether a library's code is still missing: what was linked before has often brought it."""
        if not isinstance(library, LateLibrary) or not library.entries:
            return True
        return any(self._lacks(name) for name in library.entries)

    def _lacks(self, name: str) -> bool:
        try:
            return bool(self._final_module.get_function(name).is_declaration)
        except NameError:  # called nowhere
            return False

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None and self._bitcode:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
        return super()._get_module_for_linking()

    def generate(self) -> None:
        """Make machine code, unless there is some."""
        if self.generated:
            return
        shared = self._get_module_for_linking()  # callers link what is not optimised yet
        self._final_module = shared.clone()
        for name in self.entries:
            self._final_module.get_function(name).linkage = "weak_odr"  # linked by many, not to be dropped
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        self.generated = True
        codegen: Any = self._codegen
        for environment in self.environments():
            codegen.set_env(environment.env_name, environment)

    def environments(self) -> Iterator[Any]:
        """Of all functions within that have constants; numba has set those of functions with machine code only."""
        names = [v.name for v in self._final_module.global_variables if v.name.startswith(_ENVIRONMENT)]
        found = (lookup_environment(name) for name in names)
        return (environment for environment in found if environment is not None and environment.consts)

    def get_pointer_to_function(self, name: str) -> int:
        """Address of a function, zero when there is none of that name."""
        self.generate()
        return int(super().get_pointer_to_function(name))

    @property
    def object_code(self) -> bytes:
        """Machine code as files hold it; empty while there is none."""
        return self._code or (bytes(self._get_compiled_object()) if self.generated else b"")

    def serialize_using_object_code(self) -> Any:
        """What is kept on disk: machine code if there is any, and what callers link."""
        bitcode = self._bitcode or self._get_module_for_linking().as_bitcode()
        return self.name, "object", (self.object_code, bitcode, self.entries)

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> LateLibrary:
        name, _, (code, bitcode, entries) = state
        library = cls(codegen, name)
        library.entries, library._bitcode = entries, bitcode
        if code:
            library._code = code  # the linker takes what is set from the library
            library._set_compiled_object(code)
            library._finalize_final_module()
            codegen._engine._defined_symbols.update(entries)
            library.generated = True
        library._finalized = True
        return library


def _linked_into(library: Any) -> int:
    return int(getattr(library, "linked", 0))


@cache
def _tidying(codegen: Any) -> tuple[Any, Any]:
    """Passes of LLVM that a function goes through before it is linked, and what runs them.

    Every caller optimises what it links anew, so only what makes a function small pays here: numba's own choice, all
    that is done to a function, took two and a half times as long and left callers as much to do.
    """
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_refprune_pass(_parse_refprune_flags())
    return passes, codegen._pass_builder()
