"""`python -m fem_mbd.core.compiled.build [LIBRARY …]`: build the libraries of compiled kernels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from fem_mbd.core.compiled.build.builder import Wheel, build
from fem_mbd.core.compiled.libraries import DIFFERENTIATED, DUAL, LIBRARIES, family
from fem_mbd.errors import InstallationError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m fem_mbd.core.compiled.build", description=__doc__)
    parser.add_argument(
        "libraries", nargs="*", metavar="LIBRARY", help=f"all unless given: {', '.join(LIBRARIES)}"
    )
    parser.add_argument("--derivatives", action="store_true", help="those of kernels for dual numbers too")
    parser.add_argument("--jobs", type=int, help="processes at a time, by default as many as processors")
    wheel = parser.add_argument_group("for a wheel (setup.py)")
    wheel.add_argument(
        "--into", type=Path, help="folder with one for each kind of processor of this machine's family"
    )
    wheel.add_argument("--version", default="", help="of the package")
    wheel.add_argument(
        "--known", type=Path, help="such a folder, whose libraries are taken where they are the same"
    )
    options = parser.parse_args(arguments)
    duals = [f"{DUAL}{name}" for name in DIFFERENTIATED]
    unknown = set(options.libraries) - {*LIBRARIES, *duals}
    if unknown:
        parser.error(f"there is no library {', '.join(sorted(unknown))}")
    try:
        folders = [] if options.into is None else [options.into / processor for processor in family()]
        wanted = options.libraries or (*LIBRARIES, *(duals if options.derivatives or options.into else ()))
        build(wanted, folders, options.jobs, options.into and Wheel(options.version, options.known))
    except InstallationError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


sys.exit(main())
