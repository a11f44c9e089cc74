"""Motion of a scene as arrays, for all writers but the page: nodes and beam rings at every time."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array


class Motion:
    """Positions and rotations at k times; n nodes.

    Attributes
    ----------
    times : (k,) s, or the fraction of a period
    place : (k, n, 3) m, global axes
    turn : (k, n, 3, 3) node axes to global axes
    """

    def __init__(self, scene: Mapping[str, Any]) -> None:
        self.times: Array = np.array(scene["times"], dtype=float)
        shape = (len(self.times), scene["nodes"])
        self.place: Array = unpacked(scene["position"]).reshape(*shape, 3)
        quaternions = unpacked(scene["quaternion"]).reshape(-1, 4)
        self.turn: Array = Rotation.from_quat(quaternions[:, (1, 2, 3, 0)]).as_matrix().reshape(*shape, 3, 3)

    def rings(self, tube: Mapping[str, Any]) -> tuple[Array, Array]:
        """(k, r, 3) m and (k, r, 3, 3): positions of a tube's rings, and their axes as columns, the first along the
        tube.
        """
        weights, nodes = np.array(tube["weights"]), tube["nodes"]
        place = np.einsum("rn,knj->krj", weights, self.place[:, nodes])
        mixed = np.einsum("rn,knij->krij", weights, self.turn[:, nodes]) @ np.reshape(tube["turn"], (3, 3))
        left, _, right = np.linalg.svd(mixed)  # the rotation nearest to a weighted mean of rotations
        return place, left @ right

    def solid(self, body: Mapping[str, Any], points: Array) -> Array:
        """(k, p, 3) m, global axes, of points (p, 3) of a body's surface in its node's axes."""
        node = body["node"]
        return np.asarray(np.einsum("kij,pj->kpi", self.turn[:, node], points) + self.place[:, None, node])


def unpacked(text: str) -> Array:
    """Inverse of `fem_mbd.output.animation.scene.packing.packed`."""
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)
