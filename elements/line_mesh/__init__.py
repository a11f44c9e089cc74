"""Beams from meshes of lines."""
