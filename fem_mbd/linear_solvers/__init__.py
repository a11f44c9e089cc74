"""The linear equations of a step: PETSc, factors in place, processes that share them; which solver serves."""
