"""Floquet multipliers: stability of a periodic motion, from one period of the transient.

The monodromy matrix maps a small disturbance to that after one period. Its columns are differences of runs that start
from the periodic motion slightly disturbed, to both sides, in each motion and velocity compatible with the constraints:
4 r runs of one period for r degrees of freedom. A motion is stable if no multiplier exceeds 1 in magnitude. History
variables (bristles of friction) start undisturbed.

The few largest multipliers of a large model are found without the matrix, in the Krylov space of its products with
vectors, two runs each (Arnoldi's method, ARPACK). Source: docs/explanation/linearisation.md, section 6.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

from fem_mbd.analysis.modal.linear_model import close_joints
from fem_mbd.analysis.modal.stiffness_and_damping import null_space, step_matrices
from fem_mbd.analysis.statics.static_forces import turned
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.validation import positive, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.initial import InitialVelocityWarning
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError, SolverFailure

# model lengths (or rad), and likewise of speeds: permitted difference of a motion after a period
PERIODIC_TOLERANCE = 1e-5
CONVERGED = 1e-6  # relative tolerance of a multiplier: differences of runs are about as accurate
RESTARTS = 20
NEUTRAL_TOLERANCE = 1e-3  # beyond 1: error of time integration for a neutrally stable motion


@dataclass(frozen=True, eq=False)
class Floquet:
    """Multipliers of a periodic motion with r degrees of freedom.

    Attributes
    ----------
    period : s
    monodromy : (2 r, 2 r) in the motions and velocities compatible with the constraints; None where the largest
        multipliers were found without it
    multipliers : (2 r,) complex, by descending magnitude, or the largest requested ones
    runs : of one period each
    """

    period: float
    monodromy: Array | None
    multipliers: Complex
    runs: int

    @property
    def exponents(self) -> Complex:
        """(k,) 1/s, logarithms of the multipliers over the period; the imaginary part is known up to multiples of 2 pi
        / period.
        """
        return np.log(self.multipliers.astype(complex)) / self.period

    @property
    def stable(self) -> bool:
        """Whether no disturbance grows by more than 0.1 % per period."""
        return bool(np.abs(self.multipliers).max(initial=0.0) <= 1 + NEUTRAL_TOLERANCE)


@arguments()
def floquet(
    model: Model,
    period: float,
    *,
    steps: int = 200,
    at: State | None = None,
    amplitude: float = 1e-4,
    newton: NewtonOptions | None = None,
    number: int | None = None,
) -> Floquet:
    """Floquet multipliers of the periodic motion that starts at ``at``.

    Parameters
    ----------
    model : with a periodic motion
    period : s
    steps : of the transient per period; multipliers are third-order accurate
    at : a state of the periodic motion; the reference configuration with the model's initial velocities by default
    amplitude : of the disturbances, as a fraction of the model's length, in rad, and likewise for speeds times period /
        2 pi
    newton : solver options of the runs
    number : of the largest multipliers to compute, in some 6 runs each; by default all of them, in 4 runs for each
        degree of freedom

    Raises
    ------
    InputError
        When the motion does not repeat after the period; for invalid numbers.
    SolverFailure
        When a run fails, or Arnoldi's method does not converge: then request more multipliers.
    """
    positive(period, "floquet: period (s)")
    positive(amplitude, "floquet: amplitude")
    whole_number(steps, "floquet: steps", 2)
    with one_blas_thread():
        runs = _Runs(model, period, int(steps), newton, at)
        runs.check_periodic()
        monodromy = None
        if number is None or whole_number(number, "floquet: number") > 2 * runs.freedoms - 2:
            monodromy = runs.monodromy(amplitude)
            values = np.linalg.eigvals(monodromy).astype(complex)
        else:
            values = runs.largest(number, amplitude)
    chosen = np.argsort(-np.abs(values), kind="stable")[:number]
    return Floquet(period, monodromy, values[chosen], runs.count)


class _Runs:
    """One period from a disturbed start, as a map of coordinates y (2 r,): motions, then velocities."""

    def __init__(
        self, model: Model, period: float, steps: int, newton: NewtonOptions | None, at: State | None
    ):
        self.model, self.period, self.steps, self.newton = model, period, steps, newton
        self.count = 1
        start = self._simulate(at)
        self.start = start.state.copy()
        self.system = System(model)
        parts = step_matrices(self.system, self.start, self.start.multipliers.sum(axis=1))
        self.basis = null_space(parts.constraints)
        self.freedoms = int(self.basis.shape[1])
        # velocities that a run makes consistent differ by constraint impulses, which have no component along Z in M
        weight = csr_matrix(self.basis.T @ parts.mass)
        reduced = (weight @ self.basis).toarray()
        self.projection = np.linalg.lstsq(reduced, weight.toarray(), rcond=1e-12)[0]
        for _ in start.steps():
            pass
        self.last = start.state

    def _simulate(self, initial: State | None) -> Simulation:
        control = StepControl.fixed(self.period / self.steps)
        begin = 0.0 if initial is None else initial.time
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InitialVelocityWarning)
            return Simulation(self.model, begin + self.period, control, newton=self.newton, initial=initial)

    def check_periodic(self) -> None:
        """Raise InputError when the undisturbed run does not end where it began."""
        difference = self._difference(self.last)
        speed = max(np.abs(self.start.v).max(), np.abs(self.start.omega).max() * self.system.length)
        speed += 2 * np.pi / self.period * self.system.length
        errors = {
            "displacement": np.abs(difference[:, :3]).max() / self.system.length,
            "rotation": np.abs(difference[:, 3:6]).max(),
            "velocity": np.abs(difference[:, 6:9]).max() / speed,
            "angular velocity": np.abs(difference[:, 9:]).max() * self.system.length / speed,
        }
        key = max(errors, key=lambda name: errors[name])
        if not errors[key] <= PERIODIC_TOLERANCE:
            raise InputError(
                f"floquet: the motion of model '{self.model.name}' is not periodic: after {self.period:g} s its {key} "
                f"is off by {errors[key]:.2g} (relative); give the period, a state on the periodic motion, more steps"
            )

    def size(self, y: Array) -> float:
        """Magnitude of a coordinate vector: largest displacement over length, rotation, or such speed times period / 2
        pi.
        """
        r = self.freedoms
        motions = np.stack([self._full(y[:r]), self._full(y[r:]) * self.period / (2 * np.pi)])
        return float(max(np.abs(motions[..., :3]).max() / self.system.length, np.abs(motions[..., 3:]).max()))

    def end(self, y: Array) -> Array:
        """Coordinates (2 r,) after a period, minus those of the undisturbed motion."""
        self.count += 1
        sim = self._simulate(self._disturbed(y))
        for _ in sim.steps():
            pass
        free = ~self.system.fixed
        difference = self._difference(sim.state)
        return np.concatenate(
            [self.basis.T @ difference[:, :6][free], self.projection @ difference[:, 6:][free]]
        )

    def monodromy(self, amplitude: float) -> Array:
        """(2 r, 2 r) central differences of `end`."""
        return np.transpose([self.product(direction, amplitude) for direction in np.eye(2 * self.freedoms)])

    def product(self, y: Array, amplitude: float) -> Array:
        """(2 r,) product of the monodromy matrix with a vector, by a central difference."""
        size = amplitude / self.size(y)
        ends = [self.end(sign * size * y) for sign in (1.0, -1.0)]
        return (ends[0] - ends[1]) / (2 * size)

    def largest(self, number: int, amplitude: float) -> Complex:
        """The largest eigenvalues of the monodromy matrix.

        Speeds are scaled by ``period / 2 pi``, so that both halves of a vector have the same magnitude. The first
        vector has passed through one period, so that components that decay within it are absent.
        """
        units = np.repeat([1.0, 2 * np.pi / self.period], self.freedoms)
        size = 2 * self.freedoms

        def product(z: Array) -> Array:
            return self.product(units * z, amplitude) / units

        first = product(np.random.default_rng(0).normal(size=size))
        vectors = min(max(2 * number + 4, 20), size - 1)
        try:
            values = eigs(
                LinearOperator((size, size), matvec=product, dtype=float), number, ncv=vectors, v0=first,
                tol=CONVERGED, maxiter=RESTARTS, return_eigenvectors=False,
            )  # fmt: skip
        except ArpackError as error:
            raise SolverFailure(
                f"floquet: {number} multipliers of model '{self.model.name}' were not found in {self.count} "
                f"runs ({error}): choose another number, the next ones may be as large as the last"
            ) from error
        return np.asarray(values)

    def _full(self, y: Array) -> Array:
        full = np.zeros((self.system.workspace.n, 6))
        full[~self.system.fixed] = self.basis @ y
        return full

    def _disturbed(self, y: Array) -> State:
        r = self.freedoms
        state = self.start.copy()
        motion = self._full(y[:r])
        state.u += motion[:, :3]
        state.r[:] = turned(state.r, motion[:, 3:])
        if np.any(y[:r]):
            close_joints(self.system, state)
        velocity = self._full(y[r:])
        state.v += velocity[:, :3]
        state.omega += velocity[:, 3:]
        return state

    def _difference(self, state: State) -> Array:
        """(nodes, 12): displacement, rotation (node axes), velocity, angular velocity, relative to the start."""
        relative = np.einsum("nji,njk->nik", self.start.r, state.r)
        skewed = 0.5 * (relative - np.swapaxes(relative, 1, 2))
        rotation = np.stack([skewed[:, 2, 1], skewed[:, 0, 2], skewed[:, 1, 0]], axis=1)
        displacement, velocity = state.u - self.start.u, state.v - self.start.v
        return np.concatenate([displacement, rotation, velocity, state.omega - self.start.omega], axis=1)
