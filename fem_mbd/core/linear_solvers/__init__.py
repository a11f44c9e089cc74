"""The linear equations of a step: PETSc, factors in place; which solver serves."""
