"""Compiled code: the decorator of all kernels, their libraries, and how kernels are called without Python."""

from fem_mbd.core.compiled.kernels import kernel

__all__ = ["kernel"]
