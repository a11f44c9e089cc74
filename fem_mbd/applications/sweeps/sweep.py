"""Function `sweep`: plans and checks the runs, executes the missing ones, collects everything in one table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.executors import DONE, Outcome, Task, by_processes, stored_outcome
from fem_mbd.applications.sweeps.outputs import check_outputs, check_recorded, quantities_of, unit_of
from fem_mbd.applications.sweeps.run_table import RUNS_NAME, RunTable
from fem_mbd.applications.sweeps.sampling import Sample
from fem_mbd.applications.sweeps.spec import Plan, PlannedRun, Record, Spec, import_path_of, planned, study_of
from fem_mbd.base.validation import whole_number
from fem_mbd.case import is_path
from fem_mbd.runs.results.run_info import select_quantities
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.running.interruption import Interrupted
from fem_mbd.runs.running.progress import StatusLine
from fem_mbd.runs.running.run_folder import locked_folder

LOG_NAME = "workers.log"
# Yields outcomes of tasks as they complete: `executors.by_processes`, `executors.by_dask`
Executor = Callable[[list[Task]], Iterator[Outcome]]


class SweepProgress:
    """Counts outcomes, and shows counts, rate and remaining time.

    Parameters
    ----------
    total, skipped : runs of the sweep, and those that were done before
    progress : as for `StatusLine`
    """

    def __init__(self, total: int, skipped: int, progress: bool | None) -> None:
        self._total, self._skipped = total, skipped
        self._counts: Counter[str] = Counter()
        self._line = StatusLine(progress)
        if skipped:
            self._line.message(f"{skipped} of {total} runs are done already")

    def add(self, status: str) -> None:
        """One run has ended."""
        self._counts[status] += 1
        self._line.update(self.text)

    def text(self) -> str:
        """The line: counts by status, runs per minute, remaining time."""
        ended, seconds = self._counts.total(), self._line.seconds
        by_status = ", ".join(f"{count} {status}" for status, count in sorted(self._counts.items()))
        counts = f"{ended + self._skipped} of {self._total} runs ({by_status})"
        rate = f"{60 * ended / seconds:.3g} a minute" if seconds > 0.0 else ""
        return f"{counts}, {rate}, {self._line.left(ended / (self._total - self._skipped))}"

    def finish(self) -> None:
        """Show the final line."""
        self._line.finish(self.text())


def sweep(
    study: str | Path | Callable[..., Any],
    out: str | Path,
    *,
    fixed: Mapping[str, Any] | None = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    table: Iterable[Mapping[str, Any]] = (),
    sample: Sample | None = None,
    outputs: Mapping[str, str] | None = None,
    record: Record | None = None,
    processes: int | None = None,
    progress: bool | None = None,
) -> RunTable:
    """Run a case, or a function of parameters, for many values of its parameters.

        fm.sweep("crank_mechanism", "sweep", fixed={"revolutions": 1}, grid={"friction": [0.1, 0.2, 0.3]},
                 outputs={"peak": "max(Q.normal_force)"})

    Parameters
    ----------
    study : name of a case, folder of a user's study, or a function of a module that returns a `Simulation` for its
        parameters
    out : folder for the table and the runs; completed runs in it are not repeated
    fixed : parameters that all runs share
    grid : parameter to values, all combinations
    table : rows of parameters
    sample : random or quasi-random points
    outputs : name to a path in `summary.json` or a reduction, see `fem_mbd.applications.sweeps.outputs`
    record : recording of each run
    processes : worker processes; by default as many as processors
    progress : None shows counts and the remaining time on a terminal, True also elsewhere, False nowhere

    Returns
    -------
    RunTable
        With the status and the outputs of every run; also written to ``out``.

    Raises
    ------
    InputError
        For unknown parameters or outputs and invalid values, before anything runs.
    Interrupted
        On Ctrl-C; completed runs and the table are kept, and the same call goes on.
    """
    spec = Spec(
        case=_address(study),
        fixed=dict(fixed or {}),
        grid={name: list(values) for name, values in (grid or {}).items()},
        table=tuple(table),
        sample=sample,
        outputs=dict(outputs or {}),
        record=record or Record(),
    )
    return run_spec(spec, Path(out), processes=processes, progress=progress)


def _address(study: str | Path | Callable[..., Any]) -> str:
    if isinstance(study, str | Path):
        return str(Path(study).resolve()) if is_path(study) else str(study)
    return import_path_of(study)


def run_spec(
    spec: Spec,
    out: Path,
    *,
    processes: int | None = None,
    executor: Executor | None = None,
    part: tuple[int, int] | None = None,
    many: bool = False,
    progress: bool | None = None,
) -> RunTable:
    """Execute the sweep of a spec; see `sweep`.

    Parameters
    ----------
    executor : executor of the tasks; by default processes of this machine
    part : (k, n) executes the k-th of n parts only, counted from 1, and writes no table: for jobs of an array
    many : whether more than a million runs are permitted
    """
    count = (os.cpu_count() or 1) if processes is None else whole_number(processes, "processes")
    plan = check_sweep(spec, many)
    tasks = [_task(spec, run, out) for run in plan.runs]
    if part is not None:
        tasks = tasks[part[0] - 1 :: part[1]]
    run_table = RunTable(spec, plan)
    # jobs of an array share the folder; each run's folder has its own lock
    (out / RUNS_NAME).mkdir(parents=True, exist_ok=True)
    if part is not None:
        _run(run_table, tasks, executor or _local_executor(count, out), progress)
        return run_table
    with locked_folder(out):
        try:
            _run(run_table, tasks, executor or _local_executor(count, out), progress)
        except KeyboardInterrupt as interrupt:
            done = sum(row["status"] == DONE for row in run_table.rows)
            raise Interrupted(
                f"sweep: interrupted; {done} of {len(plan.runs)} runs are done and stored in {out}, others go on from "
                "their last checkpoints: repeat the same call",
                run_table,
            ) from interrupt
        finally:
            run_table.write(out)
    return run_table


def _local_executor(count: int, out: Path) -> Executor:
    return lambda tasks: by_processes(tasks, min(count, len(tasks)), out / LOG_NAME)


def _run(table: RunTable, tasks: list[Task], executor: Executor, progress: bool | None) -> None:
    stored = {task.tag: stored_outcome(task) for task in tasks}
    for outcome in stored.values():
        if outcome is not None:
            table.take(outcome)
    waiting = [task for task in tasks if stored[task.tag] is None]
    display = SweepProgress(len(tasks), len(tasks) - len(waiting), progress)
    if not waiting:
        return
    outcomes = executor(waiting)
    with closing(outcomes):  # type: ignore[type-var]
        for outcome in outcomes:
            table.take(outcome)
            display.add(outcome.status)
    display.finish()


def check_sweep(spec: Spec, many: bool = False) -> Plan:
    """Check and return the planned runs; InputError also for outputs and quantities that the first run's model does not
    have.
    """
    study = study_of(spec.case)
    runs = planned(spec, study, many)
    quantities = quantities_of(lambda: study.build(runs[0].given).system.describe())
    parsed = check_outputs(spec.outputs, quantities, spec.checks)
    if spec.record.quantities is not None:
        sim = study.build(runs[0].given)
        outputs = sim.outputs()
        recorded = {name: outputs[name] for name in select_quantities(outputs, spec.record.quantities)}
        check_recorded(parsed, SingleState(PartTable(sim.system.describe()), recorded, 0.0))
    return Plan(runs, study.units() | {name: unit_of(output, quantities) for name, output in parsed.items()})


def _task(spec: Spec, run: PlannedRun, out: Path) -> Task:
    return Task(
        tag=run.tag,
        study=spec.case,
        given=run.given,
        folder=str((out / RUNS_NAME / run.tag).absolute()),
        outputs=dict(spec.outputs),
        record_every=spec.record.every,
        quantities=spec.record.quantities,
        keep=spec.record.keep,
        checks=spec.checks,
    )
