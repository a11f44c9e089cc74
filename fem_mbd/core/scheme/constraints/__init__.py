"""Ideal joints as constraints between two nodes, made of quadratic forms of the nodes' vectors, and their kernels."""
