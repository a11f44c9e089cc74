"""Damping of beams by modes or bending shapes, and fits of Kelvin-Voigt damping to damping ratios."""
