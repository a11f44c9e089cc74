"""Costs of parts of this package: calls, kernels, laws, linear solvers, steps, starts, sweeps, animations."""
