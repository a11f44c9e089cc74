"""Runs of the pendulum in processes forked from one that has its libraries loaded; what their files hold."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from fem_mbd import Result, resume, run
from fem_mbd.cases.pendulum import Parameters, build

CHECKPOINT_EVERY = 20
FINISHED, FAILED = 0, 1


def numbers(file: Path, *, scan: bool = True) -> dict[str, bytes]:
    """Bytes of all histories of a file; `scan` finds damage before anything is read."""
    with Result.open(file, scan=scan) as result:
        groups = {"step": result.step, "energy": result.energy, "outputs": result.outputs}
        return {f"{group}/{name}": part[name].tobytes() for group, part in groups.items() for name in part}


def go(parameters: Parameters, file: Path) -> None:
    """Begin the run, or go on with what there is of it."""
    if file.exists():
        resume(file, build(parameters), progress=False).close()
    else:
        run(build(parameters), file=file, checkpoint_every=CHECKPOINT_EVERY, progress=False).close()


def fork(action: Callable[[], None]) -> int:
    """The number of a process that does this and ends."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    status = FAILED
    try:
        action()
        status = FINISHED
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def forked(action: Callable[[], None]) -> int:
    """Do it in a process of its own and wait; its exit status."""
    return os.waitstatus_to_exitcode(os.waitpid(fork(action), 0)[1])
