"""Newton's method: the readable one around PETSc's SNES and the compiled loop, with the same tests of convergence."""
