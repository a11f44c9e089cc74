"""Damping of beams fitted to given damping ratios of their modes."""
