"""View of an ideal joint: reactions, and motion of body L relative to body K."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.output import XYZ, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.node import NodeView, Wrench
from fem_mbd.runs.results.views.part import PartView
from fem_mbd.runs.results.views.part_table import NODE, Entry

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


_OF_L = "of L relative to K, in the joint's triad"
MOTION_OF_L = {
    quantity.name: quantity
    for quantity in (
        Quantity("displacement", "m", f"displacement {_OF_L}", XYZ, "joint", "scheme"),
        Quantity("velocity", "m/s", f"velocity {_OF_L}", XYZ, "joint", "scheme"),
        Quantity("angle", "rad", "rotation of L relative to K about axis 3", within="scheme"),
        Quantity("angular_velocity", "rad/s", f"angular velocity {_OF_L}", XYZ, "joint", "scheme"),
    )
}


class JointView(PartView):
    """An ideal joint between K and L; vectors (…, 3) with the time as first axis.

    The joint's triad, axis 3 along a revolute's or a cylinder's axis, coincides on both bodies in the reference
    configuration. Relative motion is that of L's point and triad, seen from K's, in K's triad.
    """

    @property
    def derived(self) -> dict[str, Quantity]:
        """Relative motion of the two bodies; of one joint at a time."""
        return {} if self._entry.several else MOTION_OF_L

    @property
    def axes(self) -> Array:
        """(3, 3) axes 1, 2, 3 of the joint as columns, global axes, in the reference configuration."""
        if self._entry.several:
            raise InputError("axes: request one joint at a time")
        part = self._entry.members[0]
        node = self._states.table.model["nodes"][part["nodes"][0]]
        return np.asarray(np.array(node.get("rotation", np.eye(3))) @ np.array(part["axes_k"]))

    @property
    def reaction(self) -> Wrench:
        """Force and moment of the joint on L at its point, global axes; on K they are equal and opposite.

        Means over the step: times its length they are the impulse.
        """
        return Wrench(self.value("force"), self.value("moment"))

    @property
    def reaction_at_end(self) -> Wrench:
        """The same at the end of the step, not its mean: in a step with a jump of a given speed without meaning."""
        return Wrench(self.value("force_at_end"), self.value("moment_at_end"))

    @property
    def reaction_in_k(self) -> Wrench:
        """The same in the axes of node K."""
        return Wrench(self.value("force_in_k"), self.value("moment_in_k"))

    @property
    def reaction_in_l(self) -> Wrench:
        """The same in the axes of node L."""
        return Wrench(self.value("force_in_l"), self.value("moment_in_l"))

    @property
    def displacement(self) -> Array:
        """(…, 3) m of L's point from K's, in K's triad; the third is the sliding distance of a cylindrical or prismatic
        joint.
        """
        k, l = self._bodies()
        return _components_in(self._triads()[0], l.position - k.position)

    @property
    def velocity(self) -> Array:
        """(…, 3) m/s, rate of `displacement`."""
        k, l = self._bodies()
        moved = l.velocity - k.velocity - np.cross(k.angular_velocity, l.position - k.position)
        return _components_in(self._triads()[0], moved)

    @property
    def rotation(self) -> Rotation:
        """Rotation of L's triad relative to K's."""
        of_k, of_l = self._triads()
        return scipy.spatial.transform.Rotation.from_matrix(np.swapaxes(of_k, -1, -2) @ of_l)

    @property
    def angle(self) -> Array:
        """(…,) rad, rotation of L relative to K about axis 3; results of a run count full revolutions (by the angular
        velocities at both ends of the time between two records), an equilibrium those of its drives.
        """
        of_k, of_l = self._triads()
        m = np.swapaxes(of_k, -1, -2) @ of_l
        angle = np.arctan2(m[..., 1, 0] - m[..., 0, 1], m[..., 0, 0] + m[..., 1, 1])
        recorded = self._states.recorded_states()
        if recorded is None:
            if angle.ndim:
                return _with_turns(angle, self.angular_velocity[..., 2], self._states.times)
            return _nearest(angle, self._states.driven.get(self.name, angle))
        history, record = recorded
        turned = type(self)(history, self._entry).angle
        nearest = np.where(record < 0, angle, turned[np.maximum(record, 0)] if len(turned) else 0.0)
        return _nearest(angle, nearest)

    @property
    def angular_velocity(self) -> Array:
        """(…, 3) rad/s of L relative to K, in K's triad."""
        k, l = self._bodies()
        return _components_in(self._triads()[0], l.angular_velocity - k.angular_velocity)

    @property
    def friction(self) -> PartView:
        """Friction inside the joint: ``torque``, ``force``, ``normal_force``, ``slip_velocity``, ``bristle`` …"""
        if self._entry.several:
            raise InputError("friction: request one joint at a time")
        part = f"{self.name}.friction"
        if part not in self._states.table.names:
            raise InputError(f"joint '{self.name}' has no friction: it was built without JointFriction")
        return PartView(self._states, self._states.table.find(part))

    def _bodies(self) -> tuple[NodeView, NodeView]:
        if self._entry.several:
            raise InputError("relative motion: request one joint at a time")
        part = self._entry.members[0]
        k, l = (
            NodeView(self._states, Entry(part[side], NODE, (), np.array([node]), np.array(part[point])))
            for side, point, node in zip(("k", "l"), ("point_k", "point_l"), part["nodes"], strict=True)
        )
        return k, l

    def _triads(self) -> tuple[Array, Array]:
        """The joint's triad on K and on L, (…, 3, 3), global axes."""
        part = self._entry.members[0]
        k, l = self._bodies()
        return k.rotation_matrix @ np.array(part["axes_k"]), l.rotation_matrix @ np.array(part["axes_l"])


def _nearest(angle: Array, to: Array | float) -> Array:
    """Angles with the whole turns that bring them nearest to others, rad."""
    return np.asarray(angle + 2.0 * np.pi * np.round((to - angle) / (2.0 * np.pi)))


def _with_turns(angle: Array, rate: Array, times: Array) -> Array:
    """Angles (k,) in (-pi, pi] with full turns: each changes by nearly the mean of the rates (rad/s) times the time."""
    expected = 0.5 * (rate[1:] + rate[:-1]) * np.diff(times)
    turns = np.cumsum(np.round((expected - np.diff(angle)) / (2 * np.pi)))
    return np.asarray(angle + 2 * np.pi * np.concatenate([np.zeros(min(len(angle), 1)), turns]))


def _components_in(triad: Array, vector: Array) -> Array:
    return np.einsum("...ji,...j->...i", triad, vector)
