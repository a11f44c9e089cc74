"""The version of the installed package, written into every result."""

from __future__ import annotations

from functools import cache

__version__: str


@cache
def package_version() -> str:
    """Version in the installed package's metadata; "unknown" when the package was never installed."""
    from importlib.metadata import PackageNotFoundError, version  # it reads e-mail: 10 ms that not all need

    try:
        return version("fem_mbd")
    except PackageNotFoundError:
        return "unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return package_version()
    raise AttributeError(name)
