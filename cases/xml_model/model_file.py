"""Reader of a model file: bodies, joints with friction, gravity, the transient run and its requests.

Requests are histories of WZ and FRICTION, from a run. The source does not define them. Here WZ(I, J, K) is the
component along z of marker K of I's angular velocity relative to J, in rad per unit of time, and FRICTION(id, n) the
friction of element id on the body of marker I: n = 1, 2, 3 the force and n = 4, 5, 6 the torque along x, y, z of marker
J. Friction of a universal joint acts about its two yokes, of which I's rotates relative to J: its torque is resolved
along J's axes at the end of each step.

Joints of a model file and the friction inside them.

K is the body of marker J and L that of marker I, so that reactions and friction "on L" are those on I, and the slide is
measured along J's z axis. Axis of a revolute, translational or cylindrical joint and normal of a planar one: z of J.
The yokes of a universal joint are the z axes of I and J, those of a Hooke joint x of I and y of J (not stated in the
source).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.cases.xml_model.document import Element, Tables, Units, parse, tabulate
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.joints import (
    Clamp,
    Cylindrical,
    JointFriction,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from fem_mbd.joints.friction.joint_friction import Load
from fem_mbd.runs.results.result import Result

YES_NO = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, eq=False)
class Marker:
    """A frame fixed to a body: body's id, position (3,) in m and axes (3, 3, columns), both global, at the start."""

    body: str
    position: Array
    axes: Array


def read_markers(tables: Tables, units: Units) -> dict[str, Marker]:
    """All markers by id; positions and axes are given in the reference frame (lprf) of the body, itself global."""
    bodies = tables.by_id("Body_Rigid")
    local: dict[str, Marker] = {}
    for element in tables.all("Reference_Marker"):
        tables.referred(element, "body_id", "Body_Rigid")
        position = np.array([element.number(f"pos_{c}", 0.0) for c in "xyz"]) * units.length
        local[element.text("id").strip()] = Marker(element.text("body_id").strip(), position, _axes(element))
    frames = {key: _frame(tables, body, local) for key, body in bodies.items()}
    lprf = {body.attributes.get("lprf_id", "").strip() for body in bodies.values()}
    placed = {}
    for key, marker in local.items():
        base = frames[marker.body]
        moved = Marker(marker.body, base.position + base.axes @ marker.position, base.axes @ marker.axes)
        placed[key] = marker if key in lprf else moved
    return placed


def _axes(element: Element) -> Array:
    """Columns x, y, z from the components of x (a00, a10, a20) and z (a02, a12, a22)."""
    x = np.array([element.number(f"a{row}0", float(row == 0)) for row in range(3)])
    z = np.array([element.number(f"a{row}2", float(row == 2)) for row in range(3)])
    sizes = np.linalg.norm(x), np.linalg.norm(z)
    if min(sizes) < 1e-9 or abs(x @ z) > 1e-6 * sizes[0] * sizes[1]:
        raise InputError(
            f"{element.where}: its x axis {x.tolist()} and z axis {z.tolist()} must be orthogonal"
        )
    z = z / sizes[1]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _frame(tables: Tables, body: Element, markers: dict[str, Marker]) -> Marker:
    """The reference frame of a body."""
    if "lprf_id" not in body.attributes:
        return Marker(body.text("id").strip(), np.zeros(3), np.eye(3))
    tables.referred(body, "lprf_id", "Reference_Marker")
    return markers[body.text("lprf_id").strip()]


def read_gravity(tables: Tables, units: Units) -> Array:
    """(3,) m/s^2, zero for a file without gravity."""
    elements = tables.all("Force_Gravity")
    if not elements:
        return np.zeros(3)
    return np.array([elements[0].number(f"grav_{c}", 0.0) for c in "xyz"]) * units.acceleration


def add_bodies(tables: Tables, units: Units, markers: dict[str, Marker], model: Model) -> dict[str, Node]:
    """Add bodies as nodes at their mass centres, with the axes of their inertia; the ground is the model's."""
    nodes: dict[str, Node] = {}
    for key, body in tables.by_id("Body_Rigid").items():
        if body.choice("IsGround", YES_NO, "FALSE"):
            nodes[key] = model.ground
            continue
        tables.referred(body, "cg_id", "Reference_Marker")
        centre = markers[body.text("cg_id").strip()]
        axes = centre.axes
        if "im_id" in body.attributes:
            tables.referred(body, "im_id", "Reference_Marker")
            axes = markers[body.text("im_id").strip()].axes
        moments = [
            [body.number(f"inertia_{'xyz'[min(i, j)]}{'xyz'[max(i, j)]}", _default(i, j)) for j in range(3)]
            for i in range(3)
        ]
        name = body.attributes.get("label") or f"body {key}"
        try:
            nodes[key] = model.add(
                RigidBody(
                    body.number("mass") * units.mass,
                    np.array(moments) * units.inertia,
                    centre.position,
                    rotation=axes,
                    name=name,
                )
            ).node
        except InputError as error:
            raise InputError(f"{body.where}: {error}") from error
    if not any(node is model.ground for node in nodes.values()):
        raise InputError('the file has no ground: give a Body_Rigid with IsGround="TRUE"')
    return nodes


