"""Geometrically exact beams: strains, forces, tangents, damping."""
