"""Viscosity of beams: given, or fitted to damping ratios of modes."""
