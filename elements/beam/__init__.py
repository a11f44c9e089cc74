"""Geometrically exact beam elements: strains, forces, tangents, damping, section load stations."""
