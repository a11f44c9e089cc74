"""Outputs of a linear model: quantities of nodes, beams, joints and springs as functions of states and inputs.

    PART.displacement, .rotation, .velocity, .angular_velocity, .acceleration, .angular_acceleration
                                     of a node, a body or a beam at one of its nodes; global axes, m, rad, s
    BEAM@PLACE.section_force         N, V2, V3, T, M2, M3, anywhere along it, section axes, elastic part
    JOINT.force, JOINT.angle, SPRING.length, …
                                     every quantity that `Result.of` has of a part, under the same name

Displacement and rotation (a vector) are relative to the equilibrium; velocities and accelerations are their
derivatives, in steady rotation in the axes of the linear model. All other quantities are differentiated numerically,
accurate to about 1e-9 of their largest changes.

Inputs of a linear model: forces and moments on nodes, torques in joints, prescribed motions of driven joints.

    PART.force[x], PART.moment[x]       on a node, at its position, global axes; N, N m
    JOINT.torque                        about the axis of a revolute or cylindrical joint, on L, the opposite on K; N m
    JOINT.angle, JOINT.slide            prescribed by a driven joint, beyond its value at the equilibrium; rad, m
    generator.torque                    of a machine, about its low-speed shaft, positive against the rotation; N m

A prescribed motion q moves the structure by x = Z y + p q with B p = -dg/dq, where g is the joint's condition. Its
first and second time derivatives act too, and are separate inputs: JOINT.angle adds JOINT.angular_velocity and
JOINT.angular_acceleration, JOINT.slide adds JOINT.velocity and JOINT.acceleration. p is the motion in which the
structure follows q without inertia.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from scipy.linalg import lstsq
from scipy.sparse import csr_matrix

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
from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.linear_model import LinearModel, balancing
from fem_mbd.analysis.modal.modes import DisplacedStates
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import NODE

LOADS = {"force": "N", "moment": "N m"}
DRIVES = {
    "angle": (("angle", "rad"), ("angular_velocity", "rad/s"), ("angular_acceleration", "rad/s^2")),
    "slide": (("slide", "m"), ("velocity", "m/s"), ("acceleration", "m/s^2")),
}
TURNING = ("revolute", "cylindrical")
# fraction of the lowest elastic frequency: stiffness that holds free motions while a prescribed one is applied
HOLDING_RATIO = 1e-3


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs; n free unknowns, m inputs.

    Attributes
    ----------
    names, units : (m,)
    loads : (n, m) generalised forces per unit of each input
    motions : (3, n, m) displacement, velocity and acceleration per unit of each input
    values : (m,) at the equilibrium
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    loads: Array
    motions: Array
    values: Array

    def unit_forces(self, linear: LinearModel) -> Array:
        """(n, m) loads minus the forces caused by the prescribed motions, per unit of each input.

        Parameters
        ----------
        linear : the model of these inputs
        """
        matrices = (linear.stiffness, linear.gyroscopic + linear.damping, linear.mass)
        return np.asarray(
            self.loads - sum(matrix @ motion for matrix, motion in zip(matrices, self.motions, strict=True))
        )


@dataclass(frozen=True, eq=False)
class InputColumn:
    """One input.

    Attributes
    ----------
    name, unit : of the input
    load : (n,) generalised force per unit
    motion : (n,) prescribed motion, or its first or second time derivative, according to ``order``
    order : 0, 1 or 2
    value : at the equilibrium
    """

    name: str
    unit: str
    load: Array
    motion: Array
    order: int = 0
    value: float = 0.0


class InputColumns:
    """Computes the columns of the inputs of one linear model.

    Parameters
    ----------
    targets : parts of the model by name
    """

    def __init__(self, targets: SignalTargets):
        self.targets = targets
        self._linear = targets.linear
        self._free = ~self._linear.system.fixed.ravel()

    def of(self, texts: list[str]) -> Inputs:
        """All inputs with the given names.

        Parameters
        ----------
        texts : their names

        Raises
        ------
        InputError
            For unknown names and repeated inputs.
        """
        columns = [column for text in texts for column in self._columns(read_signal_name(text))]
        names = [column.name for column in columns]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"input '{name}' is given twice")
        n, m = self._linear.mass.shape[0], len(columns)
        loads, motions = np.zeros((n, m)), np.zeros((3, n, m))
        for k, column in enumerate(columns):
            loads[:, k] = column.load
            motions[column.order, :, k] = column.motion
        values = np.array([column.value for column in columns])
        return Inputs(tuple(names), tuple(column.unit for column in columns), loads, motions, values)

    def _columns(self, name: SignalName) -> list[InputColumn]:
        none = np.zeros(self._linear.mass.shape[0])
        if name.quantity in LOADS:
            return [
                InputColumn(str(component_name), LOADS[name.quantity], self._load(component_name, k), none)
                for k, component_name in name.split(XYZ)
            ]
        if name.quantity == "torque":
            name.split(())
            return [InputColumn(str(name), "N m", self._torque(name), none)]
        if name.quantity in DRIVES:
            name.split(())
            motion, value = self._prescribed_motion(name)
            return [
                InputColumn(
                    str(replace(name, quantity=quantity)), unit, none, motion, order, 0.0 if order else value
                )
                for order, (quantity, unit) in enumerate(DRIVES[name.quantity])
            ]
        known = (*LOADS, "torque", *DRIVES)
        raise InputError(
            f"input '{name}': there is no input {name.quantity!r}; {nearest(name.quantity, known)}"
        )

    # -- loads ------------------------------------------------------------------------------------------------

    def _load(self, name: SignalName, component: int) -> Array:
        total = np.zeros(self._linear.mass.shape[0])
        for target in self.targets.targets(name):
            vector = harmonic_factor(name, target) * self.targets.turn(target)[:, component]
            node = self.targets.node(target.name)
            force, moment = (vector, np.zeros(3)) if name.quantity == "force" else (np.zeros(3), vector)
            total += self._on_node(node, force, moment, f"input '{name}'")
        return total

    def _on_node(self, node: int, force: Array, moment: Array, label: str) -> Array:
        """(n,) of a force at the node's position and a moment, global axes."""
        system, state = self._linear.system, self._linear.state
        fixed = system.fixed[node]
        if (np.any(force) and fixed[:3].all()) or (np.any(moment) and fixed[3:].all()):
            raise InputError(
                f"{label}: node '{system.model.nodes[node].name}' is held: the input has no effect"
            )
        r, arm = state.r[node], -state.r[node] @ system.workspace.centre[node]
        full = np.zeros((system.workspace.n, 6))
        full[node] = np.concatenate([force, r.T @ (moment + np.cross(arm, force))])
        return full.ravel()[self._free]

    def _torque(self, name: SignalName) -> Array:
        sign = -1.0 if self.targets.is_generator(name) else 1.0
        total = np.zeros(self._linear.mass.shape[0])
        for target in self.targets.targets(name):
            total += sign * harmonic_factor(name, target) * self._joint_torque(target)
        return total

    def _joint_torque(self, target: Target) -> Array:
        _, spec = self.targets.joint(target.name)
        if spec.joint not in TURNING:
            raise InputError(
                f"input '{target.name}': a {spec.joint} joint cannot rotate freely about one axis"
            )
        k, l = spec.k.node.index, spec.l.node.index
        axis = self._linear.state.r[k] @ spec.axes_k[:, 2]
        total = np.zeros(self._linear.mass.shape[0])
        for node, side in ((k, -1.0), (l, 1.0)):
            if not self._linear.system.fixed[node, 3:].all():
                total += self._on_node(node, np.zeros(3), side * axis, f"input '{target.name}'")
        return total

    # -- prescribed motions ----------------------------------------------------------------------------------

    def _prescribed_motion(self, name: SignalName) -> tuple[Array, float]:
        """p (n,), and the value of the joint's motion at the equilibrium."""
        joints = self._linear.system.joints
        right = np.zeros(self._linear.system.constraints)
        value = 0.0
        for target in self.targets.targets(name):
            number, spec = self.targets.joint(target.name)
            drive = next(
                (d for d in spec.drives if (d.angle is not None) == (name.quantity == "angle")), None
            )
            function = None if drive is None else drive.angle or drive.value
            if drive is None or function is None or joints is None:
                raise InputError(
                    f"input '{target.name}': the {spec.joint} joint prescribes no {name.quantity}: use a "
                    "driven joint (DrivenRevolute an angle, DrivenPrismatic a slide)"
                )
            value = float(function.value(self._linear.state.time, +1))
            # sin(prescribed - rotated) = 0 grows with the angle, slid - prescribed = 0 decreases with the slide
            sign = 1.0 if name.quantity == "angle" else -1.0
            right[int(joints.first_row[number]) + drive.row] = -sign * harmonic_factor(name, target)
        return self._without_inertia(self._smallest_motion(right)), value

    def _smallest_motion(self, right: Array) -> Array:
        """The smallest x (n,) with B x = right."""
        rows = self._linear.constraints
        used, x = np.unique(rows.indices), np.zeros(rows.shape[1])
        x[used] = lstsq(rows[:, used].toarray(), right, cond=1e-9)[0]
        return x

    def _without_inertia(self, motion: Array) -> Array:
        """The motion, completed by the quasi-static response of the structure to it."""
        linear = self._linear
        stiffness, mass = linear.reduced(linear.stiffness), linear.reduced(linear.mass)
        held_stiffness = (HOLDING_RATIO * lowest_frequency(stiffness, mass)) ** 2
        force = linear.left.T @ (linear.stiffness @ motion)
        return np.asarray(
            motion - linear.basis @ factorise(csr_matrix(stiffness + held_stiffness * mass)).solve(force)
        )


