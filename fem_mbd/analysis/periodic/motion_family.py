"""One-parameter family of periodic motions: its tangent direction, and the condition that selects a motion on it.

Distances along the family combine displacements and velocities of the mass centres, divided by the amplitude of the
motion (mean square over the segments), and the parameter divided by its scale. Rotations are left out: the rotation of
a rotor would hide its whirl. Source: E. Doedel, Lecture notes on numerical analysis of nonlinear equations, in
Numerical Continuation Methods for Dynamical Systems (Springer, 2007), section 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.periodic.newton import Condition
from fem_mbd.analysis.periodic.problem import Point
from fem_mbd.analysis.periodic.shooting import GAIN, PERIOD, Evaluation, Linearised, Shooting
from fem_mbd.base.arrays import Array

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
        return np.array([space.displacing(own) for space, own in zip(self.at.spaces, self.y, strict=True)])

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
                space.row_for(mine, own)[linear.active]
                for space, own, mine in zip(base.at.spaces, base.weights, linear.of.spaces, strict=True)
            ]
        )
        row[0, -1] = base.others[self.lead]
        return row

    def distance(self, base: Direction, evaluation: Evaluation) -> float:
        """Of a motion along a direction."""
        found = sum(
            float(own @ space.of(arc.start))
            for space, own, arc in zip(base.at.spaces, base.weights, evaluation.arcs, strict=True)
        )
        return found + base.others[self.lead] * self.distance_of_lead(base.at, evaluation)

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
        found = Direction(linear.of, y, dict(zip(self.names, others.tolist(), strict=True)), amplitude)
        length = found.length(self.lead)
        return found.scaled((sign if before is None else 1.0) / length)


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
