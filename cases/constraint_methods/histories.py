"""Histories of all methods by Runge-Kutta and SciPy's integrators, and of the run of this package's scheme.

A method's correction follows each step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import integrate

from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.cases.constraint_methods.methods import METHODS, Method
from fem_mbd.cases.constraint_methods.model import BODIES, Parameters, slider_crank, start
from fem_mbd.cases.constraint_methods.rigid_system import RigidSystem
from fem_mbd.errors import SolverFailure
from fem_mbd.runs.results.result import Result

Rates = Callable[[float, Array], Array]
Correct = Callable[[Array], Array]
RK4 = "RK4"
SPACING = 0.01  # s, between recorded states
THIS_PACKAGE = "this package"


@dataclass(frozen=True)
class History:
    """One method with one integrator; k recorded times."""

    method: str
    integrator: str
    time: Array  # (k,) s
    position: Array  # (k,) sqrt(Phi^T Phi)
    velocity: Array  # (k,) sqrt(Phi'^T Phi')
    energy: Array  # (k,) J, relative to the start
    work: float  # floating-point operations of linear algebra, nan where they are not counted
    seconds: float
    last: Array  # (39,) state vector at the end


def history_of(
    name: tuple[str, str], times: Array, states: Array, system: RigidSystem, work: float, seconds: float
) -> History:
    """Violations of state vectors (k, 39), and their energy relative to the start."""
    instants = [system.instant(y) for y in states]
    energy = np.array([system.energy(y) for y in states])
    position, velocity = (
        np.linalg.norm([getattr(i, violation) for i in instants], axis=1) for violation in ("phi", "phi_rate")
    )
    return History(
        *name, times, position, velocity, energy - system.energy(start()), work, seconds, states[-1]
    )


def integrate_by(method: Method, integrator: str, p: Parameters) -> History:
    """The mechanism's motion by one method; ``integrator``: RK4 with the step dt, or SciPy's of the parameters."""
    system, work = slider_crank(), [0.0]

    def rates(_: float, y: Array) -> Array:
        accelerations, operations = method.accelerations(system, system.instant(y), p)
        work[0] += operations
        return np.concatenate([system.coordinate_rates(y), accelerations])

    def correct(y: Array) -> Array:
        if method.correction is None:
            return y
        corrected, operations = method.correction(system, y, p)
        work[0] += operations
        return corrected

    begin = time.process_time()
    steps = _rk4 if integrator == RK4 else _scipy
    with one_blas_thread():
        times, states = _thinned(steps(rates, correct, start(), p))
    seconds = time.process_time() - begin
    return history_of((method.name, integrator), times, states, system, work[0], seconds)


def _rk4(rates: Rates, correct: Correct, y: Array, p: Parameters) -> Iterator[tuple[float, Array]]:
    count = round(p.end_time / p.dt)
    h = p.end_time / count
    yield 0.0, y
    for n in range(count):
        t = n * h
        a = rates(t, y)
        b = rates(t + 0.5 * h, y + 0.5 * h * a)
        c = rates(t + 0.5 * h, y + 0.5 * h * b)
        d = rates(t + h, y + h * c)
        y = correct(y + h / 6 * (a + 2 * b + 2 * c + d))
        yield (n + 1) * h, y


def _scipy(rates: Rates, correct: Correct, y: Array, p: Parameters) -> Iterator[tuple[float, Array]]:
    yield 0.0, y
    tolerance = p.relative_tolerance
    solver = getattr(integrate, p.integrator)(
        rates, 0.0, y, p.end_time, rtol=tolerance, atol=1e-2 * tolerance
    )
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise SolverFailure(f"{p.integrator}: {message}")
        corrected = correct(solver.y)
        if corrected is not solver.y:
            # these are one-step methods: only state and rate pass to the next step
            solver.y, solver.f = corrected, rates(solver.t, corrected)
        yield solver.t, solver.y


def _thinned(steps: Iterator[tuple[float, Array]]) -> tuple[Array, Array]:
    """States at the first times after multiples of `SPACING`, and the last."""
    times, states, due = [], [], 0.0
    last = (0.0, np.zeros(0))
    for t, y in steps:
        last = t, y
        if t >= due - 1e-9:
            times.append(t)
            states.append(y)
            due = t + SPACING
    if times[-1] != last[0]:
        times.append(last[0])
        states.append(last[1])
    return np.array(times), np.array(states)


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
    name = THIS_PACKAGE, "TDG"
    return history_of(name, result.output_time[rows], states, slider_crank(), float("nan"), seconds)
