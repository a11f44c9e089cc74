"""Dual numbers: a number and its derivatives in a few directions, with which kernels run as they stand."""
