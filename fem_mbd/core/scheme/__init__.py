"""The time-discontinuous Galerkin scheme: one step as a nonlinear problem, and what it asks of kinds of parts."""
