"""Periodic motions by shooting: their stability, and their branches over a parameter."""
