"""Newton's method for the equations of a step: compiled, by PETSc's SNES, or in Python, with one convergence test."""
