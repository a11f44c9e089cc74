"""Loads: forces, moments, line loads, distributed loads, load tables, generator torque."""
