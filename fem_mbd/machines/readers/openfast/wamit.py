"""Reader of WAMIT's files (HydroDyn's PotFile): hydrostatic stiffness (.hst) and added mass (.1) of a platform.

Rows of .hst are I J C, rows of .1 PER I J A (and damping B for wave periods), nondimensional (WAMIT manual, chapter 4):
the stiffness is C rho g L^k with k = 2 for two translations, 3 for one, 4 for none; the added mass A rho L^k with
k = 3, 4, 5. PER < 0 is the limit of zero frequency, PER = 0 that of infinite frequency. L is WAMITULEN.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, tokens
from fem_mbd.errors import InputError

IS_ROTATION = np.array([0, 0, 0, 1, 1, 1])
ORDER = IS_ROTATION[:, None] + IS_ROTATION  # number of rotations in a pair of motions


@dataclass(frozen=True, eq=False)
class Potential:
    """Potential flow about a body at rest.

    Attributes
    ----------
    restoring : (6, 6) hydrostatic stiffness, buoyancy and water plane; N, m, rad
    slow, fast : (6, 6) added mass at zero and infinite frequency; kg, m
    """

    restoring: Array
    slow: Array
    fast: Array


def read_potential(root: Path, length: float, density: float, gravity: float) -> Potential:
    """Read the files ROOT.hst and ROOT.1.

    Parameters
    ----------
    root : path without the endings
    length : m, of WAMIT
    density : kg/m^3
    gravity : m/s^2

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, invalid rows, missing limits.
    """
    hst = TextFile(root.parent / f"{root.name}.hst", "hydrostatic file of WAMIT")
    restoring = _matrix(hst, _rows(hst, 0), "I J C") * density * gravity * length ** (2 + ORDER)
    mass_file = TextFile(root.parent / f"{root.name}.1", "added-mass file of WAMIT")
    rows = _rows(mass_file, 1)
    limits = []
    for name, is_limit in (
        ("slow (PER < 0)", lambda per: per < 0.0),
        ("fast (PER = 0)", lambda per: per == 0.0),
    ):
        limit_rows = [(k, words[1:]) for k, words in rows if is_limit(_number(mass_file, k, words[0]))]
        if not limit_rows:
            raise InputError(f"{mass_file.path}: the added mass of {name} motions is missing: rows PER I J A")
        limits.append(_matrix(mass_file, limit_rows, "PER I J A") * density * length ** (3 + ORDER))
    return Potential(restoring, *limits)


def _number(file: TextFile, line: int, word: str) -> float:
    """First number of a row, the period."""
    file.next = line + 1
    return float(file.convert([word], "row")[0])


def _rows(file: TextFile, before: int) -> list[tuple[int, list[str]]]:
    """Line numbers (from 0) and words of rows; of .1 only the two limits, which have no damping column."""
    rows = []
    for k, line in enumerate(file.lines):
        words = tokens(line)
        if len(words) == 3 + before:
            rows.append((k, words))
        elif words and (before == 0 or len(words) != 5):
            file.fail(f"a row has {len(words)} entries", k)
    return rows


def _matrix(file: TextFile, rows: list[tuple[int, list[str]]], form: str) -> Array:
    matrix = np.zeros((6, 6))
    for k, words in rows:
        file.next = k + 1
        i, j, value = file.convert(words, f"row {form}")
        if i not in range(1, 7) or j not in range(1, 7):
            file.fail(f"row {form}: I and J are {i:g} and {j:g}: give 1 to 6, of one body", k)
        matrix[int(i) - 1, int(j) - 1] = value
    return matrix
