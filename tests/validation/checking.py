"""The assertion of every validation problem: numbers within tolerance, and the document shows the same references."""

from __future__ import annotations

from tests.validation.document import DOCUMENT, escape, read
from tests.validation.problem import Problem, Solution


def check(problem: Problem) -> Solution:
    """Solve a problem, in its coarse setting if there is one; AssertionError names every number that is off."""
    solution = (problem.coarse or problem.solve)()
    assert solution.numbers, f"{problem.title}: no numbers"
    lines = [
        f"{n.what}: {n.ours!r} {n.unit}, reference {n.reference!r}, off by {n.difference:.2g}, allowed {n.allowed:.2g}"
        for n in solution.missed
    ]
    assert not lines, "\n".join([problem.title, *lines])
    _check_document(problem, solution)
    return solution


def _check_document(problem: Problem, solution: Solution) -> None:
    """The problem's table in validation.md has these quantities with these references, to the digits shown."""
    hint = f'docs/reference/validation.md is behind: make validation ARGS="{problem.name}"'
    sections = read(DOCUMENT.read_text(encoding="utf-8"))
    assert problem.name in sections, hint
    rows = [line.split(" | ") for line in sections[problem.name].text.splitlines() if line.startswith("| ")]
    shown = {row[0].removeprefix("| "): row for row in rows[1:]}
    assert list(shown) == [escape(n.what) for n in solution.numbers], hint
    for n in solution.numbers:
        _, unit, reference, *_ = shown[escape(n.what)]
        assert unit == n.unit, hint
        assert abs(float(reference) - n.reference) <= max(n.allowed, 1e-9 * abs(n.reference)), hint
