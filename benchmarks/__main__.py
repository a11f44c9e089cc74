"""Command line of the benchmarks: `python -m benchmarks [NAME ...] [--quick] [--json] [--write]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from benchmarks.comparison import total_error
from benchmarks.comparison.study import Settings
from benchmarks.costs import (
    animation,
    earlier,
    gradients,
    large,
    law_cost,
    linear_solvers,
    rotorcraft,
    runs_per_second,
    start_up,
    step_cost,
    sweep_efficiency,
    wind,
)
from benchmarks.peers.peer import peer_version
from benchmarks.problems import chain, flying_beam, right_angle, slider_crank_clearance, spin_up
from benchmarks.reports import results
from benchmarks.reports.report import Report

BENCHMARKS: dict[str, Callable[[Settings], Report]] = {
    "right_angle": right_angle.STUDY.run,
    "spin_up": spin_up.STUDY.run,
    "flying_beam": flying_beam.run,
    "flying_beam_accuracy": flying_beam.ACCURACY.run,
    "slider_crank_clearance": slider_crank_clearance.STUDY.run,
    "total_error": total_error.run,
    "chain": chain.run,
    "large": large.run,
    "linear_solvers": linear_solvers.run,
    "law_cost": law_cost.run,
    "step_cost": step_cost.run,
    "runs_per_second": runs_per_second.run,
    "start_up": start_up.run,
    "sweep_efficiency": sweep_efficiency.run,
    "animation": animation.run,
    "earlier": earlier.run,
    "gradients": gradients.run,
    "wind": wind.run,
    "rotorcraft": rotorcraft.run,
}
OWN = {
    "large",
    "linear_solvers",
    "law_cost",
    "step_cost",
    "runs_per_second",
    "start_up",
    "sweep_efficiency",
    "animation",
    "earlier",
    "gradients",
    "wind",
    "rotorcraft",
}  # without a peer program


def arguments() -> argparse.ArgumentParser:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; by default all"
    )
    parser.add_argument("--quick", action="store_true", help="short runs of this package alone, as a test")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object on standard output and nothing else"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="rewrite benchmarks/RESULTS.md, or its sections of the given benchmarks",
    )
    parser.add_argument("--no-peer", action="store_true", help="leave out Exudyn and MBDyn")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions, of which the fastest counts (3)")
    return parser


def main() -> int:
    """Run the requested benchmarks; returns 0, or 2 for an invalid command line."""
    parser = arguments()
    given = parser.parse_args()
    names = given.names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: choose from {', '.join(BENCHMARKS)}")
    alone = given.no_peer or peer_version() is None
    if given.write and (given.quick or (alone and not OWN.issuperset(names))):
        parser.error("--write requires full benchmarks, with Exudyn: pip install 'fem_mbd[bench]'")
    if given.repeats < 1:
        parser.error(f"--repeats is {given.repeats}: give a positive integer")
    settings = Settings(given.quick, given.repeats, not given.no_peer)
    reports = []
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        reports.append(BENCHMARKS[name](settings))
        if not given.json:
            print(reports[-1].text(), flush=True)
    if given.json:
        print(json.dumps({"benchmarks": [report.to_plain() for report in reports]}))
    if given.write:
        results.write(reports)
    return 0


if __name__ == "__main__":
    sys.exit(main())
