"""Units as the functional mock-up interface wants them: factors and powers of the base units of the SI and the radian.

FMI 3.0, section 2.4.3 "Definition of Units": value in base units = factor times value. A unit that is not known here is
passed on by its name alone.
"""

from __future__ import annotations

import re
from collections import Counter

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "1": {},
}
FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^(\d+))?")


def powers(unit: str) -> dict[str, int] | None:
    """Powers of base units in a unit such as "N m", "rad/s" or "m/s^2"; None for what is not known.

    Parameters
    ----------
    unit : factors with blanks between, those behind a "/" in the denominator
    """
    found: Counter[str] = Counter()
    above, *below = unit.split("/")
    for sign, text in ((1, above), *((-1, part) for part in below)):
        for word in text.split():
            match = FACTOR.fullmatch(word)
            if match is None or not (match[1] in BASES or match[1] in DERIVED):
                return None
            for base, power in DERIVED.get(match[1], {match[1]: 1}).items():
                found[base] += sign * power * int(match[2] or 1)
    return {base: found[base] for base in BASES if found[base]}
