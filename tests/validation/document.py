"""Writes docs/reference/validation.md from solutions, and reads it for the test that compares it with definitions.

The page has an overview with a row per problem, then a section for each, whose text is the docstring of the file. A
section that is not solved again is copied unchanged, so one problem can be added without running the others.
"""

import importlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType

from tests.validation.problem import GROUPS, DeckNumber, Number, Problem, Solution

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
DOCUMENT = ROOT / "docs" / "reference" / "validation.md"
FIGURES = ROOT / "docs" / "figures" / "validation"
PASSED, MISSED, KNOWN = "ok", "**off**", "**miss**"
WITHOUT_PROBLEM = ("test_document",)

HEAD = """\
# Validation

Problems with a known solution, and the results of fem_mbd. `make validation` solves them all and writes this page
and its figures; `make validation ARGS="NAME"` solves one again. Do not edit it by hand: text, references and tolerances
are defined in `tests/validation/`, whose tests assert the same numbers (with a coarser model where the run is long).

References are closed forms, published numbers, solutions of the same equations by other methods, or results of other
programs, as stated for each problem. Where none is available, the reference is a refined model of this program, which
the row states. *Worst* is the largest ratio of difference to tolerance among the numbers of a problem. A row marked
**miss** is outside its tolerance; the text above its table says what is known about it.
"""
COLUMNS = "| problem | source | reference | numbers | worst | |\n|---|---|---|---|---|---|"
ROWS = "| quantity | unit | reference | ours | difference | allowed | |\n|---|---|---|---|---|---|---|"
DECK_ROWS = (
    "| machine | source | program | quantity | unit | reference | ours | difference | allowed | |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Entry:
    """A problem with the module that defines it."""

    problem: Problem
    module: ModuleType

    @property
    def text(self) -> str:
        """The module's docstring as Markdown."""
        first, _, rest = (self.module.__doc__ or "").partition("\n")
        return escape(f"{first}\n{dedent(rest)}".strip())


@dataclass(frozen=True)
class Section:
    """The part of the document on one problem: its overview row, and its text."""

    row: str
    text: str


def entries() -> list[Entry]:
    """All problems, in the order of the document; RuntimeError for a file that defines none."""
    found = []
    for path in sorted(FOLDER.glob("test_*.py")):
        if path.stem in WITHOUT_PROBLEM:
            continue
        module = importlib.import_module(f"tests.validation.{path.stem}")
        problem = getattr(module, "PROBLEM", None)
        if not isinstance(problem, Problem):
            raise RuntimeError(
                f"{path.name} defines no PROBLEM, so docs/reference/validation.md cannot show it: "
                "see CONTRIBUTING.md, 'Validation problems'"
            )
        found.append(Entry(problem, module))
    return sorted(found, key=lambda entry: GROUPS.index(entry.problem.group))


def escape(text: str) -> str:
    """Escape characters that have a meaning in Markdown."""
    return re.sub(r"([*_<|])", r"\\\1", text)


# -- writing ---------------------------------------------------------------------------------------------------


def section(entry: Entry, solution: Solution) -> Section:
    """The overview row and the section of a solved problem."""
    problem = entry.problem
    state = MISSED if solution.missed else KNOWN if solution.known_misses else PASSED
    row = (
        f"| [{problem.title}](#{problem.name}) | {escape(problem.source)} | {escape(problem.reference)} "
        f"| {len(solution.numbers)} | {solution.worst:.2f} | {state} |"
    )
    head = DECK_ROWS if isinstance(solution.numbers[0], DeckNumber) else ROWS
    lines = [heading(entry), head, *map(number_row, solution.numbers)]
    return Section(row, "\n".join(lines) + "\n")


def heading(entry: Entry) -> str:
    """A section without its numbers."""
    problem = entry.problem
    return (
        f'<a id="{problem.name}"></a>\n### {problem.title}\n\n{entry.text}\n\n'
        f"![{problem.title}](../figures/validation/{problem.name}.png)\n"
    )


def number_row(number: Number) -> str:
    """One row of a section's table; the number of digits follows from the tolerance."""
    state = PASSED if number.passed else KNOWN if number.known_miss else MISSED
    size = (f"{number.difference:.1e}", f"{number.allowed:.1e}")
    ours = value_text(number.ours, number)
    if isinstance(number, DeckNumber):
        size, ours = deck_sizes(number), escape(number.says) or ours
    return f"{reference_cells(number)} {ours} | {' | '.join(size)} | {state} |"


def reference_cells(number: Number) -> str:
    """The cells of a row that do not depend on the run."""
    return f"| {' | '.join(labels(number))} | {number.unit} | {value_text(number.reference, number)} |"


def labels(number: Number) -> tuple[str, ...]:
    """The cells that say what a number is."""
    if isinstance(number, DeckNumber):
        return tuple(map(escape, (number.machine, number.source, number.program, number.what)))
    return (escape(number.what),)


def deck_sizes(number: DeckNumber) -> tuple[str, str]:
    """Difference and what is allowed, in per cent of the reference."""
    if not number.has_reference:
        return "", ""
    return tuple(  # type: ignore[return-value]
        f"{100 * size / abs(number.reference):{form}} %"
        for size, form in ((number.ours - number.reference, "+.2g"), (number.allowed, ".2g"))
    )


def value_text(value: float, number: Number) -> str:
    if isinstance(number, DeckNumber) and not number.has_reference:
        return "none found" if math.isnan(value) else f"{value:.4g}"
    if number.reference == 0.0 or number.allowed == 0.0:
        return f"{value:.2g}" if number.allowed else f"{value:.12g}"
    size = math.floor(math.log10(abs(number.reference))) - math.floor(math.log10(number.allowed))
    return f"{value:.{max(size + 2, 2)}g}"


def compose(sections: Mapping[str, Section], order: list[Problem]) -> str:
    """The whole document; problems without a section are left out."""
    parts = [HEAD]
    there = [problem for problem in order if problem.name in sections]
    parts.append("\n".join([COLUMNS, *(sections[problem.name].row for problem in there)]) + "\n")
    for group in GROUPS:
        members = [problem for problem in there if problem.group == group]
        if members:
            parts += [f"## {group}\n", *(sections[problem.name].text for problem in members)]
    return "\n".join(parts)


# -- reading ---------------------------------------------------------------------------------------------------


def read(text: str) -> dict[str, Section]:
    """The sections of a document by the problems' names."""
    rows = {m.group(1): m.group(0) for m in re.finditer(r"^\| \[.*?\]\(#(\S+)\) .*$", text, re.MULTILINE)}
    pieces = re.split(r'^(?=<a id=")|^## .*\n\n?', text, flags=re.MULTILINE)
    found = {}
    for piece in pieces:
        name = re.match(r'<a id="(.*?)">', piece)
        if name and name.group(1) in rows:
            found[name.group(1)] = Section(rows[name.group(1)], piece.rstrip("\n") + "\n")
    return found
