"""Kernels of one case are compiled: it is built and makes its first steps."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

from fem_mbd.case import Case
from fem_mbd.cases import load_case
from fem_mbd.compiled.compiling.compilations import Counter, watched_compilations
from fem_mbd.errors import FemMbdError
from fem_mbd.running.computable import computable
from fem_mbd.running.runs import plan

STEPS = 2  # the second keeps a factorisation, where the solver chooses so


def warmed(name: str, asked: bool) -> str:
    """What was done for a case, in words.

    Parameters
    ----------
    name : as the command takes it
    asked : whether its errors are raised; a case that nobody named is left out
    """
    counter, began = Counter(), time.perf_counter()
    try:
        with watched_compilations(counter):
            _first_steps(load_case(name))
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
