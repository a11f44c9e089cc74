"""Journals in lubricated bearings: the film's forces, and asperities that touch through it."""
