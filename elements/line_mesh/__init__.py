"""Beams created from line meshes (Gmsh, and other formats that meshio reads)."""