def _default(i: int, j: int) -> float | None:
    """Products of inertia are optional, moments are not."""
    return None if i == j else 0.0


BITS: tuple[Load, ...] = ("preload", "reaction_force", "bending_moment", "torsional_moment")
EFFECTS = {"ALL": "all", "STICTION": "stiction", "SLIDING": "sliding"}
OVERLAPS = {"CONSTANT": "constant", "INCREASE": "increase", "DECREASE": "decrease"}
YOKES = {"I_YOKE": "l", "J_YOKE": "k"}
ACTIVE_IN_STATICS = {"NONE": True, "STATIC": False}
WITH_FRICTION = ("REVOLUTE", "SPHERICAL", "TRANSLATIONAL", "CYLINDRICAL", "UNIVERSAL", "HOOKE")


@dataclass(frozen=True, eq=False)
class ReadJoint:
    """A joint of the file: its handle and its markers.

    yokes : axes (3,) of a universal joint fixed to K and to L, global axes of the reference configuration
    """

    handle: Any
    i: Marker
    j: Marker
    yokes: tuple[Array, Array] | None = None


def _axis(name: str) -> Callable[[Marker, Marker], dict[str, Any]]:
    return lambda i, j: {name: j.axes[:, 2]}


TYPES: dict[str, tuple[Any, Callable[[Marker, Marker], dict[str, Any]]]] = {
    "REVOLUTE": (Revolute, _axis("axis")),
    "SPHERICAL": (Spherical, lambda i, j: {}),
    "TRANSLATIONAL": (Prismatic, _axis("axis")),
    "CYLINDRICAL": (Cylindrical, _axis("axis")),
    "PLANAR": (Planar, _axis("normal")),
    "UNIVERSAL": (Universal, lambda i, j: {"axis_k": j.axes[:, 2], "axis_l": i.axes[:, 2]}),
    "HOOKE": (Universal, lambda i, j: {"axis_k": j.axes[:, 1], "axis_l": i.axes[:, 0]}),
    "FIXED": (Clamp, lambda i, j: {}),
}


def add_joints(
    tables: Tables, units: Units, markers: dict[str, Marker], nodes: dict[str, Node], model: Model
) -> dict[str, ReadJoint]:
    """Add all joints with their friction; joints by id."""
    frictions = _frictions(tables)
    joints: dict[str, ReadJoint] = {}
    for key, element in tables.by_id("Constraint_Joint").items():
        joint, axes = element.choice("type", TYPES)
        for end in ("i_marker_id", "j_marker_id"):
            tables.referred(element, end, "Reference_Marker")
        i, j = (markers[element.text(end).strip()] for end in ("i_marker_id", "j_marker_id"))
        directions = axes(i, j)
        friction = frictions.get(key)
        options = {} if friction is None else {"friction": read_friction(friction, element, units)}
        label = element.attributes.get("label") or f"joint {key}"
        try:
            k, l = nodes[j.body].at_global(j.position), nodes[i.body].at_global(i.position)
            handle = model.add(joint(k, l, name=label, **directions, **options))
        except InputError as error:
            raise InputError(f"{element.where}: {error}") from error
        yokes = (directions["axis_k"], directions["axis_l"]) if joint is Universal else None
        joints[key] = ReadJoint(handle, i, j, yokes)
    return joints


def _frictions(tables: Tables) -> dict[str, Element]:
    """Friction elements by the id of their joint, at most one for each."""
    frictions: dict[str, Element] = {}
    for element in tables.all("Force_JointFriction"):
        tables.referred(element, "joint_id", "Constraint_Joint")
        joint = element.text("joint_id").strip()
        if joint in frictions:
            raise InputError(
                f"{element.where}: joint {joint} has friction already, from line {frictions[joint].line}: the "
                "same reactions would cause friction twice"
            )
        frictions[joint] = element
    return frictions


