"""Executors of a sweep's runs: by worker processes of this machine, by a Dask scheduler, or as a job array.

`execute_task` executes one run in its folder: skipped when done, resumed when interrupted.

`by_processes` has worker processes of one thread each. When a worker dies, another one resumes its run from the last
checkpoint; a run with which three workers have died is marked as lost.

`by_dask` submits runs to a running Dask scheduler. On SLURM, PBS, LSF and SGE dask-jobqueue starts a Dask scheduler.
Dask moves a run whose worker died to another worker, where it resumes from its last checkpoint if both use the same
disk. Workers that execute one run at a time, one thread each, are started with ``dask worker ADDRESS --nthreads 1``.

`write_script` writes a SLURM script that executes a sweep as a job array. It needs no server: the jobs share only the
runs' folders. Job k of n executes every n-th run from the k-th on. When the array has ended, the same `fem-mbd sweep`
without ``--part`` collects the table and executes missing runs.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import shlex
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.outputs import evaluate, read_output
from fem_mbd.applications.sweeps.spec import Study, study_of
from fem_mbd.base.validation import whole_number
from fem_mbd.errors import FemMbdError, InputError, MissingDependency
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


MAX_DEATHS = 3
EXIT_TIMEOUT = 60.0  # s, time for a worker to end after its step
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class _Worker:
    """A worker process and its current task."""

    def __init__(self, log: Path) -> None:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        environment = {**os.environ, "PYTHONPATH": path, **dict.fromkeys(ONE_THREAD, "1")}
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fem_mbd.applications.sweeps.worker", str(log)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment,
            )  # fmt: skip
        self.task: Task | None = None
        self._buffer = b""

    def send(self, task: Task) -> None:
        self.task = task
        with contextlib.suppress(BrokenPipeError):  # the end of its output shows that a worker has died
            if self.process.stdin is not None:
                self.process.stdin.write(json.dumps(asdict(task)).encode() + b"\n")
                self.process.stdin.flush()

    def fileno(self) -> int:
        return self.process.stdout.fileno() if self.process.stdout is not None else -1

    def receive(self) -> Outcome | None:
        """The outcome available now, None while a line is incomplete; EOFError when the worker has died."""
        chunk = os.read(self.fileno(), 1 << 16)
        if not chunk:
            raise EOFError
        self._buffer += chunk
        if b"\n" not in self._buffer:
            return None
        line, self._buffer = self._buffer.split(b"\n", 1)
        self.task = None
        return Outcome(**json.loads(line))

    def end(self, stop: bool) -> None:
        """Close the worker; ``stop`` makes its run end after its step."""
        if stop and self.task is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        try:
            self.process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def by_processes(tasks: Iterable[Task], count: int, log: Path) -> Iterator[Outcome]:
    """Outcomes in the order of completion. Closing the iterator, as Ctrl-C does, stops the runs after their steps."""
    waiting, deaths = deque(tasks), Counter[str]()
    workers: dict[int, _Worker] = {}
    finished = False
    with selectors.DefaultSelector() as ready:
        try:
            while waiting or any(worker.task for worker in workers.values()):
                _assign(waiting, workers, ready, count, log)
                for key, _ in ready.select():
                    worker = workers[key.fd]
                    try:
                        outcome = worker.receive()
                    except EOFError:
                        ready.unregister(key.fd)
                        outcome = _requeue(workers.pop(key.fd), deaths, waiting)
                    if outcome is not None:
                        yield outcome
            finished = True
        finally:
            for worker in workers.values():
                worker.end(stop=not finished)


def _assign(
    waiting: deque[Task], workers: dict[int, _Worker], ready: selectors.BaseSelector, count: int, log: Path
) -> None:
    """Start workers up to ``count`` and send a task to every free one."""
    for worker in workers.values():
        if worker.task is None and waiting:
            worker.send(waiting.popleft())
    while waiting and len(workers) < count:
        worker = _Worker(log)
        workers[worker.fileno()] = worker
        ready.register(worker.fileno(), selectors.EVENT_READ)
        worker.send(waiting.popleft())


def _requeue(worker: _Worker, deaths: Counter[str], waiting: deque[Task]) -> Outcome | None:
    """Put the run of a dead worker back into the queue, unless too many workers have died with it."""
    worker.end(stop=False)
    task = worker.task
    if task is None:
        return None
    deaths[task.tag] += 1
    if deaths[task.tag] < MAX_DEATHS:
        waiting.appendleft(task)
        return None
    return Outcome(
        task.tag,
        LOST,
        f"{MAX_DEATHS} worker processes died during this run, the last with status "
        f"{worker.process.returncode}",
    )


CONNECT_TIMEOUT = 10.0  # s
SCRIPT_NAME = "sweep.sbatch"


def by_dask(address: str) -> Callable[[list[Task]], Iterator[Outcome]]:
    """Executor that submits tasks to the scheduler at an address.

    Raises
    ------
    InputError
        When there is no answer within ten seconds.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingDependency("--dask needs distributed: pip install 'fem_mbd[dask]'") from error
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except Exception as error:  # any error: another program may answer at this address, or none
        raise InputError(
            f"--dask {address}: no scheduler answered within {CONNECT_TIMEOUT:g} s ({type(error).__name__}); "
            "start one with `dask scheduler` and give its address, e.g. tcp://127.0.0.1:8786"
        ) from error
    return lambda tasks: _outcomes(client, tasks)


