"""Markers, bodies and gravity of a model file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.xml_model.document import Element, Units
from fem_mbd.cases.xml_model.tables import Tables
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError

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
