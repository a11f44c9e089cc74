"""Check: a number computed from a run, compared with the bound that a source or a law of physics sets for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """Comparison of `value` with `bound` (a number, or a text such as "within 2 % of 9.727"); `source` says whose
    bound.

    A check that fails for a known reason (for instance a statement of a paper that its own figures contradict) names in
    `known` the page that explains it: it is shown as a known difference and does not change the exit status.
    """

    name: str
    value: float
    bound: float | str
    passed: bool
    source: str
    known: str = ""

    @property
    def failed(self) -> bool:
        """Whether the check failed without a known reason."""
        return not self.passed and not self.known

    @property
    def outcome(self) -> str:
        """Outcome as shown in tables: passed, FAILED or known difference."""
        return "passed" if self.passed else "known difference" if self.known else "FAILED"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `summary.json`."""
        return {
            "name": self.name,
            "value": float(self.value),
            "bound": self.bound if isinstance(self.bound, str) else float(self.bound),
            "passed": bool(self.passed),
            "source": self.source,
            "known": self.known,
        }


def at_most(name: str, value: float, bound: float, source: str) -> Check:
    """Passed when `value` is at most `bound` (a value that is not a number never passes)."""
    return Check(name, float(value), float(bound), bool(value <= bound), source)


def at_least(name: str, value: float, bound: float, source: str) -> Check:
    """Passed when `value` is at least `bound`."""
    return Check(name, float(value), f">= {bound:g}", bool(value >= bound), source)


def near(name: str, value: float, target: float, relative: float, source: str) -> Check:
    """Passed when `value` differs from `target` by at most the fraction `relative` of it."""
    bound = f"{target:g} within {100 * relative:g} %"
    return Check(name, float(value), bound, bool(abs(value - target) <= relative * abs(target)), source)


def within(name: str, value: float, low: float, high: float, source: str) -> Check:
    """Passed when `low` <= `value` <= `high`."""
    return Check(name, float(value), f"{low:g} to {high:g}", bool(low <= value <= high), source)


def checks_table(checks: list[Check]) -> str:
    """Table for printing: outcome, name, value, bound, source of each check."""
    if not checks:
        return ""
    rows = [("", "check", "value", "bound", "source")]
    for check in checks:
        bound = check.bound if isinstance(check.bound, str) else f"<= {check.bound:g}"
        rows.append((check.outcome, check.name, f"{check.value:.6g}", bound, _explained(check)))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return "\n".join(
        "  ".join([*(text.ljust(w) for text, w in zip(row, widths, strict=False)), row[4]]).rstrip()
        for row in rows
    )


def _explained(check: Check) -> str:
    """The source, followed by the page that explains a known difference."""
    return f"{check.source}; see {check.known}" if check.outcome == "known difference" else check.source
