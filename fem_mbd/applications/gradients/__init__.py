"""Derivatives of a run's outputs by parameters, and estimates of their errors."""
