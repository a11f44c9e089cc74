"""Class `Orbit`: a periodic motion with its stability, from Floquet multipliers.

`multipliers` finds the eigenvalues of the monodromy matrix M_m … M_2 M_1 from the matrices of segments, without forming
their product. Let E x_1 + F x_{k+1} = 0 relate the disturbances at the start and at the end of the first k segments.
The next segment, x_{k+2} = M x_{k+1}, is included by an orthogonal transformation: from the QR factorisation of F
stacked on M, the rows of Q' that eliminate x_{k+1} give the new E and F. After the last segment, E x + mu F x = 0 is
solved by QZ. No inverse and no product of segment matrices is formed, so that small multipliers stay accurate beside
large ones. Source: A. Bojanczyk, G. Golub, P. Van Dooren, The periodic Schur decomposition, SPIE 1770 (1992); W.-W.
Lin, J.-G. Sun, Perturbation analysis for the eigenproblem of periodic matrix pairs, Linear Algebra and its Applications
337 (2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eig, qr

from fem_mbd.analysis.periodic.newton import Solution
from fem_mbd.analysis.periodic.problem import Problem
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run


def multipliers(blocks: Sequence[Array], vectors: bool = False) -> tuple[Complex, Complex]:
    """Eigenvalues of the product of segments' matrices (k, k), by descending magnitude, and eigenvectors as columns.

    Parameters
    ----------
    blocks : in the order in which the motion goes through them
    vectors : whether eigenvectors are wanted; else an empty array stands for them
    """
    size = blocks[0].shape[1]
    left, right = -blocks[0], np.eye(blocks[0].shape[0])
    for block in blocks[1:]:
        count = right.shape[1]
        q, _ = qr(np.concatenate([right, -block]))
        below = q[:, count:].T
        left, right = below[:, : len(right)] @ left, below[:, len(right) :]
    found = eig(-left, right, right=vectors)
    values, shapes = found if vectors else (found, np.zeros((size, 0)))
    size_of = np.round(
        np.abs(values), 10
    )  # pairs have the same, and the one with positive imaginary part comes first
    order = np.lexsort((-values.imag, -values.real.round(10), -size_of))
    return np.asarray(values[order]), np.asarray(shapes[:, order] if vectors else shapes, dtype=complex)


UNIT = 1e-6  # a multiplier that is that near to one counts as one


@dataclass(frozen=True, eq=False)
class Orbit:
    """A periodic motion.

    Attributes
    ----------
    problem : what it was asked of
    solution : its equations at the end of the iteration
    """

    problem: Problem
    solution: Solution

    @property
    def values(self) -> dict[str, float]:
        """Of the parameters."""
        return dict(self.solution.point.values)

    @property
    def period(self) -> float:
        """s."""
        return self.solution.point.period

    @property
    def frequency(self) -> float:
        """2 pi over the period, rad/s."""
        return 2.0 * np.pi / self.period

    @property
    def gain(self) -> float:
        """Of a free vibration: 1 + gain is what its velocities are multiplied by after a period."""
        return self.solution.point.gain

    @property
    def state(self) -> State:
        """At the start of the period."""
        return self.solution.point.states[0].copy()

    @property
    def states(self) -> Sequence[State]:
        """At the starts of the segments."""
        return [state.copy() for state in self.solution.point.states]

    @property
    def blocks(self) -> list[Array]:
        """Derivatives of the segments' ends by their starts, in the coordinates of `tangent_space`."""
        return self.solution.linear.reduced()

    @cached_property
    def monodromy(self) -> Array:
        """Product of `blocks`; multipliers do not use it."""
        found = np.eye(len(self.blocks[0]))
        for block in self.blocks:
            found = block @ found
        return found

    @cached_property
    def multipliers(self) -> Complex:
        """Floquet multipliers by descending magnitude."""
        return multipliers(self.blocks)[0]

    @property
    def stable(self) -> bool:
        """Whether no disturbance grows; of a motion with unknown period, whose shift in time stays, no other one.

        A free vibration has a second multiplier of one, for a change of its amplitude.
        """
        own = self.multipliers
        for _ in range((self.problem.period_of is None) + self.problem.free):
            own = np.delete(own, np.abs(own - 1.0).argmin())
        return bool(np.abs(own).max(initial=0.0) <= 1.0 + UNIT)

    @property
    def amplitude(self) -> float:
        """m, half the largest way of a node's mass centre along an axis."""
        linear = self.solution.linear.of
        return linear.amplitude * linear.spaces[0].system.length

    @property
    def gaps(self) -> Array:
        """(contacts,) m, smallest gap of each contact in the period."""
        return np.asarray(np.min([arc.gaps for arc in self.solution.linear.of.arcs], axis=0))

    def simulation(self, periods: float = 1.0) -> Simulation:
        """A simulation of the model that begins on the motion, with the steps of the calculation.

        Parameters
        ----------
        periods : how many of them it goes through
        """
        step = self.period / self.problem.steps
        end = self.problem.start_of(self.period) + periods * self.period
        return Simulation(
            self.problem.build(self.values),
            end,
            StepControl.fixed(step),
            newton=self.problem.newton,
            initial=self.state,
        )

    def result(self) -> Result:
        """A run over one period."""
        return run(self.simulation(), progress=False)

    def __repr__(self) -> str:
        values = "".join(f"{name} = {value:.9g}; " for name, value in self.values.items())
        largest = self.multipliers[0] if len(self.multipliers) else 0.0
        kind = "stable" if self.stable else "unstable"
        return f"<Orbit {values}period {self.period:.9g} s, {kind}, largest multiplier {largest:.6g}>"
