"""Contact geometries, one per file: gap, normal and contact point of two bodies."""
