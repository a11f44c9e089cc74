"""Forces, moments, joint torques and line loads as functions of time.

Consistent nodal loads (`integral_onto_nodes`) are integrals of loads along a beam's reference line times the shape
functions of its nodes. A load w per length does on the interpolated line the work of the nodal loads

    W_n = int N_n(s) w(s) ds,

whose sum, and whose moment about any point, are those of w: the shape functions add up to one, and with the nodes'
positions to the line. Loads that are piecewise polynomials are integrated exactly, piece by piece.

A torque about an axis needs joints between its two nodes that leave the rotation about it free (`check_joint_axis`). L
is rotated about the joint's point by a finite angle, about the axis and about two directions normal to it: the joints'
conditions must be satisfied by the first rotation, and violated by the other two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.function_values import StepFunctions
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Node, Point, as_point
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.time_functions import TimeFunction, as_time_function
from fem_mbd.core.model.time_functions.values import jumps_between
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import rotation_about, triad_with_third, unit_vector
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads import kernels
from fem_mbd.elements.quadrature import LOBATTO_NODES, LOBATTO_WEIGHTS, lagrange_values
from fem_mbd.errors import InputError

_PIECE = np.polynomial.legendre.leggauss(
    4
)  # exact to degree 7: cubic shape functions, a linear load at a linear arm
ACCURACY = 1e-12  # of the integral of a function, relative to its largest value
MAX_PIECES = 1000
SAMPLES = 1001  # of a function, for its largest value


@dataclass(frozen=True, eq=False)
class LinePoints:
    """Points at which a load is integrated exactly that is a polynomial between them.

    s : (k,) fractions of the beam's length
    weights : (k,) m
    shapes : (n, k) shape functions of the beam's nodes there
    """

    s: Array
    weights: Array
    shapes: Array

    def onto_nodes(self, values: Array) -> Array:
        """(n, …) integrals of values (k, …) per length at the points times the shape functions."""
        return np.asarray(np.tensordot(self.shapes * self.weights, values, axes=1))


def line_points(beam: BeamHandle, breaks: Array) -> LinePoints:
    """Points between the ends of the elements and the fractions ``breaks`` (k,) where a load has kinks or jumps."""
    inside = breaks[(breaks > 0.0) & (breaks < 1.0)]
    edges = np.unique(np.concatenate([beam.bounds, inside]))
    half = 0.5 * np.diff(edges)
    s = (0.5 * (edges[1:] + edges[:-1])[:, None] + half[:, None] * _PIECE[0]).ravel()
    weights = (half[:, None] * _PIECE[1]).ravel() * beam.line.length
    return LinePoints(s, weights, shape_functions(beam, s))


def shape_functions(beam: BeamHandle, s: Array) -> Array:
    """(n, k) shape functions of the beam's nodes at fractions s (k,) of its length."""
    order, bounds = beam.elements.shape[1], beam.bounds
    element = np.clip(np.searchsorted(bounds, s, side="right") - 1, 0, len(bounds) - 2)
    x = 2.0 * (s - bounds[element]) / (bounds[element + 1] - bounds[element]) - 1.0
    shapes = np.zeros((len(beam.nodes), len(s)))
    np.add.at(shapes, (beam.elements[element].T, np.arange(len(s))), lagrange_values(LOBATTO_NODES[order], x))
    return shapes


def integral_onto_nodes(beam: BeamHandle, function: Callable[[float], float], what: str) -> Array:
    """(n,) m, integrals of a function of the fraction of the length times the shape functions.

    Adaptive quadrature between the ends of the elements and the jumps of the function.

    Raises
    ------
    InputError
        Where the function varies too much to be integrated to `ACCURACY`.
    """
    jumps = np.array(jumps_between(function, 0.0, 1.0))
    edges = np.unique(np.concatenate([beam.bounds, jumps]))
    scale = max(abs(function(s)) for s in np.linspace(0.0, 1.0, SAMPLES))
    total = np.zeros(len(beam.nodes))
    for before, after in zip(edges[:-1], edges[1:], strict=True):
        # at a jump the function has the value behind it: the piece ends just before
        end = float(np.nextafter(after, before)) if after in jumps else float(after)
        part, error, info = scipy.integrate.quad_vec(
            lambda s: shape_functions(beam, np.array([s]))[:, 0] * function(float(s)),
            float(before), end, epsabs=ACCURACY * scale * (end - before), epsrel=ACCURACY, norm="max",
            limit=MAX_PIECES, full_output=True,
        )  # fmt: skip
        if not info.success and error > 1e3 * ACCURACY * scale:
            raise InputError(
                f"{what} cannot be integrated between s = {before:.4g} and {after:.4g}: it varies too fast"
            )
        total += part
    return total * beam.line.length


