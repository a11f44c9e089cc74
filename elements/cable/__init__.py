"""Cables: elements that carry tension only, and the shapes in which they hang."""
