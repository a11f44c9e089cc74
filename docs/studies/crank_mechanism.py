"""Scan of the assumed data of the crank mechanism: near-zero slip and loss of contact, as a table.

    python docs/studies/crank_mechanism.py [--processes N] [--write FILE]

Prints a table of runs over five revolutions, one or two assumptions changed in each. crank_mechanism_scan.md
keeps one of them. The whole scan takes about ten minutes on one processor.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd import FemMbdError, run
from fem_mbd.cases.crank_mechanism import NEARLY_ZERO, Histories, near_zero_intervals, open_intervals
from fem_mbd.cases.crank_mechanism.model import Parameters, build

COLUMNS = (
    "changed",
    "near-zero slip: times",
    "from, to [deg]",
    "contact open [deg]",
    "least force [N] at [deg]",
    "steps",
)
DT_MAX = 2e-3  # s: coarser than the default, which resolves the whirl for the figures


def variants() -> Iterator[dict[str, Any]]:
    """What to change against the defaults: nothing, the numerics, then each assumption in turn."""
    yield {}
    yield {"dt_max": 1e-3}
    yield {"tau_min": 2.5e-4}
    yield {"elements": 4}
    values: dict[str, tuple[float, ...]] = {
        "friction": (0.25, 0.23, 0.22, 0.21),
        "damping": (5e-4, 7e-4, 1.5e-3, 2e-3, 3e-3),
        "offset": (0.35, 0.38, 0.45),
        "phase": (180.0, 190.0, 210.0, 225.0),
        "beam_length": (0.4, 0.8, 1.0, 1.3),
        "axial_factor": (0.1, 0.3, 3.0),
        "slider_inertia": (1e-3, 2e-2),
    }
    for name, choices in values.items():
        for value in choices:
            yield {name: value}
    for also in ({"dt_max": 1e-3}, {"dt_max": 2.5e-4}, {"tau_min": 2.5e-4}, {"elements": 4}):
        yield {"friction": 0.22} | also
    for length in (1.1, 1.3, 1.4, 1.6):
        yield {"damping": 7e-4, "beam_length": length}


def study(changed: dict[str, Any]) -> tuple[str, ...]:
    """One row of the table; see `COLUMNS`."""
    parameters = replace(Parameters(case=2, revolutions=5.0, dt_max=DT_MAX), **changed)
    label = ", ".join(f"{k} = {v:g}" for k, v in changed.items()) or "nothing"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = run(build(parameters), progress=False, quantities=("contact",))
        except FemMbdError as error:
            return (label, str(error), "", "", "", "")
    if result.status != "complete":
        return (label, result.reason, "", "", "", str(result.steps))
    h = Histories(result, parameters)
    force = h.contact["normal_force"]
    low = near_zero_intervals(h.angle, h.slip_speed, force > 0, NEARLY_ZERO)
    ends = f"{low[0][0]:.0f}, {low[-1][1]:.0f}" if low else ""
    deepest = int(np.argmin(force))
    least = f"{force[deepest]:.0f} at {h.angle[deepest]:.0f}"
    return (label, str(len(low)), ends, opened(h.angle, force), least, str(result.steps))


def opened(angle: np.ndarray, force: np.ndarray) -> str:
    """Angles of the open contact as a text."""
    return "; ".join(f"{a:.0f} to {b:.0f}" for a, b in open_intervals(angle, force)) or "never"


def table(rows: list[tuple[str, ...]]) -> str:
    """The rows as a Markdown table."""
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Run the scan and print or write its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--write", type=Path, help="Markdown file for the table")
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(options.processes) as pool:
        for row in pool.map(study, variants()):
            print(" | ".join(row), flush=True)
            rows.append(row)
    if options.write:
        options.write.write_text(table(rows) + "\n")


if __name__ == "__main__":
    main()