def driven_by(texts: Iterable[str]) -> list[str]:
    """Names of a machine's bearings that are driven by inputs, e.g. pitch1 of "pitch1.angle".

    Parameters
    ----------
    texts : names of inputs

    Raises
    ------
    InputError
        For an invalid name of an input.
    """
    return [name.part for name in map(read_signal_name, texts) if name.quantity == "angle"]


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
        number = np.cumsum(~system.fixed.ravel()).reshape(system.fixed.shape) - 1
        motion = np.zeros((6, columns.shape[1]))
        motion[~system.fixed[node]] = columns[number[node][~system.fixed[node]]]
        turn = r @ motion[3:]
        return np.concatenate([motion[:3] - np.cross(turn, r @ system.workspace.centre[node], axis=0), turn])

    def _deviation(self, node: int, rotates: bool) -> Array:
        """(3,) displacement or rotation vector of a node at the equilibrium, from the reference configuration."""
        system, state = self._linear.system, self._linear.state
        reference, r = system.model.nodes[node], state.r[node]
        if rotates:
            return np.asarray(
                scipy.spatial.transform.Rotation.from_matrix(r @ reference.rotation.T).as_rotvec()
            )
        return np.asarray(state.u[node] - r @ system.workspace.centre[node] - reference.position)

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
