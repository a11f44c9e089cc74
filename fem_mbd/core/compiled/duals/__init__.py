"""Dual numbers: a value with its derivatives in a few directions, for kernels without changes to their text."""
