"""Cross-sections of beams: stiffness and mass from shapes, materials and tables."""
