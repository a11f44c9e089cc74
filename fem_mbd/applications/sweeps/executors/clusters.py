"""Executors on clusters: by a running Dask scheduler, or a SLURM script that executes a sweep as a job array.

On SLURM, PBS, LSF and SGE dask-jobqueue starts a Dask scheduler. Dask moves a run whose worker died to another worker,
where it resumes from its last checkpoint if both use the same disk. Workers that execute one run at a time, one thread
each, are started with ``dask worker ADDRESS --nthreads 1``.

A job array needs no server: the jobs share only the runs' folders. Job k of n executes every n-th run from the k-th on.
When the array has ended, the same `fem-mbd sweep` without ``--part`` collects the table and executes missing runs.
"""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.executors.one_run import LOST, STOPPED, Outcome, Task, execute_task
from fem_mbd.base.validation import whole_number
from fem_mbd.errors import InputError, MissingDependency

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
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return found.stdout.rstrip("\n").split(chr(0))


def write_script(spec: Path, out: Path, jobs: int) -> Path:
    """Write the script into the sweep's folder and return its path; InputError for a number of jobs below one."""
    whole_number(jobs, "--slurm")
    command = [sys.executable, "-m", "fem_mbd.applications.cli.start"]
    sweep = ["sweep", str(spec.absolute()), "--out", str(out.absolute()), "--quiet", "--no-plot"]
    if any("\n" in word for word in [*command, *sweep]):
        raise InputError(f"{out}: the name of a folder in a job script must not have a line break")
    # the job's Python finds what it has installed by itself; a study and this package may come from elsewhere
    own = {str(Path(entry).resolve()) for entry in _default_path()}
    paths = os.pathsep.join(entry for entry in sys.path if entry and str(Path(entry).resolve()) not in own)
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
