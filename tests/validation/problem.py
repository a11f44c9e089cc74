"""A validation problem: one definition for the assertions of its test and for docs/reference/validation.md.

A file of this folder solves one published problem in one function, which returns a `Solution`: the numbers
with their references, and a picture. `PROBLEM` in that file names it; `test_document` checks it, and
`python -m tests.validation` writes the same numbers into the document.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

GROUPS = (
    "Statics",
    "Stability",
    "Frequencies",
    "Blades",
    "Machines",
    "Beam transients",
    "Rigid bodies and constraints",
    "Friction and contact",
    "The scheme",
)


@dataclass(frozen=True)
class Number:
    """One quantity.

    Attributes
    ----------
    what : its name with what it depends on
    unit : of the values and differences
    reference, ours : the values
    allowed : difference
    known : 0, or the difference up to which a miss is known; the page shows it as a miss, and its text says what has
        been found out about it
    """

    what: str
    unit: str
    reference: float
    ours: float
    allowed: float
    known: float = field(default=0.0, kw_only=True)

    @property
    def difference(self) -> float:
        return abs(self.ours - self.reference)

    @property
    def passed(self) -> bool:
        """False also for a value that is not a number."""
        return bool(self.difference <= self.allowed)

    @property
    def known_miss(self) -> bool:
        """Whether it misses what is allowed by no more than is known."""
        return bool(self.allowed < self.difference <= self.known)


@dataclass(frozen=True)
class DeckNumber(Number):
    """One quantity of a published file, in a table with columns for the machine and its source.

    Attributes
    ----------
    machine : and the form of its file
    source : of the file and of the reference
    program : by which the reference was computed
    says : what stands in the place of our value where there is none: how the file is refused
    """

    machine: str = ""
    source: str = ""
    program: str = ""
    says: str = ""

    @property
    def has_reference(self) -> bool:
        """Whether there is a reference; none is NaN."""
        return not math.isnan(self.reference)

    @property
    def passed(self) -> bool:
        """Without a reference: that there is a value, or the refusal."""
        return super().passed if self.has_reference else math.isfinite(self.ours) or bool(self.says)


def numbers(
    what: str, unit: str, reference: Mapping[str, float], ours: ArrayLike, allowed: float
) -> list[Number]:
    """Several quantities of one kind: ``reference`` by name, ``ours`` (n,) in the same order."""
    values = np.asarray(ours, dtype=float)
    if values.shape != (len(reference),):
        raise ValueError(f"{what}: {len(reference)} references, but ours has the shape {values.shape}")
    return [
        Number(f"{what}{name}", unit, float(value), float(found), allowed)
        for (name, value), found in zip(reference.items(), values, strict=True)
    ]


@dataclass(frozen=True)
class Curve:
    """One series of a picture: what was computed here, as a line or as crosses; points are what it is compared with."""

    label: str
    x: ArrayLike
    y: ArrayLike
    points: bool = False
    joined: bool = True


def ours(x: ArrayLike, y: ArrayLike, label: str = "fem_mbd", joined: bool = True) -> Curve:
    """Computed here: a line, or crosses where there is nothing between the values (``joined=False``)."""
    return Curve(label, x, y, joined=joined)


def reference(x: ArrayLike, y: ArrayLike, label: str = "reference") -> Curve:
    """Markers: what it is compared with; give one label to several of them by leaving the others' empty."""
    return Curve(label, x, y, points=True)


@dataclass(frozen=True)
class Picture:
    """One set of axes; labels with units. ``equal``: a length is as long along x as along y."""

    xlabel: str
    ylabel: str
    curves: tuple[Curve, ...] | list[Curve]
    equal: bool = False
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Solution:
    """What came out, and one picture or several side by side."""

    numbers: list[Number]
    pictures: list[Picture]

    @property
    def missed(self) -> list[Number]:
        """Numbers that are off, and those that are no longer the misses that they are said to be."""
        return [n for n in self.numbers if not (n.known_miss if n.known else n.passed)]

    @property
    def known_misses(self) -> list[Number]:
        return [number for number in self.numbers if number.known_miss]

    @property
    def worst(self) -> float:
        """The largest difference as a part of what is allowed; 1 and below is good."""
        compared = (n for n in self.numbers if not math.isnan(n.reference))
        return max(n.difference / n.allowed if n.allowed else float(n.difference > 0) for n in compared)


Solve: TypeAlias = Callable[[], Solution]


@dataclass(frozen=True)
class Problem:
    """One published problem.

    name : short, for the command line and for the file of its figure
    title : as a heading; group : one of GROUPS
    source : authors, year and what else finds it; reference : where the digits are from, in a few words
    solve : the run, or the runs; coarse : what the test takes instead where ``solve`` is long, with its own
        tolerances and the same quantities
    """

    name: str
    title: str
    group: str
    source: str
    reference: str
    solve: Solve
    coarse: Solve | None = None

    def __post_init__(self) -> None:
        if self.group not in GROUPS:
            raise ValueError(f"problem '{self.name}': group is {self.group!r}, it must be one of {GROUPS}")
