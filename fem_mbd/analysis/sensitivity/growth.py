"""Growth of a perturbation of the initial velocities, and the time up to which derivatives are meaningful.

One direction of the derivatives is a random change of all velocities at the start. Its size is sqrt(v' M v') with the
mass matrix M, as in a kinetic energy. Where it has grown by a factor G, derivatives have grown as much and are valid
only for changes smaller than 1/G. In regular motions it grows in proportion to time, in chaotic ones as
exp(lambda t) with the largest Lyapunov exponent lambda.
"""

from __future__ import annotations

from math import log

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.rows import Numbers
from fem_mbd.analysis.sensitivity.step_kernels import energy_of_last
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS, WIDTH
from fem_mbd.errors import SolverFailure

LARGEST = 1e6
CHECK_STEPS = 8  # steps


class BeyondHorizon(SolverFailure):
    """Derivatives have grown so much that they say nothing of changes that anybody makes.

    Attributes
    ----------
    time : s, time in which they do: that of the horizon in a run from t = 0
    exponent : 1/s, mean rate of growth in this time

    Parameters
    ----------
    start, time : s, of the small change and of what it has grown to
    """

    def __init__(self, start: float, time: float, growth: float):
        self.time = time - start
        self.exponent = log(growth) / self.time if np.isfinite(growth) else np.inf
        super().__init__(
            f"at t = {time:.6g} s a small change of the velocities at {_instant(start)} has grown {growth:.3g} times, "
            f"by exp({self.exponent:.3g} t) with t in s: the motion is chaotic, and derivatives over more than "
            f"{self.time:.3g} s hold for changes far below any that is made. End the run before, ask for outputs that "
            "are settled sooner, or give largest_growth"
        )


def _instant(start: float) -> str:
    return f"t = {start:.6g} s" if start else "the start"


class Growth:
    """The change of velocities in the last direction of a scheme.

    Parameters
    ----------
    scheme : that has made no step
    largest : factor that is refused
    """

    def __init__(self, scheme: DualScheme, largest: float = LARGEST):
        self._scheme, self._largest, self._start = scheme, largest, 0.0
        self._velocities = [
            scheme.shadow.duals(getattr(scheme.simulation.state, name)) for name in ("v", "omega")
        ]
        random = np.random.default_rng(1)
        for duals in self._velocities:
            duals[..., DIRECTIONS] = random.normal(size=duals.shape[:-1])
        self._sizes = np.zeros(0)

    def calls(self, scheme: DualScheme, number: Indices, most: int) -> list[Task]:
        """Calls that put down the change after a step; of the scheme that was given, none of others."""
        if scheme is not self._scheme:
            return []
        self._sizes = np.zeros(most)
        workspace = scheme.simulation.system.workspace
        both = [duals.reshape(-1) for duals in self._velocities]
        return [Call(energy_of_last, *both, workspace.mass, workspace.inertia, number, self._sizes)]

    def check(self, times: Array) -> None:
        """After steps that end at times (s).

        Raises
        ------
        BeyondHorizon
            When the change has grown too much.
        """
        for time, size in zip(times, np.sqrt(self._sizes), strict=False):
            if not self._start > 0.0:  # the first step makes it obey the constraints
                self._start = size
            elif not size <= self._largest * self._start:
                raise BeyondHorizon(0.0, float(time), float(size / self._start))


class AdjointGrowth:
    """The same in the reverse order: a random output of the last velocities, in the last component of adjoints.

    A change of the velocities at a time that makes the most of the output grows as the output's derivative does. With M
    the mass matrix and a the derivative by the velocities its size is sqrt(a' M^-1 a).

    Parameters
    ----------
    numbers : of the states that adjoints are by
    end : s
    largest : factor that is refused
    """

    def __init__(self, numbers: Numbers, end: float, largest: float = LARGEST):
        self._end, self._largest, self._steps, self._start = end, largest, 0, 0.0
        self._size, self._velocities = numbers.size, numbers.velocities
        workspace = numbers.system.workspace
        self._mass, self._inertia = workspace.mass, workspace.inertia
        self._by_mass = np.divide(
            1.0, workspace.mass, out=np.zeros_like(workspace.mass), where=workspace.mass > 0.0
        )
        self._by_inertia = np.linalg.pinv(workspace.inertia, hermitian=True)

    def end(self) -> Array:
        """(numbers, 8) adjoints of the last state."""
        n, adjoints = len(self._mass), np.zeros((self._size, WIDTH))
        v, omega = np.random.default_rng(1).normal(size=(2, n, 3))
        momenta = self._mass[:, None] * v, np.einsum("nij,nj->ni", self._inertia, omega)
        adjoints[self._velocities, -1] = np.concatenate(momenta).ravel()
        return adjoints

    def check(self, time: float, adjoint: Array) -> None:
        """At a time (s) with the adjoints of the state there.

        Raises
        ------
        BeyondHorizon
            When the derivative has grown too much.
        """
        self._steps += 1
        if self._steps == 1:
            self._start = self._size_of(adjoint)
        elif self._steps % CHECK_STEPS == 0 and self._start > 0.0:
            growth = self._size_of(adjoint) / self._start
            if not growth <= self._largest:
                raise BeyondHorizon(time, self._end, growth)

    def _size_of(self, adjoint: Array) -> float:
        v, omega = adjoint[self._velocities, -1].reshape(2, -1, 3)
        return float(
            np.sqrt(
                self._by_mass @ (v * v).sum(axis=1) + np.einsum("ni,nij,nj", omega, self._by_inertia, omega)
            )
        )
