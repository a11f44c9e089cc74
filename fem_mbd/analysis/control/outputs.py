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
    SignalTargets,
    Target,
    components_of,
    harmonic_factor,
    read,
    read_signal_name,
    unit_of,
)
from fem_mbd.analysis.modal.linear_model import balancing
from fem_mbd.analysis.modal.modes import DisplacedStates
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
    forces : (n, c) applied forces, and those of internal states
    states : (k, c) internal states of parts
    """

    motion: Array
    velocity: Array
    forces: Array
    states: Array


@dataclass(frozen=True, eq=False)
class RequestedOutput:
    """A requested output with all its components.

    Attributes
    ----------
    name : as given
    targets : the parts of the model to which the name refers
    """

    name: SignalName
    targets: list[Target]


class OutputRows:
    """Computes the rows of the outputs of one linear model.

    Parameters
    ----------
    targets : parts of the model by name
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
        requested = [RequestedOutput(name, self.targets.targets(name)) for name in names]
        derivatives = self._of_parts([r for r in requested if not self._is_motion(r)])
        rows: list[tuple[str, str, Array, float]] = []
        for output in requested:
            rows += self._of_nodes(output) if self._is_motion(output) else next(derivatives)
        all_names = [name for name, *_ in rows]
        for name in all_names:
            if all_names.count(name) > 1:
                raise InputError(f"output '{name}' is given twice")
        matrix = np.array([row for *_, row, _ in rows]).reshape(len(rows), self.columns.velocity.shape[1])
        units, values = tuple(unit for _, unit, *_ in rows), np.array([value for *_, value in rows])
        return Outputs(tuple(all_names), units, matrix, values)

    def _is_motion(self, output: RequestedOutput) -> bool:
        view = self.targets.table.find(output.targets[0].name.part).view
        return output.name.quantity in MOTION and view in (NODE, "beam")

    # -- nodes ------------------------------------------------------------------------------------------------

    def _of_nodes(self, output: RequestedOutput) -> list[tuple[str, str, Array, float]]:
        order, rotates, unit = MOTION[output.name.quantity]
        rows, values = np.zeros((3, self.columns.velocity.shape[1])), np.zeros(3)
        for target in output.targets:
            node = self.targets.node(target.name)
            w = blade_weight(output, target) * self.targets.turn(target).T
            rows += w @ self._node_motion(node, self.columns.motion[order])[3 * rotates : 3 * rotates + 3]
            values += w @ self._deviation(node, rotates) if order == 0 else 0.0
        return [(str(name), unit, rows[k], float(values[k])) for k, name in output.name.split(XYZ)]

    def _node_motion(self, node: int, columns: Array) -> Array:
        """(6, c) displacement and rotation of a node at its position, global axes, from unknowns (n, c)."""
        system, r = self._linear.system, self._linear.state.r[node]
        number = np.cumsum(~system.held.ravel()).reshape(system.held.shape) - 1
        motion = np.zeros((6, columns.shape[1]))
        motion[~system.held[node]] = columns[number[node][~system.held[node]]]
        turn = r @ motion[3:]
        return np.concatenate([motion[:3] - np.cross(turn, r @ system.work.centre[node], axis=0), turn])

    def _deviation(self, node: int, rotates: bool) -> Array:
        """(3,) displacement or rotation vector of a node at the equilibrium, from the reference configuration."""
        system, state = self._linear.system, self._linear.state
        reference, r = system.model.nodes[node], state.r[node]
        if rotates:
            return np.asarray(
                scipy.spatial.transform.Rotation.from_matrix(r @ reference.rotation.T).as_rotvec()
            )
        return np.asarray(state.u[node] - r @ system.work.centre[node] - reference.position)

    # -- other parts ------------------------------------------------------------------------------------------

    def _of_parts(self, requested: list[RequestedOutput]) -> Iterator[list[tuple[str, str, Array, float]]]:
        """Rows of each output, from states displaced along every column."""
        reads = [(output, target) for output in requested for target in output.targets]
        if not reads:
            return
        zero = np.zeros(self._linear.mass.shape[0] + self._linear.system.constraints)
        base = self._displaced.at(zero, zero[: self._linear.mass.shape[0]])
        values = [read(base, target.name) for _, target in reads]
        slopes = [np.zeros((value.size, self.columns.velocity.shape[1])) for value in values]
        multipliers = self._multipliers()
        for c in range(self.columns.velocity.shape[1]):
            along = self.columns.motion[0][:, c], multipliers[:, c], self.columns.velocity[:, c]
            for weight, size in STEPS:
                forward, backward, step = self._displaced.pair(*along, self.columns.states[:, c], size)
                for (_, target), slope in zip(reads, slopes, strict=True):
                    slope[:, c] += (
                        weight * (read(forward, target.name) - read(backward, target.name)) / (2 * step)
                    )
        for output in requested:
            rows = zip(reads, values, slopes, strict=True)
            derivatives = [(target, value, slope) for (of, target), value, slope in rows if of is output]
            yield self._combined(output, base, derivatives)

    def _combined(
        self, output: RequestedOutput, base: Any, derivatives: list[tuple[Target, Array, Array]]
    ) -> list[tuple[str, str, Array, float]]:
        """Rows of an output: of its part, or of the harmonic of all blades."""
        components = components_of(output.name, derivatives[0][1].size)
        declared = getattr(base.of(output.targets[0].name.part), "quantities", {}).get(output.name.quantity)
        in_space = declared is not None and declared.axes == "global" and derivatives[0][1].size == 3
        rows: Any = 0.0
        values: Any = 0.0
        for target, value, slope in derivatives:
            axes = self.targets.turn(target).T if in_space else np.eye(value.size)
            w = blade_weight(output, target) * axes
            rows, values = rows + w @ slope, values + w @ value
        return [
            (str(name), unit_of(name, declared, k), rows[k], float(values[k]))
            for k, name in output.name.split(components)
        ]

    def _multipliers(self) -> Array:
        """(m, c) changes of the constraint multipliers."""
        linear, (x, v, a) = self._linear, self.columns.motion
        if not linear.system.constraints:
            return np.zeros((0, x.shape[1]))
        rates = linear.gyroscopic + linear.damping
        force = linear.mass @ a + rates @ v + linear.stiffness @ x - self.columns.forces
        return -balancing(linear.constraints + linear.friction.T, force)


def blade_weight(output: RequestedOutput, target: Target) -> float:
    """Contribution of a blade to the harmonic: the inverse of q_b = collective + cosine cos(psi_b) + ….

    Parameters
    ----------
    output : the output
    target : the blade
    """
    factor = 1.0 if output.name.harmonic in ("", "collective") else 2.0
    return harmonic_factor(output.name, target) * factor / len(output.targets)
