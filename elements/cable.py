"""Cables, ropes, guys and tethers: chains of straight elements with tension only, without bending, torsion, rotation.

An element of natural length L between two points at the distance l has the Green strain E = (l^2/L^2 - 1)/2, the energy
EA L E^2/2 and so the tension EA E l/L; by default none while E < 0. Its kernels are those of springs, with l^2/2 as
strain measure (`fem_mbd.elements.springs.kernels`). Half of an element's mass is at each of its nodes, which do not
rotate: waves of n elements have frequencies lower by (pi/n)^2/6, 2.6 % for eight.

`straight_chain` and `hanging_chain` give shapes at rest, exact for the elements, not for a continuous cable. The force
in element i, counted from the start, has the same horizontal part H in all elements, and the vertical part
V_i = V - (n - i) w, w being the weight of an element: half of it acts at each of its nodes. An element of natural
length L carries T = EA (s^2 - 1) s/2 at the stretch s; it lies along its force. H and V of the last element follow from
the position of the end by Newton's method, from those of the elastic catenary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite, not_negative, positive, whole_number
from fem_mbd.core.compiled.calls import Call
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Handle, Node, Point, as_point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.elements.beam.forces import MAX_STRAIN
from fem_mbd.elements.catenary import (
    VERTICAL_TOLERANCE,
    MooringLine,
    solve_shape,
    upper_force,
)
from fem_mbd.elements.springs import kernels
from fem_mbd.elements.springs.kernels import SQUARE
from fem_mbd.elements.springs.springs import COINCIDENT, SpringKind, SpringSpec
from fem_mbd.errors import InputError

STRETCH_ITERATIONS = 60
CONVERGED = 1e-14  # of a stretch, or of the height: Newton's next step is below round-off


def stretch_under(tension: Any, stiffness: float) -> Array:
    """Stretch s of elements under tensions T (complex for complex steps), N: T = EA (s^2 - 1) s/2.

    Raises
    ------
    InputError
        When none is found, as under a compression of nearly EA/sqrt(27).
    """
    load = tension / stiffness
    # above the root of a convex function: Newton converges from one side
    large = np.real(load) > 1.0
    s = 1.0 + np.where(large, 1.26 * np.where(large, load, 1.0) ** (1 / 3), load)
    for _ in range(STRETCH_ITERATIONS):
        change = (0.5 * (s * s - 1.0) * s - load) / (1.5 * s * s - 0.5)
        s = s - change
        if np.abs(change).max() <= CONVERGED * np.abs(s).max():
            return np.asarray(s)
    raise InputError(
        f"cable: no stretch is found under {np.real(tension).min():.4g} N with EA = {stiffness:.4g} N"
    )


def straight_chain(span: Array, elements: int) -> Array:
    """(elements + 1, 3) nodes on a straight line from the origin to ``span`` (3,)."""
    return np.linspace(0.0, 1.0, elements + 1)[:, None] * span


def hanging_chain(
    name: str, span: Array, length: float, elements: int, stiffness: float, weight: Array
) -> Array:
    """Nodes (elements + 1, 3) of a chain at rest between the origin and ``span``, m.

    Parameters
    ----------
    name : of the cable, for messages
    span : (3,) m from its start to its end
    length : m, natural
    elements : their number
    stiffness : N, EA
    weight : (3,) N/m, per natural length

    Raises
    ------
    InputError
        For a slack cable without weight or with its ends one above the other, and a shape that is not found.
    """
    distance, w = float(np.linalg.norm(span)), float(np.linalg.norm(weight))
    if elements == 1:
        return straight_chain(span, 1)
    if w == 0.0:
        if distance < length:
            raise InputError(
                f"cable '{name}' is {length:g} m long between ends {distance:g} m apart, and has no weight: its "
                "shape is not determined; give the model a gravity before the cable is added, or a shorter length"
            )
        return straight_chain(span, elements)
    up = -weight / w
    z = float(span @ up)
    across = span - z * up
    x = float(np.linalg.norm(across))
    if x <= VERTICAL_TOLERANCE * length:
        along = _vertical_chain(name, z, length, elements, stiffness, w)
        return np.asarray(along[:, None] * span / distance)
    line = MooringLine(name, np.zeros(3), span, length, w, stiffness, bed=False)
    h, v = upper_force(line, x, z)
    piece = length / elements
    chain = partial(_elements, piece, elements, stiffness, w * piece)
    forces = solve_shape(
        lambda a, b: chain(a, b).sum(axis=0), (h, v - 0.5 * w * piece), np.array([x, z]), length
    )
    if forces is None:
        raise InputError(
            f"cable '{name}': its shape at rest is not found: move one end sideways, or give more elements"
        )
    in_plane = np.vstack([np.zeros(2), np.cumsum(chain(*forces), axis=0)])
    return np.asarray(in_plane[:, :1] * (across / x) + in_plane[:, 1:] * up)


def _elements(piece: float, count: int, stiffness: float, weight: float, h: complex, v: complex) -> Array:
    """(count, 2) m, distances and heights that the elements span, under H and the last element's V."""
    vertical = v - weight * np.arange(count - 1, -1, -1)
    tension = np.sqrt(h * h + vertical * vertical)
    scale = piece * stretch_under(tension, stiffness) / tension
    return np.column_stack([h * scale, vertical * scale])


