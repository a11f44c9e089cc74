"""Histories of all methods by Runge-Kutta and SciPy's integrators, and of the run of this package's scheme.

Eight classical methods to solve the equations of motion with constraints, M v' + D^T lambda = g and D v' = gamma.

Each computes the accelerations at a state and, for two of them, a correction of the state after every step. They also
return the work: floating-point operations of their matrix products, factorisations and solutions. Source: F. Marques,
"Frictional contacts in multibody dynamics" (2015), section 2.3; equations in each docstring.
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
from fem_mbd.cases.constraint_methods.model import (
    BODIES,
    CRANK_TURN,
    Instant,
    Parameters,
    RigidSystem,
    slider_crank,
    start,
)
from fem_mbd.errors import SolverFailure
from fem_mbd.runs.results.result import Result

MAX_ITERATIONS = 50
Accelerations = Callable[[RigidSystem, Instant, Parameters], tuple[Array, float]]
Correction = Callable[[RigidSystem, Array, Parameters], tuple[Array, float]]


@dataclass(frozen=True)
class Method:
    """A method: name, accelerations (n,) with their work, and the state corrected after a step with its work."""

    name: str
    accelerations: Accelerations
    correction: Correction | None = None


def lu_work(n: int, right_hand_sides: int = 1) -> float:
    """Floating-point operations of a factorisation and its solutions."""
    return 2 / 3 * n**3 + 2.0 * n**2 * right_hand_sides


def svd_work(m: int, n: int) -> float:
    """Floating-point operations of a generalised inverse by singular values (Golub and Van Loan, Matrix Computations,
    fig. 8.6.1).
    """
    small, large = min(m, n), max(m, n)
    return 4.0 * large**2 * small + 8.0 * large * small**2 + 9.0 * small**3 + 2.0 * m * n * small


def standard(s: RigidSystem, i: Instant, _: Parameters) -> tuple[Array, float]:
    """Lagrange multipliers (eqs. 2.48, 2.49)."""
    return _by_multipliers(s, i, i.gamma)


def baumgarte(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Feedback of the violations (eq. 2.52)."""
    m, n = i.jacobian.shape
    target = i.gamma - 2 * p.baumgarte_alpha * i.phi_rate - p.baumgarte_beta**2 * i.phi
    accelerations, work = _by_multipliers(s, i, target)
    return accelerations, work + 2.0 * m * n + 4.0 * m


