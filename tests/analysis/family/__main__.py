"""Prints the largest differences between analyses and runs of every part and law: python -m tests.analysis.family."""

import dataclasses
import sys

from fem_mbd.base.text import text_table
from tests.analysis.family.laws import LAWS, WITHOUT_TANGENT, law_difference
from tests.analysis.family.measures import Differences, differences
from tests.analysis.family.parts import ELSEWHERE
from tests.analysis.family.unasked import COMPARED, kind_of


def main() -> int:
    """The table, on standard output."""
    rows = [["kind", *[field.name for field in dataclasses.fields(Differences)]]]
    for name in COMPARED:
        rows.append([name, *[f"{value:.1e}" for value in dataclasses.astuple(differences(kind_of(name)))]])
    for name, law in LAWS.items():
        if name not in WITHOUT_TANGENT:
            rows.append([f"law: {name}", f"{law_difference(law):.1e}", "", "", "", ""])
    rows.extend([[name, why, "", "", "", ""] for name, why in (WITHOUT_TANGENT | ELSEWHERE).items()])
    sys.stdout.write(text_table(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
