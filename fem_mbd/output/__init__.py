"""Figures, animations, section loads, and files for other programs."""
