"""Direct solvers for the linear equations of a Newton iteration: block LU in place, PETSc, SciPy; choice of one."""
