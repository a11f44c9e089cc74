"""Scene written as binary glTF 2.0 (`.glb`): beams as skinned tubes, bodies, joint symbols, forces as arrows.

A tube has one glTF joint per ring, to which its points are fixed. glTF animations translate, rotate and scale nodes;
they cannot change colours, so that colours by a section force are those of one time.

The file is built by pygltflib: nodes below one root, one buffer, one animation. Lengths in m; the second axis of glTF
points up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import MissingDependency
from fem_mbd.output.animation.surfaces import (
    BEAMS,
    BODY,
    Motion,
    SectionColours,
    arrow,
    of_body,
    of_tube,
    symbols,
    unpacked,
)

MAX_TIMES = 200  # limit of a .glb: players interpolate between these times
FLOAT, USHORT, UINT = 5126, 5123, 5125  # glTF's codes of number types
KINDS = {"<f4": FLOAT, "<u2": USHORT, "<u4": UINT}
GAMMA = 2.2  # of the display
ACCESSOR_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
FORCES = {"contact": "#c8324b", "reaction": "#2f8f5b"}
ARROW = 0.25  # fraction of the model's size: length of the largest force of its kind
SMALLEST_ARROW = 1e-6  # fraction of that: an arrow without length has no axes


class Document:
    """The document of a scene, initially without objects.

    Parameters
    ----------
    scene : from `fem_mbd.output.animation.scenes`

    Attributes
    ----------
    motion : of the scene's nodes
    rows : indices of the times that are written
    """

    def __init__(self, scene: Mapping[str, Any]) -> None:
        try:
            import pygltflib
        except ImportError as error:
            raise MissingDependency(".glb files need pygltflib: pip install 'fem_mbd[film]'") from error
        self._lib, self._data = pygltflib, bytearray()
        self.motion = Motion(scene)
        k = len(self.motion.times)
        self.rows = np.unique(np.linspace(0, k - 1, min(k, MAX_TIMES)).round().astype(int))
        up = _upright(np.array(scene["up"]))
        self._gltf = pygltflib.GLTF2(
            asset=pygltflib.Asset(version="2.0", generator="fem_mbd"),
            scenes=[pygltflib.Scene(nodes=[0], name=scene["title"])],
            scene=0,
            nodes=[pygltflib.Node(name=scene["title"], rotation=up, children=[])],
            animations=[pygltflib.Animation(name="motion")],
        )
        times = self.motion.times[self.rows]
        self._times = self.numbers(times - times[0], "<f4", 1, limits=True)

    def save(self, file: Path) -> None:
        """Close the buffer and write the file."""
        self._gltf.buffers = [self._lib.Buffer(byteLength=len(self._data))]
        self._gltf.set_binary_blob(bytes(self._data))
        file.write_bytes(b"".join(self._gltf.save_to_bytes()))

    def node(self, **attributes: Any) -> int:
        """Add a node below the root; returns its index."""
        self._gltf.nodes.append(self._lib.Node(**attributes))
        self._gltf.nodes[0].children.append(len(self._gltf.nodes) - 1)
        return len(self._gltf.nodes) - 1

    def moving_node(
        self, name: str, positions: Array, axes: Array, size: Array | None = None, mesh: int | None = None
    ) -> int:
        """Add a node with its motion: positions (k, 3) m, rotations (k, 3, 3) and, if it changes, size (k, 3); returns
        its index.
        """
        quaternion = Rotation.from_matrix(axes[self.rows]).as_quat()
        sign = np.cumprod(np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0, -1.0, 1.0))
        quaternion[1:] *= sign[:, None]  # players interpolate the shorter way between two quaternions
        motions = {"translation": positions[self.rows], "rotation": quaternion}
        if size is not None:
            motions["scale"] = size[self.rows]
        node = self.node(
            name=name, mesh=mesh, **{path: values[0].tolist() for path, values in motions.items()}
        )
        animation, lib = self._gltf.animations[0], self._lib
        for path, values in motions.items():
            output = self.numbers(values, "<f4", values.shape[1])
            animation.samplers.append(lib.AnimationSampler(input=self._times, output=output))
            target = lib.AnimationChannelTarget(node=node, path=path)
            animation.channels.append(
                lib.AnimationChannel(sampler=len(animation.samplers) - 1, target=target)
            )
        return node

    def skin(self, joints: list[int]) -> int:
        """Add a skin of points given in the axes of their joint; returns its index."""
        # some readers fail where these unit matrices are left out
        bind = self.numbers(np.tile(np.eye(4), (len(joints), 1, 1)), "<f4", 16)
        self._gltf.skins.append(self._lib.Skin(joints=joints, inverseBindMatrices=bind))
        return len(self._gltf.skins) - 1

    def mesh(self, attributes: dict[str, int], faces: Indices, colour: str, opacity: float = 1.0) -> int:
        """Add a mesh of triangles in one colour; returns its index.

        Parameters
        ----------
        attributes : accessors by glTF's names of the point attributes
        faces : (m, 3) triangles
        colour : "#rrggbb", multiplied by the points' own colours where they have them
        opacity : 1 is opaque
        """
        lib = self._lib
        # display colours are stored as linear light
        light = [(int(colour[k : k + 2], 16) / 255) ** GAMMA for k in (1, 3, 5)]
        surface = lib.PbrMetallicRoughness(
            baseColorFactor=[*light, opacity], metallicFactor=0.2, roughnessFactor=0.5
        )
        alpha_mode = "BLEND" if opacity < 1.0 else "OPAQUE"
        self._gltf.materials.append(
            lib.Material(pbrMetallicRoughness=surface, doubleSided=True, alphaMode=alpha_mode)
        )
        indices = self.numbers(np.ravel(faces), "<u4", 1)
        primitive = lib.Primitive(
            attributes=lib.Attributes(**attributes), indices=indices, material=len(self._gltf.materials) - 1
        )
        self._gltf.meshes.append(lib.Mesh(primitives=[primitive]))
        return len(self._gltf.meshes) - 1

    def numbers(self, values: Array, kind: str, width: int, limits: bool = False) -> int:
        """Add numbers to the buffer; returns the index of their accessor."""
        rows = np.ascontiguousarray(np.reshape(values, (-1, width)), dtype=kind)
        lib, start = self._lib, len(self._data)
        self._data += rows.tobytes()
        self._data += bytes(-len(self._data) % 4)
        self._gltf.bufferViews.append(lib.BufferView(buffer=0, byteOffset=start, byteLength=rows.nbytes))
        accessor = lib.Accessor(
            bufferView=len(self._gltf.bufferViews) - 1,
            componentType=KINDS[kind],
            count=len(rows),
            type=ACCESSOR_TYPES[width],
        )
        if limits:
            accessor.min, accessor.max = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self._gltf.accessors.append(accessor)
        return len(self._gltf.accessors) - 1


def _upright(up: Array) -> list[float]:
    """Quaternion, scalar last, that rotates a direction to glTF's second axis."""
    if up[1] < -1.0 + 1e-12:
        return [1.0, 0.0, 0.0, 0.0]
    axis, scalar = np.cross(up, (0.0, 1.0, 0.0)), 1.0 + float(up[1])
    quaternion = np.append(axis, scalar)
    return [float(v) for v in quaternion / np.linalg.norm(quaternion)]


