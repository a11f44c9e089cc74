"""The version of the installed package, written into every result."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def package_version() -> str:
    """Version in the installed package's metadata; "unknown" when the package was never installed."""
    try:
        return version("fem_mbd")
    except PackageNotFoundError:
        return "unknown"


__version__ = package_version()
