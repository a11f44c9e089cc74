"""Passes of numba's compiler that do for kernels what numba's do, without looking at the whole kernel once more.

numba finds out after each of these passes for how long every variable lives. The last pass before a kernel is written
down finds it out again, and nothing between asks for it.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, typed_passes, types, untyped_passes
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import build_definitions
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteBeforeTypes(untyped_passes.GenericRewrites):
    """numba's rewriting before types are known: indices that are constants, and the like."""

    _name = "rewrite_before_types"

    def run_pass(self, state: Any) -> bool:
        """True: something may have been changed."""
        blocks = state.func_ir.blocks
        for kind in rewrite_registry.rewrites["before-inference"]:
            rewrite, left = kind(state), list(blocks)
            while left:
                place = left[-1]
                if rewrite.match(state.func_ir, blocks[place], state.typemap, state.calltypes):
                    blocks[place] = rewrite.apply()
                else:
                    left.pop()
        state.func_ir.blocks = canonicalize_cfg(blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class AssignOnce(untyped_passes.ReconstructSSA):
    """numba's pass that gives a variable another name for each value it is given."""

    _name = "assign_once"

    def run_pass(self, state: Any) -> bool:
        """True: something may have been changed."""
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class StripPhis(typed_passes.PreLowerStripPhis):
    """numba's pass that gives a variable its value at the end of the blocks that it comes from."""

    _name = "strip_phis_only"

    def run_pass(self, state: Any) -> bool:
        """True: something may have been changed."""
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteArrays(typed_passes.NopythonRewrites):
    """numba's rewriting of what makes arrays of arrays, left out where nothing does."""

    _name = "rewrite_arrays"

    def run_pass(self, state: Any) -> bool:
        """True when something may have been changed."""
        return any(_may_be_rewritten(one, state.typemap) for one in _statements(state)) and super().run_pass(
            state
        )


def _statements(state: Any) -> Any:
    return (one for block in state.func_ir.blocks.values() for one in block.body)


def _may_be_rewritten(statement: Any, types_of: Any) -> bool:
    """Whether a statement makes an array by computing, or has text in a variable for an index."""
    if isinstance(statement, ir.SetItem):
        return isinstance(types_of[statement.index.name], types.StringLiteral)
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
        return False
    expression = statement.value
    if expression.op == "getitem":
        return isinstance(types_of[expression.index.name], types.StringLiteral)
    computed = expression.op in ("call", "binop", "inplace_binop", "unary")
    return computed and isinstance(types_of[statement.target.name], types.Array)
