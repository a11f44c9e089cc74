"""Study of cost over error for one problem: all programs at several step sizes, each against its converged reference.

Only the error of time integration is included: a reference has the mesh of its runs and much smaller steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.comparison.curves import cost_at
from benchmarks.comparison.outcome import Outcome, PeerStopped, largest_error
from benchmarks.comparison.reference import reference
from benchmarks.peers.mbdyn_system import why_no_mbdyn
from benchmarks.peers.peer import PACKAGE, peer_versions, run_peer
from benchmarks.reports.report import Curves, Goal, Report, Table
from fem_mbd.base.dependencies import package_version

OURS, MBDYN = "fem_mbd", "mbdyn"
KEPT = 10  # number of solutions per factorisation in MBDyn's modified Newton-Raphson
COLUMNS = (
    "program", "parameter", "steps", "Newton iterations", "iterations/step", "factorisations", "error", "ledger",
    "CPU s", "ms/step",
)  # fmt: skip
TIMED = frozenset({"CPU s", "ms/step"})


@dataclass(frozen=True)
class Settings:
    """Settings chosen on the command line."""

    quick: bool = False
    repeats: int = 3
    peer: bool = True


@dataclass(frozen=True)
class Target:
    """Goal: at `error`, CPU seconds at most `ratio` times Exudyn's and `mbdyn` times MBDyn's."""

    error: float
    ratio: float
    mbdyn: float = 0.2

    def bound(self, program: str) -> float:
        return self.mbdyn if program == MBDYN else self.ratio


@dataclass(frozen=True)
class Variant:
    """Runs of another program: the name of its function in the problem's module, numbers of steps, and arguments.

    fine : number of steps of the reference
    """

    program: str
    steps: Sequence[int]
    fine: int
    arguments: Mapping[str, Any] = field(default_factory=dict)


def mbdyn_variants(steps: Sequence[int], fine: int, **arguments: Any) -> dict[str, Variant]:
    """MBDyn with its default, Newton-Raphson, and with the modified iteration of its manual."""
    return {
        "MBDyn": Variant(MBDYN, steps, fine, arguments),
        "MBDyn, modified Newton": Variant(MBDYN, steps, fine, arguments | {"keep": KEPT}),
    }


@dataclass(frozen=True)
class Study:
    """A problem with its runs.

    ours : function of the parameter that determines the accuracy, `parameters` its values, `fine` that of the reference
    variants : label -> keyword arguments of the module's function `exudyn(steps, ...)`
    others : label -> runs of further programs
    compare : adds specific tables and goals of the problem to the report, from the runs and the references by label
    short, short_parameters, short_fine : simulated time (s) and our parameters of a quick run
    """

    name: str
    title: str
    problem: str
    ours: Callable[..., Outcome]
    parameters: Sequence[float]
    fine: float
    variants: Mapping[str, dict[str, Any]]
    peer_steps: Sequence[int]
    peer_fine: int
    short: float
    short_parameters: Sequence[float]
    short_fine: float
    others: Mapping[str, Variant] = field(default_factory=dict)
    targets: Sequence[Target] = ()
    notes: Sequence[str] = field(default_factory=tuple)
    compare: Callable[[Report, Mapping[str, list[Outcome]], Mapping[str, Outcome]], None] | None = None

    def run(self, settings: Settings) -> Report:
        """Run the available programs alternately and compare them."""
        end = {"end": self.short} if settings.quick else {}
        parameters = self.short_parameters if settings.quick else self.parameters
        fine = self.short_fine if settings.quick else self.fine
        self.ours(parameters[0], end=self.short)  # compiles, or loads compiled code
        versions = peer_versions() if settings.peer and not settings.quick else {}
        variants = {label: v for label, v in self.all_variants().items() if v.program in versions}
        notes = [*self.notes]
        if self.others and (absent := why_no_mbdyn()):
            notes.append(absent)
        runs = self._timed_runs(parameters, end, settings.repeats, variants, notes)
        arguments = {"parameter": fine, **end}
        own = reference(self.name, f"{OURS} {package_version()}", arguments, lambda: self.ours(fine, **end))
        references = {OURS: own}
        for label in [label for label in runs if label != OURS]:
            try:
                references[label] = self._peer_reference(variants[label], versions)
            except PeerStopped as reason:
                notes.append(f"{label}, the reference with {variants[label].fine:,} steps: {reason}")
                del runs[label]
        return self._report(runs, references, notes)

    def all_variants(self) -> dict[str, Variant]:
        """Label -> runs of the other programs, available or not."""
        exudyn = {
            label: Variant(PACKAGE, self.peer_steps, self.peer_fine, arguments)
            for label, arguments in self.variants.items()
        }
        return exudyn | dict(self.others)

    def _timed_runs(
        self,
        parameters: Sequence[float],
        end: dict[str, float],
        repeats: int,
        variants: Mapping[str, Variant],
        notes: list[str],
    ) -> dict[str, list[Outcome]]:
        """label -> runs; repeated alternately, so that other load of the machine affects all programs.

        A failed run is left out, with the reason in `notes`.
        """
        best: dict[tuple[str, float], Outcome] = {}
        failed: dict[tuple[str, float], str] = {}
        for _ in range(repeats):
            for p in parameters:
                best[OURS, p] = self.ours(p, **end).faster_of(best.get((OURS, p)))
            for label, variant in variants.items():
                for steps in variant.steps:
                    try:
                        outcome = run_peer(
                            self.name, program=variant.program, steps=steps, **variant.arguments
                        )
                    except PeerStopped as reason:
                        failed[label, steps] = str(reason)
                        continue
                    best[label, steps] = outcome.faster_of(best.get((label, steps)))
        notes += [f"{label}, {steps:,} steps: {reason}" for (label, steps), reason in failed.items()]
        runs: dict[str, list[Outcome]] = {}
        for (label, _), outcome in best.items():
            runs.setdefault(label, []).append(outcome)
        return runs

    def _peer_reference(self, variant: Variant, versions: Mapping[str, str]) -> Outcome:
        program, arguments = variant.program, {"steps": variant.fine, **variant.arguments}
        return reference(
            self.name,
            f"{program} {versions[program]}",
            arguments,
            lambda: run_peer(self.name, limit=1800.0, program=program, **arguments),
        )

    def _report(
        self, runs: dict[str, list[Outcome]], references: dict[str, Outcome], notes: list[str]
    ) -> Report:
        report = Report(self.name, self.title, self.problem, notes=notes)
        rows = [
            _row(label, run, largest_error(run, references[label]))
            for label, group in runs.items()
            for run in group
        ]
        report.tables.append(Table("Runs", COLUMNS, rows, TIMED, keys=2))
        errors = {
            label: [largest_error(run, references[label]) for run in group] for label, group in runs.items()
        }
        lines = {label: (errors[label], [run.cpu_seconds for run in group]) for label, group in runs.items()}
        report.curves.append(Curves(self.title, "error of time", lines))
        self._compare(report, runs, errors)
        if self.compare is not None:
            self.compare(report, runs, references)
        return report

    def _compare(
        self, report: Report, runs: dict[str, list[Outcome]], errors: dict[str, list[float]]
    ) -> None:
        """Cost at the targets' errors, and the ratio to each variant of the peer."""
        peers = [label for label in runs if label != OURS]
        programs = {label: variant.program for label, variant in self.all_variants().items()}
        if not (peers and self.targets):
            return
        rows = []
        for target in self.targets:
            steps, seconds = (
                {
                    label: cost_at(target.error, errors[label], [pick(run) for run in runs[label]])
                    for label in runs
                }
                for pick in (lambda run: run.steps, lambda run: run.cpu_seconds)
            )
            for label in peers:
                ratio = seconds[OURS] / seconds[label]
                rows.append(
                    (label, target.error, steps[OURS], steps[label], ratio, seconds[OURS], seconds[label])
                )
                report.goals.append(
                    Goal(
                        f"CPU seconds to an error of {target.error:g} over those of {label}",
                        ratio,
                        target.bound(programs[label]),
                        True,
                    )
                )
        columns = (
            "against",
            "error",
            "our steps",
            "its steps",
            "ratio of CPU seconds",
            "our CPU s",
            "its CPU s",
        )
        report.tables.append(
            Table("At equal error", columns, rows, frozenset({"our CPU s", "its CPU s"}), keys=2)
        )


def _row(label: str, run: Outcome, error: float) -> tuple[str | float | int, ...]:
    return (
        label, run.parameter, run.steps, run.newton_iterations, run.newton_iterations / run.steps, run.factorisations,
        error, run.facts.get("ledger", float("nan")), run.cpu_seconds, 1e3 * run.cpu_seconds / run.steps,
    )  # fmt: skip
