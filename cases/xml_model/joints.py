"""Joints of a model file and the friction inside them.

K is the body of marker J and L that of marker I, so that reactions and friction "on L" are those on I, and the slide is
measured along J's z axis. Axis of a revolute, translational or cylindrical joint and normal of a planar one: z of J.
The yokes of a universal joint are the z axes of I and J, those of a Hooke joint x of I and y of J (not stated in the
source).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.cases.xml_model.document import Element, Units
from fem_mbd.cases.xml_model.markers import Marker
from fem_mbd.cases.xml_model.tables import Tables
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
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
