"""Machines from windIO files."""
