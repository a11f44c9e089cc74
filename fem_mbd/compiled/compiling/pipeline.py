"""`KernelCompiler`: numba's compiler with those of its passes only that kernels need.

Half of numba's passes serve functions within functions, `with` blocks, literal loops and parallel loops. A kernel has
none of them, but every pass looks at the whole function again. How a kernel is said to LLVM is shorter than numba's
way (`lowering`), and passes that look at more than they change are shorter (`passes`). And what an operator gives for
operands of given types is found by trying all that numba knows of it, for every multiplication anew: here it is found
once (`Operators`).
"""

from __future__ import annotations

import operator
from copy import copy
from functools import cache
from inspect import CO_GENERATOR
from types import CodeType
from typing import Any

from numba.core import errors, typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, _pass_registry
from numba.core.typing.context import Context

from fem_mbd.compiled.compiling.lowering import LowerKernel
from fem_mbd.compiled.compiling.passes import AssignOnce, RewriteArrays, RewriteBeforeTypes, StripPhis
from fem_mbd.compiled.compiling.target import declared

_errors: Any = errors
_OPERATORS = frozenset(getattr(operator, name) for name in operator.__all__)


class Operator(types.Function):
    """An operator, which remembers what it gives for operands of which types."""

    def __init__(self, templates: Any):
        super().__init__(templates)
        self.given: dict[Any, Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Signature for operands of these types."""
        operands = tuple(args)
        if operands not in self.given:
            self.given[operands] = super().get_call_type(context, args, kws)
        return self.given[operands]


class Operators(Context):
    """numba's knowledge of types, with operators that remember."""

    operators: dict[Any, Operator]
    known: tuple[int, ...] = ()  # when it was looked last

    @classmethod
    def of(cls, context: Any) -> Any:
        """All that ``context`` knows, and goes on to learn."""
        own = copy(context)
        own.__class__, own.operators = cls, {}
        return own

    def refresh(self) -> None:
        """Learn what has been declared."""
        if Operators.known != declared():
            super().refresh()
            Operators.known = declared()

    def resolve_value_type(self, val: Any) -> Any:
        """The type of a Python object."""
        found = super().resolve_value_type(val)
        if not isinstance(found, types.Function) or found.typing_key not in _OPERATORS:
            return found
        if found not in self.operators:  # numba makes another one when it learns more of the operator
            self.operators[found] = Operator(found.templates)
        return self.operators[found]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Signature of ``func`` for arguments of these types."""
        if isinstance(func, types.Type) or func not in _OPERATORS:
            return super().resolve_function_type(func, args, kws)
        return self.resolve_value_type(func).get_call_type(self, args, kws)


PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    RewriteBeforeTypes,
    untyped_passes.RewriteDynamicRaises,
    AssignOnce,
    typed_passes.NopythonTypeInference,
    StripPhis,
    typed_passes.InlineOverloads,
    RewriteArrays,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    LowerKernel,
    typed_passes.NoPythonBackend,
)


class Passes(PassManager):
    """Passes that run one after the other; numba puts all types into words at each, for those who watch it."""

    def run(self, state: Any) -> None:
        """Run all of them; an error says in which one it was."""
        for one, name in self.passes:
            step = _pass_registry.get(one).pass_inst
            step.analysis = self._analysis
            try:
                with _errors.new_error_context("Pass {name}", name=name):
                    step.run_pass(state)
            except errors.NumbaError as error:
                where = f"Failed in {self.pipeline_name} mode pipeline (step: {name})"
                raise self._patch_error(where, error) from None


class KernelCompiler(CompilerBase):
    """numba's compiler of one kernel for types of arguments."""

    def define_pipelines(self) -> list[Any]:
        """All of numba's passes for a kernel with functions, exceptions or a generator within it, else the `PASSES`."""
        code = self.state.func_id.code
        functions = any(isinstance(constant, CodeType) for constant in code.co_consts)
        if functions or code.co_exceptiontable or code.co_flags & CO_GENERATOR:
            return [DefaultPassBuilder.define_nopython_pipeline(self.state)]
        return [_passes()]


@cache
def _passes() -> Passes:
    passes = Passes("kernel")
    for one in PASSES:
        passes.add_pass(one, str(one._name))
    passes.finalize()
    return passes
