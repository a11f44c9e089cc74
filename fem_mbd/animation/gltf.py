"""A scene as binary glTF 2.0 (`.glb`), by pygltflib: beams skinned along their rings, bodies, one animation.

Lengths in m; glTF's second axis points up. Beams are moved by one joint for each ring, to which its points are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.animation.motion import Motion
from fem_mbd.animation.surfaces import BEAMS, BODY, of_body, of_tube
from fem_mbd.arrays import Array, Indices
from fem_mbd.errors import MissingDependency

MOST_INSTANTS = 200  # of a .glb: players interpolate between them
FLOAT, USHORT, UINT = 5126, 5123, 5125  # names of glTF's types of numbers
KINDS = {"<f4": FLOAT, "<u2": USHORT, "<u4": UINT}
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


def write_glb(scene: Mapping[str, Any], file: Path) -> None:
    """Write the scene.

    Raises
    ------
    MissingDependency
        Without pygltflib.
    """
    made = _Document(scene)
    names = list(dict.fromkeys(tube["name"] for tube in scene["tubes"]))
    for tube in scene["tubes"]:
        made.beam(tube, BEAMS[names.index(tube["name"]) % len(BEAMS)])
    for body in scene["bodies"]:
        made.body(body)
    made.save(file)


class _Document:
    """The document as it grows: nodes below one root, one buffer, one animation."""

    def __init__(self, scene: Mapping[str, Any]) -> None:
        try:
            import pygltflib
        except ImportError as error:
            raise MissingDependency(".glb files need pygltflib: pip install 'fem_mbd[film]'") from error
        self._lib, self._data = pygltflib, bytearray()
        self._motion = Motion(scene)
        k = len(self._motion.times)
        self._rows = np.unique(np.linspace(0, k - 1, min(k, MOST_INSTANTS)).round().astype(int))
        up = _turn_up(np.array(scene["up"]))
        self._gltf = pygltflib.GLTF2(
            asset=pygltflib.Asset(version="2.0", generator="fem_mbd"),
            scenes=[pygltflib.Scene(nodes=[0], name=scene["title"])],
            scene=0,
            nodes=[pygltflib.Node(name=scene["title"], rotation=up, children=[])],
            animations=[pygltflib.Animation(name="motion")],
        )
        times = self._motion.times[self._rows]
        self._times = self._numbers(times - times[0], "<f4", 1, limits=True)

    def beam(self, tube: Mapping[str, Any], colour: str) -> None:
        """An element of a beam, a mesh with one joint for each ring."""
        place, axes = self._motion.rings(tube)
        points, normals, faces = of_tube(tube)
        rings, sides = points.shape[:2]
        joints = [self._mover(f"{tube['name']} ring {r}", place[:, r], axes[:, r]) for r in range(rings)]
        flat = [np.pad(v, ((0, 0), (0, 0), (1, 0))).reshape(-1, 3) for v in (points, normals)]
        bound = np.zeros((rings * sides, 4))
        bound[:, 0] = np.repeat(np.arange(rings), sides)
        weights = np.zeros_like(bound)
        weights[:, 0] = 1.0
        skinned = {
            "POSITION": self._numbers(flat[0], "<f4", 3, limits=True),
            "NORMAL": self._numbers(flat[1], "<f4", 3),
            "JOINTS_0": self._numbers(bound, "<u2", 4),
            "WEIGHTS_0": self._numbers(weights, "<f4", 4),
        }
        mesh = self._mesh(skinned, faces, colour)
        # points are given in their ring's axes; some readers fail where these matrices are left out as unit ones
        bind = self._numbers(np.tile(np.eye(4), (rings, 1, 1)), "<f4", 16)
        self._gltf.skins.append(self._lib.Skin(joints=joints, inverseBindMatrices=bind))
        self._node(name=tube["name"], mesh=mesh, skin=len(self._gltf.skins) - 1)

    def body(self, body: Mapping[str, Any]) -> None:
        """A body, a mesh on a node that moves."""
        points, faces = of_body(body)
        corners = points[faces.ravel()]  # without normals viewers shade each triangle by itself
        mesh = self._mesh(
            {"POSITION": self._numbers(corners, "<f4", 3, limits=True)},
            np.arange(len(corners)),
            body.get("colour", BODY),
        )
        k = body["node"]
        mover = self._mover(body["name"], self._motion.place[:, k], self._motion.turn[:, k])
        self._gltf.nodes[mover].mesh = mesh

    def save(self, file: Path) -> None:
        """Close the buffer and write the file."""
        self._gltf.buffers = [self._lib.Buffer(byteLength=len(self._data))]
        self._gltf.set_binary_blob(bytes(self._data))
        file.write_bytes(b"".join(self._gltf.save_to_bytes()))

    def _node(self, **about: Any) -> int:
        self._gltf.nodes.append(self._lib.Node(**about))
        self._gltf.nodes[0].children.append(len(self._gltf.nodes) - 1)
        return len(self._gltf.nodes) - 1

    def _mover(self, name: str, place: Array, axes: Array) -> int:
        """A node with its motion: places (k, 3), rotations (k, 3, 3)."""
        quaternion = Rotation.from_matrix(axes[self._rows]).as_quat()
        turned = np.cumprod(np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0, -1.0, 1.0))
        quaternion[1:] *= turned[:, None]  # players take the short way between two of them
        node = self._node(name=name, translation=place[0].tolist(), rotation=quaternion[0].tolist())
        for path, values in (("translation", place[self._rows]), ("rotation", quaternion)):
            output = self._numbers(values, "<f4", values.shape[1])
            animation, lib = self._gltf.animations[0], self._lib
            animation.samplers.append(lib.AnimationSampler(input=self._times, output=output))
            target = lib.AnimationChannelTarget(node=node, path=path)
            animation.channels.append(
                lib.AnimationChannel(sampler=len(animation.samplers) - 1, target=target)
            )
        return node

    def _mesh(self, attributes: dict[str, int], faces: Indices, colour: str) -> int:
        lib = self._lib
        # colours of the screen are stored as light
        light = [(int(colour[k : k + 2], 16) / 255) ** 2.2 for k in (1, 3, 5)]
        surface = lib.PbrMetallicRoughness(
            baseColorFactor=[*light, 1.0], metallicFactor=0.2, roughnessFactor=0.5
        )
        self._gltf.materials.append(lib.Material(pbrMetallicRoughness=surface, doubleSided=True))
        indices = self._numbers(np.ravel(faces), "<u4", 1)
        primitive = lib.Primitive(
            attributes=lib.Attributes(**attributes), indices=indices, material=len(self._gltf.materials) - 1
        )
        self._gltf.meshes.append(lib.Mesh(primitives=[primitive]))
        return len(self._gltf.meshes) - 1

    def _numbers(self, values: Array, kind: str, width: int, limits: bool = False) -> int:
        """An accessor to numbers that are put into the buffer."""
        rows = np.ascontiguousarray(np.reshape(values, (-1, width)), dtype=kind)
        lib, start = self._lib, len(self._data)
        self._data += rows.tobytes()
        self._data += bytes(-len(self._data) % 4)
        self._gltf.bufferViews.append(lib.BufferView(buffer=0, byteOffset=start, byteLength=rows.nbytes))
        accessor = lib.Accessor(
            bufferView=len(self._gltf.bufferViews) - 1,
            componentType=KINDS[kind],
            count=len(rows),
            type=SHAPES[width],
        )
        if limits:
            accessor.min, accessor.max = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self._gltf.accessors.append(accessor)
        return len(self._gltf.accessors) - 1


def _turn_up(up: Array) -> list[float]:
    """Quaternion, scalar last, that turns a direction to glTF's second axis."""
    if up[1] < -1.0 + 1e-12:
        return [1.0, 0.0, 0.0, 0.0]
    axis, rest = np.cross(up, (0.0, 1.0, 0.0)), 1.0 + float(up[1])
    quaternion = np.append(axis, rest)
    return [float(v) for v in quaternion / np.linalg.norm(quaternion)]
