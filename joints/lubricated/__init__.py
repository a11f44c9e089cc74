"""Lubricated journal bearings: forces of the oil film, and asperity contact."""
