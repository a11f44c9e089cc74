"""Units in the form required by the Functional Mock-up Interface: a factor and powers of SI base units and the radian.

FMI 3.0, section 2.4.3 "Definition of Units": value in base units = factor times value. Unknown units are passed on by
name only.
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
    """Powers of base units in a unit such as "N m", "rad/s" or "m/s^2"; None for an unknown unit.

    Parameters
    ----------
    unit : factors separated by blanks, those after a "/" in the denominator
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