def penalty(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Masses, dampers and springs at the constraints instead of multipliers (eq. 2.58)."""
    target, leading, alpha, work = _penalised(s, i, p)
    return np.linalg.solve(leading, i.force + alpha * target), work


def augmented(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """The penalty's forces added to multipliers, by iteration (eqs. 2.62 to 2.64).

    The iteration also ends when round-off limits it: when the change no longer decreases.
    """
    target, leading, alpha, work = _penalised(s, i, p)
    inverse = np.linalg.inv(leading)  # represents a stored factorisation
    last, change = i.force / s.diagonal, np.inf
    for _ in range(MAX_ITERATIONS):
        new = inverse @ (s.diagonal * last + alpha * target)
        before, change = change, float(np.linalg.norm(new - last))
        last = new
        work += 2.0 * len(new) ** 2 + 2.0 * len(new)
        if change < p.augmented_tolerance or change >= before:
            break
    return last, work


def projection(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Equations of motion on the null space of the constraints, spanned by R (eqs. 2.76 to 2.80)."""
    m, n = i.jacobian.shape
    dependent, free = _partition(n, (CRANK_TURN,))
    basis = np.zeros((n, len(free)))
    basis[free] = np.eye(len(free))
    basis[dependent] = -np.linalg.solve(i.jacobian[:, dependent], i.jacobian[:, free])
    leading = np.vstack([i.jacobian, basis.T * s.diagonal])
    accelerations = np.linalg.solve(leading, np.concatenate([i.gamma, basis.T @ i.force]))
    return accelerations, lu_work(m, len(free)) + lu_work(n) + 3.0 * n * len(free)


def arabyan_wu(s: RigidSystem, i: Instant, _: Parameters) -> tuple[Array, float]:
    """Generalised inverse, also for redundant constraints (eqs. 2.81 to 2.87)."""
    m, n = i.jacobian.shape
    root = np.sqrt(s.diagonal)
    free = i.force / s.diagonal
    inverse = np.linalg.pinv(i.jacobian / root)
    accelerations = free + inverse @ (i.gamma - i.jacobian @ free) / root
    return accelerations, svd_work(m, n) + 5.0 * m * n


def direct_correction(s: RigidSystem, y: Array, p: Parameters) -> tuple[Array, float]:
    """Positions, then velocities moved by the smallest change that satisfies the constraints (eqs. 2.94, 2.95,
    2.102).
    """
    return _corrected(s, y, p.correction_tolerance, slice(None))


def partitioned(s: RigidSystem, y: Array, p: Parameters) -> tuple[Array, float]:
    """Dependent coordinates and velocities from the constraints, the independent ones unchanged (eqs. 2.71, 2.74)."""
    dependent, _ = _partition(len(s.diagonal), (CRANK_TURN,))
    return _corrected(s, y, p.correction_tolerance, dependent)


METHODS = (
    Method("standard", standard),
    Method("Baumgarte", baumgarte),
    Method("penalty", penalty),
    Method("augmented Lagrangian", augmented),
    Method("direct correction", standard, direct_correction),
    Method("coordinate partitioning", standard, partitioned),
    Method("projection matrix R", projection),
    Method("Arabyan-Wu", arabyan_wu),
)


def _by_multipliers(s: RigidSystem, i: Instant, target: Array) -> tuple[Array, float]:
    m, n = i.jacobian.shape
    weighted = i.jacobian / s.diagonal
    multipliers = np.linalg.solve(weighted @ i.jacobian.T, weighted @ i.force - target)
    accelerations = (i.force - multipliers @ i.jacobian) / s.diagonal
    return accelerations, 2.0 * m * m * n + lu_work(m) + 5.0 * m * n


def _penalised(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, Array, float, float]:
    """D^T (gamma - 2 omega mu Phi' - omega^2 Phi), M + alpha D^T D, alpha, and the work with one solution."""
    m, n = i.jacobian.shape
    alpha = p.penalty_factor * float(s.diagonal.max())
    target = i.gamma - 2 * p.penalty_frequency * p.penalty_damping * i.phi_rate
    target -= p.penalty_frequency**2 * i.phi
    leading = np.diag(s.diagonal) + alpha * i.jacobian.T @ i.jacobian
    return target @ i.jacobian, leading, alpha, 2.0 * m * n * n + lu_work(n) + 4.0 * m * n


def _partition(n: int, independent: tuple[int, ...]) -> tuple[list[int], list[int]]:
    return [k for k in range(n) if k not in independent], list(independent)


def _corrected(s: RigidSystem, y: Array, tolerance: float, moving: slice | list[int]) -> tuple[Array, float]:
    """The state with ``moving`` coordinates and velocities changed so that all constraints hold."""
    work, instant = 0.0, s.instant(y)
    m, n = instant.jacobian.shape
    for _ in range(MAX_ITERATIONS):
        if np.sqrt(instant.phi @ instant.phi) <= tolerance:
            break
        step = np.zeros(n)
        step[moving] = -np.linalg.pinv(instant.jacobian[:, moving]) @ instant.phi
        y = s.moved(y, step)
        instant = s.instant(y)
        work += svd_work(m, n) + 2.0 * m * n
    else:
        raise SolverFailure(f"the constraints are still violated after {MAX_ITERATIONS} corrections")
    y = y.copy()
    velocity = s.split(y)[1].reshape(-1)
    velocity[moving] -= np.linalg.pinv(instant.jacobian[:, moving]) @ instant.phi_rate
    return y, work + svd_work(m, n) + 4.0 * m * n


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
