"""Friction laws that are functions of the slip speed, with an elastic bond where they stick."""
