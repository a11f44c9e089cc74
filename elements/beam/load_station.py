"""Load station: output of the section loads of a beam at a given position, with channel names and axes.

The load of a section is the force, and the moment about the point of the reference line, that the part of the beam
beyond the section, towards its end, exerts on the part before it. These are the stress resultants (N, V2, V3, T, M2,
M3) in section axes; a station transforms them to its own axes,

    in axes that rotate with the section   f = T (V2, V3, N …)         T constant
    in axes that rotate with another node  f = A(t)^T R(t) T (…)       R, A: rotations of the section and of the axes

It adds nothing to the equations; `fem_mbd.Result.loads` reads it from the description of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import check_rotation
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.errors import InputError

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
# x is section axis 2, y is 3, z runs along the beam: axes of a blade's section
ALONG_Z = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
AT_NODE = 1e-9  # fraction of the length: largest distance of a node that counts as being at the station


@arguments()
@dataclass(frozen=True, eq=False)
class LoadStation:
    """Six channels of section loads at a position of a beam.

    Parameters
    ----------
    beam : handle that `Model.add(Beam(…))` returned
    at : fraction of the length, 0 at the start and 1 at the end
    channels : names of the forces (N) along x, y, z and of the moments (N m) about them; or one text, to which Fx, Fy,
        Fz, Mx, My, Mz are added
    axes : (3, 3) columns x, y, z in global axes, reference configuration; by default z along the beam, x along section
        axis 2, y along 3
    turning_with : node with which the axes rotate, at a position where the beam has a node; by default the section
    name : shown in messages

    Raises
    ------
    InputError
        For a position beyond the ends, names that are not six or used already, axes that are no rotation, or axes of
        another node where the beam has no node.
    """

    beam: BeamHandle
    at: float
    channels: str | Sequence[str]
    _: KW_ONLY
    axes: Any = None
    turning_with: Node | None = None
    name: str = "load station"

    def build(self, model: Model) -> LoadStation:
        """Called by `Model.add`."""
        what = f"load station '{self.name}'"
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"{what}: give the handle that Model.add(Beam(…)) returned")
        model.registry.node_of(self.beam.start, what)
        if not 0.0 <= finite(self.at, f"{what}: at") <= 1.0:
            raise InputError(f"{what}: at is {self.at}: give a fraction of the beam's length from 0 to 1")
        section = self.beam.line.at(self.at)[1]
        axes = section @ ALONG_Z if self.axes is None else check_rotation(self.axes, f"{what}: axes")
        entry = {"beam": self.beam.name, "at": float(self.at), "channels": self._names(model, what)}
        if self.turning_with is None:
            entry["from_section"] = (axes.T @ section).tolist()
        else:
            frame, node = model.nodes[model.registry.node_of(self.turning_with, what).index], self._node(what)
            entry |= {
                "from_section": (node.rotation.T @ section).tolist(),
                "section_node": node.index,
                "frame_node": frame.index,
                "frame": (frame.rotation.T @ axes).tolist(),
            }
        model.load_stations.append(entry)
        return self

    def _names(self, model: Model, what: str) -> list[str]:
        channels = self.channels
        names = [channels + c for c in COMPONENTS] if isinstance(channels, str) else list(channels)
        if len(names) != len(COMPONENTS) or len(set(names)) != len(names):
            raise InputError(f"{what}: channels are {names}: give six different names, or one text")
        taken = {name for station in model.load_stations for name in station["channels"]}
        for name in names:
            if name in taken:
                raise InputError(f"{what}: there is a channel '{name}' already: give another name")
        return names

    def _node(self, what: str) -> Node:
        position: Array = self.beam.line.at(self.at)[0]
        node = self.beam.node_nearest(self.at)
        if np.linalg.norm(node.position - position) > AT_NODE * self.beam.line.length:
            raise InputError(
                f"{what}: beam '{self.beam.name}' has no node at {self.at:g} of its length, needed by axes that "
                "rotate with another node: choose an end or a position where elements meet"
            )
        return node
