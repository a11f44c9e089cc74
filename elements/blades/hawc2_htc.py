"""Reader of the centre line (`c2_def`) of a main body in a HAWC2 htc file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, as_number
from fem_mbd.errors import InputError


def read_centre_line(path: str | Path, body: str) -> Array:
    """(n, 4) x, y, z (m, body axes) and angle about +z (degrees) of the sections of `c2_def`.

    Raises
    ------
    InputError
        When the body or its c2_def is missing, sections are not numbered from 1, do not match nsec or do not advance.
    """
    text = TextFile(path, "HAWC2 htc file")
    start, end = _body(text, body)
    first, last = _block(text, "c2_def", start, end, f"main_body '{body}'")
    announced: float | None = None
    rows: list[Array] = []
    for k in range(first + 1, last):
        words = _words(text.lines[k])
        text.next = k + 1
        if words[:1] == ["nsec"] and len(words) == 2:
            announced = as_number(words[1])
        elif words[:1] == ["sec"]:
            what = f"c2_def of '{body}', section {len(rows) + 1}"
            if len(words) != 6 or as_number(words[1]) != len(rows) + 1:
                text.fail(f"{what}: give 'sec {len(rows) + 1} x y z twist'")
            rows.append(text.convert(words[2:], what))
            if len(rows) > 1 and rows[-1][2] <= rows[-2][2]:
                text.fail(
                    f"{what} is at z = {rows[-1][2]:g} m, not beyond the one before it at {rows[-2][2]:g} m"
                )
    if announced is None:
        text.fail(f"c2_def of '{body}': keyword 'nsec' is missing", first)
    if announced != len(rows) or len(rows) < 3:
        text.fail(
            f"c2_def of '{body}': nsec is {announced:g}, there are {len(rows)} sections; 3 are needed at least"
        )
    return np.array(rows)


def _words(line: str) -> list[str]:
    """Words of a line before its comment, the first in lower case."""
    words = line.split(";", 1)[0].split()
    return [words[0].lower(), *words[1:]] if words else []


def _body(text: TextFile, body: str) -> tuple[int, int]:
    """First and last line (from 0) of the main body of that name."""
    names: list[str] = []
    start = -1
    for k, line in enumerate(text.lines):
        words = [w.lower() for w in _words(line)]
        if words[:2] == ["begin", "main_body"]:
            start = k
        elif words[:1] == ["name"] and start >= 0 and len(words) > 1:
            names.append(_words(line)[1])
        elif words[:2] == ["end", "main_body"]:
            if start >= 0 and names and names[-1].lower() == body.lower():
                return start, k
            start = -1
    raise InputError(f"{text.path}: there is no main_body '{body}'; there are {', '.join(names) or 'none'}")


def _block(text: TextFile, name: str, start: int, end: int, where: str) -> tuple[int, int]:
    """Lines (from 0) of `begin name` and `end name` between two lines."""
    found: dict[str, int] = {}
    for k in range(start, end):
        words = [w.lower() for w in _words(text.lines[k])]
        if words[1:2] == [name] and words[0] in ("begin", "end"):
            found.setdefault(words[0], k)
    for word in ("begin", "end"):
        if word not in found:
            raise InputError(f"{text.path}, line {start + 1}: {where} has no '{word} {name}'")
    return found["begin"], found["end"]
