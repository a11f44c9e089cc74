"""`fem-mbd warm-up`: kernels are compiled and kept on disk before anyone waits for them.

Each case is built with its default parameters and makes its first two steps, as in a run. Other parameters may call
for kernels of their own (a clearance instead of an ideal joint): those are compiled in the first run that has them.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from typing import Any

from fem_mbd.case import Case
from fem_mbd.cases import case_names, load_case
from fem_mbd.compiled.compilations import Counter, watched_compilations
from fem_mbd.errors import FemMbdError
from fem_mbd.running.computable import computable
from fem_mbd.running.runs import plan

STEPS = 2  # the second keeps a factorisation, where the solver chooses so


def warm_up(options: argparse.Namespace) -> int:
    """Compile, and tell of each case what it took."""
    cases = [load_case(name) for name in (options.cases or case_names())]
    width = max(len(case.name) for case in cases)
    for number, case in enumerate(cases, start=1):
        sys.stdout.write(f"{number:2}/{len(cases)} {case.name.ljust(width)}  ")
        sys.stdout.flush()
        sys.stdout.write(f"{_warmed(case, asked=bool(options.cases))}\n")
    return 0


def _warmed(case: Case[Any], asked: bool) -> str:
    """What was done for a case; errors are raised for cases that were asked for only."""
    counter, began = Counter(), time.perf_counter()
    try:
        with watched_compilations(counter):
            _first_steps(case)
    except FemMbdError as error:
        if asked:
            raise
        return f"left out: {error}"
    if not counter.count:
        return "ready"
    return f"{counter.count} kernels compiled in {time.perf_counter() - began:.1f} s"


def _first_steps(case: Case[Any]) -> None:
    with computable(case.name):
        sim = case.build(case.parameters())
    plan(sim)  # the outputs of the initial state
    for _ in islice(sim.steps(), STEPS):
        sim.outputs()
