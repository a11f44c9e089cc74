"""Gradients of outputs of runs by parameters, for cases and for functions that build a simulation."""
