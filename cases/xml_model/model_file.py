"""Reader of a model file: bodies, joints with friction, gravity, the transient run and its requests.

Requests are histories of WZ and FRICTION, from a run. The source does not define them. Here WZ(I, J, K) is the
component along z of marker K of I's angular velocity relative to J, in rad per unit of time, and FRICTION(id, n) the
friction of element id on the body of marker I: n = 1, 2, 3 the force and n = 4, 5, 6 the torque along x, y, z of marker
J. Friction of a universal joint acts about its two yokes, of which I's rotates relative to J: its torque is resolved
along J's axes at the end of each step.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.xml_model.document import Element, Units, parse
from fem_mbd.cases.xml_model.joints import ReadJoint, add_joints
from fem_mbd.cases.xml_model.markers import Marker, add_bodies, read_gravity, read_markers
from fem_mbd.cases.xml_model.tables import Tables, tabulate
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result

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
