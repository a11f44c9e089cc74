"""Run of the same mechanism with the ideal joint, for comparison: in memory, once per set of parameters."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from fem_mbd.cases.crank_mechanism.histories import Histories
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.cases.crank_mechanism.set_up import build
from fem_mbd.runs.running.runs import run


@lru_cache(maxsize=2)
def ideal_histories(parameters: Parameters) -> Histories:
    """Case 1 with the other parameters unchanged; takes about two seconds."""
    ideal = replace(parameters, case=1)
    return Histories(run(build(ideal), progress=False), ideal)