def write_glb(scene: Mapping[str, Any], file: Path, colours: SectionColours | None = None) -> None:
    """Write the scene.

    Parameters
    ----------
    scene : from `fem_mbd.output.animation.scenes`
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
    positions, axes = document.motion.rings(tube)
    points, normals, faces = of_tube(tube)
    rings, sides = points.shape[:2]
    joints = [
        document.moving_node(f"{tube['name']} ring {r}", positions[:, r], axes[:, r]) for r in range(rings)
    ]
    flat = [np.pad(v, ((0, 0), (0, 0), (1, 0))).reshape(-1, 3) for v in (points, normals)]
    ring_index = np.zeros((rings * sides, 4))
    ring_index[:, 0] = np.repeat(np.arange(rings), sides)
    weights = np.zeros_like(ring_index)
    weights[:, 0] = 1.0
    skinned = {
        "POSITION": document.numbers(flat[0], "<f4", 3, limits=True),
        "NORMAL": document.numbers(flat[1], "<f4", 3),
        "JOINTS_0": document.numbers(ring_index, "<u2", 4),
        "WEIGHTS_0": document.numbers(weights, "<f4", 4),
    }
    ring_colours = None if colours is None else colours.of_rings(tube)
    if ring_colours is not None:
        skinned["COLOR_0"] = document.numbers(np.repeat(ring_colours**GAMMA, sides, axis=0), "<f4", 3)
        colour = "#ffffff"
    mesh = document.mesh(skinned, faces, colour)
    document.node(name=tube["name"], mesh=mesh, skin=document.skin(joints))


def _solid(
    document: Document, name: str, node: int, points: Array, faces: Indices, colour: str, opacity: float = 1.0
) -> None:
    """Add a mesh fixed to a node; points (n, 3) m in the node's axes."""
    mesh = _mesh(document, points, faces, colour, opacity)
    document.moving_node(
        name, document.motion.position[:, node], document.motion.rotation[:, node], mesh=mesh
    )


def _mesh(document: Document, points: Array, faces: Indices, colour: str, opacity: float = 1.0) -> int:
    corners = points[faces.ravel()]  # without normals viewers shade each triangle separately
    positions = {"POSITION": document.numbers(corners, "<f4", 3, limits=True)}
    return document.mesh(positions, np.arange(len(corners)), colour, opacity)


def _arrows(document: Document, scene: Mapping[str, Any]) -> None:
    """Contact forces, with their tips at the points of action; reactions of ideal joints where there are none.

    An arrow of unit length is rotated to the direction of the force and scaled with it.
    """
    kinds = {a["kind"] for a in scene["arrows"]}
    kind = "contact" if "contact" in kinds else "reaction"
    selected = [a for a in scene["arrows"] if a["kind"] == kind]
    largest = max((a["largest"] for a in selected), default=0.0)
    for a in selected if largest > 0.0 else []:
        values = unpacked(a["data"]).reshape(-1, 6)
        size = np.linalg.norm(values[:, 3:], axis=1)
        direction = np.where(size[:, None] > 0.0, values[:, 3:], (0.0, 0.0, 1.0))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        full = ARROW * scene["size"]
        length = full * np.maximum(size / largest, SMALLEST_ARROW)
        tail = values[:, :3] - (length[:, None] * direction if kind == "contact" else 0.0)
        thin = np.where(size > 0.0, full, SMALLEST_ARROW * full)
        document.moving_node(
            f"{kind} force of {a['name']}",
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
