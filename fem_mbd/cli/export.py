"""`fem-mbd export DIR --to FORMAT`: a run's results for ParaView or as tables."""

from __future__ import annotations

import argparse
import sys

from fem_mbd.cli.defaults import EXPORT_FOLDER, EXPORT_NAME
from fem_mbd.cli.exit_status import of_reading
from fem_mbd.export import export_result
from fem_mbd.results.reader import results_path
from fem_mbd.results.result import Result


def export_run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    path = results_path(options.folder)
    default = path.parent / EXPORT_FOLDER / ("csv" if options.to == "csv" else EXPORT_NAME)
    with Result.open(path, scan=True) as result:
        files = export_result(result, options.out or default, options.to, options.every)
        sys.stdout.write("".join(f"{file}\n" for file in files))
        return of_reading(result)
