"""Helpers for every package: input checks, lazy imports, optional dependencies, array types, mesh files."""
