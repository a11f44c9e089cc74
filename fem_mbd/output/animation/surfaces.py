"""Triangulated surfaces, motion and colours of a scene, for all writers but the page.

Surfaces are those of bodies in their node's axes (`of_body`) and of beams along their rings (`of_tube`). `symbols` of
joints, sockets and supports are solids in node axes (as in solids.js).

`Motion` has the nodes and beam rings at every time as arrays.

Beams have colours (`SectionColours`) by a section force or strain at one time, with the colour scale of the page. The
scale is that of the whole run: symmetric about zero in blue, white and red where both signs occur, viridis where only
one occurs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.dependencies import need
from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError

CIRCLE_CORNERS = 24  # corners of a circle
# as in colours.js
BEAMS = ("#5b7c99", "#b9785a", "#6a9179", "#9a7fa8", "#b09a52", "#4f8f9c", "#a8656f", "#7d8794")
BODY = "#8fa3b8"
SHELL_OPACITY = 0.28
UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
# columns: the third axis is the second one of the joint
ALONG_SECOND = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)
SUPPORT_SIZE = 0.05  # fraction of the model's size: a support
JOINT, SHELL, SUPPORT = "#e0a32e", "#7fb2d9", "#475569"


def of_body(body: Mapping[str, Any]) -> tuple[Array, Indices]:
    """Points (n, 3) m in the axes of the body's node, and triangles (m, 3)."""
    kinds = {"box": _box, "cylinder": _cylinder, "sphere": _sphere, "mesh": _mesh}
    points, faces = kinds[body["shape"]](body)
    axes = np.reshape(body.get("axes", np.eye(3)), (3, 3)).T  # stored by columns
    return points @ axes.T + np.array(body["centre"]), faces


def of_tube(tube: Mapping[str, Any]) -> tuple[Array, Array, Indices]:
    """Points and normals (r, s, 2), y2 and y3 in the axes of each of r rings, and triangles into the r s points.

    Ends are closed where the outline is convex.
    """
    first, last = np.array(tube["rings"][0]), np.array(tube["rings"][-1])
    count, sides = len(tube["weights"]), len(first)
    along = np.linspace(0.0, 1.0, count)[:, None, None]
    points = first[:, :2] + along * (last[:, :2] - first[:, :2])
    normals = np.broadcast_to(first[:, 2:], points.shape)
    near = (np.arange(count - 1)[:, None] * sides + np.arange(0, sides, 2)).ravel()
    walls = np.concatenate(
        [
            np.column_stack([near, near + 1, near + sides]),
            np.column_stack([near + 1, near + sides + 1, near + sides]),
        ]
    )
    corners = np.arange(0, sides, 2)
    fan = np.column_stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]])
    caps = [(count - 1) * sides + fan] if tube["caps"][1] else []
    caps += [fan[:, ::-1]] if tube["caps"][0] else []
    faces = np.concatenate([walls, *(caps if _convex(first[corners, :2]) else [])])
    clockwise = _area(first[corners, :2]) < 0
    return points, normals, faces[:, ::-1] if clockwise else faces


def arrow() -> tuple[Array, Indices]:
    """An arrow of unit length along the third axis, starting at zero: points (n, 3) and triangles (m, 3)."""
    shaft = _cylinder({"radius": 0.022, "length": 0.72})
    head = _cylinder({"radius": 0.062, "length": 0.28})
    head[0][CIRCLE_CORNERS:, :2] = 0.0  # a cone
    moved = shaft[0] + (0.0, 0.0, 0.36), head[0] + (0.0, 0.0, 0.86)
    return np.concatenate(moved), np.concatenate([shaft[1], len(shaft[0]) + head[1]])


def _area(outline: Array) -> float:
    x, y = outline.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _convex(outline: Array) -> bool:
    side = np.roll(outline, -1, axis=0) - outline
    bend = side[:, 0] * np.roll(side[:, 1], -1) - side[:, 1] * np.roll(side[:, 0], -1)
    return bool(np.all(bend >= -1e-12 * np.abs(bend).max()) or np.all(bend <= 1e-12 * np.abs(bend).max()))


