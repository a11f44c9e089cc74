"""Files of WAMIT that HydroDyn names by PotFile: hydrostatic stiffness (.hst) and added mass (.1) of a platform.

A row of .hst is I J C, one of .1 is PER I J A (and B, of periods that are waves), without dimensions (WAMIT manual,
chapter 4): C rho g L^k with k = 2 of two translations, 3 of one, 4 of none; A rho L^k with k = 3, 4, 5. PER < 0 is the
limit of slow motions, PER = 0 that of fast ones. L is WAMITULEN.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, tokens
from fem_mbd.errors import InputError

TURNS = np.array([0, 0, 0, 1, 1, 1])
ORDER = TURNS[:, None] + TURNS  # how many of a pair of motions are turns


@dataclass(frozen=True, eq=False)
class Potential:
    """What potential flow makes of a body at rest.

    Attributes
    ----------
    restoring : (6, 6) hydrostatic stiffness, buoyancy and water plane; N, m, rad
    slow, fast : (6, 6) added mass of slow and of fast motions; kg, m
    """

    restoring: Array
    slow: Array
    fast: Array


def read_potential(root: Path, length: float, density: float, gravity: float) -> Potential:
    """Of the files ROOT.hst and ROOT.1.

    Parameters
    ----------
    root : path without the endings
    length : m, of WAMIT
    density : kg/m^3
    gravity : m/s^2

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, rows that are none, limits that are missing.
    """
    hst = TextFile(root.parent / f"{root.name}.hst", "hydrostatic file of WAMIT")
    restoring = _filled(hst, _rows(hst, 0), "I J C") * density * gravity * length ** (2 + ORDER)
    one = TextFile(root.parent / f"{root.name}.1", "added-mass file of WAMIT")
    rows = _rows(one, 1)
    limits = []
    for name, chosen in (
        ("slow (PER < 0)", lambda per: per < 0.0),
        ("fast (PER = 0)", lambda per: per == 0.0),
    ):
        own = [(k, words[1:]) for k, words in rows if chosen(one_number(one, k, words[0]))]
        if not own:
            raise InputError(f"{one.path}: the added mass of {name} motions is missing: rows PER I J A")
        limits.append(_filled(one, own, "PER I J A") * density * length ** (3 + ORDER))
    return Potential(restoring, *limits)


def one_number(file: TextFile, line: int, word: str) -> float:
    """A number of a row."""
    file.next = line + 1
    return float(file.convert([word], "row")[0])


def _rows(file: TextFile, before: int) -> list[tuple[int, list[str]]]:
    """Lines (from 0) and words; of .1 those of the two limits alone, which have no damping."""
    found = []
    for k, line in enumerate(file.lines):
        words = tokens(line)
        if len(words) == 3 + before:
            found.append((k, words))
        elif words and (before == 0 or len(words) != 5):
            file.fail(f"a row has {len(words)} entries", k)
    return found


def _filled(file: TextFile, rows: list[tuple[int, list[str]]], form: str) -> Array:
    matrix = np.zeros((6, 6))
    for k, words in rows:
        file.next = k + 1
        i, j, value = file.convert(words, f"row {form}")
        if i not in range(1, 7) or j not in range(1, 7):
            file.fail(f"row {form}: I and J are {i:g} and {j:g}: give 1 to 6, of one body", k)
        matrix[int(i) - 1, int(j) - 1] = value
    return matrix