def read_friction(element: Element, joint: Element, units: Units) -> JointFriction:
    """Friction of a joint, with the source's defaults, which are in the file's units.

    ``max_stiction_deform`` limits the deflection of bristles before they slide, mu_s/bristle_stiffness: where it is
    given and smaller, they are stiffer accordingly.
    """
    kind = joint.text("type").strip().upper()
    if kind not in WITH_FRICTION:
        raise InputError(
            f"{element.where}: joint {joint.text('id')} is {kind}: friction is for {', '.join(WITH_FRICTION)}"
        )
    bits = element.text("inputs", "1111").strip()
    if len(bits) != len(BITS) or set(bits) - {"0", "1"}:
        raise InputError(f"{element.where}: inputs is {bits!r}: give four digits of 0 and 1")
    length, time = units.length, units.time
    try:
        law = LuGre(
            sigma_0=_bristle_stiffness(element) / length,
            sigma_1=element.number("damping_effects", 0.316) * time / length,
            mu_s=element.number("mu_static"),
            mu_k=element.number("mu_dynamic"),
            v_s=element.number("stiction_trans_vel", 0.1) * units.velocity,
        )
        return JointFriction(
            law=law,
            viscous=element.number("viscous_effects", 0.0004) * units.force * time / length,
            effect=element.choice("effect", EFFECTS, "ALL"),
            loads=tuple(load for load, bit in zip(BITS, bits, strict=True) if bit == "1"),
            torque_preload=element.number("torque_preload", 0.0) * units.torque,
            force_preload=element.number("force_preload", 0.0) * units.force,
            pin_radius=element.number("pin_radius", 1.0) * length,
            ball_radius=element.number("ball_radius", 1.0) * length,
            friction_arm=element.number("friction_arm", 1.0) * length,
            reaction_arm=element.number("reaction_arm", 1.0) * length,
            bending_reaction_arm=element.number("bending_reaction_arm", 1.0) * length,
            initial_overlap=element.number("initial_overlap", 1000.0) * length,
            overlap_delta=element.choice("overlap_delta", OVERLAPS, "CONSTANT"),
            in_statics=element.choice("inactive", ACTIVE_IN_STATICS, "NONE"),
            yoke=element.choice("yoke_choice", YOKES) if "yoke_choice" in element.attributes else "both",
        )
    except InputError as error:
        if str(error).startswith(element.file):
            raise
        raise InputError(f"{element.where}: {error}") from error


def _bristle_stiffness(element: Element) -> float:
    """1 over the file's unit of length."""
    stiffness = element.number("bristle_stiffness", 100.0)
    if "max_stiction_deform" not in element.attributes:
        return stiffness
    deform = positive(element.number("max_stiction_deform"), "max_stiction_deform")
    return max(stiffness, element.number("mu_static") / deform)


PATTERN = re.compile(r"\s*([A-Za-z]+)\s*\(([^()]*)\)\s*")
ARGUMENTS = {"WZ": 3, "FRICTION": 2}


@dataclass(frozen=True, eq=False)
class Request:
    """One expression of a request: its comment, text and unit, and its history in the file's units."""

    comment: str
    text: str
    unit: str
    history: Callable[[Result], Array]


@dataclass(frozen=True, eq=False)
class ModelParts:
    """Objects to which expressions refer."""

    tables: Tables
    units: Units
    markers: dict[str, Marker]
    nodes: dict[str, Node]
    joints: dict[str, ReadJoint]


def read_requests(parts: ModelParts) -> list[Request]:
    """All expressions that are not NULL."""
    requests = []
    for element in parts.tables.all("Post_Request"):
        element.choice("type", {"EXPRESSION": True})
        for n in range(1, 9):
            text = element.text(f"expr{n}", "NULL").strip()
            if text.upper() != "NULL":
                requests.append(_request(parts, element, text))
    return requests


def _request(parts: ModelParts, element: Element, text: str) -> Request:
    match = PATTERN.fullmatch(text)
    name = match.group(1).upper() if match else ""
    if match is None or name not in ARGUMENTS:
        raise InputError(
            f"{element.where}: expression {text!r} is unknown: known are WZ(I,J,K), FRICTION(id,n)"
        )
    arguments = [part.strip() for part in match.group(2).split(",")]
    if len(arguments) != ARGUMENTS[name]:
        raise InputError(f"{element.where}: {text!r}: {name} takes {ARGUMENTS[name]} arguments")
    comment = element.attributes.get("comment", "")
    if name == "WZ":
        return Request(comment, text, "rad/unit of time", _angular_velocity(parts, element, arguments))
    unit = "unit of force" if arguments[1] in ("1", "2", "3") else "unit of force times length"
    return Request(comment, text, unit, _friction(parts, element, arguments))


