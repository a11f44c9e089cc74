"""Figures that every study shares."""
