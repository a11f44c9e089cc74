"""`fem-mbd warm-up`: kernels are compiled and kept on disk before anyone waits for them.

Each case is built with its default parameters and makes its first two steps, as in a run. Other parameters may call
for kernels of their own (a clearance instead of an ideal joint): those are compiled in the first run that has them.
Several cases are shared out among processes, one for each processor (`warm_up_workers`).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from fem_mbd.cases import case_names, load_case
from fem_mbd.cli.warm_up_case import warmed
from fem_mbd.cli.warm_up_workers import warmed_by_workers
from fem_mbd.errors import InputError

MOST = 4  # processes, unless told: each compiles for itself what several need at the same moment


def warm_up(options: argparse.Namespace) -> int:
    """Compile, and tell of each case what it took."""
    names = options.cases or case_names()
    cases = {name: load_case(name).name for name in names}  # bad names are told before anything is compiled
    width = max(map(len, cases.values()))
    told = _told(list(cases), _processes(options.processes, len(cases)), bool(options.cases))
    for number, (name, what) in enumerate(told, start=1):
        sys.stdout.write(f"{number:2}/{len(cases)} {cases[name].ljust(width)}  {what}\n")
        sys.stdout.flush()
    return 0


def _processes(asked: int | None, cases: int) -> int:
    """How many compile."""
    if asked is not None and asked < 1:
        raise InputError(f"--processes {asked}: give a whole number above zero")
    count = asked or min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MOST)
    return min(count, cases)


def _told(names: Sequence[str], processes: int, asked: bool) -> Iterator[tuple[str, str]]:
    """Cases as they are done, each with what was done for it."""
    if processes > 1:
        yield from warmed_by_workers(names, processes, asked)
        return
    for name in names:
        yield name, warmed(name, asked)
