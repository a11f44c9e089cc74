"""Cross-sections: stiffness and mass from shapes, materials and tables."""
