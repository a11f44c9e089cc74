"""Beams from line meshes (frames and lattices in mesh files)."""