def _vertical_chain(
    name: str, z: float, length: float, elements: int, stiffness: float, weight: float
) -> Array:
    """(elements + 1,) m from the start along the line of a chain whose end is at the height z, none of it slack."""
    piece, height, rises = length / elements, abs(z), z > 0.0
    hung = weight * piece * np.arange(elements)  # below each element, from the lowest inner node on

    def lengths(lowest: complex) -> Array:
        return piece * stretch_under(lowest + hung, stiffness)

    lowest = 0.0
    if lengths(lowest).sum() > height:
        raise InputError(
            f"cable '{name}' is {length:g} m long, its ends are {height:g} m apart, one above the other: it hangs in a "
            "fold, which cannot be its start; move one end sideways"
        )
    for _ in range(STRETCH_ITERATIONS):
        value = lengths(lowest + 1e-30j).sum()
        lowest += (height - value.real) / (value.imag / 1e-30)
        if abs(height - value.real) <= CONVERGED * height:
            break
    else:
        raise InputError(
            f"cable '{name}': its shape at rest is not found: check its length, stiffness and mass"
        )
    upwards = lengths(lowest).real
    return np.concatenate([[0.0], np.cumsum(upwards if rises else upwards[::-1])])


@dataclass(frozen=True, eq=False, repr=False)
class CableHandle(Handle):
    """A cable in a model.

    Attributes
    ----------
    name : shown in messages and results
    points : (elements + 1) points from start to end: those that it is attached to, and its own nodes between them
    length : m, natural
    """

    name: str
    points: list[Point]
    length: float

    @property
    def nodes(self) -> list[Node]:
        """Its nodes from start to end; the first and the last may be those of other parts."""
        return [point.node for point in self.points]

    @property
    def start(self) -> Node:
        """The first node."""
        return self.points[0].node

    @property
    def end(self) -> Node:
        """The last node."""
        return self.points[-1].node


