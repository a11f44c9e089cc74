"""Statics: equilibrium, steady rotation, load paths with limit points and bifurcations, buckling."""
