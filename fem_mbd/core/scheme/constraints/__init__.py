"""Ideal joints as the scheme sees them: quadratic forms of the vectors of two nodes, and their kernels."""
