"""Scene written as binary glTF 2.0 (`.glb`): beams as skinned tubes, bodies, joint symbols, forces as arrows.

A tube has one glTF joint per ring, to which its points are fixed. glTF animations translate, rotate and scale nodes;
they cannot change colours, so that colours by a section force are those of one time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.output.animation.writers.gltf_document import GAMMA, Document
from fem_mbd.output.animation.writers.motion import SectionColours, unpacked
from fem_mbd.output.animation.writers.surfaces import BEAMS, BODY, arrow, of_body, of_tube, symbols

FORCES = {"contact": "#c8324b", "reaction": "#2f8f5b"}
ARROW = 0.25  # fraction of the model's size: length of the largest force of its kind
SMALLEST_ARROW = 1e-6  # fraction of that: an arrow without length has no axes


def write_glb(scene: Mapping[str, Any], file: Path, colours: SectionColours | None = None) -> None:
    """Write the scene.

    Parameters
    ----------
    scene : from `fem_mbd.output.animation.scene.run_scene`
    file : to be written
    colours : of the beams; by default each beam has its own colour

    Raises
    ------
    MissingDependency
        Without pygltflib.
    """
    document = Document(scene)
    names = list(dict.fromkeys(tube["name"] for tube in scene["tubes"]))
    for tube in scene["tubes"]:
        _beam(document, tube, BEAMS[names.index(tube["name"]) % len(BEAMS)], colours)
    for body in scene["bodies"]:
        _solid(document, body["name"], body["node"], *of_body(body), body.get("colour", BODY))
    for sign in symbols(scene):
        _solid(document, *sign)
    _arrows(document, scene)
    document.save(file)


def _beam(document: Document, tube: Mapping[str, Any], colour: str, colours: SectionColours | None) -> None:
    """Add an element of a beam, a mesh with one joint for each ring."""
    place, axes = document.motion.rings(tube)
    points, normals, faces = of_tube(tube)
    rings, sides = points.shape[:2]
    joints = [document.moving_node(f"{tube['name']} ring {r}", place[:, r], axes[:, r]) for r in range(rings)]
    flat = [np.pad(v, ((0, 0), (0, 0), (1, 0))).reshape(-1, 3) for v in (points, normals)]
    bound = np.zeros((rings * sides, 4))
    bound[:, 0] = np.repeat(np.arange(rings), sides)
    weights = np.zeros_like(bound)
    weights[:, 0] = 1.0
    skinned = {
        "POSITION": document.numbers(flat[0], "<f4", 3, limits=True),
        "NORMAL": document.numbers(flat[1], "<f4", 3),
        "JOINTS_0": document.numbers(bound, "<u2", 4),
        "WEIGHTS_0": document.numbers(weights, "<f4", 4),
    }
    own = None if colours is None else colours.of_rings(tube)
    if own is not None:
        skinned["COLOR_0"] = document.numbers(np.repeat(own**GAMMA, sides, axis=0), "<f4", 3)
        colour = "#ffffff"
    mesh = document.mesh(skinned, faces, colour)
    document.node(name=tube["name"], mesh=mesh, skin=document.skin(joints))


def _solid(
    document: Document, name: str, node: int, points: Array, faces: Indices, colour: str, opacity: float = 1.0
) -> None:
    """Add a mesh fixed to a node; points (n, 3) m in the node's axes."""
    mesh = _mesh(document, points, faces, colour, opacity)
    document.moving_node(name, document.motion.place[:, node], document.motion.turn[:, node], mesh=mesh)


def _mesh(document: Document, points: Array, faces: Indices, colour: str, opacity: float = 1.0) -> int:
    corners = points[faces.ravel()]  # without normals viewers shade each triangle separately
    place = {"POSITION": document.numbers(corners, "<f4", 3, limits=True)}
    return document.mesh(place, np.arange(len(corners)), colour, opacity)


def _arrows(document: Document, scene: Mapping[str, Any]) -> None:
    """Contact forces, with their tips at the points of action; reactions of ideal joints where there are none.

    An arrow of unit length is rotated to the direction of the force and scaled with it.
    """
    kinds = {found["kind"] for found in scene["arrows"]}
    kind = "contact" if "contact" in kinds else "reaction"
    chosen = [found for found in scene["arrows"] if found["kind"] == kind]
    largest = max((found["largest"] for found in chosen), default=0.0)
    for found in chosen if largest > 0.0 else []:
        values = unpacked(found["data"]).reshape(-1, 6)
        size = np.linalg.norm(values[:, 3:], axis=1)
        direction = np.where(size[:, None] > 0.0, values[:, 3:], (0.0, 0.0, 1.0))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        full = ARROW * scene["size"]
        length = full * np.maximum(size / largest, SMALLEST_ARROW)
        tail = values[:, :3] - (length[:, None] * direction if kind == "contact" else 0.0)
        thin = np.where(size > 0.0, full, SMALLEST_ARROW * full)
        document.moving_node(
            f"{kind} force of {found['name']}",
            tail,
            _axes_along(direction),
            np.column_stack([thin, thin, length]),
            _mesh(document, *arrow(), FORCES[kind]),
        )


def _axes_along(direction: Array) -> Array:
    """(k, 3, 3) rotations whose third column is the direction (k, 3)."""
    helper = np.where(np.abs(direction[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    first = np.cross(helper, direction)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([first, np.cross(direction, first), direction], axis=2)
