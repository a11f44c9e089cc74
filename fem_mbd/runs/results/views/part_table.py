"""Parts of a model by name, and section forces of beams with point loads inside their elements.

`PointLoads` recovers section forces of a beam element with point loads on nodes inside it from equilibrium. The
stresses at the p Gauss points of an element are polynomials F_h, M_h of degree p - 1, which cannot jump where a force,
a mass or a joint acts on one of its inner nodes. They fulfil the equations of the nodes,

    P_j = int L_j' F_h dxi        Q_j = int (L_j' M_h - h L_j e_1 x F_h) dxi        h = half of the element's length,

P_j and Q_j being force and moment of everything that acts on node j, and so are the best approximations of the section
forces that jump there by -P_j and -Q_j. With the step function H and its own best approximation Pi H in polynomials of
degree p - 1, Legendre's P_n, and f the last coefficient of F_h in them,

    F = F_h - sum_j P_j (H_j - Pi H_j)
    M = M_h - h e_1 x f P_p / (2p - 1) - sum_j Q_j (H_j - Pi H_j) + h sum_j e_1 x P_j int (H_j - Pi H_j) dxi

are those of equilibrium, exactly in a straight element. Loads along the beam (its weight and inertia, distributed
loads) are part of P_j too, in proportion to the weights of Lobatto's rule; those on inner nodes without point loads
show how large they are.

`PartTable` finds parts from the model description in the result file.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import Output, Quantity, outputs_from
from fem_mbd.errors import FemMbdWarning, InputError

# element classes whose forces are spread along beams
ALONG_BEAMS = ("beam", "distributed load", "aerodynamic load", "modal damping", "shape damping")


class UnknownLineLoadWarning(FemMbdWarning):
    """Point loads act on all inner nodes of a beam: loads along it cannot be told from them."""


def nodes_with_point_loads(model: Mapping[str, Any]) -> frozenset[int]:
    """Indices of nodes on which forces, masses, joints, springs, contacts, supports act, from a model's description.

    Loads along beams are left out: those of kinds in `ALONG_BEAMS`, and line loads, which say ``along`` which beam.
    """
    loaded = set(model.get("bodies", {}).values())
    for label, parts in model.get("parts", {}).items():
        if label not in ALONG_BEAMS:
            loaded.update(node for part in parts if not part.get("along") for node in part["nodes"])
    supported = set(model.get("supports", ()))
    loaded.update(k for k, node in enumerate(model["nodes"]) if node["name"] in supported)
    return frozenset(loaded)


@dataclass(frozen=True, eq=False)
class ElementRule:
    """Polynomials of an element with given nodes and Gauss points on [-1, 1].

    Attributes
    ----------
    nodes : (n,)
    node_weights : (n,) of Lobatto's rule
    by_force : (n, p) weights of the stresses in the force (moment) on a node by their derivative
    by_lever : (n, p) weights of the forces in the moment on a node
    coefficients : (p, p) Legendre coefficients of the polynomial through values at the Gauss points
    """

    nodes: Array
    node_weights: Array
    by_force: Array
    by_lever: Array
    coefficients: Array

    @classmethod
    def of(cls, nodes: Array, gauss: Array) -> ElementRule:
        """The rule of nodes (n,) and Gauss points (p,)."""
        n, p = len(nodes), len(gauss)
        _, weights = legendre.leggauss(p)
        shapes = np.linalg.inv(legendre.legvander(nodes, n - 1))  # coefficients, a column for each node
        values = legendre.legvander(gauss, n - 1) @ shapes
        slopes = legendre.legvander(gauss, n - 2) @ legendre.legder(shapes)
        return cls(
            nodes,
            2.0 * shapes[0],  # integrals of the shape functions
            slopes.T * weights,
            values.T * weights,
            np.linalg.inv(legendre.legvander(gauss, p - 1)),
        )

    def loads(self, force: Array, moment: Array, half: float) -> tuple[Array, Array]:
        """Force and moment (…, n, 3) on the nodes, from stresses (…, p, 3) and half of the element's length (m)."""
        lever = np.cross((1.0, 0.0, 0.0), force)
        on_nodes = np.einsum("ng,...gi->...ni", self.by_force, moment)
        return (
            np.einsum("ng,...gi->...ni", self.by_force, force),
            on_nodes - half * np.einsum("ng,...gi->...ni", self.by_lever, lever),
        )

    def jump(self, node: int, xi: float, side: int) -> tuple[float, float]:
        """H - Pi H of a step at a node, and its integral from -1, at xi; side: of the step, where xi is there."""
        degree, at = len(self.by_force[0]), float(self.nodes[node])
        moments = np.array([1.0 - at, *(_integral(n, at) for n in range(1, degree))])
        projected = 0.5 * (2.0 * np.arange(degree) + 1.0) * moments
        step = 1.0 if xi > at or (xi == at and side > 0) else 0.0
        integral = legendre.legval(xi, legendre.legint(projected, lbnd=-1))
        return step - float(legendre.legval(xi, projected)), max(xi - at, 0.0) - float(integral)


