"""No function has more than ten arguments: what belongs together is a record, a named tuple or a vector."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 10
# Options by keyword with defaults, of which users give one or two, as of SciPy's solve_ivp and minimize.
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
    assert {name for name, function in functions() if count(function) > MOST} == OPTIONS


def test_the_exceptions_are_options_by_keyword() -> None:
    """Of the arguments behind the tenth, each has a name and a default."""
    for name, function in functions():
        if name in OPTIONS and count(function) > MOST:
            given = function.args
            assert len(given.posonlyargs) + len(given.args) < MOST, name
            assert None not in given.kw_defaults, name
