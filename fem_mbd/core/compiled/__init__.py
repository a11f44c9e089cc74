"""Compiled kernels: their declaration, the libraries of machine code, lists of calls without Python, small algebra."""

from fem_mbd.core.compiled.kernels import kernel

__all__ = ["kernel"]
