"""The assertion of every validation problem: numbers within tolerance, and the document shows the same references."""

import math

from tests.validation.document import DOCUMENT, labels, read
from tests.validation.problem import Problem, Solution


def check(problem: Problem) -> Solution:
    """Solve a problem, in its coarse setting if there is one; AssertionError names every number that is off."""
    solution = (problem.coarse or problem.solve)()
    assert solution.numbers, f"{problem.title}: no numbers"
    lines = [
        f"{n.what}: {n.ours!r} {n.unit}, reference {n.reference!r}, off by {n.difference:.2g}, allowed {n.allowed:.2g}"
        + (f", known as a miss up to {n.known:.2g}" if n.known else "")
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
    rows = [
        line.removeprefix("| ").split(" | ")
        for line in sections[problem.name].text.splitlines()
        if line.startswith("| ")
    ][1:]
    count = len(labels(solution.numbers[0]))
    assert [tuple(row[:count]) for row in rows] == [labels(n) for n in solution.numbers], hint
    for row, n in zip(rows, solution.numbers, strict=True):
        unit, reference = row[count : count + 2]
        assert unit == n.unit, hint
        if math.isnan(n.reference):
            assert reference == "none found", hint
        else:
            assert abs(float(reference) - n.reference) <= max(n.allowed, 1e-9 * abs(n.reference)), hint
