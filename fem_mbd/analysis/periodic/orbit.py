"""Class `Orbit`: a periodic motion with its stability, from Floquet multipliers.

`multipliers` finds the eigenvalues of the monodromy matrix M_m … M_2 M_1 from the matrices of segments, without forming
their product. Let E x_1 + F x_{k+1} = 0 relate the disturbances at the start and at the end of the first k segments.
The next segment, x_{k+2} = M x_{k+1}, is included by an orthogonal transformation: from the QR factorisation of F
stacked on M, the rows of Q' that eliminate x_{k+1} give the new E and F. After the last segment, E x + mu F x = 0 is
solved by QZ. No inverse and no product of segment matrices is formed, so that small multipliers stay accurate beside
large ones. Source: A. Bojanczyk, G. Golub, P. Van Dooren, The periodic Schur decomposition, SPIE 1770 (1992); W.-W.
Lin, J.-G. Sun, Perturbation analysis for the eigenproblem of periodic matrix pairs, Linear Algebra and its Applications
337 (2001).

One-parameter family of periodic motions: its tangent direction, and the condition that selects a motion on it.

Distances along the family combine displacements and velocities of the mass centres, divided by the amplitude of the
motion (mean square over the segments), and the parameter divided by its scale. Rotations are left out: the rotation of
a rotor would hide its whirl. Source: E. Doedel, Lecture notes on numerical analysis of nonlinear equations, in
Numerical Continuation Methods for Dynamical Systems (Springer, 2007), section 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eig, qr

from fem_mbd.analysis.periodic.newton import Condition, Solution
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.shooting import GAIN, PERIOD, Evaluation, Linearised, Shooting
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

SMALLEST = 1e-9  # amplitude over the model's length


@dataclass(frozen=True, eq=False)
class Direction:
    """A direction from a motion.

    Attributes
    ----------
    at : the motion
    y : (segments, size) of the states' coordinates
    others : changes of the further unknowns by name, each over its scale
    amplitude : of the motion, which lengths are measured with
    """

    at: Evaluation
    y: Array
    others: dict[str, float]
    amplitude: float

    @property
    def weights(self) -> Array:
        """(segments, size) of coordinates in distances along the direction."""
        return self._weighed() / (self.amplitude**2 * len(self.y))

    def _weighed(self) -> Array:
        """As displacements of mass centres over the model's length, and their speeds over w; all, where none moves."""
        if self.at.amplitude <= SMALLEST and self.amplitude <= SMALLEST:
            return self.y
        return np.array(
            [space.displacing(coordinates) for space, coordinates in zip(self.at.spaces, self.y, strict=True)]
        )

    def scaled(self, factor: float) -> Direction:
        """Times a number."""
        others = {name: factor * value for name, value in self.others.items()}
        return Direction(self.at, factor * self.y, others, self.amplitude)

    def normed(self, lead: str) -> Direction:
        """Along which distances are those of the direction as it is: its amplitude is its length."""
        return Direction(self.at, self.y, self.others, self.amplitude * self.length(lead))

    def length(self, lead: str) -> float:
        """Of the direction."""
        return float(np.sqrt(np.sum(self.y * self.weights) + self.others[lead] ** 2))