def _integral(n: int, at: float) -> float:
    """Integral of Legendre's polynomial P_n, n > 0, from ``at`` to 1."""
    unit = np.zeros(n + 2)
    unit[n - 1], unit[n + 1] = 1.0, -1.0
    return float(legendre.legval(at, unit)) / (2 * n + 1)


class PointLoads:
    """Point loads on inner nodes of a beam's elements.

    Parameters
    ----------
    name : of the beam, for messages
    elements : its elements as described in results
    nodes : all nodes of the model as described in results
    loaded : indices of nodes with point loads
    """

    def __init__(
        self,
        name: str,
        elements: tuple[Mapping[str, Any], ...],
        nodes: Sequence[Mapping[str, Any]],
        loaded: frozenset[int],
    ):
        self._name, self._loaded = name, loaded
        self._elements, self._nodes = elements, nodes

    # most beams have no point loads inside their elements: a controller that asks each step pays for none

    @cached_property
    def _rules(self) -> list[ElementRule]:
        return [ElementRule.of(np.array(e["nodes_at"]), np.array(e["gauss_at"])) for e in self._elements]

    @cached_property
    def _half(self) -> list[float]:
        return [
            _half_length(rule.nodes, np.array([self._nodes[k]["position"] for k in e["nodes"]]))
            for rule, e in zip(self._rules, self._elements, strict=True)
        ]

    def inside(self, element: int) -> list[int]:
        """The element's inner nodes with point loads, counted from its first node."""
        nodes = self._elements[element]["nodes"]
        return [k for k in range(1, len(nodes) - 1) if nodes[k] in self._loaded]

    def correction(self, stresses: Array, starts: list[int], element: int, xi: float, side: int) -> Array:
        """(…, 6) to add to the polynomial of an element's section forces at xi.

        stresses (…, gauss points of the beam, 6); starts : first Gauss point of each element
        """
        rule, half = self._rules[element], self._half[element]
        p = len(rule.coefficients)
        element_stresses = stresses[..., starts[element] : starts[element] + p, :]
        out = np.zeros((*element_stresses.shape[:-2], 6))
        last = np.einsum("g,...gi->...i", rule.coefficients[p - 1], element_stresses[..., :3])
        unit = np.zeros(p + 1)
        unit[p] = 1.0
        out[..., 3:] -= half * np.cross((1.0, 0.0, 0.0), last) * legendre.legval(xi, unit) / (2 * p - 1)
        force, moment = rule.loads(element_stresses[..., :3], element_stresses[..., 3:], half)
        spread = self._line_loads(stresses, starts, element)
        for k in self.inside(element):
            step, integral = rule.jump(k, xi, side)
            share = rule.node_weights[k] * half
            point = force[..., k, :] - share * spread[0][..., k, :]
            out[..., :3] -= step * point
            out[..., 3:] -= step * (moment[..., k, :] - share * spread[1][..., k, :])
            out[..., 3:] += half * integral * np.cross((1.0, 0.0, 0.0), point)
        return out

    def _line_loads(self, stresses: Array, starts: list[int], element: int) -> tuple[Array, Array]:
        """Force and moment per length (…, nodes, 3) at an element's nodes, from the nearest nodes without point loads.

        Linear between the nearest on both sides.
        """
        places, line_loads = [], []
        for e, rule in enumerate(self._rules):
            free = [k for k in range(1, len(rule.nodes) - 1) if k not in self.inside(e)]
            if free:
                element_stresses = stresses[..., starts[e] : starts[e] + len(rule.coefficients), :]
                loads = np.concatenate(
                    rule.loads(element_stresses[..., :3], element_stresses[..., 3:], self._half[e]), axis=-1
                )
                for k in free:
                    places.append(self._place(e, k))
                    line_loads.append(loads[..., k, :] / (rule.node_weights[k] * self._half[e]))
        nodes = len(self._rules[element].nodes)
        if not places:
            warnings.warn(
                f"beam '{self._name}': point loads act on all nodes inside its elements, so that its weight and other "
                "loads along it cannot be told from them: section forces neglect them within elements. End elements "
                "at the point loads, elements=(0, 0.3, 1), or use order=4",
                UnknownLineLoadWarning,
                stacklevel=7,
            )
            return np.zeros((*stresses.shape[:-2], nodes, 3)), np.zeros((*stresses.shape[:-2], nodes, 3))
        known, at = np.stack(line_loads, axis=-2), [self._place(element, k) for k in range(nodes)]
        weights = np.array([np.interp(at, places, unit) for unit in np.eye(len(places))])
        spread = np.einsum("kn,...ki->...ni", weights, known)
        return spread[..., :3], spread[..., 3:]

    def _place(self, element: int, node: int) -> float:
        """Fraction of the beam's length of an element's node."""
        begin, end = self._elements[element]["span"]
        return float(begin + 0.5 * (end - begin) * (1.0 + self._rules[element].nodes[node]))


