"""Finite-element analysis of flexible multibody systems with joint clearance and friction."""

from fem_mbd.version import package_version

__version__ = package_version()