TEST_ANGLE = 0.3  # rad
CONSTRAINT_TOLERANCE = 1e-9  # m or rad: above round-off, far below TEST_ANGLE and its square


def check_joint_axis(model: Model, k: Node, l: Node, axis: Array, what: str) -> None:
    """Refuse an axis (3,), global, about which the joints do not let L rotate relative to K; ``what`` needs the axis.

    Raises
    ------
    InputError
        When no joint joins the two nodes yet, or those that do lack such an axis.
    """
    joints: list[Constraints] = [
        spec for spec in model.specs.get(ConstraintKind, []) if {spec.k.node, spec.l.node} == {k, l}
    ]
    if not joints:
        raise InputError(
            f"{what}: no ideal joint joins node '{k.name}' to node '{l.name}': add the joint before its torque"
        )
    across_1, across_2, along = triad_with_third(axis).T
    free = _violation(joints, along) < CONSTRAINT_TOLERANCE
    if not free or min(_violation(joints, across_1), _violation(joints, across_2)) < CONSTRAINT_TOLERANCE:
        names = ", ".join(f"{spec.joint} joint '{spec.name}'" for spec in joints)
        raise InputError(
            f"{what}: axis {np.round(axis, 6).tolist()} is not an axis that {names} keeps aligned in both "
            "bodies and free to rotate about: give the axis of a revolute, cylindrical or planar joint"
        )


def _violation(joints: list[Constraints], direction: Array) -> float:
    """Largest violation of the joints' conditions when body L rotates about ``direction`` through the first joint."""
    turn, centre = rotation_about(direction, TEST_ANGLE), joints[0].l.position
    worst = 0.0
    for joint in joints:
        same = joint.l.node is joints[0].l.node
        driven = {drive.row for drive in joint.drives}
        vectors = []
        for point, rotates in ((joint.k, not same), (joint.l, same)):
            position, rotation = point.node.position, point.node.rotation
            if rotates:
                position, rotation = centre + turn @ (position - centre), turn @ rotation
            vectors += [position[None], rotation.T]
        y = np.concatenate(vectors)
        for row, form in joint.conditions(joint.k.offset, joint.l.offset):
            if row not in driven:
                worst = max(worst, abs(form.value(y)))
    return worst


AMOUNTS = columns("work_loads")


@dataclass(frozen=True, eq=False)
class LoadSpec:
    """One load on one node: ``scale`` (3, 3) times the function's value (3,) or number (then scale @ ones).

    ``beam`` names the beam along which a load is spread that acts on all of its nodes; empty for a load at a point.
    """

    name: str
    point: Point
    kind: int
    function: TimeFunction
    scale: Array
    beam: str = ""


