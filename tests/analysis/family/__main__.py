"""Prints the largest differences between analyses and runs of every part and law: python -m tests.analysis.family."""

import dataclasses
import sys

from fem_mbd.base.text_table import text_table
from tests.analysis.family.laws import LAWS, law_difference
from tests.analysis.family.measures import Differences, differences
from tests.analysis.family.parts import ELSEWHERE, PARTS


def main() -> int:
    """The table, on standard output."""
    rows = [["kind", *[field.name for field in dataclasses.fields(Differences)]]]
    for name, kind in PARTS.items():
        rows.append([name, *[f"{value:.1e}" for value in dataclasses.astuple(differences(kind))]])
    for name, law in LAWS.items():
        rows.append([f"law: {name}", f"{law_difference(law):.1e}", "", "", "", ""])
    rows.extend([[name, why, "", "", "", ""] for name, why in ELSEWHERE.items()])
    sys.stdout.write(text_table(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
