"""Normal contact laws with dissipation: viscous damping, coefficients of restitution, permanent indentation."""
