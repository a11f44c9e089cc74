"""Gradients of outputs of runs by parameters: by name as sweeps have them, of cases and of functions."""
