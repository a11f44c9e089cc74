"""Static equilibrium, steady rotation, load paths and buckling."""
