"""Comparison of programs at equal error: studies, reference solutions, timed runs."""
