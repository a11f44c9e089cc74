"""Motion and colours of a scene as arrays, for all writers but the page: nodes and beam rings at every time.

Beams have colours by a section force or strain at one time, with the colour scale of the page. The scale is that of the
whole run: symmetric about zero in blue, white and red where both signs occur, viridis where only one occurs.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array
from fem_mbd.base.dependencies import need
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError


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
    """Inverse of `fem_mbd.output.animation.scene.solids.packed`."""
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
