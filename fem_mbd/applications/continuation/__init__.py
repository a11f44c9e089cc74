"""Branches of periodic motions over a parameter, with their outputs as tables and figures."""
