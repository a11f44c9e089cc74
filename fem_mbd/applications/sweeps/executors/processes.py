"""Executor by worker processes of this machine, one thread each.

When a worker dies, another one resumes its run from the last checkpoint; a run with which three workers have died is
marked as lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from fem_mbd.applications.sweeps.executors.one_run import LOST, Outcome, Task

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
                [sys.executable, "-m", "fem_mbd.applications.sweeps.executors.worker", str(log)],
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
