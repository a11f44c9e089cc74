"""Exact derivatives of a run by its parameters, carried along its steps with dual numbers."""
