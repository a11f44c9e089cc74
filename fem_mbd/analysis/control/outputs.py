"""Outputs of a linear model: quantities of nodes, beams, joints and springs as functions of states and inputs.

    PART.displacement, .rotation, .velocity, .angular_velocity, .acceleration, .angular_acceleration
                                     of a node, a body or a beam at one of its nodes; global axes, m, rad, s
    BEAM@PLACE.section_force         N, V2, V3, T, M2, M3, anywhere along it, section axes, elastic part
    JOINT.force, JOINT.angle, SPRING.length, …
                                     every quantity that `Result.of` has of a part, under the same name

Displacement and rotation (a vector) are relative to the equilibrium; velocities and accelerations are their
derivatives, in steady rotation in the axes of the linear model. All other quantities are differentiated numerically,
accurate to about 1e-9 of their largest changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from fem_mbd.analysis.control.signal_names import (
    XYZ,
    SignalName,
    components_of,
    read,
    read_signal_name,
    unit_of,
)
from fem_mbd.analysis.control.signal_targets import SignalTargets, Target, harmonic_factor
from fem_mbd.analysis.modal.mode_views import DisplacedStates
from fem_mbd.analysis.modal.rotating import balancing
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import NODE

# quantities of nodes: order of the time derivative (0 to 2), whether of the rotation, the unit
MOTION = {
    "displacement": (0, False, "m"),
    "rotation": (0, True, "rad"),
    "velocity": (1, False, "m/s"),
    "angular_velocity": (1, True, "rad/s"),
    "acceleration": (2, False, "m/s^2"),
    "angular_acceleration": (2, True, "rad/s^2"),
}
# Weights and sizes of two central differences without second-order error: under a rotation by h the straight paths of
# nodes stretch stiff parts by h^2, which would spoil the derivative along a nearly rigid motion
STEPS = ((4 / 3, 2e-4), (-1 / 3, 4e-4))


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs; s states, m inputs, p outputs.

    Attributes
    ----------
    names, units : (p,)
    matrix : (p, s + m) per unit of the states, then of the inputs
    values : (p,) at the equilibrium
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    matrix: Array
    values: Array


@dataclass(frozen=True, eq=False)
class Columns:
    """Motions per unit of each of c states and inputs, n free unknowns.

    Attributes
    ----------
    motion : (3, n, c) displacement, velocity, acceleration
    velocity : (n, c) velocities that act on parts, in rotating axes where parts rotate
    forces : (n, c) applied forces
    """

    motion: Array
    velocity: Array
    forces: Array


@dataclass(frozen=True, eq=False)
class RequestedOutput:
    """A requested output with all its components.

    Attributes
    ----------
    name : as given
    shares : the parts of the model to which the name refers
    """

    name: SignalName
    targets: list[Target]


class OutputRows:
    """Computes the rows of the outputs of one linear model.

    Parameters
    ----------
    places : of the model
    columns : motions per unit of its states and inputs
    """

    def __init__(self, targets: SignalTargets, columns: Columns):
        self.targets, self.columns = targets, columns
        self._linear = targets.linear
        self._displaced = DisplacedStates(self._linear)

    def of(self, texts: Sequence[str]) -> Outputs:
        """All outputs with the given names.

        Parameters
        ----------
        texts : their names

        Raises
        ------
        InputError
            For unknown names and repeated outputs.
        """
        names = [read_signal_name(text) for text in texts]
        wanted = [RequestedOutput(name, self.targets.targets(name)) for name in names]
        derivatives = self._of_parts([w for w in wanted if not self._is_motion(w)])
        rows: list[tuple[str, str, Array, float]] = []
        for one in wanted:
            rows += self._of_nodes(one) if self._is_motion(one) else next(derivatives)
        found = [name for name, *_ in rows]
        for name in found:
            if found.count(name) > 1:
                raise InputError(f"output '{name}' is given twice")
        matrix = np.array([row for *_, row, _ in rows]).reshape(len(rows), self.columns.velocity.shape[1])
        return Outputs(
            tuple(found), tuple(unit for _, unit, *_ in rows), matrix, np.array([value for *_, value in rows])
        )

    def _is_motion(self, one: RequestedOutput) -> bool:
        view = self.targets.table.find(one.targets[0].name.part).view
        return one.name.quantity in MOTION and view in (NODE, "beam")

    # -- nodes ------------------------------------------------------------------------------------------------

    def _of_nodes(self, one: RequestedOutput) -> list[tuple[str, str, Array, float]]:
        order, turned, unit = MOTION[one.name.quantity]
        rows, values = np.zeros((3, self.columns.velocity.shape[1])), np.zeros(3)
        for target in one.targets:
            node = self.targets.node(target.name)
            seen = part_of(one, target) * self.targets.turn(target).T
            rows += seen @ self._node_motion(node, self.columns.motion[order])[3 * turned : 3 * turned + 3]
            values += seen @ self._deviation(node, turned) if order == 0 else 0.0
        return [(str(name), unit, rows[k], float(values[k])) for k, name in one.name.split(XYZ)]

    def _node_motion(self, node: int, columns: Array) -> Array:
        """(6, c) displacement and rotation of a node at its position, global axes, from unknowns (n, c)."""
        system, r = self._linear.system, self._linear.state.r[node]
        number = np.cumsum(~system.held.ravel()).reshape(system.held.shape) - 1
        own = np.zeros((6, columns.shape[1]))
        own[~system.held[node]] = columns[number[node][~system.held[node]]]
        turn = r @ own[3:]
        return np.concatenate([own[:3] - np.cross(turn, r @ system.work.centre[node], axis=0), turn])

    def _deviation(self, node: int, turned: bool) -> Array:
        """(3,) displacement or rotation vector of a node at the equilibrium, from the reference configuration."""
        system, state = self._linear.system, self._linear.state
        reference, r = system.model.nodes[node], state.r[node]
        if turned:
            return np.asarray(
                scipy.spatial.transform.Rotation.from_matrix(r @ reference.rotation.T).as_rotvec()
            )
        return np.asarray(state.u[node] - r @ system.work.centre[node] - reference.position)

    # -- other parts ------------------------------------------------------------------------------------------

    def _of_parts(self, wanted: list[RequestedOutput]) -> Iterator[list[tuple[str, str, Array, float]]]:
        """Rows of each output, from states displaced along every column."""
        reads = [(one, target) for one in wanted for target in one.targets]
        if not reads:
            return
        still = np.zeros(self._linear.mass.shape[0] + self._linear.system.constraints)
        base = self._displaced.at(still, still[: self._linear.mass.shape[0]])
        values = [read(base, target.name) for _, target in reads]
        slopes = [np.zeros((value.size, self.columns.velocity.shape[1])) for value in values]
        multipliers = self._multipliers()
        for c in range(self.columns.velocity.shape[1]):
            along = self.columns.motion[0][:, c], multipliers[:, c], self.columns.velocity[:, c]
            for weight, size in STEPS:
                forward, backward, step = self._displaced.pair(*along, size)
                for (_, target), slope in zip(reads, slopes, strict=True):
                    slope[:, c] += (
                        weight * (read(forward, target.name) - read(backward, target.name)) / (2 * step)
                    )
        for one in wanted:
            found = [
                (target, v, d) for (of, target), v, d in zip(reads, values, slopes, strict=True) if of is one
            ]
            yield self._combined(one, base, found)

    def _combined(
        self, one: RequestedOutput, base: Any, found: list[tuple[Target, Array, Array]]
    ) -> list[tuple[str, str, Array, float]]:
        """Rows of an output: of its part, or of the harmonic of all blades."""
        components = components_of(one.name, found[0][1].size)
        declared = getattr(base.of(one.targets[0].name.part), "quantities", {}).get(one.name.quantity)
        in_space = declared is not None and declared.axes == "global" and found[0][1].size == 3
        rows: Any = 0.0
        values: Any = 0.0
        for target, value, slope in found:
            seen = part_of(one, target) * (self.targets.turn(target).T if in_space else np.eye(value.size))
            rows, values = rows + seen @ slope, values + seen @ value
        return [
            (str(name), unit_of(name, declared, k), rows[k], float(values[k]))
            for k, name in one.name.split(components)
        ]

    def _multipliers(self) -> Array:
        """(m, c) changes of the constraint multipliers."""
        linear, (place, speed, gain) = self._linear, self.columns.motion
        if not linear.system.constraints:
            return np.zeros((0, place.shape[1]))
        rates = linear.gyroscopic + linear.damping
        force = linear.mass @ gain + rates @ speed + linear.stiffness @ place - self.columns.forces
        return -balancing(linear.constraints, force)


def part_of(one: RequestedOutput, target: Target) -> float:
    """Contribution of a blade to the harmonic: the inverse of q_b = collective + cosine cos(psi_b) + ….

    Parameters
    ----------
    one : the output
    share : the blade
    """
    count = len(one.targets)
    return (
        harmonic_factor(one.name, target) * (1.0 if one.name.harmonic in ("", "collective") else 2.0) / count
    )
