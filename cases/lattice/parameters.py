"""Parameters of the lattice, and the tube of its beams."""

from __future__ import annotations

from dataclasses import dataclass

from fem_mbd.base.validation import positive, whole_number
from fem_mbd.case_parameters import parameter
from fem_mbd.elements import Material, Section

STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
TUBE = Section.tube(0.02, 0.002, STEEL)
LEAST_CELLS = (
    4  # with fewer cells the wave is as short as the beams, and its frequency that of their own bending
)


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
