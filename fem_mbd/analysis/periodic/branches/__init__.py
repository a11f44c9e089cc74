"""Branches of periodic motions over a parameter: continuation, detection of bifurcations, branch switching."""
