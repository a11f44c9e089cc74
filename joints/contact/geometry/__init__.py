"""Geometries of contact, one in each file: how two bodies meet, for the driver of all contacts."""
