"""Inputs of a co-simulation at parts of a model that has no such input of its own, named like quantities.

    hinge.torque        N m about the axis of a revolute or cylindrical joint, positive on L and negative on K
    bob.force[2]        N on a body or node, along a global axis (0, 1, 2 for x, y, z), at the node's position
    bob.moment[0]       N m on a body or node, about a global axis

Each is constant from the start of an interval (`fem_mbd.Input`).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.constraints.constraint_kind import Constraints
from fem_mbd.core.scheme.system import System
from fem_mbd.elements.loads.loads import Force, JointTorque, Moment
from fem_mbd.errors import InputError

FORM = re.compile(r"(?P<part>.+)\.(?P<what>torque|force|moment)(?:\[(?P<k>[012])\])?")
UNITS = {"torque": "N m", "force": "N", "moment": "N m"}


def add_part_input(system: System, name: str, existing: list[str]) -> None:
    """Add the load of an input at a part to the system's model.

    Parameters
    ----------
    system : whose parts are loaded; it does not contain the load: create a new one of its model
    name : as above
    existing : existing inputs of the model, for the message

    Raises
    ------
    InputError
        For a name of another form, an unknown part, a joint without an axis.
    """
    found = FORM.fullmatch(name)
    if found is None or (found["what"] == "torque") != (found["k"] is None):
        known = f"; {nearest(name, existing)}" if existing else ""
        raise InputError(
            f"input {name!r}: the model has no input of that name{known}. Inputs at parts are JOINT.torque, "
            "BODY.force[0], BODY.moment[0] (also 1 and 2)"
        )
    given = Input(name, UNITS[found["what"]])
    system.model.add(_load(system, found["part"], found["what"], found["k"], given))


def _load(system: System, part: str, what: str, k: str | None, given: Input) -> Any:
    if k is None:
        joint = _joint(system, part)
        axis = joint.k.node.rotation @ joint.axes_k[:, 2]
        return JointTorque(joint.k, joint.l, axis, given, name=given.name)
    along = np.eye(3)[int(k)] * given
    node = _node(system.model, part)
    return Force(node, along, name=given.name) if what == "force" else Moment(node, along, name=given.name)


def _joint(system: System, name: str) -> Constraints:
    joints = {spec.name: spec for spec in system.joints.specs} if system.joints is not None else {}
    if name not in joints:
        raise InputError(f"input '{name}.torque': the model has no joint '{name}'; {nearest(name, joints)}")
    return joints[name]


def _node(model: Model, name: str) -> Node:
    nodes = {node.name: node for node in model.nodes[1:]} | model.bodies
    if name not in nodes:
        raise InputError(
            f"input at '{name}': the model has no body or node of that name; {nearest(name, nodes)}"
        )
    return nodes[name]