def _box(body: Mapping[str, Any]) -> tuple[Array, Indices]:
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return 0.5 * corners * np.array(body["sides"]), _triangles(quads)


def _cylinder(body: Mapping[str, Any]) -> tuple[Array, Indices]:
    """A cylinder along the third axis."""
    angle = 2 * np.pi * np.arange(CIRCLE_CORNERS) / CIRCLE_CORNERS
    circle = body["radius"] * np.column_stack([np.cos(angle), np.sin(angle)])
    ends = [np.column_stack([circle, np.full(CIRCLE_CORNERS, z * body["length"])]) for z in (-0.5, 0.5)]
    corner, following = np.arange(CIRCLE_CORNERS), np.roll(np.arange(CIRCLE_CORNERS), -1)
    walls = _triangles(
        np.column_stack([corner, following, CIRCLE_CORNERS + following, CIRCLE_CORNERS + corner])
    )
    fan = np.column_stack([np.zeros(CIRCLE_CORNERS - 2, int), corner[1:-1], corner[2:]])
    return np.concatenate(ends), np.concatenate([walls, fan[:, ::-1], CIRCLE_CORNERS + fan])


def _sphere(body: Mapping[str, Any]) -> tuple[Array, Indices]:
    rows = CIRCLE_CORNERS // 2
    polar, angle = np.meshgrid(
        np.linspace(0, np.pi, rows + 1), 2 * np.pi * np.arange(CIRCLE_CORNERS) / CIRCLE_CORNERS, indexing="ij"
    )
    points = np.stack([np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle), np.cos(polar)], axis=-1)
    k, j = np.divmod(np.arange(rows * CIRCLE_CORNERS), CIRCLE_CORNERS)
    after = (j + 1) % CIRCLE_CORNERS
    quads = np.column_stack(
        [
            k * CIRCLE_CORNERS + j,
            (k + 1) * CIRCLE_CORNERS + j,
            (k + 1) * CIRCLE_CORNERS + after,
            k * CIRCLE_CORNERS + after,
        ]
    )
    return body["radius"] * points.reshape(-1, 3), _triangles(quads)


def _mesh(body: Mapping[str, Any]) -> tuple[Array, Indices]:
    return np.reshape(body["points"], (-1, 3)).astype(float), np.reshape(body["faces"], (-1, 3))


def _triangles(quads: Indices) -> Indices:
    return np.concatenate([quads[:, (0, 1, 2)], quads[:, (0, 2, 3)]])


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
        axes, at = np.reshape(joint["axes"], (3, 3)).T, np.array(joint["at"])
        for solid in _of_joint(joint["type"], joint["size"]):
            points, faces = of_body(solid)
            yield Symbol(joint["name"], joint["node"], points @ axes.T + at, faces, JOINT)
    for socket in scene["sockets"]:
        for side, colour, opacity in (("l", JOINT, 1.0), ("k", SHELL, SHELL_OPACITY)):
            ball = {"shape": "sphere", "radius": socket[f"radius_{side}"], "centre": socket[f"at_{side}"]}
            yield Symbol(socket["name"], socket[side], *of_body(ball), colour, opacity)
    for node in scene["supports"]:
        yield Symbol("support", node, *of_body(_cuboid(*[SUPPORT_SIZE * scene["size"]] * 3)), SUPPORT)


def _of_joint(kind: str, s: float) -> list[dict[str, Any]]:
    """Solids of a joint type, in the joint's axes."""
    if "revolute" in kind:
        return [_rod(0.6 * s, 2.8 * s)]
    if "prismatic" in kind or "cylindrical" in kind:
        return [_rod(0.45 * s, 5.0 * s)]
    if kind == "universal":
        return [_rod(0.4 * s, 2.8 * s), _rod(0.4 * s, 2.8 * s) | {"axes": ALONG_SECOND}]
    if kind == "planar":
        return [_cuboid(4.0 * s, 4.0 * s, 0.4 * s)]
    if kind in ("clamp", "rigid offset"):
        return [_cuboid(1.5 * s, 1.5 * s, 1.5 * s)]
    return [{"shape": "sphere", "radius": 1.15 * s, "centre": (0.0, 0.0, 0.0)}]


