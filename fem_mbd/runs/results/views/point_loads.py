"""Section forces of a beam element with point loads on nodes inside it, recovered from equilibrium.

The stresses at the p Gauss points of an element are polynomials F_h, M_h of degree p - 1, which cannot jump where a
force, a mass or a joint acts on one of its inner nodes. They fulfil the equations of the nodes,

    P_j = int L_j' F_h dxi        Q_j = int (L_j' M_h - h L_j e_1 x F_h) dxi        h = half of the element's length,

P_j and Q_j being force and moment of everything that acts on node j, and so are the best approximations of the section
forces that jump there by -P_j and -Q_j. With the step function H and its own best approximation Pi H in polynomials of
degree p - 1, Legendre's P_n, and f the last coefficient of F_h in them,

    F = F_h - sum_j P_j (H_j - Pi H_j)
    M = M_h - h e_1 x f P_p / (2p - 1) - sum_j Q_j (H_j - Pi H_j) + h sum_j e_1 x P_j int (H_j - Pi H_j) dxi

are those of equilibrium, exactly in a straight element. Loads along the beam (its weight and inertia, distributed
loads) are part of P_j too, in proportion to the weights of Lobatto's rule; those on inner nodes without point loads
show how large they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning

# kinds of parts whose forces are spread along beams
ALONG_BEAMS = ("beam", "distributed load", "aerodynamic load", "modal damping", "shape damping")


class UnknownLineLoadWarning(FemMbdWarning):
    """Point loads act on all inner nodes of a beam: loads along it cannot be told from them."""


def nodes_with_point_loads(model: Mapping[str, Any]) -> frozenset[int]:
    """Indices of nodes on which forces, masses, joints, springs, contacts, supports act, from a model's description.

    Loads along beams are left out: those of kinds in `ALONG_BEAMS`, and line loads, which say ``along`` which beam.
    """
    found = set(model.get("bodies", {}).values())
    for label, parts in model.get("parts", {}).items():
        if label not in ALONG_BEAMS:
            found.update(node for part in parts if not part.get("along") for node in part["nodes"])
    supported = set(model.get("supports", ()))
    found.update(k for k, node in enumerate(model["nodes"]) if node["name"] in supported)
    return frozenset(found)


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
    positions : (n, 3) m, reference positions of all nodes of the model
    loaded : indices of nodes with point loads
    """

    def __init__(
        self, name: str, elements: tuple[Mapping[str, Any], ...], positions: Array, loaded: frozenset[int]
    ):
        self._name, self._loaded = name, loaded
        self._elements = elements
        self._rules = [ElementRule.of(np.array(e["nodes_at"]), np.array(e["gauss_at"])) for e in elements]
        self._half = [
            _half_length(rule.nodes, positions[np.array(e["nodes"])])
            for rule, e in zip(self._rules, elements, strict=True)
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
        own = stresses[..., starts[element] : starts[element] + p, :]
        out = np.zeros((*own.shape[:-2], 6))
        last = np.einsum("g,...gi->...i", rule.coefficients[p - 1], own[..., :3])
        unit = np.zeros(p + 1)
        unit[p] = 1.0
        out[..., 3:] -= half * np.cross((1.0, 0.0, 0.0), last) * legendre.legval(xi, unit) / (2 * p - 1)
        force, moment = rule.loads(own[..., :3], own[..., 3:], half)
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
        places, found = [], []
        for e, rule in enumerate(self._rules):
            free = [k for k in range(1, len(rule.nodes) - 1) if k not in self.inside(e)]
            if free:
                own = stresses[..., starts[e] : starts[e] + len(rule.coefficients), :]
                loads = np.concatenate(rule.loads(own[..., :3], own[..., 3:], self._half[e]), axis=-1)
                for k in free:
                    places.append(self._place(e, k))
                    found.append(loads[..., k, :] / (rule.node_weights[k] * self._half[e]))
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
        known, at = np.stack(found, axis=-2), [self._place(element, k) for k in range(nodes)]
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
