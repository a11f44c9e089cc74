"""Kinematic analysis: motion of driven mechanisms from their constraints alone, without forces."""
