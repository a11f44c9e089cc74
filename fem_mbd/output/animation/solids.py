"""Shapes of parts: simple solids for bodies, joints and joints with clearance, each fixed to a node; tubes of beams.

A body without a shape of its own (`fem_mbd.elements.rigid_body`) is shown as the uniform box with its mass and inertia
tensor: with the moments m (b^2 + c^2) / 12 and so on, the squared sides are 6 (I_b + I_c - I_a) / m. Where joints are
attached to it, rods reach from its mass centre to them, and the box is made smaller than these. The page draws beams as
tubes: the outline of the section along the polynomial through the element's nodes. Arrays are encoded as little-endian
32-bit floats in base64, about seven digits.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.output.export.lines import joint_points
from fem_mbd.runs.results.views.beam import lagrange_matrix

SYMBOL_SIZE = 0.012  # fraction of the model's size: a joint symbol, half the side of a point mass
ROD_RADIUS = 0.008  # fraction of the model's size: rods from a body to its joints
LARGEST_BOX = 0.5  # fraction of the longest rod: longest side of a body's box
LEAST_SIDE = 0.15  # fraction of the longest side: thinner boxes are hard to see
RINGS = 9  # per element
SMOOTH_COSINE = np.cos(np.radians(35.0))  # surfaces at a smaller angle to each other are shaded as one
# fraction of the model's size: radius of a beam whose outline is not in the result file
DEFAULT_RADIUS = 0.008
_CIRCLE = np.column_stack([f(np.linspace(0, 2 * np.pi, 16, endpoint=False)) for f in (np.cos, np.sin)])


def bodies(model: Mapping[str, Any], size: float) -> list[dict[str, Any]]:
    """Solids of all bodies: node, position of the centre and axes in the node's axes, and lengths."""
    shapes = model.get("shapes", {})
    in_beams = {
        n for parts in model["parts"].values() for p in parts if p["drawn"] == "line" for n in p["nodes"]
    }
    joined = joint_points(model)
    solids = []
    for name, node in model.get("bodies", {}).items():
        if name in shapes:
            solids.append({"name": name, "node": node} | shapes[name])
        elif node not in in_beams or model["nodes"][node].get("mass", 0.0) > 0.0:
            rods = _rods(model["nodes"][node], joined.get(node, np.zeros((0, 3))), size)
            longest = LARGEST_BOX * max((rod["length"] for rod in rods), default=np.inf)
            box = _box_of_inertia(model["nodes"][node], size, node in in_beams, longest)
            solids += [{"name": name, "node": node} | solid for solid in (box, *rods)]
    return solids


def _rods(node: Mapping[str, Any], points: Array, size: float) -> list[dict[str, Any]]:
    """Cylinders from the mass centre of a body to points (k, 3) in the axes of its node."""
    centre = np.array(node.get("centre", (0.0, 0.0, 0.0)), dtype=float)
    rods = []
    for point in points:
        length = float(np.linalg.norm(point - centre))
        if length > SYMBOL_SIZE * size:
            rods.append({
                "shape": "cylinder", "radius": ROD_RADIUS * size, "length": length,
                "centre": (0.5 * (point + centre)).tolist(),
                "axes": triad_with_third(point - centre).T.ravel().tolist(),
            })  # fmt: skip
    return rods


def _box_of_inertia(node: Mapping[str, Any], size: float, on_beam: bool, longest: float) -> dict[str, Any]:
    moments, axes = np.linalg.eigh(np.array(node["inertia"]))
    squares = 6.0 * (moments.sum() - 2.0 * moments) / node["mass"]
    sides = np.sqrt(np.maximum(squares, 0.0))
    centre = {"centre": node["centre"]}
    if on_beam or sides.max() < SYMBOL_SIZE * size:
        return centre | {"shape": "sphere", "radius": SYMBOL_SIZE * size}
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    sides = np.maximum(sides, LEAST_SIDE * sides.max()) * min(1.0, longest / sides.max())
    return centre | {"shape": "box", "sides": sides.tolist(), "axes": axes.T.ravel().tolist()}


def joints(model: Mapping[str, Any], tubes: list[dict[str, Any]], size: float) -> list[dict[str, Any]]:
    """Symbols of the ideal joints at L's point: type, node, position and axes (columns) in the node's axes, and a
    size.
    """
    symbols = []
    for part in model["parts"].get("joint", []):
        k, l = part["nodes"]
        symbols.append({
            "name": part["name"], "type": part["type"], "node": l, "k": k,
            "at": part["point_l"], "axes": np.array(part["axes_l"]).T.ravel().tolist(),
            "size": max(SYMBOL_SIZE * size, 1.25 * _radius_at((k, l), tubes)),
        })  # fmt: skip
    return symbols


