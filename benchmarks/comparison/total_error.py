"""Study of the total error in space and time: all programs against one converged solution of the beam equations.

    python -m benchmarks total_error

Errors of time integration alone (`study`) compare steps on meshes that may have larger errors. Here all programs refine
their meshes together with their steps. All are compared with the same converged run, that of this package. The table
also has a finer run of each other program than those timed: its distance has to decrease with the mesh, as evidence
that the reference is correct.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.comparison.curves import cost_at
from benchmarks.comparison.outcome import Outcome, PeerStopped, largest_error
from benchmarks.comparison.reference import reference
from benchmarks.comparison.study import KEPT, MBDYN, OURS, Settings
from benchmarks.peers.mbdyn_system import why_no_mbdyn
from benchmarks.peers.peer import PACKAGE, peer_versions, run_peer
from benchmarks.problems import flying_beam, right_angle, spin_up
from benchmarks.reports.report import Curves, Goal, Report, Table
from fem_mbd.base.dependencies import package_version

Run = tuple[int, float]  # elements of a beam; step (s) for this package, number of steps for others
COLUMNS = ("problem", "program", "elements", "parameter", "steps", "total error", "CPU s")
EQUAL = ("problem", "against", "total error", "ratio of CPU seconds", "our CPU s", "its CPU s")
PROBLEM = (
    "Largest error of the observed displacements (m) against a converged mesh with converged steps, the same for all\n"
    "programs. Parameter: dt (s), or number of steps. Elements of a beam: with four nodes here, with two in Exudyn,\n"
    "with three in MBDyn.\n"
    "Seconds at equal error are those of the cheapest mesh and step, interpolated between runs that no other one\n"
    "beats in both."
)


@dataclass(frozen=True)
class Rival:
    """Another program: the name of its function, its runs from coarse to fine, a finer one, and the goal.

    ratio : largest permitted ratio of CPU seconds at equal error
    arguments : further arguments of its function
    """

    program: str
    runs: Sequence[Run]
    finest: Run
    ratio: float
    arguments: Mapping[str, Any] = field(default_factory=dict)


def mbdyn_rivals(runs: Sequence[Run], finest: Run) -> dict[str, Rival]:
    """MBDyn with its default, Newton-Raphson, and with the modified iteration of its manual."""
    return {
        "MBDyn": Rival(MBDYN, runs, finest, 0.05),
        "MBDyn, modified Newton": Rival(MBDYN, runs, finest, 0.05, {"keep": KEPT}),
    }


@dataclass(frozen=True)
class Problem:
    """One problem with its runs.

    Attributes
    ----------
    name : of its module
    ours : its function of step and ``elements``
    end : simulated time, s
    runs : from coarse to fine; converged : the reference
    rivals : label -> another program
    target : m, at which seconds are compared
    """

    name: str
    ours: Callable[..., Outcome]
    end: float
    runs: Sequence[Run]
    converged: Run
    rivals: Mapping[str, Rival]
    target: float

    @property
    def quick(self) -> tuple[Run, Run]:
        """The first run, and the first of those behind it that refines both its mesh and its steps."""
        elements, step = self.runs[0]
        return self.runs[0], next(run for run in self.runs if run[0] > elements and run[1] < step)

    def here(self, run: Run) -> Outcome:
        """A run of this package."""
        return self.ours(run[1], end=self.end, elements=run[0])

    def there(self, rival: Rival, run: Run) -> Outcome:
        """A run of another program."""
        elements, steps = run
        return run_peer(
            self.name, limit=1800.0, program=rival.program, steps=int(steps), end=self.end, elements=elements,
            **rival.arguments,
        )  # fmt: skip


PROBLEMS = (
    Problem(
        "right_angle", right_angle.ours, right_angle.END,
        ((1, 0.1), (2, 0.1), (2, 0.05), (3, 0.05), (4, 0.025), (6, 0.0125)), (8, 0.00625),
        {
            "Exudyn": Rival(PACKAGE, ((10, 3000), (20, 3000), (40, 3000), (80, 3000)), (80, 6000), 0.2),
            **mbdyn_rivals(((5, 3000), (10, 3000), (20, 3000), (40, 6000)), (40, 12000)),
        },
        3e-2,
    ),
    Problem(
        "spin_up", spin_up.ours, spin_up.END,
        ((1, 0.025), (2, 0.025), (2, 0.0125), (3, 0.00625)), (6, 0.0015625),
        {
            "Exudyn": Rival(PACKAGE, ((10, 2000), (20, 2000), (20, 4000), (40, 8000)), (40, 16000), 0.2),
            **mbdyn_rivals(((5, 2000), (10, 2000), (10, 4000), (20, 8000)), (20, 16000)),
        },
        5e-4,
    ),
    Problem(
        "flying_beam", flying_beam.free_end, flying_beam.SMOOTH,
        ((5, 0.05), (6, 0.05), (8, 0.02), (12, 0.02), (16, 0.01)), (24, 0.0025),
        {
            "Exudyn": Rival(PACKAGE, ((10, 500), (20, 1000), (40, 1000), (40, 2000), (80, 2000)), (160, 4000), 0.2),
            **mbdyn_rivals(((5, 500), (10, 1000), (20, 2000), (40, 4000)), (80, 8000)),
        },
        1e-2,
    ),
)  # fmt: skip


def run(settings: Settings) -> Report:
    """All programs on all problems; a quick run has only this package on the spin-up, see `Problem.quick`."""
    report = Report("total_error", "Total error", PROBLEM)
    versions = peer_versions() if settings.peer and not settings.quick else {}
    if absent := why_no_mbdyn():
        report.notes.append(absent)
    rows: list[tuple[str | float | int, ...]] = []
    equal: list[tuple[str | float | int, ...]] = []
    for problem in PROBLEMS[1:2] if settings.quick else PROBLEMS:
        found = _runs(problem, settings, versions, report.notes)
        converged = _converged(problem, problem.runs[-1] if settings.quick else problem.converged)
        errors = {
            label: [largest_error(run, converged) for _, run in group] for label, group in found.items()
        }
        seconds = {label: [run.cpu_seconds for _, run in group] for label, group in found.items()}
        shown = [(label, *pair) for label, group in found.items() for pair in group]
        shown += _finest(problem, [label for label in found if label != OURS], versions, report.notes)
        rows += [
            (
                problem.name,
                label,
                elements,
                parameter,
                run.steps,
                largest_error(run, converged),
                run.cpu_seconds,
            )
            for label, (elements, parameter), run in shown
        ]
        lines = {label: (errors[label], seconds[label]) for label in found}
        report.curves.append(Curves(problem.name.replace("_", " "), "total error [m]", lines))
        cost = {label: cost_at(problem.target, errors[label], seconds[label]) for label in found}
        for label in [label for label in found if label != OURS]:
            ratio = cost[OURS] / cost[label]
            equal.append((problem.name, label, problem.target, ratio, cost[OURS], cost[label]))
            what = f"{problem.name}: CPU seconds to a total error of {problem.target:g} over those of {label}"
            report.goals.append(Goal(what, ratio, problem.rivals[label].ratio, True))
    report.tables.append(Table("Runs", COLUMNS, rows, frozenset({"CPU s"}), keys=4))
    if equal:
        report.tables.append(Table("At equal total error", EQUAL, equal, frozenset(EQUAL[4:]), keys=3))
    return report


def _runs(
    problem: Problem, settings: Settings, versions: Mapping[str, str], notes: list[str]
) -> dict[str, list[tuple[Run, Outcome]]]:
    """label -> runs; repeated alternately, the fastest counts. Failures get a line in `notes`."""
    chosen = problem.quick if settings.quick else problem.runs
    best: dict[tuple[str, Run], Outcome] = {}
    failed: dict[tuple[str, Run], str] = {}
    problem.ours(
        chosen[0][1], end=min(problem.end, 2.0), elements=chosen[0][0]
    )  # compiles, or loads compiled code
    for _ in range(settings.repeats):
        for run in chosen:
            best[OURS, run] = problem.here(run).faster_of(best.get((OURS, run)))
        for label, rival in problem.rivals.items():
            for run in rival.runs if rival.program in versions else ():
                try:
                    outcome = problem.there(rival, run)
                except PeerStopped as reason:
                    failed[label, run] = str(reason)
                    continue
                best[label, run] = outcome.faster_of(best.get((label, run)))
    notes += [
        f"{problem.name}, {label}, {run[0]} elements, {run[1]:,} steps: {reason}"
        for (label, run), reason in failed.items()
    ]
    found: dict[str, list[tuple[Run, Outcome]]] = {}
    for (label, run), outcome in best.items():
        found.setdefault(label, []).append((run, outcome))
    return found


def _finest(
    problem: Problem, labels: Sequence[str], versions: Mapping[str, str], notes: list[str]
) -> list[tuple[str, Run, Outcome]]:
    """The finer run of each program, cached where it is unchanged."""
    found = []
    for label in labels:
        rival = problem.rivals[label]
        arguments = {
            "elements": rival.finest[0],
            "steps": rival.finest[1],
            "end": problem.end,
            **rival.arguments,
        }
        name = f"{rival.program} {versions[rival.program]}"
        try:
            compute = partial(problem.there, rival, rival.finest)
            found.append(
                (f"{label}, finest", rival.finest, reference(problem.name, name, arguments, compute))
            )
        except PeerStopped as reason:
            notes.append(f"{problem.name}, {label}, finest: {reason}")
    return found


def _converged(problem: Problem, run: Run) -> Outcome:
    arguments = {
        "elements": run[0],
        "parameter": run[1],
        "end": problem.end,
        "observed": problem.ours.__name__,
    }
    return reference(problem.name, f"{OURS} {package_version()}", arguments, lambda: problem.here(run))
