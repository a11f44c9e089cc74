"""Input files ("decks") for MBDyn from the building blocks shared by the problems: beams, joints, loads.

MBDyn is the multibody program of Politecnico di Milano, https://www.mbdyn.org. The statements are those of its input
manual (version 1.7 and later), most of them also verified in its source or in published input files.

Every node starts with the global axes, whatever the direction of its beam: the section's axes are given to the elements
and to the inertia, so that two legs can share a node. MBDyn lumps inertia at the nodes: each node gets the nearest
segment of the beam as a rigid body, which keeps mass, centre of mass and inertia of the whole beam exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array

SPARSE_FROM = 100  # number of nodes; smaller models suit the built-in solver, which stores full matrices
DENSE, SPARSE = "naive, colamd", "umfpack, cc"
AT_NODE = "reference, node, null"
HERE = "position, {0}, null, position orientation, {0}, eye, rotation orientation, {0}, eye"


@dataclass(frozen=True)
class Integration:
    """MBDyn's integration from zero to `end` (s) in equal `steps`.

    rho : asymptotic spectral radius; its manual recommends 0.6
    keep : number of iterations per factorisation within a step; 1 is Newton-Raphson, its default
    tolerance : of the residual's norm, N and N m; that of a `Deck` is not below the round-off of its forces
    every : output interval in steps
    """

    steps: int
    end: float
    every: int
    rho: float = 0.6
    keep: int = 1
    tolerance: float = 1e-6

    def text(self, nodes: int, stop: bool, round_off: float = 0.0) -> str:
        """The two blocks of the input file; with `stop` the run ends before the first step; `round_off` in N."""
        dt = self.end / self.steps
        newton = "newton raphson" if self.keep == 1 else f"newton raphson, modified, {self.keep}"
        lines = [
            "initial time: 0.0",
            f"final time: {number(self.end - 0.5 * dt)}",  # half a step early: round-off must not add a step
            f"time step: {number(dt)}",
            f"method: ms, {number(self.rho)}",
            f"tolerance: {number(max(self.tolerance, round_off))}",
            "max iterations: 50",
            f"nonlinear solver: {newton}",
            f"linear solver: {SPARSE if nodes > SPARSE_FROM else DENSE}",
            "derivatives tolerance: 0.001",
            "derivatives max iterations: 20",
            "derivatives coefficient: auto",
            "threads: disable",
        ]
        if stop:
            lines.append("abort after: derivatives")
        return block("data", ["problem: initial value"]) + block("initial value", lines)


@dataclass
class Deck:
    """A model under construction; nodes are MBDyn's labels, from 1."""

    nodes: list[Array] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    beams: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    forces: list[str] = field(default_factory=list)
    gravity: str = ""
    stiffest: float = 0.0  # N/m, axial stiffness of the stiffest piece between two nodes

    def node(self, place: ArrayLike) -> int:
        """A node at `place` (m), at rest."""
        self.nodes.append(np.asarray(place, dtype=float))
        return len(self.nodes)

    def beam(
        self,
        start: ArrayLike,
        end: ArrayLike,
        elements: int,
        stiffness: Sequence[float],
        mass: float,
        inertia: Sequence[float],
        first: int | None = None,
    ) -> list[int]:
        """Nodes of a beam of three-node elements in the x-y plane, from the node `first` if there is one.

        stiffness (6,) and inertia (3,) in section axes: along the beam, in the plane, along z; mass per m.
        """
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        places = a + np.linspace(0.0, 1.0, 2 * elements + 1)[:, None] * (b - a)
        labels = [self.node(place) for place in (places if first is None else places[1:])]
        if first is not None:
            labels.insert(0, first)
        length = float(np.linalg.norm(b - a))
        self.stiffest = max(self.stiffest, stiffness[0] * 2 * elements / length)
        along = (b - a) / length
        section = f"reference, global, 1, {vector(along)}, 3, 0.0, 0.0, 1.0"
        law = "linear elastic generic, diag, " + vector(stiffness)
        for k in range(elements):
            ends = ", ".join(f"{label}, {AT_NODE}" for label in labels[2 * k : 2 * k + 3])
            self.beams.append(f"beam3: {len(self.beams) + 1}, {ends}, {section}, {law}, same, same")
        self._lump(labels, along, length / (2 * elements), mass, inertia)
        return labels

    def _lump(
        self, labels: list[int], along: Array, spacing: float, mass: float, inertia: Sequence[float]
    ) -> None:
        """A rigid body for every node of a beam: half of each adjacent segment, as a rod."""
        across = np.cross([0.0, 0.0, 1.0], along)
        axes = np.column_stack([along, across, [0.0, 0.0, 1.0]])
        for k, label in enumerate(labels):
            side = (k == 0) - (
                k == len(labels) - 1
            )  # 1 at the start, -1 at the end, where one half is missing
            piece = spacing if side == 0 else 0.5 * spacing
            rod = mass * piece**3 / 12.0 * np.array([0.0, 1.0, 1.0])
            tensor = axes @ np.diag(piece * np.asarray(inertia, dtype=float) + rod) @ axes.T
            centre = 0.25 * spacing * side * along
            self.bodies.append(
                f"body: {len(self.bodies) + 1}, {label}, {number(mass * piece)}, reference, node, {vector(centre)}, "
                f"sym, {vector(tensor[np.triu_indices(3)])}"
            )

    def clamp(self, node: int) -> None:
        """Clamp a node."""
        self.joints.append(f"joint: {len(self.joints) + 1}, clamp, {node}, node, node")

    def pin(self, node: int, angle: str = "") -> None:
        """Fix a node's position; it rotates freely, or by `angle` (rad) about z: one of MBDyn's drive callers."""
        turn = f"active, active, active, single, 0.0, 0.0, 1.0, {angle}"
        if not angle:
            turn = "inactive, inactive, inactive, null"
        at, place = HERE.format("reference, node"), HERE.format("reference, global")
        place = place.replace("null", vector(self.nodes[node - 1]), 1)
        self.joints.append(
            f"joint: {len(self.joints) + 1}, total pin joint, {node}, {at}, {place}, "
            f"position constraint, active, active, active, null, orientation constraint, {turn}"
        )

    def load(
        self,
        node: int,
        direction: Sequence[float],
        table: Sequence[tuple[float, float]],
        moment: bool = False,
    ) -> None:
        """A force or moment, fixed in space: `direction` times a piecewise linear function, zero after its end."""
        points = [
            *table,
            (10.0 * table[-1][0], 0.0),
        ]  # two zeros: the function is zero after its end however MBDyn extrapolates
        history = f"piecewise linear, {len(points)}, " + ", ".join(vector(pair) for pair in points)
        kind, arm = ("couple", "") if moment else ("force", f"position, {AT_NODE}, ")
        self.forces.append(
            f"{kind}: {len(self.forces) + 1}, absolute, {node}, {arm}single, reference, global, {vector(direction)}, "
            f"{history}"
        )

    def weigh(self, direction: Sequence[float], size: float) -> None:
        """Gravity (m/s^2)."""
        self.gravity = f"gravity: uniform, {vector(direction)}, const, {number(size)}"

    def round_off(self) -> float:
        """Norm of the forces (N) of ten units in the last place of all positions: no residual is smaller."""
        farthest = float(np.abs(self.nodes).max())
        return 10.0 * float(np.finfo(float).eps) * farthest * self.stiffest * len(self.nodes) ** 0.5

    def text(self, integration: Integration, watched: int, stop: bool = False) -> str:
        """The input file; output is written for the node `watched`. With `stop` the run ends before the first step."""
        counters = {
            "structural nodes": len(self.nodes),
            "rigid bodies": len(self.bodies),
            "beams": len(self.beams),
            "joints": len(self.joints),
            "forces": len(self.forces),
        }
        control = [
            "skip initial joint assembly",  # the models start in their initial configuration
            "default output: none",
            "output precision: 16",
            f"output meter: meter, 0.0, forever, steps, {integration.every}",
            *(f"{name}: {count}" for name, count in counters.items() if count),
            *(["gravity"] if self.gravity else []),
        ]
        nodes = [
            f"structural: {label}, dynamic, reference, global, {vector(place)}, reference, global, eye, "
            f"reference, global, null, reference, global, null, output, {'yes' if label == watched else 'no'}"
            for label, place in enumerate(self.nodes, start=1)
        ]
        weight = [self.gravity] if self.gravity else []
        elements = [*self.bodies, *self.beams, *self.joints, *self.forces, *weight]
        start = integration.text(len(self.nodes), stop, self.round_off())
        return start + block("control data", control) + block("nodes", nodes) + block("elements", elements)


def number(value: float) -> str:
    """All digits, always as a real number: MBDyn takes 1 for an integer."""
    return repr(float(value) + 0.0)  # avoids negative zero


def vector(values: ArrayLike) -> str:
    return ", ".join(number(value) for value in np.asarray(values, dtype=float))


def block(name: str, statements: Sequence[str]) -> str:
    lines = "".join(f"    {statement};\n" for statement in statements)
    return f"begin: {name};\n{lines}end: {name};\n\n"
