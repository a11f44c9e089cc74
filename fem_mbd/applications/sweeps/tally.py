"""Progress display of a sweep on standard error: counts, rate and remaining time."""

from __future__ import annotations

import sys
import time
from collections import Counter

from fem_mbd.runs.running.progress import duration_text

SECONDS = 0.5  # s between redraws on a terminal
LINE_SECONDS = 15.0  # s between lines elsewhere


class SweepProgress:
    """Counts outcomes; with ``loud`` it writes them."""

    def __init__(self, total: int, skipped: int, loud: bool) -> None:
        self._total, self._skipped, self._loud = total, skipped, loud
        self._counts: Counter[str] = Counter()
        self._began = time.monotonic()
        self._shown = 0.0
        self._terminal = sys.stderr.isatty()
        if loud and skipped:
            sys.stderr.write(f"{skipped} of {total} runs are done already\n")

    def add(self, status: str) -> None:
        """One run has ended."""
        self._counts[status] += 1
        now = time.monotonic()
        if self._loud and now - self._shown >= (SECONDS if self._terminal else LINE_SECONDS):
            self._shown = now
            sys.stderr.write(
                ("\r\x1b[K" if self._terminal else "") + self.text() + ("" if self._terminal else "\n")
            )
            sys.stderr.flush()

    def text(self) -> str:
        """The line: counts by status, runs per minute, remaining time."""
        ended = self._counts.total()
        seconds = time.monotonic() - self._began
        rate = ended / seconds if seconds > 0 else 0.0
        left = (self._total - self._skipped - ended) / rate if rate > 0 else 0.0
        by_status = ", ".join(f"{count} {status}" for status, count in sorted(self._counts.items()))
        counts = f"{ended + self._skipped} of {self._total} runs ({by_status})"
        return f"{counts}, {60 * rate:.3g} a minute, left {duration_text(left)}"

    def finish(self) -> None:
        """Write the final line."""
        if self._loud and self._counts:
            sys.stderr.write(("\r\x1b[K" if self._terminal else "") + self.text() + "\n")
