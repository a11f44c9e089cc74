"""Forward sensitivities: exact derivatives of a run by its parameters, propagated along its steps with dual numbers."""
