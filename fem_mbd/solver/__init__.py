"""Solving a step and choosing the next: Newton's method with PETSc, step-size rules, acceptance."""
