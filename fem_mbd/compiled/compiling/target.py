"""`Target`: what numba knows of the processor, which looks for news only when there are some."""

from __future__ import annotations

from copy import copy
from typing import Any

from numba.core import imputils
from numba.core.cpu import CPUContext
from numba.core.typing import templates

from fem_mbd.compiled.compiling.indexing import indexing
from fem_mbd.compiled.compiling.loops import looping
from fem_mbd.compiled.compiling.numbers import multiplying

_Context: Any = CPUContext


def declared() -> tuple[int, ...]:
    """How many types and functions numba has been told of; grows with every one."""
    registries = (imputils.builtin_registry, templates.builtin_registry)
    return tuple(len(some) for one in registries for some in vars(one).values() if isinstance(some, list))


class Target(_Context):
    """numba's knowledge of how what a kernel does is said to LLVM, shorter for arrays, loops and products."""

    known: tuple[int, ...] = ()  # when it was looked last

    @classmethod
    def of(cls, context: Any, typing: Any) -> Any:
        """All that ``context`` knows, and goes on to learn, for kernels whose types ``typing`` finds."""
        own = copy(context)
        own.__class__, own.typing_context = cls, typing
        return own

    def refresh(self) -> None:
        """Learn what has been declared; numba asks whenever something is not found, ten times a kernel."""
        if Target.known != declared():
            super().refresh()
            Target.known = declared()

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """What writes down a call of ``fn`` with arguments of some types."""
        own = indexing(fn, sig) or looping(fn, sig) or multiplying(fn, sig)
        if own is None:
            return super().get_function(fn, sig, _firstcall)
        return lambda builder, given, loc=None: own(self, sig, builder, given)

    def pair_first(self, builder: Any, val: Any, ty: Any) -> Any:
        """First member of a pair."""
        return builder.extract_value(val, 0)

    def pair_second(self, builder: Any, val: Any, ty: Any) -> Any:
        """Second member of a pair."""
        return builder.extract_value(val, 1)