def sockets(model: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Balls in sockets, each pair a solid ball fixed to L and a transparent shell fixed to K."""
    return [
        {
            "name": part["name"], "k": part["nodes"][0], "l": part["nodes"][1], "at_k": part["point_k"],
            "at_l": part["point_l"], "radius_k": part["radius_k"], "radius_l": part["radius_l"],
        }
        for part in model["parts"].get("contact", [])
        if part.get("geometry") == "BallInSocket"
    ]  # fmt: skip


def _radius_at(nodes: tuple[int, int], tubes: list[dict[str, Any]]) -> float:
    """Largest radius of the beams connected to the nodes, 0 where there is none."""
    outlines = [t["outline"] for t in tubes if set(nodes) & {t["nodes"][0], t["nodes"][-1]}]
    return max((float(np.abs(np.array(outline)).max()) for outline in outlines), default=0.0)


def extent(positions: Array, model: Mapping[str, Any]) -> tuple[Array, float]:
    """Centre (3,) and size (m) of all positions (..., 3) and of the bodies' shapes around them."""
    points = positions.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    reach = max((_reach(shape) for shape in model.get("shapes", {}).values()), default=0.0)
    size = float(np.linalg.norm(high - low)) + 2.0 * reach
    return 0.5 * (low + high), size or 1.0


def _reach(shape: Mapping[str, Any]) -> float:
    """Distance of the farthest point of a shape from its centre, m."""
    if "points" in shape:
        return float(np.linalg.norm(np.reshape(shape["points"], (-1, 3)), axis=1).max())
    if "sides" in shape:
        return 0.5 * float(np.linalg.norm(shape["sides"]))
    return float(np.hypot(shape["radius"], 0.5 * shape.get("length", 0.0)))


def tubes(model: Mapping[str, Any], size: float) -> list[dict[str, Any]]:
    """Data of every element drawn as a line, for the page; ``size`` m, of the model."""
    parts = [part for parts in model["parts"].values() for part in parts if part["drawn"] == "line"]
    return [_tube(part, size) for part in parts]


def _tube(part: Mapping[str, Any], size: float) -> dict[str, Any]:
    count = len(part["nodes"])
    at = np.array(part.get("nodes_at", np.linspace(-1, 1, count)))
    gauss = np.array(part.get("gauss_at", [0.0]))
    positions = np.linspace(-1, 1, RINGS if count > 2 else 3)
    ends = np.array(part.get("outlines") or [DEFAULT_RADIUS * size * _CIRCLE])
    rows = {name: first for name, (first, number) in part["rows"].items() if number == len(gauss)}
    begin, end = part.get("span", (0.0, 1.0))
    return {
        "name": part["name"],
        "nodes": part["nodes"],
        "turn": np.array(part.get("turn", np.eye(3))).ravel().round(9).tolist(),
        "weights": lagrange_matrix(at, positions).round(9).tolist(),
        "section": lagrange_matrix(gauss, positions).round(9).tolist(),
        "rows": rows,
        "caps": [begin == 0.0, end == 1.0],
        "outline": ends[0].tolist(),
        "rings": [ring(outline).round(7).tolist() for outline in ends],
    }


def ring(outline: Array) -> Array:
    """(2 k, 4) two points for each side of a polygon: y2, y3, and the normal there, common to both sides of a smooth
    corner.
    """
    side = np.roll(outline, -1, axis=0) - outline
    x, y = outline[:, 0], outline[:, 1]
    turning = np.sign(x @ np.roll(y, -1) - y @ np.roll(x, -1)) or 1.0
    normal = turning * np.column_stack([side[:, 1], -side[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    before, after = np.roll(normal, 1, axis=0), np.roll(normal, -1, axis=0)
    points = np.stack([outline, np.roll(outline, -1, axis=0)], axis=1)
    normals = np.stack([_blended(normal, before), _blended(normal, after)], axis=1)
    return np.concatenate([points, normals], axis=2).reshape(-1, 4)


def _blended(normal: Array, neighbour: Array) -> Array:
    mean = normal + neighbour
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    smooth = np.einsum("ij,ij->i", normal, neighbour) > SMOOTH_COSINE
    return np.where(smooth[:, None], mean, normal)


def packed(values: Array) -> str:
    """Numbers as text; values that are not finite become zero."""
    finite = np.nan_to_num(np.asarray(values, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
    return base64.b64encode(finite.astype("<f4").tobytes()).decode("ascii")


def as_script(data: Any) -> str:
    """JSON that is safe inside a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
