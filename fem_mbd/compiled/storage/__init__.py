"""Compiled kernels on disk: where they are kept, and how machine code is read and linked without numba."""