class LoadKind(PartKind):
    """All loads of a model; functions shared by many loads are evaluated once per step."""

    label: ClassVar[str] = "load"
    applied: ClassVar[bool] = True

    def __init__(self, specs: Sequence[LoadSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.LOAD)
        for record, spec in zip(self.records, self.specs, strict=True):
            node = spec.point.node.index
            record["node"], record["kind"] = node, spec.kind
            record["arm"] = workspace.offset_from_centre(node, spec.point.offset)
        functions = list(dict.fromkeys(spec.function for spec in self.specs))
        self.functions = StepFunctions(functions)
        self._function_index = np.array([functions.index(spec.function) for spec in self.specs])
        self._scale = np.array([spec.scale for spec in self.specs])
        self._work = np.zeros(1)
        self.nodes = self.records["node"].reshape(count, 1).copy()
        self.multipliers = np.zeros(count, dtype=np.int64)

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        loads = (self.records, workspace.step, workspace.x, workspace.r_i, workspace.q_i)
        values = (self._function_index, self._scale, self.functions.values)
        return {
            "begin_step": [
                *self.functions.tasks(workspace),
                Call(kernels.set_values, self.records, *values, workspace.step),
            ],
            "residual": [Call(kernels.residual, *loads, workspace.rows)],
            "tangent": [Call(kernels.tangent, *loads, self.slots, workspace.data)],
            "ledger": work_calls(self.records, self._work, workspace),
        }

    def time_functions(self) -> Sequence[TimeFunction]:
        return self.functions.functions

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": s.name, "node": s.point.node.name} | ({"along": s.beam} if s.beam else {})
            for s in self.specs
        ]


def work_calls(records: Any, total: Array, workspace: Workspace) -> list[Task]:
    """Calls that add the work of point loads (n,) to the energy balance; ``total`` (1,) is scratch."""
    return [
        Call(kernels.work_done, records, workspace.x, workspace.r_i, workspace.q_i, total),
        Call(add_amounts, total, AMOUNTS, workspace.amounts),
    ]


@arguments()
@dataclass(frozen=True, eq=False)
class Force:
    """A force at a node or point.

    Parameters
    ----------
    at : node, point or handle of a body
    force : (3,) N: constant, function of time, or one of `fem_mbd.time_functions`
    follower : rotates with the node, components in node axes; otherwise fixed in space, global axes. Axes of a node: of
        a body, and of `Model.node`, the global ones at the start unless they are rotated; of a node that a beam has
        made, those of its section there: 1 along the beam, 3 towards ``up``
    name : shown in messages
    """

    at: Attachment
    force: Any
    _: KW_ONLY
    follower: bool = False
    name: str = "force"

    def build(self, model: Model) -> Force:
        """Called by `Model.add`."""
        kind = kernels.FOLLOWER_FORCE if self.follower else kernels.DEAD_FORCE
        model.registry.require_arm(self.at, f"force '{self.name}'")
        _register(model, self.name, as_point(self.at), kind, self.force, np.eye(3))
        return self


@arguments()
@dataclass(frozen=True, eq=False)
class Moment:
    """A moment on a node.

    Parameters
    ----------
    at : node, point or handle of a body
    moment : (3,) N m: constant, function of time, or one of `fem_mbd.time_functions`
    follower : rotates with the node, components in node axes; otherwise fixed in space, global axes. Axes of a node: of
        a body, and of `Model.node`, the global ones at the start unless they are rotated; of a node that a beam has
        made, those of its section there: 1 along the beam, 3 towards ``up``
    name : shown in messages
    """

    at: Attachment
    moment: Any
    _: KW_ONLY
    follower: bool = False
    name: str = "moment"

    def build(self, model: Model) -> Moment:
        """Called by `Model.add`."""
        kind = kernels.FOLLOWER_MOMENT if self.follower else kernels.DEAD_MOMENT
        model.registry.require_rotation(self.at, f"moment '{self.name}'")
        _register(model, self.name, as_point(self.at), kind, self.moment, np.eye(3))
        return self


@arguments()
@dataclass(frozen=True, eq=False)
class JointTorque:
    """A torque about the axis of a revolute or cylindrical joint: positive on L, negative on K.

    The axis is fixed to both bodies, which the joint keeps aligned. The joint between the two is added first.

    Parameters
    ----------
    k, l : the two bodies of the joint
    axis : (3,) global axes, reference configuration
    torque : N m: a number, a function of time, or one of `fem_mbd.time_functions`
    name : shown in messages

    Raises
    ------
    InputError
        When the joint of the two bodies lacks this axis.
    """

    k: Attachment
    l: Attachment
    axis: Any
    torque: Any
    _: KW_ONLY
    name: str = "torque"

    def build(self, model: Model) -> JointTorque:
        """Called by `Model.add`."""
        direction = unit_vector(self.axis, f"axis of torque '{self.name}'")
        function = as_time_function(self.torque, (), f"torque '{self.name}'")
        nodes = (
            model.registry.node_of(self.k, f"torque '{self.name}'"),
            model.registry.node_of(self.l, f"torque '{self.name}'"),
        )
        check_joint_axis(model, *nodes, direction, f"torque '{self.name}'")
        for side, attachment in ((-1.0, self.k), (1.0, self.l)):
            point = as_point(attachment)
            if point.node is model.ground:
                continue
            scale = np.diag(side * (point.node.rotation.T @ direction))
            model.registry.add(
                LoadKind,
                LoadSpec(
                    model.registry.unique_name(self.name), point, kernels.FOLLOWER_MOMENT, function, scale
                ),
            )
        return self


