"""The version of the installed package, written into every result."""

from __future__ import annotations

from functools import cache

__version__: str


@cache
def package_version() -> str:
    """Version in the installed package's metadata; "unknown" when the package is not installed."""
    # imported here, as importlib.metadata takes 10 ms (it imports the e-mail parser)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fem_mbd")
    except PackageNotFoundError:
        return "unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return package_version()
    raise AttributeError(name)