def _angular_velocity(parts: ModelParts, element: Element, arguments: list[str]) -> Callable[[Result], Array]:
    for key in arguments:
        if key not in parts.markers:
            raise InputError(f"{element.where}: there is no Reference_Marker {key}")
    i, j, along = (parts.markers[key] for key in arguments)
    node = parts.nodes[along.body]
    axis = node.rotation.T @ along.axes[:, 2]

    def history(result: Result) -> Array:
        spin = (
            result.of(parts.nodes[i.body]).angular_velocity - result.of(parts.nodes[j.body]).angular_velocity
        )
        z = result.of(node).rotation_matrix @ axis
        return np.asarray(np.einsum("ki,ki->k", spin, z) * parts.units.time)

    return history


def _friction(parts: ModelParts, element: Element, arguments: list[str]) -> Callable[[Result], Array]:
    frictions = parts.tables.by_id("Force_JointFriction")
    if arguments[0] not in frictions or arguments[1] not in [str(n) for n in range(1, 7)]:
        raise InputError(
            f"{element.where}: FRICTION({','.join(arguments)}): give the id of a Force_JointFriction and 1 to 6"
        )
    joint, number = parts.joints[frictions[arguments[0]].text("joint_id").strip()], int(arguments[1]) - 1
    part, unit = ("force", parts.units.force) if number < 3 else ("torque", parts.units.torque)

    def history(result: Result) -> Array:
        along = np.swapaxes(_axes_of_j(parts, joint, result), 1, 2) @ _joint_axes(parts, joint, result)
        values = getattr(result.of(joint.handle).friction, part)
        return np.asarray(np.einsum("kj,kj->k", along[:, number % 3], values) / unit)

    return history


def _axes_of_j(parts: ModelParts, joint: ReadJoint, result: Result) -> Array:
    """Marker J's axes (records, 3, 3), columns in global axes."""
    node = parts.nodes[joint.j.body]
    return np.asarray(result.of(node).rotation_matrix @ node.rotation.T @ joint.j.axes)


def _joint_axes(parts: ModelParts, joint: ReadJoint, result: Result) -> Array:
    """Axes of the joint's friction (records, 3, 3): K's, but axis 1 of a universal joint is L's yoke, axis 3 K's."""
    k, l = parts.nodes[joint.j.body], parts.nodes[joint.i.body]
    if joint.yokes is None:
        return np.asarray(result.of(k).rotation_matrix @ joint.handle.spec.axes_k)
    third = result.of(k).rotation_matrix @ k.rotation.T @ joint.yokes[0]
    first = result.of(l).rotation_matrix @ l.rotation.T @ joint.yokes[1]
    return np.stack([first, np.cross(third, first), third], axis=-1)


@dataclass(frozen=True, eq=False)
class ModelFile:
    """Contents of a file.

    Attributes
    ----------
    model : ready to be run; joints : by the file's ids
    end_time : s; dt : s, the largest step permitted by the file: h_max, and its output interval
    requests : requested histories
    without_effect : elements, with their lines, without effect on the motion (pictures, output files)
    """

    model: Model
    joints: dict[str, ReadJoint]
    end_time: float
    dt: float
    requests: list[Request]
    without_effect: list[str]


def read_model(path: Path | str) -> ModelFile:
    """Read a model file.

    Raises
    ------
    InputError
        For missing, unknown, repeated and out-of-range data; the message names file, line, element and id.
    """
    root = parse(Path(path))
    tables = tabulate(root)
    units = Units.of(tables.only("Param_Unit", "the units of everything else"))
    markers = read_markers(tables, units)
    model = Model(gravity=read_gravity(tables, units), name=Path(path).stem)
    nodes = add_bodies(tables, units, markers, model)
    joints = add_joints(tables, units, markers, nodes, model)
    end_time, dt = _run(tables, units)
    requests = read_requests(ModelParts(tables, units, markers, nodes, joints))
    return ModelFile(model, joints, end_time, dt, requests, tables.without_effect)


def _run(tables: Tables, units: Units) -> tuple[float, float]:
    """End time and step in s; of the other program's integrator settings only h_max is used."""
    simulate = tables.only("Simulate", "the end of the run")
    simulate.choice("analysis_type", {"TRANSIENT": True})
    end_time = simulate.number("end_time")
    steps = simulate.number("num_step", 0.0)
    dt = end_time / steps if steps >= 1 else end_time / 100
    for element in tables.all("Param_Transient"):
        dt = min(dt, element.number("h_max", dt))
    return end_time * units.time, dt * units.time
