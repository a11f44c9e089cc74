"""Execution of one run of a sweep in its folder: skipped when done, resumed when interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.outputs import evaluate
from fem_mbd.applications.sweeps.plan import Study, study_of
from fem_mbd.applications.sweeps.reduction import read_output
from fem_mbd.errors import FemMbdError, InputError
from fem_mbd.runs.results.hdf5.layout import RESULTS_NAME
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.summary import finite_json, write_summary
from fem_mbd.runs.running.progress import Silent
from fem_mbd.runs.running.run_folder import locked_folder
from fem_mbd.runs.running.runs import execute_briefly, plan, resume
from fem_mbd.runs.running.session import COMPLETE, INTERRUPTED

DONE, FAILED, STOPPED, LOST, WAITING = "done", "failed", "interrupted", "lost", "waiting"
ROW_NAME = "row.json"
MAX_ATTEMPTS = 2


@dataclass(frozen=True)
class Task:
    """Task of a worker, plain data; ``folder`` is that of the run."""

    tag: str
    study: str
    given: Mapping[str, Any]
    folder: str
    outputs: Mapping[str, str]
    record_every: int = 1
    quantities: tuple[str, ...] | None = None
    keep: bool = True
    checks: bool = False


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run: ``status``, the ``reason`` where it is not done, and its ``outputs`` by name."""

    tag: str
    status: str
    reason: str = ""
    outputs: dict[str, Any] = field(default_factory=dict)


def execute_task(task: Task) -> Outcome:
    """Execute the task, twice if it fails; any error becomes the outcome's reason."""
    folder = Path(task.folder)
    stored = stored_outcome(task)
    if stored is not None:
        return stored
    outcome = Outcome(task.tag, WAITING)
    for _ in range(MAX_ATTEMPTS):
        try:
            with locked_folder(folder):
                outcome = _run(task, study_of(task.study), folder)
        except (FemMbdError, OSError, ArithmeticError, ValueError) as error:
            outcome = Outcome(task.tag, FAILED, f"{type(error).__name__}: {error}")
        if outcome.status != FAILED:
            break
    _store(task, outcome, folder)
    return outcome


def stored_outcome(task: Task) -> Outcome | None:
    """Outcome of a run that was completed before with the same requested outputs."""
    try:
        row = json.loads((Path(task.folder) / ROW_NAME).read_text(encoding="utf-8"))
        same = row["asked"] == dict(task.outputs) and row["outcome"]["tag"] == task.tag
        same = same and row["checks"] >= task.checks
        return Outcome(**row["outcome"]) if same and row["outcome"]["status"] == DONE else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _run(task: Task, study: Study, folder: Path) -> Outcome:
    sim, path = study.build(task.given), folder / RESULTS_NAME
    with _run_to_end(task, study, sim, path) as result:
        if result.status != COMPLETE:
            write_summary(folder, result.summary, [])
            return Outcome(task.tag, STOPPED if result.status == INTERRUPTED else FAILED, result.reason)
        # checks are written for complete records
        complete_record = task.quantities is None and task.record_every == 1
        checks = study.checks(result, task.given) if complete_record and task.checks else []
        summary = result.summary
        write_summary(folder, summary, checks)
        summary["checks"] = [check.to_dict() for check in checks]
        reductions = {name: read_output(name, text) for name, text in task.outputs.items()}
        outputs = finite_json(evaluate(reductions, result, summary))
    if not task.keep:
        path.unlink(missing_ok=True)
    return Outcome(task.tag, DONE, "", outputs)


def _run_to_end(task: Task, study: Study, sim: Any, path: Path) -> Result:
    """The result of the completed run; an interrupted run is resumed from its last checkpoint."""
    if path.exists():
        try:
            return resume(path, sim, progress=False)
        except InputError:  # damaged, or written by another version of the study
            sim = study.build(task.given)
    info = plan(
        sim,
        case=study.address,
        parameters=study.plain(task.given),
        record_every=task.record_every,
        quantities=task.quantities,
    )
    return execute_briefly(sim, info, path, Silent(), task.keep)


def _store(task: Task, outcome: Outcome, folder: Path) -> None:
    row = {
        "asked": dict(task.outputs),
        "checks": task.checks,
        "outcome": asdict(outcome),
        "parameters": dict(task.given),
    }
    temporary = folder / (ROW_NAME + ".new")
    try:
        temporary.write_text(json.dumps(row, allow_nan=False) + "\n", encoding="utf-8")
        os.replace(temporary, folder / ROW_NAME)
    except OSError:  # the outcome is still entered into the table
        return
