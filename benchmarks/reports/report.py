"""Reports of benchmarks: tables, goals and curves, as text for a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fem_mbd.base.text import text_table

Cell = str | float | int


@dataclass(frozen=True)
class Table:
    """Rows under named columns; `timed` names those in seconds, which are specific to a machine."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    timed: frozenset[str] = frozenset()
    keys: int = 1  # number of leading columns that identify the row

    def part(self, timed: bool) -> Table | None:
        """The columns in seconds, or the others, with the row's keys; None where there are none."""
        wanted = [
            k for k, name in enumerate(self.columns) if k >= self.keys and (name in self.timed) == timed
        ]
        if not wanted:
            return None
        picked = [*range(self.keys), *wanted]
        rows = [[row[k] for k in picked] for row in self.rows]
        return Table(self.title, tuple(self.columns[k] for k in picked), rows, self.timed, self.keys)

    def text(self) -> str:
        """Text for a terminal."""
        cells = [list(self.columns)] + [[_shown(cell) for cell in row] for row in self.rows]
        return f"{self.title}\n{text_table(cells)}"

    def markdown(self) -> str:
        """Markdown for a file."""
        line = lambda cells: "| " + " | ".join(cells) + " |"  # noqa: E731
        rows = [line([_shown(cell) for cell in row]) for row in self.rows]
        return "\n".join([f"{self.title}:", "", line(self.columns), line(["---"] * len(self.columns)), *rows])


@dataclass(frozen=True)
class Goal:
    """A goal set by the project."""

    name: str
    value: float
    bound: float
    timed: bool = False  # measured in seconds: may be missed on a busy machine

    @property
    def reached(self) -> bool:
        return self.value <= self.bound

    def text(self) -> str:
        outcome = "not measured" if math.isnan(self.value) else "reached" if self.reached else "MISSED"
        return f"{self.name}: {_shown(self.value)} (at most {_shown(self.bound)}): {outcome}"


@dataclass(frozen=True)
class Curves:
    """Cost over error for a figure: ``lines`` holds errors and CPU seconds of the runs of each program."""

    title: str
    error: str  # quantity of the error, with its unit
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]


@dataclass
class Report:
    """One benchmark's results."""

    name: str
    title: str
    problem: str
    tables: list[Table] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    curves: list[Curves] = field(default_factory=list)

    def text(self) -> str:
        """Text for a terminal."""
        parts = [f"{self.title}\n{'=' * len(self.title)}\n{self.problem}"]
        parts += [table.text() for table in self.tables]
        if self.goals:
            parts.append("\n".join(goal.text() for goal in self.goals))
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def to_plain(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "tables": [
                {"title": t.title, "columns": list(t.columns), "rows": [list(r) for r in t.rows]} for t in self.tables
            ],
            "goals": [{"name": g.name, "value": g.value, "bound": g.bound, "reached": g.reached} for g in self.goals],
        }  # fmt: skip


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if math.isnan(cell):
        return "-"
    if cell != 0 and not 1e-3 <= abs(cell) < 1e5:
        return f"{cell:.1e}"
    return f"{cell:.3g}" if abs(cell) < 1000 else f"{cell:,.0f}"
