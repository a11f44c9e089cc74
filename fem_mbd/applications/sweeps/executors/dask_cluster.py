"""Executor by a running Dask scheduler; on SLURM, PBS, LSF and SGE dask-jobqueue starts one.

Dask moves a run whose worker died to another worker, where it resumes from its last checkpoint if both use the same
disk. Workers that execute one run at a time, one thread each, are started with
``dask worker ADDRESS --nthreads 1``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from fem_mbd.applications.sweeps.executors.one_run import LOST, STOPPED, Outcome, Task, do
from fem_mbd.errors import InputError, MissingDependency

SECONDS = 10.0


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
        client = Client(address, timeout=SECONDS, set_as_default=False)
    except Exception as error:  # any error: another program may answer at this address, or none
        raise InputError(
            f"--dask {address}: no scheduler answered within {SECONDS:g} s ({type(error).__name__}); "
            "start one with `dask scheduler` and give its address, e.g. tcp://127.0.0.1:8786"
        ) from error
    return lambda tasks: _outcomes(client, tasks)


def run_plain(task: dict[str, Any]) -> dict[str, Any]:
    """Function executed by a Dask worker: plain data in, plain data out."""
    return asdict(do(Task(**task)))


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
    if future.cancelled():
        return Outcome(
            tag, STOPPED, "the scheduler is lost; start another one and repeat the sweep, which continues"
        )
    error = future.exception()
    return (
        Outcome(**future.result())
        if error is None
        else Outcome(tag, LOST, f"{type(error).__name__}: {error}")
    )
