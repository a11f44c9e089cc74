"""The quantities of an accepted state: those of the nodes, those that the kinds of parts give, and what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.model.output import XYZ, Output, Quantity
from fem_mbd.model.part_kind import PartKind
from fem_mbd.model.workspace import Workspace
from fem_mbd.scheme.output_kernels import node_outputs
from fem_mbd.scheme.state import State

_NODE = (
    Quantity("position", "m", "place of the node", XYZ, "global", "scheme"),
    Quantity("quaternion", "1", "rotation, scalar first", ("q0", "q1", "q2", "q3"), "global", "scheme"),
    Quantity("velocity", "m/s", "velocity of the node's place", ("vx", "vy", "vz"), "global", "scheme"),
    Quantity("omega", "rad/s", "angular velocity", ("omega1", "omega2", "omega3"), "node", "scheme"),
)
NODE_OUTPUTS = tuple(Output(quantity.name, "node", (quantity,)) for quantity in _NODE)
SUPPORT = Output(
    "support",
    "support",
    (
        Quantity("force", "N", "by the support on the node", ("Fx", "Fy", "Fz"), "global", "mean"),
        Quantity("moment", "N m", "about the node's place", ("Mx", "My", "Mz"), "global", "mean"),
    ),
)


def state_outputs(state: State, kinds: list[PartKind], work: Workspace) -> dict[str, Array]:
    """Arrays of the nodes and of the kinds that share an output name one after the other, by name."""
    place, quaternion, velocity = np.empty((work.n, 3)), np.empty((work.n, 4)), np.empty((work.n, 3))
    node_outputs(state.u, state.r, state.v, state.omega, work.centre, place, quaternion, velocity)
    out = {"position": place, "quaternion": quaternion, "velocity": velocity, "omega": state.omega.copy()}
    merged: dict[str, list[Array]] = {}
    for kind in kinds:
        for key, values in kind.outputs(work).items():
            merged.setdefault(key, []).append(values)
    out.update({key: v[0] if len(v) == 1 else np.concatenate(v) for key, v in merged.items()})
    return out


def declared_outputs(kinds: list[PartKind]) -> list[Output]:
    """What `state_outputs` and the supports record."""
    return list(dict.fromkeys([*NODE_OUTPUTS, *(o for kind in kinds for o in kind.recorded), SUPPORT]))


def describe_parts(kinds: list[PartKind]) -> dict[str, list[dict[str, Any]]]:
    """Plain data of every part, by the label of its kind; several kinds may share one (beams of 2, 3 and 4 nodes).

    Each has its ``nodes`` and, in ``rows``, where its rows begin in the outputs and how many they are.
    """
    parts: dict[str, list[dict[str, Any]]] = {}
    ends: dict[str, int] = {}
    for kind in kinds:
        described = kind.describe()
        for part, nodes in zip(described, kind.nodes, strict=False):
            part["nodes"] = [int(n) for n in nodes if n >= 0]
            part["view"], part["drawn"] = kind.view, kind.drawn
            part["rows"] = {}
        for output in kind.recorded:
            for p, count in enumerate(kind.row_counts(output)):
                first = ends.get(output.name, 0)
                ends[output.name] = first + count
                if count:
                    described[p]["rows"][output.name] = [first, count]
        parts.setdefault(kind.label, []).extend(described)
    return parts