def _half_length(nodes: Array, positions: Array) -> float:
    """Half of the length (m) of the line through the nodes of an element, from their positions (n, 3)."""
    shapes = np.linalg.inv(legendre.legvander(nodes, len(nodes) - 1))
    points, weights = legendre.leggauss(5)
    slopes = legendre.legvander(points, len(nodes) - 2) @ legendre.legder(shapes) @ positions
    return 0.5 * float(weights @ np.linalg.norm(slopes, axis=1))


NODE = "node"


@dataclass(frozen=True, eq=False)
class Entry:
    """A part, or several of one kind.

    Attributes
    ----------
    name : of the part
    view : class that presents it
    members : its entry in the result file (of a beam: one per element)
    nodes : indices of its nodes
    offset : (3,) m from the node, node axes, for a point of a node
    several : whether several parts were requested, which adds an axis to all values
    """

    name: str
    view: str
    members: tuple[Mapping[str, Any], ...]
    nodes: Indices
    offset: Array | None = None
    several: bool = False

    def rows(self, output: str) -> Indices:
        """Rows of the part in an output."""
        spans = [part["rows"][output] for part in self.members if output in part["rows"]]
        return np.concatenate([np.arange(first, first + count) for first, count in spans])


def own_quantities(part: Mapping[str, Any], output: Output) -> list[Quantity]:
    """Quantities of an output under the names and units that apply to a part."""
    renamed = part.get("quantities", {})
    return [replace(q, **renamed.get(q.name, {})) for q in output.quantities]


def sections_of(system: Any) -> dict[str, Any]:
    """Sections of the beams of a system's model by the beams' names: meshes of sections are not in results' files."""
    parts = getattr(getattr(system, "model", None), "parts", ())
    return {part.name: part.section for part in parts if getattr(part, "section", None) is not None}


