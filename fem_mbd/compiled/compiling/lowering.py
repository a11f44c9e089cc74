"""`LowerKernel`: a kernel in LLVM's language, said in fewer instructions than numba uses.

numba writes a kernel down without looking ahead and leaves it to LLVM to find the few instructions that do something.
To make them, to print them and to have LLVM read them is half of the cost of compiling. Here many that do nothing are
not written in the first place:

1. A variable whose type counts no references is not emptied when numba deletes it, and what stood in it is not read
   before it gets another value.
2. A variable that gets its value at one place, before all blocks that ask for it, is that value and no place in
   memory.
3. What a structure was put together from is not taken out of it again (`Builder`).
4. An array in rows is indexed without a copy of all that is known of it (`indexing`, see `target`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from llvmlite.ir import IRBuilder
from llvmlite.ir.instructions import InsertValue
from numba.core import ir, typed_passes
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower

_Lower: Any = Lower


class Builder(IRBuilder):
    """Writes LLVM's instructions; a member of a structure is the value that was put there."""

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        """Member of a structure."""
        place = list(idx) if isinstance(idx, (tuple, list)) else [idx]
        whole = agg
        while isinstance(whole, InsertValue) and len(whole.indices) == len(place):
            if list(whole.indices) == place:
                return whole.value
            whole = whole.aggregate
        return super().extract_value(agg, idx, name)


class KernelLower(_Lower):
    """numba's writer of one kernel."""

    def setup_function(self, fndesc: Any) -> None:
        """Begin a function."""
        super().setup_function(fndesc)
        self.builder.__class__ = Builder

    def _find_singly_assigned_variable(self) -> None:
        """Find the variables that are values and no places in memory.

        One whose references are counted is such a value only where no other block asks for it.
        """
        known = self.func_ir.variable_lifetime
        statements = [(at, one) for at, block in self.blocks.items() for one in block.find_insts(ir.Assign)]
        assigned = Counter(one.target.name for _, one in statements)
        asking: dict[str, list[int]] = {}
        for at, names in known.usedefs.usemap.items():
            for name in names:
                asking.setdefault(name, []).append(at)
        behind = known.cfg.dominators()
        self._singly_assigned_vars: set[str] = set()
        self._blk_local_varmap: dict[str, Any] = {}
        for at, one in statements:
            name = one.target.name
            blocks = asking.get(name, ())
            if assigned[name] > 1 or (blocks and self._counts(name)):
                continue
            if all(at < block and at in behind[block] for block in blocks):
                self._singly_assigned_vars.add(name)

    def _counts(self, name: str) -> bool:
        """Whether references to what a variable holds are counted."""
        if not self.context.enable_nrt:
            return False
        return bool(self.context.data_model_manager[self.typeof(name)].contains_nrt_meminfo())

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Give a variable a value."""
        if argidx is not None or name in self._singly_assigned_vars or self._counts(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Forget a variable that is needed no more."""
        if self._counts(name):
            super().delvar(name)
        elif name not in self._blk_local_varmap:  # a loop deletes it before it is assigned
            self._singly_assigned_vars.discard(name)
            self._alloca_var(name, self.typeof(name))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerKernel(typed_passes.NativeLowering):
    """numba's pass that writes a kernel down."""

    _name = "lower_kernel"

    @property
    def lowering_class(self) -> Any:
        """What writes."""
        return KernelLower
