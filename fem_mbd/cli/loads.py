"""`fem-mbd loads DIR`: section loads of a run as tables and figure."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from fem_mbd.cli.defaults import LOADS_FOLDER
from fem_mbd.cli.exit_status import of_reading
from fem_mbd.results.reader import results_path
from fem_mbd.results.result import Result
from fem_mbd.section_loads.loads import section_loads


def write_loads(options: argparse.Namespace) -> int:
    """Write tables and figure, show the table, and name the files."""
    path = results_path(options.folder)
    folder = options.out or path.parent / LOADS_FOLDER
    names = options.channels or ()
    with Result.open(path, scan=True) as result:
        loads = section_loads(result, *names, after=options.after)
        rows = loads.table(options.exponents, options.frequency)
        files = loads.to_csv(folder, exponents=options.exponents, frequency=options.frequency)
        files.append(loads.plot(folder / "loads.png", names))
        status = of_reading(result)
    lines = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [text.ljust(width) for text, width in zip(line, widths, strict=True)]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
    sys.stdout.write("".join(f"{file}\n" for file in files))
    return status


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.5g}"
