"""Friction laws whose force follows from the slip speed, with a bond where they stick."""
