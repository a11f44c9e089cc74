"""Compiled code: the decorator of all kernels, where it is kept, and how kernels are called without Python."""

from fem_mbd.compiled.kernels import bare_kernel, kernel

__all__ = ["bare_kernel", "kernel"]
