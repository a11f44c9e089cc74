"""Springs of machines to the ground: at single nodes, and of the soil along a member, at the nodes of its beam.

What is spread along the member, k(s), becomes k_i = int N_i k ds at node i, as its mass does: N_i are the shape
functions of an element that is in the soil from end to end; of one at an edge of the soil, where these could make k_i
negative, they are linear between its nodes. Lateral and
axial springs end far away, so that a deflection does not turn them: ARM away a deflection of 1 m stiffens a spring
across by 5e-7 of itself.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.node import Node, Point
from fem_mbd.elements.quadrature import LOBATTO_NODES, lagrange
from fem_mbd.elements.springs.springs import RotationalSpringDamper, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.description.parts import GroundSpring, Soil

ARM = 1000.0  # m
FINE = 400  # pieces of an element for the integral
UP = np.array([0.0, 0.0, 1.0])
DIRECTIONS = {"lateral": np.eye(3)[:2], "axial": UP[None]}


def add_soil(assembly: Assembly, soil: Soil) -> None:
    """Add its springs to the model.

    Raises
    ------
    InputError
        When no node of the member stands in the soil.
    """
    beam = assembly.beams[soil.member]
    stiffness = at_nodes(np.array([node.position for node in beam.nodes]), beam.elements, soil)
    if not stiffness.any():
        raise InputError(
            f"machine '{assembly.machine.name}': member '{soil.member}' has no node in its soil, from "
            f"{soil.heights[0]:g} to {soil.heights[-1]:g} m"
        )
    for node, k in zip(beam.nodes, stiffness, strict=True):
        if k > 0.0:
            _add(assembly, soil, node, float(k))


def at_nodes(places: Array, elements: Indices, soil: Soil) -> Array:
    """(n,) N/m or N m/rad at nodes with places (n, 3); elements (m, nn) number them."""
    found = np.zeros(len(places))
    xi = (np.arange(FINE) + 0.5) * 2 / FINE - 1
    lobatto = LOBATTO_NODES[elements.shape[1]]
    smooth = np.array([lagrange(lobatto, x)[0] for x in xi])
    linear = np.array([np.interp(xi, lobatto, row) for row in np.eye(len(lobatto))]).T
    for own in elements:
        heights = np.array(smooth @ places[own, 2])
        per_length = np.interp(heights, soil.heights, soil.stiffness, left=0.0, right=0.0)
        length = (
            float(np.linalg.norm(np.diff(smooth @ places[own], axis=0), axis=1).sum()) * FINE / (FINE - 1)
        )
        whole = soil.heights[0] <= heights.min() and heights.max() <= soil.heights[-1]
        found[own] += per_length @ (smooth if whole else linear) * length / FINE
    return found


def add_ground_spring(assembly: Assembly, spring: GroundSpring, damped: bool) -> None:
    """Add the springs of one node to the model."""
    node = assembly.node(*spring.end)
    for direction, k, c in zip(np.eye(3), spring.stiffness, spring.damping, strict=True):
        if k > 0.0 or c > 0.0:
            _between(
                assembly, node, direction, float(k), float(c) if damped else 0.0, f"{spring.end[0]} support"
            )


def _add(assembly: Assembly, soil: Soil, node: Node, k: float) -> None:
    model, name, damping = assembly.model, f"{node.name} {soil.kind} soil", soil.damping * k
    if soil.kind == "turn":
        model.add(RotationalSpringDamper(model.ground, node, UP, k, damping, name=name))
        return
    for direction in DIRECTIONS[soil.kind]:
        _between(assembly, node, direction, k, damping, name)


def _between(assembly: Assembly, node: Node, direction: Array, k: float, c: float, name: str) -> None:
    """A spring from far away along a direction (3,)."""
    ground = assembly.model.ground
    anchor = Point(ground, node.position - ARM * direction - ground.position)
    assembly.model.add(SpringDamper(anchor, node, k, c, name=name))
