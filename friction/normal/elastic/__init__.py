"""Elastic normal contact laws: linear, Hertz, cylinders, rough surfaces; stiffness from geometry and material."""
