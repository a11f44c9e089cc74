"""Comparison: histories of all methods with both integrators, and of the run of this package's scheme."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fem_mbd.cases.constraint_methods.integration import RK4, SPACING, History, history_of, integrate_by
from fem_mbd.cases.constraint_methods.mechanism import BODIES, slider_crank
from fem_mbd.cases.constraint_methods.methods import METHODS
from fem_mbd.cases.constraint_methods.parameters import Parameters
from fem_mbd.runs.results.result import Result

OWN = "this package"


@lru_cache(maxsize=2)
def classical(p: Parameters) -> dict[tuple[str, str], History]:
    """Histories by method and integrator; takes two minutes for 20 s of motion."""
    return {
        (method.name, integrator): integrate_by(method, integrator, p)
        for integrator in (RK4, p.integrator)
        for method in METHODS
    }


def own_history(result: Result, every: float = SPACING) -> History:
    """Violations and energy of a run of this package, from its recorded positions and velocities.

    every : s, between the examined states; 0 for all of them
    """
    rows, due = [], 0.0
    for k, t in enumerate(result.output_time):
        if t >= due - 1e-9:
            rows.append(k)
            due = t + every
    bodies = [result.of(name) for name in BODIES]
    q = [np.hstack([body.position, body.quaternion]) for body in bodies]
    v = [np.hstack([body.velocity, body.omega]) for body in bodies]
    states = np.hstack([*q, *v])[rows]
    seconds = float(result.summary["wall_seconds"]["total"])
    name = OWN, "TDG"
    return history_of(name, result.output_time[rows], states, slider_crank(), float("nan"), seconds)