@arguments()
@dataclass(frozen=True, eq=False)
class LineLoad:
    """A force per length on the reference line of a beam, as consistent nodal forces.

    Parameters
    ----------
    beam : its handle
    force : (3,) N/m: constant, function of time, or one of `fem_mbd.time_functions`
    follower : rotates with the sections, components in section axes; otherwise fixed in space, global axes
    profile : function of the fraction of the length, by which the force is multiplied; it is integrated, with its
        jumps, to 1e-12. A jump back within a thousandth of the length may be missed
    name : shown in messages
    """

    beam: BeamHandle
    force: Any
    _: KW_ONLY
    follower: bool = False
    profile: Callable[[float], float] | None = None
    name: str = "line load"

    def build(self, model: Model) -> LineLoad:
        """Called by `Model.add`."""
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"line load '{self.name}': give the handle that Model.add(Beam(…)) returned")
        model.registry.node_of(self.beam.start, f"line load '{self.name}'")
        function = as_time_function(self.force, (3,), f"line load '{self.name}'")
        turn = self.beam.offset_rotation.T if self.follower else np.eye(3)
        kind = kernels.FOLLOWER_FORCE if self.follower else kernels.DEAD_FORCE
        for node, weight in zip(self.beam.nodes, self._weights(), strict=True):
            _register(model, self.name, node.point, kind, function, weight * turn, self.beam.name)
        return self

    def _weights(self) -> Array:
        """(n,) m, integral of the profile times the shape functions of the beam's nodes."""
        if self.profile is not None:
            return integral_onto_nodes(self.beam, self._profile_at, f"line load '{self.name}': profile")
        shares = node_shares(self.beam)
        return np.array([shares[k][1] for k in range(len(self.beam.nodes))])

    def _profile_at(self, s: float) -> float:
        what = f"line load '{self.name}': profile"
        if not callable(self.profile):
            raise InputError(f"{what} must be a function of the fraction s of the length")
        try:
            value = self.profile(s)
        except Exception as error:
            raise InputError(f"{what} fails at s = {s:g} ({type(error).__name__}: {error})") from error
        return finite(value, f"{what} at s = {s:g}")


def node_shares(beam: BeamHandle) -> dict[int, tuple[float, float]]:
    """Gauss-Lobatto points of a beam: node -> (fraction s of the length, length in m that belongs to it)."""
    nn, bounds = beam.elements.shape[1], beam.bounds
    shares: dict[int, tuple[float, float]] = {}
    for e, ids in enumerate(beam.elements):
        fraction = float(bounds[e + 1] - bounds[e])
        for k, index in enumerate(ids):
            s = float(bounds[e]) + fraction * 0.5 * (1 + LOBATTO_NODES[nn][k])
            before = shares.get(int(index), (s, 0.0))[1]
            share = 0.5 * fraction * beam.line.length * LOBATTO_WEIGHTS[nn][k]
            shares[int(index)] = (float(s), before + share)
    return shares


def _register(
    model: Model, name: str, point: Point, kind: int, value: Any, scale: Array, beam: str = ""
) -> None:
    function = as_time_function(value, what=f"load '{name}'")
    if function.shape != (3,):
        raise InputError(f"'{name}': give three components (a vector, or a vector times a function of time)")
    spec = LoadSpec(model.registry.unique_name(name), point, kind, function, scale, beam)
    model.registry.add(LoadKind, spec)