def _rod(radius: float, length: float) -> dict[str, Any]:
    """Along the third axis."""
    return {"shape": "cylinder", "radius": radius, "length": length, "centre": (0.0, 0.0, 0.0), "axes": UNIT}


def _cuboid(*sides: float) -> dict[str, Any]:
    return {"shape": "box", "sides": sides, "centre": (0.0, 0.0, 0.0)}


class Motion:
    """Positions and rotations at k times; n nodes.

    Attributes
    ----------
    times : (k,) s, or the fraction of a period
    position : (k, n, 3) m, global axes
    rotation : (k, n, 3, 3) node axes to global axes
    """

    def __init__(self, scene: Mapping[str, Any]) -> None:
        self.times: Array = np.array(scene["times"], dtype=float)
        shape = (len(self.times), scene["nodes"])
        self.position: Array = unpacked(scene["position"]).reshape(*shape, 3)
        quaternions = unpacked(scene["quaternion"]).reshape(-1, 4)
        self.rotation: Array = (
            Rotation.from_quat(quaternions[:, (1, 2, 3, 0)]).as_matrix().reshape(*shape, 3, 3)
        )

    def rings(self, tube: Mapping[str, Any]) -> tuple[Array, Array]:
        """(k, r, 3) m and (k, r, 3, 3): positions of a tube's rings, and their axes as columns, the first along the
        tube.
        """
        weights, nodes = np.array(tube["weights"]), tube["nodes"]
        position = np.einsum("rn,knj->krj", weights, self.position[:, nodes])
        mean = np.einsum("rn,knij->krij", weights, self.rotation[:, nodes]) @ np.reshape(tube["turn"], (3, 3))
        left, _, right = np.linalg.svd(mean)  # the rotation nearest to a weighted mean of rotations
        return position, left @ right

    def solid(self, body: Mapping[str, Any], points: Array) -> Array:
        """(k, p, 3) m, global axes, of points (p, 3) of a body's surface in its node's axes."""
        node = body["node"]
        return np.asarray(
            np.einsum("kij,pj->kpi", self.rotation[:, node], points) + self.position[:, None, node]
        )


def unpacked(text: str) -> Array:
    """Inverse of `fem_mbd.output.animation.solids.packed`."""
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


class SectionColours:
    """Colours of every beam's rings.

    Parameters
    ----------
    scene : with section forces or strains
    name : of the quantity, as listed in the page, e.g. "M2"
    time : s; the nearest recorded time is used

    Attributes
    ----------
    time : s, that recorded time

    Raises
    ------
    InputError
        For a quantity that the run did not record; the message suggests the nearest name.
    MissingDependency
        Without matplotlib, which provides the colours.
    """

    def __init__(self, scene: Mapping[str, Any], name: str, time: float) -> None:
        need("matplotlib")
        known = {s["title"]: s for s in scene["sections"]}
        if name not in known:
            raise InputError(f"colour {name!r}: the beams have no such quantity; {nearest(name, known)}")
        self._section = section = known[name]
        data = next(s["data"] for s in scene["sections"] if s["output"] == section["output"] and "data" in s)
        values = unpacked(data).reshape(len(scene["times"]), section["rows"], section["width"])
        instant = int(np.argmin(np.abs(np.array(scene["times"]) - time)))
        self.time = float(scene["times"][instant])
        self._values = values[instant, :, section["column"]]

    def of_rings(self, tube: Mapping[str, Any]) -> Array | None:
        """(rings, 3) red, green, blue from 0 to 1 of the display; None for a beam without the quantity."""
        first = tube["rows"].get(self._section["output"])
        if first is None:
            return None
        weights = np.array(tube["section"])
        from matplotlib import colormaps

        values = weights @ self._values[first : first + weights.shape[1]]
        low, high = self._section["low"], self._section["high"]
        if low < 0.0 < high:
            high = max(-low, high)
            low, colours = -high, colormaps["coolwarm"]
        else:
            colours = colormaps["viridis"]
        return np.asarray(colours((values - low) / ((high - low) or 1.0))[:, :3])
