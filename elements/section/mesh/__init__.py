"""Cross-sections from two-dimensional finite element meshes and laminates: stiffness, mass, stresses, derivatives."""
