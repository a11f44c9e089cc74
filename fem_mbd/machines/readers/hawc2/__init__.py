"""Machines from HAWC2's htc files."""
