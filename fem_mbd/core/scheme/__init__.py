"""The time-discontinuous Galerkin scheme: residual, tangent, energy ledger and state of a step; outputs; set-up."""
