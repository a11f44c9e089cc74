"""Frame rate of a run's animation page without a graphics card: in a headless Chromium, rendered by the processor.

    python -m benchmarks animation

One revolution of the crank mechanism is written as a page and played in a window of 1280 x 800. Without Chromium (`make
browser`, or its program in the variable CHROMIUM) the page is written but nothing is timed.
"""

from __future__ import annotations

from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import fem_mbd as fm
from benchmarks.comparison.study import Settings
from benchmarks.costs.step_cost import of_case
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Simulation
from tests.output.animation.browser import Browser, find_browser

FRAME, FIRST, SIZE = 1000 / 30, 2.0, 5.0  # ms between frames, s to the first one, MB: goals
PLAYED = 5.0  # s
PROBLEM = (
    "One turn of the crank mechanism as a page, played in a headless Chromium without a graphics card: WebGL by\n"
    "SwiftShader, the rest of the page by the processor too. Mean time between frames of five seconds of playing; the\n"
    "first frame counts from the moment at which the browser begins to open the file."
)
COLUMNS = "page", "size, MB", "s to the first frame", "ms between frames", "frames a second"
# the second requested frame follows after the first one has been drawn
FIRST_FRAME = """new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
})"""
PLAY = """new Promise((done) => {
  const times = [], end = performance.now() + %g;
  const note = (now) => { times.push(now); if (now < end) requestAnimationFrame(note); else done(times); };
  femMbd.play(true);
  requestAnimationFrame(note);
})"""


def look_at(page: Path, profile: Path) -> tuple[float, float]:
    """Seconds to the first frame, and milliseconds between two; nan without a browser."""
    program = find_browser()
    if program is None:
        return nan, nan
    with Browser(program, profile) as browser:
        browser.open(page)
        first = cast(float, browser.value(FIRST_FRAME))
        browser.value(PLAY % 1000)  # warm-up
        times = browser.value(PLAY % (1000 * PLAYED))
    return first / 1000, (times[-1] - times[0]) / (len(times) - 1)


def run(settings: Settings) -> Report:
    """Frame rate, and time and size of the page before the first frame."""
    sim: Simulation = of_case("crank_mechanism", revolutions=0.01 if settings.quick else 1.0)
    report = Report("animation", "Moving picture without a graphics card", PROBLEM)
    # child processes of the browser may still be writing when it has ended
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "crank.html"
        fm.animate(fm.run(sim, progress=False), page)
        first, between = look_at(page, Path(folder) / "profile")
        size = page.stat().st_size / 1e6
    row = "crank mechanism, one turn", size, first, between, 1000 / between
    report.tables.append(Table("Page", COLUMNS, [row], frozenset(COLUMNS[2:])))
    report.goals += [
        Goal("size of the page, MB", size, SIZE),
        Goal("seconds to the first frame", first, FIRST, timed=True),
        Goal("milliseconds between frames", between, FRAME, timed=True),
    ]
    return report
