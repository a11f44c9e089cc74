"""`python -m fem_mbd.compiled.build [LIBRARY …]`: build the libraries of compiled kernels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fem_mbd.compiled.build.builder import build
from fem_mbd.compiled.libraries import LIBRARIES
from fem_mbd.errors import InstallationError


def main(arguments: Sequence[str] | None = None) -> int:
    """Status of the command."""
    parser = argparse.ArgumentParser(prog="python -m fem_mbd.compiled.build", description=__doc__)
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"all unless given: {', '.join(LIBRARIES)}")
    parser.add_argument("--jobs", type=int, help="processes at a time, by default as many as processors")
    given = parser.parse_args(arguments)
    unknown = set(given.libraries) - set(LIBRARIES)
    if unknown:
        parser.error(f"there is no library {', '.join(sorted(unknown))}")
    try:
        build(given.libraries, jobs=given.jobs)
    except InstallationError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


sys.exit(main())
