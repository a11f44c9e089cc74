"""Total error, of space and time: every program's runs against one converged solution of the equations of the beam.

    python -m benchmarks total_error

Errors of time alone (`study`) compare steps on meshes that may themselves be off by more. Here both programs take their
meshes finer as their steps get smaller. Both are judged by the same converged run, ours. A finer run of Exudyn's than
those that are timed stands in the table too: its distance has to fall with the mesh, for nobody should be judged by a
reference that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks import flying_beam, right_angle, spin_up
from benchmarks.curves import cost_at
from benchmarks.outcome import Outcome, largest_error
from benchmarks.peer import PeerStopped, peer_version, run_peer
from benchmarks.reference import reference
from benchmarks.report import Curves, Goal, Report, Table
from benchmarks.study import OURS, Settings
from fem_mbd.version import package_version

Run = tuple[int, float]  # elements of a beam; step (s) here, number of steps there
COLUMNS = ("problem", "program", "elements", "parameter", "steps", "total error", "CPU s")
EQUAL = ("problem", "total error", "ratio of CPU seconds", "our CPU s", "its CPU s")
PROBLEM = (
    "Largest error of the observed displacements (m) against a converged mesh with converged steps, the same for both\n"
    "programs. Parameter: dt (s), or number of steps. Elements of a beam: with four nodes here, with two there.\n"
    "Seconds at equal error are those of the cheapest mesh and step, interpolated between runs that no other one\n"
    "beats in both."
)


@dataclass(frozen=True)
class Problem:
    """One problem with its runs.

    Attributes
    ----------
    name : of its module
    ours : its function of step and ``elements``
    end : simulated time, s
    runs, peer_runs : from coarse to fine
    converged, peer_finest : the reference, and a run of Exudyn's to compare it with
    target : m, at which seconds are compared
    """

    name: str
    ours: Callable[..., Outcome]
    end: float
    runs: Sequence[Run]
    converged: Run
    peer_runs: Sequence[Run]
    peer_finest: Run
    target: float

    def here(self, run: Run) -> Outcome:
        """A run of ours."""
        return self.ours(run[1], end=self.end, elements=run[0])

    def there(self, run: Run) -> Outcome:
        """A run of Exudyn's."""
        return run_peer(self.name, limit=1800.0, steps=int(run[1]), end=self.end, elements=run[0])


PROBLEMS = (
    Problem(
        "right_angle", right_angle.ours, right_angle.END,
        ((1, 0.05), (2, 0.05), (3, 0.05), (4, 0.025), (6, 0.0125)), (8, 0.00625),
        ((10, 3000), (20, 3000), (40, 3000), (80, 3000)), (80, 6000), 3e-2,
    ),
    Problem(
        "spin_up", spin_up.ours, spin_up.END,
        ((1, 0.025), (2, 0.025), (2, 0.0125), (3, 0.00625)), (6, 0.0015625),
        ((10, 2000), (20, 2000), (20, 4000), (40, 8000)), (40, 16000), 5e-4,
    ),
    Problem(
        "flying_beam", flying_beam.free_end, flying_beam.SMOOTH,
        ((5, 0.05), (8, 0.02), (12, 0.02), (16, 0.01)), (24, 0.0025),
        ((10, 500), (20, 1000), (40, 1000), (40, 2000), (80, 2000)), (160, 4000), 1e-2,
    ),
)  # fmt: skip


def run(settings: Settings) -> Report:
    """Both programs on all problems; a quick run makes ours alone, on the spin-up's first two meshes."""
    report = Report("total_error", "Total error", PROBLEM)
    rows: list[tuple[str | float | int, ...]] = []
    equal: list[tuple[str | float | int, ...]] = []
    for problem in PROBLEMS[1:2] if settings.quick else PROBLEMS:
        found = _runs(problem, settings)
        converged = _converged(problem, problem.runs[-1] if settings.quick else problem.converged)
        errors = {
            label: [largest_error(run, converged) for _, run in group] for label, group in found.items()
        }
        for label, group in found.items():
            for (elements, parameter), run in group:
                rows.append((
                    problem.name, label, elements, parameter, run.steps, largest_error(run, converged), run.cpu_seconds,
                ))  # fmt: skip
        seconds = {label: [run.cpu_seconds for _, run in group] for label, group in found.items()}
        lines = {label: (errors[label], seconds[label]) for label in found}
        report.curves.append(Curves(problem.name.replace("_", " "), "total error [m]", lines))
        if len(found) > 1:
            theirs = _peer_finest(problem)
            elements, steps = problem.peer_finest
            rows.append((
                problem.name, "Exudyn, finest", elements, steps, theirs.steps, largest_error(theirs, converged),
                theirs.cpu_seconds,
            ))  # fmt: skip
            ours, its = (cost_at(problem.target, errors[label], seconds[label]) for label in found)
            equal.append((problem.name, problem.target, ours / its, ours, its))
            what = f"{problem.name}: CPU seconds to a total error of {problem.target:g} over those of Exudyn"
            report.goals.append(Goal(what, ours / its, 0.2, True))
    report.tables.append(Table("Runs", COLUMNS, rows, frozenset({"CPU s"}), keys=4))
    if equal:
        report.tables.append(Table("At equal total error", EQUAL, equal, frozenset(EQUAL[3:]), keys=2))
    return report


def _runs(problem: Problem, settings: Settings) -> dict[str, list[tuple[Run, Outcome]]]:
    """label -> runs; repeated in turn, the fastest counts."""
    chosen = problem.runs[:2] if settings.quick else problem.runs
    with_peer = settings.peer and not settings.quick and peer_version() is not None
    best: dict[tuple[str, Run], Outcome] = {}
    problem.ours(
        chosen[0][1], end=min(problem.end, 2.0), elements=chosen[0][0]
    )  # compiles, or loads what was
    for _ in range(settings.repeats):
        for run in chosen:
            best[OURS, run] = problem.here(run).faster_of(best.get((OURS, run)))
        for run in problem.peer_runs if with_peer else ():
            try:
                outcome = problem.there(run)
            except PeerStopped:
                continue
            best["Exudyn", run] = outcome.faster_of(best.get(("Exudyn", run)))
    found: dict[str, list[tuple[Run, Outcome]]] = {}
    for (label, run), outcome in best.items():
        found.setdefault(label, []).append((run, outcome))
    return found


def _converged(problem: Problem, run: Run) -> Outcome:
    arguments = {
        "elements": run[0],
        "parameter": run[1],
        "end": problem.end,
        "observed": problem.ours.__name__,
    }
    return reference(problem.name, f"{OURS} {package_version()}", arguments, lambda: problem.here(run))


def _peer_finest(problem: Problem) -> Outcome:
    elements, steps = problem.peer_finest
    arguments = {"elements": elements, "steps": steps, "end": problem.end}
    return reference(
        problem.name, f"exudyn {peer_version()}", arguments, lambda: problem.there(problem.peer_finest)
    )