@dataclass(frozen=True)
class Family:
    """Which unknowns motions of a family have besides their states.

    Attributes
    ----------
    lead : the one that changes along the family: a parameter, or `PERIOD`
    scale : of it
    moving : whether the period is unknown
    free : whether the motions are free vibrations, whose losses by time integration are made up for
    """

    lead: str
    scale: float
    moving: bool = False
    free: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the further unknowns, the lead last."""
        first = (GAIN,) if self.free else (PERIOD,) if self.moving else ()
        return (*first, self.lead)

    def fixed(self) -> Condition:
        """Conditions at a given value of the lead."""
        if not self.moving:
            return Condition()
        return Condition((PERIOD,), lambda linear: phase_row(linear, 1), lambda _: np.zeros(1))

    def at(self, base: Direction, distance: float) -> Condition:
        """Conditions of the motion at a distance along a direction."""
        phases = int(self.moving or self.free)

        def missing(evaluation: Evaluation) -> Array:
            return np.array([0.0] * phases + [distance - self.distance(base, evaluation)])

        return Condition(self.names, lambda linear: self._rows(base, linear), missing, self.scale)

    def _rows(self, base: Direction, linear: Linearised) -> Array:
        """(k, unknowns) of the phase, where the period is unknown, and of the distance along a direction."""
        row = self.row(base, linear)
        return np.concatenate([phase_row(linear, len(self.names)), row]) if self.moving or self.free else row

    def row(self, base: Direction, linear: Linearised) -> Array:
        """(1, unknowns) derivative of the distance along a direction."""
        row = np.zeros((1, linear.residual().size + len(linear.names)))
        row[0, : linear.residual().size] = np.concatenate(
            [
                space.row_for(mine, weights)[linear.active]
                for space, weights, mine in zip(base.at.spaces, base.weights, linear.of.spaces, strict=True)
            ]
        )
        row[0, -1] = base.others[self.lead]
        return row

    def distance(self, base: Direction, evaluation: Evaluation) -> float:
        """Of a motion along a direction."""
        of_states = sum(
            float(weights @ space.of(arc.start))
            for space, weights, arc in zip(base.at.spaces, base.weights, evaluation.arcs, strict=True)
        )
        return of_states + base.others[self.lead] * self.distance_of_lead(base.at, evaluation)

    def distance_of_lead(self, first: Evaluation, second: Evaluation) -> float:
        """Between two motions, over the scale."""
        if self.lead == PERIOD:
            return float(np.log(second.point.period / first.point.period))
        return (second.point.values[self.lead] - first.point.values[self.lead]) / self.scale

    def tangent(self, linear: Linearised, before: Direction | None, sign: float = 1.0) -> Direction:
        """Direction of the family at a motion, of length one; on from ``before``, or with the sign of the lead."""
        amplitude = max(linear.of.amplitude, SMALLEST)
        only_lead = Direction(linear.of, np.zeros_like(linear.of.residuals), {self.lead: 1.0}, amplitude)
        rows = self._rows(before or only_lead, linear)
        right = np.eye(len(rows))[-1]
        y, others = linear.spread(linear.solve(rows, right, homogeneous=True))
        direction = Direction(linear.of, y, dict(zip(self.names, others.tolist(), strict=True)), amplitude)
        length = direction.length(self.lead)
        return direction.scaled((sign if before is None else 1.0) / length)


def phase_row(linear: Linearised, count: int) -> Array:
    """(1, unknowns) the state at the start does not move along the motion, with ``count`` further unknowns."""
    space, arc = linear.of.spaces[0], linear.of.arcs[0]
    flow = space.of_flow(arc.start)[linear.active]
    row = np.zeros((1, linear.residual().size + count))
    row[0, : len(flow)] = flow / max(float(np.linalg.norm(flow)), 1e-300)
    return row


def predicted(shooting: Shooting, family: Family, base: Direction, distance: float) -> Point:
    """The point at a distance along a direction, not yet a periodic motion."""
    changes = {}
    for name, change in base.others.items():
        scale = base.at.point.period if name == PERIOD else 1.0 if name == GAIN else family.scale
        changes[name] = distance * change * scale
    return shooting.moved(base.at, distance * base.y, changes)


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
    solution = eig(-left, right, right=vectors)
    values, shapes = solution if vectors else (solution, np.zeros((size, 0)))
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
        product = np.eye(len(self.blocks[0]))
        for block in self.blocks:
            product = block @ product
        return product

    @cached_property
    def multipliers(self) -> Complex:
        """Floquet multipliers by descending magnitude."""
        return multipliers(self.blocks)[0]

    @property
    def stable(self) -> bool:
        """Whether no disturbance grows; of a motion with unknown period, whose shift in time stays, no other one.

        A free vibration has a second multiplier of one, for a change of its amplitude.
        """
        others = self.multipliers
        for _ in range((self.problem.period_of is None) + self.problem.free):
            others = np.delete(others, np.abs(others - 1.0).argmin())
        return bool(np.abs(others).max(initial=0.0) <= 1.0 + UNIT)

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
