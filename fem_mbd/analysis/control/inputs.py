"""Inputs of a linear model: forces and moments on nodes, torques in joints, prescribed motions of driven joints.

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

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lstsq
from scipy.sparse import csr_matrix

from fem_mbd.analysis.control.signal_names import (
    XYZ,
    SignalName,
    SignalTargets,
    Target,
    harmonic_factor,
    read_signal_name,
)
from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError

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
        self._free = ~self._linear.system.held.ravel()

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
        held = system.held[node]
        if (np.any(force) and held[:3].all()) or (np.any(moment) and held[3:].all()):
            raise InputError(
                f"{label}: node '{system.model.nodes[node].name}' is held: the input has no effect"
            )
        r, arm = state.r[node], -state.r[node] @ system.work.centre[node]
        full = np.zeros((system.work.n, 6))
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
            if not self._linear.system.held[node, 3:].all():
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
