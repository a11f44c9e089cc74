"""Force arrows of an animation: contact forces and joint reactions, both on body L."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.output.animation.scene.packing import packed
from fem_mbd.output.animation.scene.selected_states import SelectedStates
from fem_mbd.runs.results.views.node import rotation_matrices

# kinds in which L lies inside K and is pushed against the normal, which points from K's centre to the contact point
INSIDE = ("BallInSocket", "DiskInCylinder")


def arrows(model: Mapping[str, Any], states: SelectedStates) -> list[dict[str, Any]]:
    """For each arrow its name, kind, largest force (N), and packed (k, 6) values: position (m) and force (N), global
    axes.
    """
    found = [("contact", *a) for a in _of_contacts(model, states)]
    found += [("reaction", *a) for a in _of_joints(model, states)]
    return [
        {
            "kind": kind,
            "name": name,
            "largest": float(np.linalg.norm(force, axis=1).max()),
            "data": packed(np.concatenate([place, force], axis=1)),
        }
        for kind, name, place, force in found
    ]


def _of_contacts(model: Mapping[str, Any], states: SelectedStates) -> Iterator[tuple[str, Array, Array]]:
    if "contact" not in states.values:
        return
    for part in model["parts"].get("contact", []):
        if "geometry" not in part:  # a result file of an earlier version
            continue
        record: Any = states.values["contact"][:, part["rows"]["contact"][0]]
        side = -1.0 if part["geometry"] in INSIDE else 1.0
        normal = record["normal"]
        place = point_of(states, part["nodes"][1], part["point_l"]) - side * part["radius_l"] * normal
        yield part["name"], place, side * record["normal_force"][:, None] * normal + record["friction_force"]


def _of_joints(model: Mapping[str, Any], states: SelectedStates) -> Iterator[tuple[str, Array, Array]]:
    if "reaction" not in states.values:
        return
    for part in model["parts"].get("joint", []):
        force = states.values["reaction"][:, part["rows"]["reaction"][0], :3]
        yield part["name"], point_of(states, part["nodes"][1], part["point_l"]), force


def point_of(states: SelectedStates, node: int, offset: Any) -> Array:
    """(k, 3) m, global axes: position of a point with a given offset in a node's axes."""
    turned = rotation_matrices(states.values["quaternion"][:, node]) @ np.asarray(offset, dtype=float)
    return np.asarray(states.values["position"][:, node] + turned)