def run_plain(task: dict[str, Any]) -> dict[str, Any]:
    """Function executed by a Dask worker: plain data in, plain data out."""
    return asdict(execute_task(Task(**task)))


def _outcomes(client: Any, tasks: list[Task]) -> Iterator[Outcome]:
    from distributed import as_completed

    # a lost connection is reported in the outcomes instead of by tracebacks
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with client:
        futures = {
            client.submit(run_plain, asdict(task), key=f"fem-mbd-{task.tag}", pure=False, retries=1): task
            for task in tasks
        }
        for future in as_completed(list(futures), loop=client.loop):
            yield _outcome(future, futures[future].tag)


def _outcome(future: Any, tag: str) -> Outcome:
    stopped = Outcome(
        tag, STOPPED, "the scheduler is lost; start another one and repeat the sweep, which continues"
    )
    if future.cancelled():
        return stopped
    try:
        error = future.exception()
        if error is None:
            return Outcome(**future.result())
    except (OSError, CancelledError):  # the connection broke off while the result was on its way
        return stopped
    return Outcome(tag, LOST, f"{type(error).__name__}: {error}")


def _default_path() -> list[str]:
    """Folders in which this Python looks for modules without PYTHONPATH and a program's own folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = "import sys; print(chr(0).join(sys.path[1:]))"
    completed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return completed.stdout.rstrip("\n").split(chr(0))


def write_script(spec: Path, out: Path, jobs: int) -> Path:
    """Write the script into the sweep's folder and return its path; InputError for a number of jobs below one."""
    whole_number(jobs, "--slurm")
    command = [sys.executable, "-m", "fem_mbd"]
    sweep = ["sweep", str(spec.absolute()), "--out", str(out.absolute()), "--quiet", "--no-plot"]
    if any("\n" in word for word in [*command, *sweep]):
        raise InputError(f"{out}: the name of a folder in a job script must not have a line break")
    # the job's Python finds what it has installed by itself; a study and this package may come from elsewhere
    default_paths = {str(Path(entry).resolve()) for entry in _default_path()}
    paths = os.pathsep.join(
        entry for entry in sys.path if entry and str(Path(entry).resolve()) not in default_paths
    )
    lines = [
        "#!/bin/bash",
        "#SBATCH --job-name=fem-mbd-sweep",
        f"#SBATCH --array=1-{jobs}",
        "#SBATCH --ntasks=1",
        "#SBATCH --cpus-per-task=1",
        "# asks the run to stop after its step and store its results before the time limit",
        "#SBATCH --signal=B:TERM@60",
        "set -euo pipefail",
        "export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1",
        *([f"export PYTHONPATH={shlex.quote(paths)}"] if paths else []),
        "# names of folders are not expanded",
        "# shellcheck disable=SC2016",
        f'exec {shlex.join(command)} {shlex.join(sweep)} --processes 1 --part "$SLURM_ARRAY_TASK_ID/{jobs}"',
    ]
    out.mkdir(parents=True, exist_ok=True)
    script = out / SCRIPT_NAME
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script.chmod(0o755)
    return script
