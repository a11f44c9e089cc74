"""Long searches for what breaks the program; the tests run each in a small size.

    python -m tests.campaigns kill --n 1000             # runs killed at random moments, and gone on with
    python -m tests.campaigns watch --n 1000            # results read while their run goes on
    python -m tests.campaigns fuzz --n 10000            # damaged input files, so many for each reader
    python -m tests.campaigns decks --n 200             # damaged decks of machines, so many for each; --folder: others
    python -m tests.campaigns mechanisms --n 1000       # random mechanisms; --first SEED goes on where another stopped

What came of large ones: docs/reference/reliability.md. Exit status 1 when something was found.
"""

import argparse
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign that is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("campaign", choices=("kill", "watch", "fuzz", "decks", "mechanisms"))
    parser.add_argument("--n", type=int, default=100, help="size (default 100)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="first seed (default 0)")
    parser.add_argument("--reader", help="fuzz: this reader only")
    parser.add_argument("--folder", type=Path, help="decks: below this folder (default: those of the tests)")
    options = parser.parse_args(arguments)
    if options.campaign == "mechanisms":
        from tests.core.scheme.mechanisms import survey

        survey(options.first, options.first + options.n)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if options.campaign == "kill":
            from tests.campaigns.kills import kill_runs

            found = kill_runs(options.n, options.first, Path(folder))
        elif options.campaign == "watch":
            from tests.campaigns.watching import watch_runs

            found = watch_runs(options.n, Path(folder))
        elif options.campaign == "decks":
            from tests.campaigns.decks import DECKS, damage_decks

            found = damage_decks(options.n, options.first, Path(folder), options.folder or DECKS)
        else:
            from tests.campaigns.fuzz import damage_inputs

            found = damage_inputs(options.n, options.first, Path(folder), options.reader)
    sys.stdout.write("\n".join(found.lines()) + "\n")
    return min(len(found.faults), 1)


if __name__ == "__main__":
    raise SystemExit(main())
