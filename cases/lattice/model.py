"""Parameters and model of the lattice: crossings, tubes between them, hinges along the edges, initial velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.validation import positive, whole_number
from fem_mbd.case_parameters import parameter
from fem_mbd.cases.lattice.bloch import Wave, wave
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import Revolute

STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
TUBE = Section.tube(0.02, 0.002, STEEL)
# with fewer cells the wave is as short as the beams, and its frequency that of their own bending
LEAST_CELLS = 4
# An edge is cut from a larger lattice: half of each beam on it belongs to the other side.
HALF_TUBE = Section(
    0.5 * np.asarray(TUBE.stiffness),
    0.5 * TUBE.mass_per_length,
    0.5 * np.asarray(TUBE.inertia),
    outline=TUBE.outline,
)
Crossings = dict[tuple[int, int], Node]


@dataclass(frozen=True)
class Parameters:
    """SI units."""

    cells: int = parameter(8, "", "squares along each edge; 2 cells (cells + 1) beams")
    per_edge: int = parameter(1, "", "elements from crossing to crossing")
    order: int = parameter(3, "", "nodes of an element: 2, 3 or 4")
    spacing: float = parameter(1.0, "m", "from crossing to crossing")
    amplitude: float = parameter(
        1e-5, "m", "of the deflection in the middle; small against the tube's radius"
    )
    steps: int = parameter(40, "", "steps of a period of the motion")
    periods: float = parameter(1.0, "", "simulated time in periods of the motion, 0.75 at least")

    def __post_init__(self) -> None:
        whole_number(self.cells, "lattice: cells", LEAST_CELLS)
        whole_number(self.per_edge, "lattice: per_edge")
        whole_number(self.steps, "lattice: steps", 8)
        whole_number(self.order, "lattice: order", 2, 4)
        positive(self.spacing, "lattice: spacing (m)")
        positive(self.amplitude, "lattice: amplitude (m)")
        positive(self.periods, "lattice: periods")


def reference(p: Parameters) -> Wave:
    """The wave that is the motion of the lattice."""
    return wave(TUBE, p.spacing, np.pi / p.cells, np.pi / p.cells)


def build_model(p: Parameters) -> tuple[Model, Crossings]:
    """The lattice in the plane z = 0 between (0, 0) and (cells, cells) times the spacing."""
    model = Model(name="lattice")
    n = p.cells
    crossings = {
        (j, k): model.node((j * p.spacing, k * p.spacing, 0.0), name=f"crossing {j} {k}")
        for j in range(n + 1)
        for k in range(n + 1)
    }
    for (j, k), node in crossings.items():
        for other, on_edge in (((j + 1, k), k in (0, n)), ((j, k + 1), j in (0, n))):
            if other in crossings:
                section = HALF_TUBE if on_edge else TUBE
                name = f"{'x' if other[0] > j else 'y'} {j} {k}"
                model.add(
                    Beam(section, node, crossings[other], elements=p.per_edge, order=p.order, name=name)
                )
        _support(model, node, j in (0, n), k in (0, n))
    return model, crossings


def _support(model: Model, node: Node, on_x: bool, on_y: bool) -> None:
    """A hinge along the edge; a corner belongs to two edges and cannot rotate."""
    if on_x and on_y:
        model.fix(node)
    elif on_x or on_y:
        axis = (0.0, 1.0, 0.0) if on_x else (1.0, 0.0, 0.0)
        model.add(Revolute(model.ground, node, at=node.position, axis=axis, name=f"hinge at {node.name}"))


def set_velocities(model: Model, p: Parameters) -> None:
    """Give all nodes the velocities of the wave at its undeflected position."""
    motion = reference(p)
    speed = p.amplitude * motion.omega
    for node in model.nodes:
        if node.index in model.fixed:
            continue
        x, y = node.position[:2] / p.spacing
        along_x = abs(y - round(y)) < 1e-9  # on a beam along x, or a crossing
        w, slope, turn = (
            _on_beam(x, round(y), np.pi / p.cells, motion.slope_x, motion.slope_y, p.spacing)
            if along_x
            else _on_beam(y, round(x), np.pi / p.cells, motion.slope_y, motion.slope_x, p.spacing)
        )
        dx, dy = (slope, turn) if along_x else (turn, slope)
        model.set_velocity(node, velocity=(0.0, 0.0, speed * w), omega=(speed * dy, -speed * dx, 0.0))


def _on_beam(
    s: float, line: int, phase: float, slope: float, across: float, spacing: float
) -> tuple[float, float, float]:
    """Deflection, slope along and slope across a beam at s (in spacings) on the given line of the lattice.

    Between crossings the deflection is cubic and the slope across, which twists the beam, is linear.
    """
    first = int(np.floor(s + 1e-9))
    t = s - first
    w = [np.sin(phase * (first + e)) * np.sin(phase * line) for e in (0, 1)]
    d = [spacing * slope * np.cos(phase * (first + e)) * np.sin(phase * line) for e in (0, 1)]
    c = [across * np.sin(phase * (first + e)) * np.cos(phase * line) for e in (0, 1)]
    value = (1 + 2 * t) * (1 - t) ** 2 * w[0] + t**2 * (3 - 2 * t) * w[1]
    value += t * (1 - t) ** 2 * d[0] - t**2 * (1 - t) * d[1]
    rate = 6 * t * (1 - t) * (w[1] - w[0]) + (1 - t) * (1 - 3 * t) * d[0] + t * (3 * t - 2) * d[1]
    return float(value), float(rate / spacing), float((1 - t) * c[0] + t * c[1])
