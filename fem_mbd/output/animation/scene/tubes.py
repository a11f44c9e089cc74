"""Tubes by which the page draws beams: the outline of the section along the polynomial through the element's nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.runs.results.views.beam import lagrange_matrix

RINGS = 9  # per element
SMOOTH_COSINE = np.cos(np.radians(35.0))  # surfaces at a smaller angle to each other are shaded as one
DEFAULT_RADIUS = (
    0.008  # fraction of the model's size: radius of a beam whose outline is not in the result file
)


def tubes(model: Mapping[str, Any], size: float) -> list[dict[str, Any]]:
    """Data of every element drawn as a line, for the page; ``size`` m, of the model."""
    parts = [part for parts in model["parts"].values() for part in parts if part["drawn"] == "line"]
    return [_tube(part, size) for part in parts]


def _tube(part: Mapping[str, Any], size: float) -> dict[str, Any]:
    count = len(part["nodes"])
    at = np.array(part.get("nodes_at", np.linspace(-1, 1, count)))
    gauss = np.array(part.get("gauss_at", [0.0]))
    places = np.linspace(-1, 1, RINGS if count > 2 else 3)
    ends = np.array(part.get("outlines") or [DEFAULT_RADIUS * size * _CIRCLE])
    rows = {name: first for name, (first, number) in part["rows"].items() if number == len(gauss)}
    begin, end = part.get("span", (0.0, 1.0))
    return {
        "name": part["name"],
        "nodes": part["nodes"],
        "turn": np.array(part.get("turn", np.eye(3))).ravel().round(9).tolist(),
        "weights": lagrange_matrix(at, places).round(9).tolist(),
        "section": lagrange_matrix(gauss, places).round(9).tolist(),
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


def _blended(normal: Array, other: Array) -> Array:
    mean = normal + other
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    smooth = np.einsum("ij,ij->i", normal, other) > SMOOTH_COSINE
    return np.where(smooth[:, None], mean, normal)


_CIRCLE = np.column_stack([f(np.linspace(0, 2 * np.pi, 16, endpoint=False)) for f in (np.cos, np.sin)])
