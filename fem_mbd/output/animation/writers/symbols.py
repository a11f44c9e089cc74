"""Symbols of joints, sockets and supports as solids, in node axes (as in solids.js)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.output.animation.writers.surfaces import of_body

JOINT, SHELL, SUPPORT = "#e0a32e", "#7fb2d9", "#475569"
SEE_THROUGH = 0.28
UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ALONG_SECOND = (
    1.0,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.0,
    0.0,
    1.0,
    0.0,
)  # columns: the third axis is the second one of the joint
SIDE = 0.05  # fraction of the model's size: a support


class Symbol(NamedTuple):
    """A solid: its name, the node to which it is fixed, points (n, 3) m in that node's axes, triangles, appearance."""

    name: str
    node: int
    points: Array
    faces: Indices
    colour: str
    opacity: float = 1.0


def symbols(scene: Mapping[str, Any]) -> Iterator[Symbol]:
    """Symbols of a scene."""
    for joint in scene["joints"]:
        turn, at = np.reshape(joint["axes"], (3, 3)).T, np.array(joint["at"])
        for solid in _of_joint(joint["type"], joint["size"]):
            points, faces = of_body(solid)
            yield Symbol(joint["name"], joint["node"], points @ turn.T + at, faces, JOINT)
    for socket in scene["sockets"]:
        for side, colour, opacity in (("l", JOINT, 1.0), ("k", SHELL, SEE_THROUGH)):
            ball = {"shape": "sphere", "radius": socket[f"radius_{side}"], "centre": socket[f"at_{side}"]}
            yield Symbol(socket["name"], socket[side], *of_body(ball), colour, opacity)
    for node in scene["supports"]:
        yield Symbol("support", node, *of_body(_box(*[SIDE * scene["size"]] * 3)), SUPPORT)


def _of_joint(kind: str, s: float) -> list[dict[str, Any]]:
    """Solids of a joint type, in the joint's axes."""
    if "revolute" in kind:
        return [_rod(0.6 * s, 2.8 * s)]
    if "prismatic" in kind or "cylindrical" in kind:
        return [_rod(0.45 * s, 5.0 * s)]
    if kind == "universal":
        return [_rod(0.4 * s, 2.8 * s), _rod(0.4 * s, 2.8 * s) | {"axes": ALONG_SECOND}]
    if kind == "planar":
        return [_box(4.0 * s, 4.0 * s, 0.4 * s)]
    if kind in ("clamp", "rigid offset"):
        return [_box(1.5 * s, 1.5 * s, 1.5 * s)]
    return [{"shape": "sphere", "radius": 1.15 * s, "centre": (0.0, 0.0, 0.0)}]


def _rod(radius: float, length: float) -> dict[str, Any]:
    """Along the third axis."""
    return {"shape": "cylinder", "radius": radius, "length": length, "centre": (0.0, 0.0, 0.0), "axes": UNIT}


def _box(*sides: float) -> dict[str, Any]:
    return {"shape": "box", "sides": sides, "centre": (0.0, 0.0, 0.0)}