@arguments()
@dataclass(frozen=True, eq=False)
class Cable:
    """A cable to add to a model, hanging at rest under the model's gravity.

        guy = model.add(Cable(2.3e7, 0.89, mast.node.at((0, 0, 1)), (30, 0, 0), tension=30e3, name="guy"))
        model.fix(guy.end)

    Its nodes are placed in the equilibrium of its elements: the catenary, if there is gravity and slack.

    Parameters
    ----------
    stiffness : N, EA
    mass : kg/m, per natural length
    start, end : nodes, points or bodies that it is attached to, or coordinates (3,), m, of new nodes, which are free
    elements : number of elements of equal length
    length : m, natural; by default the distance of the ends
    tension : N, of the straight cable without weight, instead of ``length``
    damping : eta, s: the stress is EA (E + eta E'), none in elements that are slack
    compression : whether its elements can push, as a bar or a chain of links does
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers that are not positive, a negative tension of a cable that cannot push, ends that coincide, a slack
        cable whose shape is not determined (no gravity, or one end above the other). The message names the cable.
    """

    stiffness: float
    mass: float
    start: Any
    end: Any
    _: KW_ONLY
    elements: int = 20
    length: float | None = None
    tension: float | None = None
    damping: float = 0.0
    compression: bool = False
    name: str = "cable"

    def __post_init__(self) -> None:
        what = f"cable '{self.name}'"
        positive(self.stiffness, f"{what}: stiffness")
        positive(self.mass, f"{what}: mass")
        whole_number(self.elements, f"{what}: elements")
        not_negative(self.damping, f"{what}: damping")
        if self.length is not None and self.tension is not None:
            raise InputError(f"{what}: give a length or a tension, not both")
        if self.length is not None:
            positive(self.length, f"{what}: length")
        if self.tension is not None:
            if finite(self.tension, f"{what}: tension") < 0.0 and not self.compression:
                raise InputError(
                    f"{what}: tension is {self.tension:g} N, and it cannot push: give at least 0, a length "
                    "if it is slack, or compression=True"
                )
            if self.tension <= -MIN_LOAD * self.stiffness:
                raise InputError(f"{what}: tension is {self.tension:g} N: its elements have no such state")
        for end in ("start", "end"):
            value = getattr(self, end)
            if not (isinstance(value, Node | Point) or hasattr(value, "node") or hasattr(value, "nodes")):
                object.__setattr__(self, end, array(value, (3,), f"{what}: {end}"))

    def build(self, model: Model) -> CableHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        ends = [
            self._end(model, value, f"{name}.{end}")
            for end, value in (("start", self.start), ("end", self.end))
        ]
        first, last = ends[0].position, ends[1].position
        distance = float(np.linalg.norm(last - first))
        if distance <= COINCIDENT * float(np.abs([first, last]).max()):
            raise InputError(f"cable '{name}': its ends coincide: move one of them")
        count, length = int(self.elements), self._natural_length(distance)
        offsets = self._offsets(name, last - first, length, model.gravity)
        inner = [self._node(model, first + offsets[k], f"{name}.{k}").point for k in range(1, count)]
        points = [ends[0], *inner, ends[1]]
        self._put_mass(model, points, length / count)
        for k in range(count):
            model.registry.add(CableKind, self._element(name, k, (points[k], points[k + 1]), length / count))
        model.lines.append((name, [point.node for point in points]))
        return CableHandle(name, points, length)

    def _end(self, model: Model, value: Any, name: str) -> Point:
        if isinstance(value, np.ndarray):
            return self._node(model, value, name).point
        model.registry.node_of(value, f"cable '{self.name}'")
        model.registry.require_arm(value, f"cable '{self.name}'")
        return as_point(value)

    @staticmethod
    def _node(model: Model, position: Array, name: str) -> Node:
        """A node without rotation."""
        node = model.node(position, name=name)
        model.fix(node, translation=False, rotation=True)
        model.point_masses.add(node.index)
        return node

    def _natural_length(self, distance: float) -> float:
        if self.tension is None:
            return distance if self.length is None else float(self.length)
        return distance / float(stretch_under(np.array([self.tension]), self.stiffness)[0])

    def _offsets(self, name: str, span: Array, length: float, gravity: Array) -> Array:
        """(elements + 1, 3) m, positions of the nodes from the first one."""
        return hanging_chain(name, span, length, int(self.elements), self.stiffness, self.mass * gravity)

    def _put_mass(self, model: Model, points: Sequence[Point], piece: float) -> None:
        for k, point in enumerate(points):
            share = 0.5 if k in (0, len(points) - 1) else 1.0
            model.registry.add_mass(point.node, share * self.mass * piece, np.zeros((3, 3)), point.offset)

    def _element(self, name: str, k: int, ends: tuple[Point, Point], piece: float) -> SpringSpec:
        """The spring of element k, of natural length ``piece``: EA L E^2/2 = k (l^2/2 - L^2/2)^2/2, k = EA/L^3."""
        start = 0.5 * float(np.sum((ends[1].position - ends[0].position) ** 2))
        stiffness = self.stiffness / piece**3
        return SpringSpec(
            name, SQUARE, *ends, stiffness, float(self.damping) * stiffness, 0.5 * piece**2, 0.0, start,
            np.zeros((2, 3)), pulls=not self.compression, element=k,
        )  # fmt: skip


MIN_LOAD = 1.0 / np.sqrt(27.0)  # T = EA (s^2 - 1) s/2 has its minimum -EA/sqrt(27) at s = 1/sqrt(3)
CABLE = Output(
    "cable",
    "element",
    (
        Quantity("length", "m", "of the element"),
        Quantity("rate", "m/s", "of its length at t_f, zero before the first step"),
        Quantity("tension", "N", "in the element"),
    ),
    many=True,
)


class CableKind(SpringKind):
    """All elements of cables of a model."""

    label: ClassVar[str] = "cable"
    drawn: ClassVar[str] = "line"
    recorded: tuple[Output, ...] = (CABLE,)
    ranges: tuple[Range, ...] = (
        Range(
            "elongation of a cable", "1", MAX_STRAIN,
            "its stress is proportional to the Green strain with the stiffness at rest",
            "take the stiffness of the rope at that elongation, if it is meant",
            "engineering and logarithmic strain differ by 10 %",
        ),
    )  # fmt: skip

    def phases(self, workspace: Workspace) -> dict[str, list[Call]]:
        measured = [Call(kernels.stretches, self.records, self.measures)]
        return {**super().phases(workspace), "evaluate_measures": measured}

    def output_arrays(self) -> dict[str, Array]:
        """Length, its rate and tension of the elements (n, 3)."""
        return {CABLE.name: self._outputs}

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": s.name, "element": s.element, "k": s.k.node.name, "l": s.l.node.name} for s in self.specs
        ]
