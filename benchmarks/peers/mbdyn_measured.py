"""Section of RESULTS.md with results of MBDyn measured earlier, for machines without MBDyn.

MBDyn comes as source that takes a quarter of an hour to build. So the CPU seconds of a comparison in which both
programs ran in turn, on one machine, stay here with their date; where MBDyn is found, the tables of the problems are
newer.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.reports.report import Table

WHEN, VERSION, COMPARED = "2026-11-23", "1.7.3", "19e541b"
TIME_GOAL, TOTAL_GOAL = 0.2, 0.05


class Measured(NamedTuple):
    """CPU seconds to an error (m); ``best`` : the fastest of the deck, the deck with modified Newton-Raphson, and the
    same model of two-node beams with a tolerance of 1e-3; nan: not run.
    """

    problem: str
    error: float
    ours: float
    deck: float
    best: float = float("nan")

    @property
    def ratio(self) -> float:
        """Our CPU seconds over those of MBDyn's fastest run."""
        return self.ours / (self.best if self.best == self.best else self.deck)


TIME = (
    Measured("spin-up", 2.6e-4, 0.077, 0.578, 0.348),
    Measured("right-angle cantilever", 1e-3, 0.250, 0.967, 0.677),
    Measured("right-angle cantilever", 1.25e-4, 0.488, 1.80, 1.64),
    Measured("flying beam, to 10 s", 6e-3, 0.034, 0.094, 0.094),
    Measured("flying beam, to 10 s", 1e-3, 0.046, 0.170, 0.134),
    Measured("flying beam, to 10 s", 4e-4, 0.055, 0.235, 0.204),
)
TOTAL = (
    Measured("right-angle cantilever", 3e-2, 0.143, 1.39),
    Measured("spin-up", 5e-4, 0.167, 1.03),
    Measured("flying beam, to 10 s", 1e-2, 0.055, 0.404),
)
# chain of 5,000 elements: ms of a step with kept factors and with full Newton; MBDyn with KLU, tolerance 1e-4
CHAIN = {"fem_mbd, kept": 19.5, "fem_mbd, full Newton": 53.6, "MBDyn": 153.0}
COLUMNS = (
    "problem",
    "error",
    "fem_mbd, CPU s",
    "MBDyn's deck",
    "MBDyn's fastest",
    "ratio to the fastest",
    "goal",
)


def measured() -> str:
    """The section of RESULTS.md."""
    tables = [
        Table(title, COLUMNS, [_row(one, goal) for one in rows]).markdown()
        for title, rows, goal in (
            ("At equal error of time", TIME, TIME_GOAL),
            ("At equal total error", TOTAL, TOTAL_GOAL),
        )
    ]
    chain = ", ".join(f"{name} {ms:g}" for name, ms in CHAIN.items())
    return "\n\n".join([HEADING, TEXT, *tables, f"Chain of 5,000 elements, ms of a step: {chain}."])


def _row(one: Measured, goal: float) -> tuple[str | float, ...]:
    reached = "reached" if one.ratio <= goal else "MISSED"
    best = one.best if one.best == one.best else "-"
    return (one.problem, one.error, one.ours, one.deck, best, one.ratio, f"at most {goal:g}: {reached}")


HEADING = f"## Beside MBDyn, measured {WHEN}"
TEXT = f"""\
MBDyn {VERSION}, built from source, and this package as of commit {COMPARED} or shortly after, in turn on two cores of
an AMD EPYC that had other work: seconds are up to twice those of a quiet machine, ratios hold. Medians of three to
five runs. Later states of this package take less time; where MBDyn is found, the sections of the problems compare
today's."""
