"""The composite box beam of Smith and Chopra: a cantilever whose tip twists when it is bent.

E. C. Smith, I. Chopra, Formulation and evaluation of an analytical model for composite box beams, J. American
Helicopter Society 36 (1991): AS4/3501-6, 0.953 by 0.537 inch, walls of six plies of 0.005 inch, 30 inches long.
Symmetric layup: the plies of top and bottom lean to the same side, so that bending and twist are coupled; walls at the
sides alternate.
"""

import numpy as np

from fem_mbd.elements import Layer, Orthotropic, Section, SectionDerivatives

INCH = 0.0254
WIDTH, HEIGHT, PLY, LENGTH = 0.953 * INCH, 0.537 * INCH, 0.005 * INCH, 30 * INCH
PLIES, FORCE = 6, 4.448  # N, one pound
AS4 = Orthotropic(141.96e9, 9.79e9, 6.0e9, 0.42, 1600.0, G23=4.83e9, nu23=0.5)
ANGLES = np.linspace(0.0, 60.0, 25)
CORNERS = np.array([[0.0, 0.0], [WIDTH, 0.0], [WIDTH, HEIGHT], [0.0, HEIGHT], [0.0, 0.0]])
ARCS = np.append(0.0, np.cumsum([WIDTH, HEIGHT, WIDTH, HEIGHT])) / (2 * (WIDTH + HEIGHT))


def section(angle: float) -> Section:
    """The section with plies at ``angle`` (degrees)."""
    layers = []
    for wall in range(4):
        for ply in range(PLIES):
            # along the outline, the directions of bottom and top are opposite
            sign = (1.0, (-1.0) ** ply, -1.0, (-1.0) ** ply)[wall]
            layers.append(Layer(AS4, PLY, sign * angle, float(ARCS[wall]), float(min(ARCS[wall + 1], 1.0))))
    centre = (WIDTH / 2, HEIGHT / 2)
    return Section.from_laminate(CORNERS, layers, size=WIDTH / 12, reference=centre)


def tip_twist(angle: float) -> tuple[float, float]:
    """Twist of the tip (rad) by a force of one pound there, along axis 3, and its derivative (rad per degree).

    The moment -F (L - x) bends about axis 2; twist is the integral of the compliance's entry (4, 5) times it.
    """
    found = section(angle)
    compliance = np.linalg.inv(found.stiffness)
    derivatives = SectionDerivatives(found)
    mesh = derivatives.solution.mesh
    senses = np.sign(mesh.angles[:, 0]) if angle else np.sign(section(1.0).solution.mesh.angles[:, 0])  # type: ignore[union-attr]
    stiffness = np.einsum("m,mkl->kl", senses, derivatives.by_angles()[:, 0])
    rate = -compliance @ stiffness @ compliance
    factor = -FORCE * LENGTH**2 / 2
    return float(factor * compliance[3, 4]), float(factor * rate[3, 4])
