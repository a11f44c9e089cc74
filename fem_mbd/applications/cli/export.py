"""`fem-mbd export DIR --to FORMAT`: a run's results for ParaView or as tables."""

from __future__ import annotations

import argparse
import sys

from fem_mbd.applications.cli.defaults import EXPORT_FOLDER, EXPORT_NAME
from fem_mbd.applications.cli.exit_status import of_reading
from fem_mbd.output.export import export_result
from fem_mbd.runs.results.reader import results_path
from fem_mbd.runs.results.result import Result


def export_run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    path = results_path(options.folder)
    default = path.parent / EXPORT_FOLDER / ("csv" if options.to == "csv" else EXPORT_NAME)
    with Result.open(path, scan=True) as result:
        files = export_result(result, options.out or default, options.to, options.every)
        sys.stdout.write("".join(f"{file}\n" for file in files))
        return of_reading(result)
