"""Writer of RESULTS.md: machine-independent results first, then seconds with the type of machine.

A figure shows cost over error: CPU seconds of a run over its error, both axes logarithmic.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.peers.peer import PACKAGE, ROOT, peer_versions
from benchmarks.reports.report import Curves, Report
from fem_mbd.base.dependencies import package_version
from fem_mbd.core.linear_solvers.petsc import has_petsc, petsc
from fem_mbd.output.figures.plots import WIDTH, new_figure, save, styled

MARKS = "osD^v"
# An axis whose ratio of end to beginning is at most this has room for ticks between the powers of ten.
ROOM = 300.0
PATH = Path(__file__).parents[1] / "RESULTS.md"
INTRODUCTION = """\
Made by `python -m benchmarks --write` (`make bench ARGS=--write`); nothing here is edited by hand. Each problem is
described in its own file in `problems/`. Errors are those of time alone, each program compared with its own run on
the same mesh with much smaller steps, unless they are called total errors (of time and space: one converged solution
is the reference of both). Ratios compare CPU seconds of the solves of both programs, run in turn on one
machine, at equal error, interpolated between runs in logarithmic axes. For each run the fastest of several repetitions
counts. "ledger" is the largest energy residual of a step over the energy scale of the run.

MBDyn (https://www.mbdyn.org) is compared as well where its program is found: `MBDYN=/usr/local/mbdyn/bin/mbdyn
python -m benchmarks spin_up`, or `mbdyn` on the PATH. It comes as source, and no package index has it."""
HEADINGS = "Steps, iterations, factorisations, errors, ratios", "Seconds"  # with and without a clock


def draw(panels: Sequence[Curves], path: Path) -> Path:
    """Draw the panels next to each other, one per problem; returns the path of the PNG."""
    path.parent.mkdir(exist_ok=True)
    with styled():
        figure, axes = new_figure(
            1, len(panels), width=min(WIDTH, 3.6 * len(panels)), height=2.8, share_x=False
        )
        for ax, panel in zip(np.ravel(axes), panels, strict=True):
            for mark, (label, (errors, seconds)) in zip(MARKS, panel.lines.items(), strict=False):
                order = np.argsort(errors)
                ax.loglog(
                    np.take(errors, order), np.take(seconds, order), marker=mark, markersize=4, label=label
                )
            for axis in (ax.xaxis, ax.yaxis):
                low, high = axis.get_view_interval()
                axis.set_major_locator(LogLocator(subs=(1.0,) if high > ROOM * low else (1.0, 3.0)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())
            ax.set_title(panel.title)
            ax.set_xlabel(panel.error)
        np.ravel(axes)[0].set_ylabel("CPU seconds")
        handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels) if len(panels) > 1 else 1
        )
        return save(figure, path)


def write(reports: Sequence[Report]) -> Path:
    """Write the file; sections of other benchmarks in the present file are unchanged. Returns its path."""
    kept = sections(PATH.read_text()) if PATH.exists() else {}
    made = f"{datetime.date.today().isoformat()}{_commit()}, {_versions()}"
    for report in reports:
        for timed, heading in enumerate(HEADINGS):
            body = [made] if not timed else [f"One core of {_machine()}, load {os.getloadavg()[1]:.1f}."]
            kept[heading, report.title] = "\n\n".join([*body, *_parts(report, bool(timed))])
        if report.curves:
            picture = draw(report.curves, PATH.parent / "figures" / f"{report.name}.png")
            kept[HEADINGS[1], report.title] += f"\n\n![CPU seconds over error](figures/{picture.name})"
    PATH.write_text("\n\n".join(_document(kept)) + "\n")
    return PATH


def sections(text: str) -> dict[tuple[str, str], str]:
    """(chapter, title of the benchmark) -> text, from a file written by `write`."""
    found: dict[tuple[str, str], str] = {}
    for chapter in text.split("\n## ")[1:]:
        heading, *rest = chapter.split("\n### ")
        for section in rest:
            title, _, body = section.partition("\n")
            found[heading.strip(), title.strip()] = body.strip()
    return found


def _parts(report: Report, timed: bool) -> Iterable[str]:
    if not timed:
        yield report.problem.strip()
    yield from (part.markdown() for table in report.tables if (part := table.part(timed)))
    if not timed:
        if report.goals:
            yield "\n".join(f"- {goal.text()}" for goal in report.goals)
        yield from report.notes


def _document(found: Mapping[tuple[str, str], str]) -> Iterable[str]:
    yield "# Cost and accuracy beside Exudyn and MBDyn"
    yield INTRODUCTION
    for heading in HEADINGS:
        yield f"## {heading}"
        for (chapter, title), body in found.items():
            if chapter == heading:
                yield f"### {title}\n\n{body}"


def _commit() -> str:
    """The commit of the repository, if the package is in one."""
    try:
        command = ["git", "describe", "--always", "--dirty"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f", commit {done.stdout.strip()}"


def _versions() -> str:
    numbers = {name: importlib.metadata.version(name) for name in ("numba", "numpy")}
    libraries = ", ".join(f"{name} {version}" for name, version in numbers.items())
    solver = f"PETSc {'.'.join(map(str, petsc().Sys.getVersion()))}" if has_petsc() else "no PETSc"
    ours = f"fem_mbd {package_version()} ({solver}, {libraries}, Python {platform.python_version()})"
    names = {PACKAGE: "Exudyn", "mbdyn": "MBDyn"}
    theirs = [f"{names[program]} {version}" for program, version in peer_versions().items()]
    return " and ".join([ours, *theirs]) + "."


def _machine() -> str:
    """The processor type as reported by the system; nothing that identifies the machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"a machine with {os.cpu_count()} cores ({name}, {platform.system()})"
