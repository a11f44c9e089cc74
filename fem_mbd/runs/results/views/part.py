"""Base class of views: quantities of one part, or several of one kind, as attributes under their declared names."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import NODE, Entry, own_quantities
from fem_mbd.runs.results.views.states import States, part_dataset, part_table

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


XYZ_SIZE = 3
# attributes that group a force and a moment, by their ending in the names of both
GROUPS = {
    "reaction": "", "reaction_in_k": "_in_k", "reaction_in_l": "_in_l", "reaction_at_end": "_at_end",
}  # fmt: skip


def canonical(name: str) -> str:
    """The declared name of a quantity: "moment_in_l" of "reaction_in_l.moment", others as they are."""
    group, dot, component = name.partition(".")
    return f"{component}{GROUPS[group]}" if dot and group in GROUPS else name


class UnknownQuantity(InputError, AttributeError):
    """A quantity that a part does not have."""


class PartView:
    """View of one part: every quantity is an attribute, an array with the time as first axis.

    A spring, for instance, has ``length``, ``rate`` and ``force``; a contact ``gap``, ``normal_force``,
    ``friction_force``, ``slip_velocity``, ``normal`` and ``bristle``. `quantities` lists them with units and meanings.
    Several parts add an axis after the time.

    Attributes
    ----------
    name : of the part
    quantities : the available quantities, by name
    """

    def __init__(self, states: States, entry: Entry) -> None:
        self._states = states
        self._entry = entry
        self.name = entry.name
        self._cache: dict[str, Array] = {}
        self._declarations: dict[str, tuple[Output, Quantity, Quantity]] = {}
        for output, declared, named in self._declared():
            self._declarations[named.name] = (output, declared, named)

    @property
    def derived(self) -> dict[str, Quantity]:
        """Quantities that are computed from recorded ones, attributes of the view, by name."""
        return {}

    def _declared(self) -> list[tuple[Output, Quantity, Quantity]]:
        """Outputs of the part, their declared quantities, and these by the names that they have for this part."""
        if not self._entry.members:
            return []
        part = self._entry.members[0]
        outputs = [self._states.table.outputs[name] for name in part["rows"]]
        return [
            (o, q, named)
            for o in outputs
            for q, named in zip(o.quantities, own_quantities(part, o), strict=True)
        ]

    @property
    def quantities(self) -> dict[str, Quantity]:
        """Name, unit and meaning of every available quantity."""
        return {name: named for name, (_, _, named) in self._declarations.items()} | self.derived

    def has_rows(self, name: str) -> bool:
        """Whether a quantity has an axis before its components: several positions along the part, or several parts."""
        return self._entry.several or (name in self._declarations and self._declarations[name][0].many)

    def row_title(self, name: str, row: int) -> str:
        """Label of a row of a quantity in figures, e.g. "contribution 2": kind and number, counted from 1."""
        kind = self._declarations[name][0].row if name in self._declarations else "part"
        return f"{kind.replace('_', ' ')} {row + 1}"

    @property
    def time(self) -> Array:
        """(k,) s, times of the values; () for a single time."""
        return self._states.times

    def at(self, time: ArrayLike) -> Self:
        """The same part at the time (s), or at several: see `Result.at`."""
        return type(self)(self._states.at(time), self._entry)

    def value(self, name: str) -> Array:
        """A quantity by name: (time, numbers); for several parts, or several rows of one part, with their axis before
        the numbers.

        Raises
        ------
        InputError
            When the part has no such quantity (the message suggests the nearest one), or it was not recorded.
        """
        name = canonical(name)
        if name in self.derived:
            return np.asarray(attrgetter(name)(self))
        if name not in self._declarations:
            raise UnknownQuantity(f"'{self.name}' has no {name!r}: {nearest(name, self._names())}")
        output, declared, _ = self._declarations[name]
        if name not in self._cache:
            values = self._states.values(output, declared, self._entry.rows(output.name))
            if not (output.many or self._entry.several):
                values = np.take(values, 0, axis=values.ndim - 1 - bool(declared.components))
            self._cache[name] = values
        return self._cache[name]

    def sum(self, name: str) -> Array:
        """Sum over all places (contacts, Gauss points, parts) of a quantity that is one number there, (time,)."""
        if self._over_places("sum", name).components:
            raise InputError(f"'{self.name}': {name} is a vector: resultant({name!r}) is the sum of vectors")
        return np.asarray(self.value(name).sum(axis=-1))

    def resultant(self, name: str) -> Array:
        """Sum over all places of a quantity that is a vector in global axes, (time, 3): force of all contacts."""
        quantity = self._over_places("resultant", name)
        if quantity.width != XYZ_SIZE or quantity.axes != "global":
            in_axes = f"in {quantity.axes} axes" if quantity.axes else "one number"
            raise InputError(
                f"'{self.name}': {name} is {in_axes}: only vectors in global axes have a resultant"
            )
        return np.asarray(self.value(name).sum(axis=-2))

    def largest(self, name: str) -> Array:
        """Largest over all places of a quantity's amount, of vectors of their length, (time,)."""
        quantity = self._over_places("largest", name)
        values = self.value(name)
        return np.asarray(
            np.linalg.norm(values, axis=-1).max(axis=-1)
            if quantity.components
            else np.abs(values).max(axis=-1)
        )

    def _over_places(self, word: str, name: str) -> Quantity:
        """The quantity, checked to have several places."""
        quantity = self.quantities.get(canonical(name))
        if quantity is None:
            raise UnknownQuantity(f"'{self.name}' has no {name!r}: {nearest(name, self._names())}")
        if not self.has_rows(canonical(name)):
            raise InputError(f"'{self.name}': {name} has one place only: leave {word} out")
        return quantity

    def to_pandas(self) -> Any:
        """A table of all quantities, indexed by the time, with units in the columns' names. Needs pandas."""
        return part_table(self)

    def to_xarray(self) -> Any:
        """A Dataset of all quantities with units, meanings and named components. Needs xarray."""
        return part_dataset(self)

    def __getitem__(self, name: str) -> Array:
        return self.value(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.value(name)

    def _names(self) -> list[str]:
        properties = [name for name in vars(type(self)) if not name.startswith("_")]
        return sorted({*self._declarations, *self.derived, *properties})

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._declarations})

    def __repr__(self) -> str:
        lines = [f"  {name} [{q.unit}]: {q.meaning}" for name, q in self.quantities.items()]
        return "\n".join([f"<{type(self).__name__} of '{self.name}'>", *lines])


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
        supported = {model["nodes"][n]["name"] for n in self._entry.nodes} <= set(model.get("supports", ()))
        return MOTION_OF_NODE | SUPPORT_OF_NODE if supported and len(self._entry.nodes) else MOTION_OF_NODE

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
