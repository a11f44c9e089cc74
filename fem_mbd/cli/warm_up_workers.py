"""Processes that compile the kernels of cases side by side; each takes the next case when it has done one.

They share what they keep on disk: what one has kept the others read, and what two need at the same moment both compile.
A worker is a fresh interpreter, in a session of its own: Ctrl-C reaches the command, which ends its workers. When the
command is killed they end after their case.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from fem_mbd.cli.warm_up_case import warmed
from fem_mbd.errors import FemMbdError


class _Worker:
    """A process and the case that it has."""

    def __init__(self) -> None:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stdin is not None and self.process.stdout is not None
        self.hears, self.says = self.process.stdin, self.process.stdout
        self.name = ""

    def take(self, name: str, asked: bool) -> None:
        """Begin with a case."""
        self.name = name
        with suppress(BrokenPipeError):  # a dead worker is noticed by the end of what it says
            self.hears.write(json.dumps([name, asked]) + "\n")

    def told(self) -> str:
        """What was done for its case."""
        line = self.says.readline()
        if not line:
            status = self.process.wait()
            raise FemMbdError(
                f"{self.name}: the process that compiled its kernels ended with status {status}"
            )
        what, error = json.loads(line)
        if error:
            raise FemMbdError(error)
        return str(what)

    def end(self) -> None:
        """Let it go, whatever it does."""
        self.process.terminate()
        self.process.wait()
        self.says.close()
        with suppress(BrokenPipeError):
            self.hears.close()


def warmed_by_workers(names: Sequence[str], count: int, asked: bool) -> Iterator[tuple[str, str]]:
    """Cases as they are done, each with what was done for it.

    Parameters
    ----------
    names : of the cases
    count : of processes
    asked : see `warm_up_case.warmed`

    Raises
    ------
    FemMbdError
        What a case was refused for, or that a process ended before it was done.
    """
    waiting, workers = deque(names), [_Worker() for _ in range(count)]
    try:
        busy: dict[Any, _Worker] = {}
        for worker in workers:
            worker.take(waiting.popleft(), asked)
            busy[worker.says.fileno()] = worker
        while busy:
            for ready in wait(list(busy)):
                worker = busy.pop(ready)
                yield worker.name, worker.told()
                if waiting:
                    worker.take(waiting.popleft(), asked)
                    busy[worker.says.fileno()] = worker
    finally:
        for worker in workers:
            worker.end()


def serve() -> None:
    """The life of a worker: cases come in and what was done for them goes out, a line in JSON each."""
    gc.set_threshold(50_000, 20, 20)  # as the command, see `start`
    answers = os.dup(1)
    os.dup2(2, 1)  # what a case prints is no answer
    with suppress(BrokenPipeError):  # the command is gone
        for line in sys.stdin:
            name, asked = json.loads(line)
            try:
                said = warmed(name, asked), ""
            except FemMbdError as error:
                said = "", str(error)
            os.write(answers, json.dumps(said).encode() + b"\n")
