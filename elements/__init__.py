"""Parts that carry mass, stiffness or load, and what they are made from."""

from fem_mbd.elements.curve import Arc, Curve, ReferenceLine, Straight
from fem_mbd.elements.material import Material
from fem_mbd.elements.section import Section

__all__ = [
    "Arc",
    "Curve",
    "Material",
    "ReferenceLine",
    "Section",
    "Straight",
]
