"""View of a node, body or point: motion, and the support force on it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import PartView

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

MOTION = ("position", "quaternion", "velocity", "omega")


@dataclass(frozen=True, eq=False)
class Wrench:
    """A force (…, 3) in N and a moment (…, 3) in N m, in the same axes."""

    force: Array
    moment: Array


MOTION_OF_NODE = {
    quantity.name: quantity
    for quantity in (
        Quantity("displacement", "m", "from the reference configuration", XYZ, "global", "scheme"),
        Quantity("angular_velocity", "rad/s", "angular velocity", XYZ, "global", "scheme"),
        Quantity("velocity_in_body", "m/s", "velocity of the node", XYZ, "node", "scheme"),
    )
}
SUPPORT_OF_NODE = {
    f"support.{name}": Quantity(f"support.{name}", unit, "by the support on the node", XYZ, "global", "mean")
    for name, unit in (("force", "N"), ("moment", "N m"))
}


def rotation_matrices(quaternions: Array) -> Array:
    """(…, 3, 3) from unit quaternions (…, 4), scalar first."""
    w, v = quaternions[..., 0], quaternions[..., 1:]
    outer = v[..., :, None] * v[..., None, :]
    cross = np.zeros((*w.shape, 3, 3))
    cross[..., [2, 0, 1], [1, 2, 0]], cross[..., [1, 2, 0], [2, 0, 1]] = v, -v
    scale = (w**2 - np.einsum("...i,...i->...", v, v))[..., None, None]
    return np.asarray(scale * np.eye(3) + 2 * (outer + w[..., None, None] * cross))


class NodeView(PartView):
    """A node, the node of a body, or a point of one; vectors (…, 3) with the time as first axis.

    Several nodes add an axis after the time. Within steps (`at`) positions and rotations follow the scheme's
    polynomials, see `fem_mbd.runs.results.views.history`.
    """

    @property
    def derived(self) -> dict[str, Quantity]:
        """Displacement, velocities in other axes, and of supported nodes the support's force and moment."""
        model = self._states.table.model
        held = {model["nodes"][n]["name"] for n in self._entry.nodes} <= set(model.get("supports", ()))
        return MOTION_OF_NODE | SUPPORT_OF_NODE if held and len(self._entry.nodes) else MOTION_OF_NODE

    def _declared(self) -> list[tuple[Output, Quantity, Quantity]]:
        outputs = [self._states.table.outputs[name] for name in MOTION]
        return [(o, q, q) for o in outputs for q in o.quantities]

    def _node(self, name: str) -> Array:
        output = self._states.table.outputs[name]
        values = self._states.values(output, output.quantities[0], self._entry.nodes)
        return values if self._entry.several else values[..., 0, :]

    @property
    def position(self) -> Array:
        """(…, 3) m, global axes."""
        position, arm = self._node("position"), self._arm
        return position if arm is None else position + arm

    @property
    def displacement(self) -> Array:
        """(…, 3) m, global axes, from the reference configuration."""
        described = [self._states.table.model["nodes"][n] for n in self._entry.nodes]
        start = np.array([node["position"] for node in described])
        if self._entry.offset is not None:
            start = start + np.array(described[0].get("rotation", np.eye(3))) @ self._entry.offset
        return self.position - (start if self._entry.several else start[0])

    def value(self, name: str) -> Array:
        """A quantity of the point by its listed name: (time, numbers).

        Raises
        ------
        InputError
            When a node has no such quantity (the message suggests the nearest one), or it was not recorded.
        """
        if name not in self._declarations:
            return super().value(name)
        return np.asarray(attrgetter({"omega": "angular_velocity_in_body"}.get(name, name))(self))

    @property
    def velocity(self) -> Array:
        """(…, 3) m/s, global axes."""
        v, arm = self._node("velocity"), self._arm
        return v if arm is None else v + np.cross(self.angular_velocity, arm)

    @property
    def velocity_in_body(self) -> Array:
        """(…, 3) m/s, axes of the node."""
        return np.einsum("...ji,...j->...i", self.rotation_matrix, self.velocity)

    @property
    def quaternion(self) -> Array:
        """(…, 4) node axes to global axes, scalar first and not negative (SciPy has it last: use `rotation`)."""
        return self._node("quaternion")

    @property
    def rotation_matrix(self) -> Array:
        """(…, 3, 3) node axes to global axes; its columns are the node's axes."""
        return rotation_matrices(self.quaternion)

    @property
    def rotation(self) -> Rotation:
        """The same as SciPy's `Rotation`: Euler angles, rotation vectors … (of several nodes: all in one sequence)."""
        return scipy.spatial.transform.Rotation.from_quat(
            np.roll(self.quaternion, -1, axis=-1).reshape(-1, 4).squeeze()
        )

    @property
    def angular_velocity(self) -> Array:
        """(…, 3) rad/s, global axes."""
        return np.einsum("...ij,...j->...i", self.rotation_matrix, self.angular_velocity_in_body)

    @property
    def angular_velocity_in_body(self) -> Array:
        """(…, 3) rad/s, axes of the node."""
        return self._node("omega")

    @property
    def support(self) -> Wrench:
        """Force and moment of the support or the prescribed motion on the node, at its position, global axes.

        Mean over the step. InputError for a node without support.
        """
        table = self._states.table
        names = [table.model["nodes"][n]["name"] for n in self._entry.nodes]
        supports = list(table.model["supports"])
        free = [name for name in names if name not in supports]
        if free:
            supported = ", ".join(supports) or "none but the ground"
            raise InputError(f"node '{free[0]}' has no support; nodes with supports: {supported}")
        output, rows = table.outputs["support"], np.array([supports.index(name) for name in names])
        force, moment = (self._states.values(output, q, rows) for q in output.quantities)
        return Wrench(force, moment) if self._entry.several else Wrench(force[..., 0, :], moment[..., 0, :])

    @property
    def _arm(self) -> Array | None:
        """From the node to the point, global axes; None at the node itself."""
        if self._entry.offset is None:
            return None
        return np.asarray(self.rotation_matrix @ self._entry.offset)
