"""Outputs of an accepted state: of nodes, of parts and of supports, with their descriptions.

Kernels evaluate positions, rotations and velocities of nodes (`node_outputs`) and forces of supports
(`support_forces`); `StateOutputs` calls them and those of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, void
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Accepted, Workspace
from fem_mbd.core.scheme.nodes.node_map import INSTANTS, WEIGHTS, rotations_of_step, wrench_at
from fem_mbd.core.scheme.state import State


@kernel
def _quaternion(r, q):
    """Fill q (4,), scalar first and non-negative, of the rotation r (3, 3); divides by the largest component only."""
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    best, largest = 0, 1 + trace
    for k in range(3):
        square = 1 + 2 * r[k, k] - trace
        if square > largest:
            best, largest = k + 1, square
    if best == 0:
        q[0] = largest
        q[1], q[2], q[3] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    else:
        i = best - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q[0] = r[k, j] - r[j, k]
        q[1 + i] = largest
        q[1 + j], q[1 + k] = r[i, j] + r[j, i], r[i, k] + r[k, i]
    scale = 0.5 / np.sqrt(largest)
    if q[0] < 0:
        scale = -scale
    for k in range(4):
        q[k] *= scale


@kernel(void(matrix, array3, float64[:, :], float64[:, :], matrix, matrix, matrix, matrix))
def node_outputs(u, r, v, omega, centre, position, quaternion, velocity):
    """Fill positions (n, 3), quaternions (n, 4) and velocities (n, 3) of the nodes from those of their mass centres."""
    arm, spin = np.empty(3), np.empty(3)
    for n in range(u.shape[0]):
        for i in range(3):
            arm[i], spin[i] = 0.0, 0.0
            for j in range(3):
                arm[i] += r[n, i, j] * centre[n, j]
                spin[i] += r[n, i, j] * omega[n, j]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            position[n, i] = u[n, i] - arm[i]
            velocity[n, i] = v[n, i] - (spin[j] * arm[k] - spin[k] * arm[j])
        _quaternion(r[n], quaternion[n])


@kernel(void(float64[:, :, :], indices, matrix))
def first_rows(values, counts, out):
    """Fill out (rows, 3) with the first counts (n,) rows of each of the values (n, k, 3)."""
    at = 0
    for n in range(counts.shape[0]):
        for k in range(counts[n]):
            for i in range(3):
                out[at, i] = values[n, k, i]
            at += 1


@kernel(void(indices, Accepted, array3, matrix, matrix))
def support_forces(supports, accepted, r, centre, out):
    """Fill out (s, 6): mean force and moment of the step by the supports on the fixed nodes ``supports`` (s,).

    Global axes, at the positions of the nodes; zero before the first step. r (n, 3, 3) rotations at its end, centre
    (n, 3).
    """
    out[:] = 0.0
    dt = accepted.clock[2]
    if not dt > 0.0:
        return
    rotations, position, wrench = np.empty((INSTANTS, 3, 3)), np.empty(3), np.empty(6)
    half = np.empty(12)
    for s in range(supports.shape[0]):
        n = supports[s]
        rotations_of_step(accepted.x[n], r[n], half, rotations)
        for i in range(3):
            position[i] = -centre[n, i]  # the node, seen from its mass centre
        for k in range(INSTANTS):
            wrench_at(accepted.rows[n], position, rotations[k], k, wrench)
            for i in range(6):
                out[s, i] += WEIGHTS[k] / dt**2 * wrench[i]


_NODE = (
    Quantity("position", "m", "position of the node", XYZ, "global", "scheme"),
    Quantity("quaternion", "1", "rotation, scalar first", ("q0", "q1", "q2", "q3"), "global", "scheme"),
    Quantity("velocity", "m/s", "velocity of the node", ("vx", "vy", "vz"), "global", "scheme"),
    Quantity("omega", "rad/s", "angular velocity", ("omega1", "omega2", "omega3"), "node", "scheme"),
)
NODE_OUTPUTS = tuple(Output(quantity.name, "node", (quantity,)) for quantity in _NODE)
CONTACT = "contact"  # records of contacts, which are not evaluated here
SUPPORT = Output(
    "support",
    "support",
    (
        Quantity("force", "N", "by the support on the node", ("Fx", "Fy", "Fz"), "global", "mean"),
        Quantity("moment", "N m", "about the node's position", ("Mx", "My", "Mz"), "global", "mean"),
    ),
)


class StateOutputs:
    """Outputs of a state and of its parts, evaluated at every call.

    Parameters
    ----------
    state : of the run, changed in place
    kinds, workspace : of its system
    supports : fixed nodes whose support forces are outputs
    """

    def __init__(
        self,
        state: State,
        kinds: Sequence[PartKind],
        workspace: Workspace,
        supports: Sequence[int] = (),
    ):
        self._omega, self._kinds, self._work = state.omega, kinds, workspace
        n = workspace.n
        self._nodes = {
            "position": np.zeros((n, 3)), "quaternion": np.zeros((n, 4)), "velocity": np.zeros((n, 3)),
        }  # fmt: skip
        tasks: list[Task] = [
            Call(
                node_outputs, state.u, state.r, state.v, state.omega, workspace.centre, *self._nodes.values()
            ),
            *(task for kind in kinds for task in kind.tasks("evaluate_outputs", workspace)),
        ]
        self._support = np.zeros((len(supports), 6))
        if len(supports):
            fixed = np.array(supports, dtype=np.int64)
            tasks.append(
                Call(
                    support_forces, fixed, workspace.accepted, workspace.r_i, workspace.centre, self._support
                )
            )
        self._tasks = tasks
        self._evaluate = CallList(tasks)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the outputs, without those of contacts."""
        return tuple(output.name for output in declared_outputs(self._kinds) if output.name != CONTACT)

    def __call__(self) -> dict[str, Array]:
        """New arrays of the nodes, of the kinds (concatenated where they share a name), and of the supports."""
        self._evaluate()
        out = {name: values.copy() for name, values in self._nodes.items()}
        out["omega"] = self._omega.copy()
        merged: dict[str, list[Array]] = {}
        for kind in self._kinds:
            for key, values in kind.outputs(self._work).items():
                merged.setdefault(key, []).append(values)
        for key, several in merged.items():
            out[key] = several[0] if len(several) == 1 else np.concatenate(several)
        out[SUPPORT.name] = self._support.copy()
        return out

    def in_place(self) -> tuple[list[Task], dict[str, list[Array]]]:
        """Calls that evaluate the outputs, and the arrays that they fill, by name; several arrays are concatenated.

        Kinds that compute their outputs in Python fill their arrays by a Python function among the calls.
        """
        self._evaluate()
        tasks, filled = list(self._tasks), {name: [values] for name, values in self._nodes.items()}
        filled["omega"], filled[SUPPORT.name] = [self._omega], [self._support]
        for kind in self._kinds:
            arrays = kind.output_arrays()
            if type(kind).outputs is not PartKind.outputs:
                arrays = kind.outputs(self._work)
                tasks.append(partial(_fill, kind, self._work, arrays))
            for name, values in arrays.items():
                filled.setdefault(name, []).append(values)
        return tasks, filled


def _fill(kind: PartKind, workspace: Workspace, arrays: Mapping[str, Array]) -> None:
    """Fill the arrays with a kind's outputs."""
    for name, values in kind.outputs(workspace).items():
        arrays[name][...] = values


def declared_outputs(kinds: Sequence[PartKind]) -> list[Output]:
    """The outputs that `StateOutputs` evaluates."""
    return list(dict.fromkeys([*NODE_OUTPUTS, *(o for kind in kinds for o in kind.recorded), SUPPORT]))


def describe_parts(kinds: list[PartKind]) -> dict[str, list[dict[str, Any]]]:
    """Plain data of every part, by the label of its kind; several kinds may share one (beams of 2, 3 and 4 nodes).

    Each has its ``nodes`` and, in ``rows``, the first of its rows in each output and their number.
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