class PartTable:
    """Finds parts by handle, node, point or name.

    Attributes
    ----------
    outputs : descriptions of the model's outputs, by name
    sections : of the beams, by name, where the model itself is at hand
    """

    def __init__(self, model: Mapping[str, Any], sections: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.sections = dict(sections or {})
        self.outputs: dict[str, Output] = outputs_from(model.get("outputs", {}))
        self._parts: dict[str, list[Mapping[str, Any]]] = {}
        for described in model.get("parts", {}).values():
            for part in described:
                self._parts.setdefault(part["name"], []).append(part)
        nodes = model["nodes"] if self.outputs else []
        self._nodes = {node["name"]: k for k, node in enumerate(nodes)} | dict(model.get("bodies", {}))

    @cached_property
    def nodes_with_point_loads(self) -> frozenset[int]:
        """Indices of nodes on which parts act at a point, not along a beam."""
        return nodes_with_point_loads(self.model)

    @property
    def names(self) -> list[str]:
        """Names of all parts, bodies and nodes."""
        return [*self._parts, *self._nodes]

    def by_label(self) -> dict[str, list[str]]:
        """Names of the parts by the label of their kind, followed by bodies and supported nodes."""
        parts = self.model.get("parts", {})
        by_label = {
            label: list(dict.fromkeys(p["name"] for p in described)) for label, described in parts.items()
        }
        rest = {"body": list(self.model.get("bodies", {})), "support": list(self.model.get("supports", []))}
        return {label: names for label, names in (by_label | rest).items() if names}

    def owners(self, output: Output) -> list[tuple[str, list[Quantity]]]:
        """For each row of an output: the part it belongs to, and the quantities under the names that apply to this
        part.
        """
        if output.row == NODE:
            return [(node["name"], list(output.quantities)) for node in self.model["nodes"]]
        if output.row == "support":
            return [(name, list(output.quantities)) for name in self.model["supports"]]
        rows: dict[int, tuple[str, list[Quantity]]] = {}
        for parts in self._parts.values():
            for part in parts:
                first, count = part["rows"].get(output.name, (0, 0))
                label = f"{part['name']} element {part['element']}" if "element" in part else part["name"]
                quantities = own_quantities(part, output)
                for k in range(count):
                    rows[first + k] = (f"{label} point {k}" if output.many else label, quantities)
        return [rows[k] for k in sorted(rows)]

    def titles(self, output: Output) -> list[str]:
        """Title of every number in a row of an output: owner, component, unit."""
        return [
            f"{part}: {title}"
            for part, quantities in self.owners(output)
            for q in quantities
            for title in q.titles
        ]

    def find(self, item: Any) -> Entry:
        """Entry of a handle, a node, a point, a name, or of a sequence of them.

        A part that consists of others (a face of points, a journal bearing of edges) represents all of them.

        Raises
        ------
        InputError
            When no part has that name (the message suggests the nearest), or the parts of a sequence are of several
            kinds.
        """
        if isinstance(item, Sequence) and not isinstance(item, str):
            return self._combined([self.find(part) for part in item])
        if isinstance(item, Point):
            entry = self.find(item.node)
            offset = np.asarray(item.offset) if np.any(item.offset) else None
            return Entry(entry.name, NODE, (), entry.nodes, offset)
        name = item if isinstance(item, str) else getattr(item, "name", None)
        if not isinstance(name, str):
            raise InputError(f"of({item!r}): give a part's handle or name, a node, or a point of the model")
        if name in self._parts:
            members = tuple(self._parts[name])
            nodes = np.array(
                list(dict.fromkeys(n for part in members for n in part["nodes"])), dtype=np.int64
            )
            return Entry(name, members[0]["view"], members, nodes)
        group = [part for part in self._parts if part.startswith(f"{name}.")]
        if group and name not in self._nodes:
            return self._combined([self.find(part) for part in group])
        if name in self._nodes:
            return Entry(name, NODE, (), np.array([self._nodes[name]], dtype=np.int64))
        raise InputError(f"no part of model '{self.model['name']}' is called '{name}': {self._hint(name)}")

    def _hint(self, name: str) -> str:
        if not self.outputs:
            return (
                "this result has no description of its parts (it was written by an older version): repeat "
                "the run"
            )
        return nearest(name, self.names)

    def _combined(self, entries: list[Entry]) -> Entry:
        if not entries:
            raise InputError("of([]): give at least one part")
        if any(e.offset is not None or e.several for e in entries) or len({e.view for e in entries}) > 1:
            raise InputError(
                "of([…]): give parts of one kind, or nodes; request points and parts of different kinds "
                "one by one"
            )
        return Entry(
            ", ".join(e.name for e in entries),
            entries[0].view,
            tuple(part for e in entries for part in e.members),
            np.concatenate([e.nodes for e in entries]),
            several=True,
        )
