"""Scene of an animation as plain data: geometry of parts, packed motion, arrows, curves; for runs, modes, buckling."""
