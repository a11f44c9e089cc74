"""No function has more than ten arguments: what belongs together is a record, a named tuple or a vector."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 10
# Entries: lists of calls give a kernel each array that it works on, and a table of words has no records of arrays
# (`compiled.signatures`). They hand the arrays on in named tuples.
ENTRIES = {
    "block_lu_kernels.factorise",
    "block_lu_simd.solve_simd",
    "block_lu_solve.backward",
    "block_lu_solve.forward",
    "constraint_kernels.tangent",
    "forces.residual",  # of contacts
    "kept_factors.backward",
    "kept_factors.forward",
    "kept_factors.keep",
    "kernels.residual",  # of friction in joints, as the next one
    "kernels.tangent",
    "ledger.round_off",
    "time_loop_kernels.make_steps",
    "newton_iteration.iterate",
    "step_kernels.propagate",
    "node_kernels.finish_rows",
    "node_kernels.finish_step",
    "node_kernels.node_tangent",
    "batch_kernels.finish_rows",
    "batch_kernels.node_tangent",
    "batches.tangent",  # of beams
    "tangent.tangent",  # of beams, contacts and springs
}
# Keyword arguments with defaults that users give one or two of.
OPTIONS = {"runs.simulate", "periodic.periodic"}


@cache
def functions() -> list[tuple[str, ast.FunctionDef]]:
    """All functions by module and name."""
    folders = ("fem_mbd", "elements", "joints", "friction", "cases", "benchmarks", "tests", "docs", "tools")
    return [
        (f"{file.stem}.{node.name}", node)
        for folder in folders
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]


def count(function: ast.FunctionDef) -> int:
    """Arguments, without the object or class of a method."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_no_function_has_more_than_ten_arguments() -> None:
    assert {name for name, function in functions() if count(function) > MOST} == ENTRIES | OPTIONS


def test_the_exceptions_are_entries() -> None:
    for name, function in functions():
        if name in ENTRIES and count(function) > MOST:
            declared = [ast.unparse(one) for one in function.decorator_list]
            assert any(one.startswith("kernel(") for one in declared), name
