"""A branch's table with its last motion beside it, from which a later call goes on."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.periodic.branches.walk import OnBranch, Walk
from fem_mbd.analysis.periodic.problem import Point
from fem_mbd.applications.continuation.branch import OWN, TABLE, Branch
from fem_mbd.errors import InputError

LAST = "last.npz"


class Resumption:
    """Table and last motion in a folder.

    Parameters
    ----------
    folder : made where it is not there
    along, outputs : columns of the table

    Attributes
    ----------
    complete : whether the branch has been followed to its end

    Raises
    ------
    InputError
        When the folder holds a branch with other columns, or files that cannot be read.
    """

    def __init__(self, folder: Path, along: str, outputs: tuple[str, ...]):
        self._folder, self._along, self._outputs = folder, along, outputs
        folder.mkdir(parents=True, exist_ok=True)
        self._rows: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {}
        self.complete = False
        if (folder / LAST).exists():
            self._read()

    def _read(self) -> None:
        try:
            with np.load(self._folder / LAST, allow_pickle=False) as stored:
                self._last = {name: stored[name] for name in stored.files}
            with (self._folder / TABLE).open(newline="", encoding="utf-8") as stream:
                self._rows = [_numbers(row) for row in csv.DictReader(stream)]
            self.complete = bool(self._last["complete"])
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                f"{self._folder}: the branch in it cannot be read ({error}): give another folder, or remove it"
            ) from error
        wanted = list(dict.fromkeys([self._along, *OWN, *self._outputs]))
        if self._rows and list(self._rows[0]) != wanted:
            raise InputError(
                f"{self._folder} holds a branch with the columns {', '.join(self._rows[0])}: give another folder, or "
                "the same parameter and outputs"
            )

    def branch(self) -> Branch:
        """With the rows that there are."""
        return Branch(self._along, self._outputs, rows=list(self._rows))

    def last(self, walk: Walk) -> OnBranch:
        """The last motion, run again.

        Raises
        ------
        InputError
            When it is of another model.
        """
        own = self._last
        names = [str(one) for one in own["names"]]
        model = walk.shooting.problem.arcs(
            dict(zip(names, own["values"].tolist(), strict=True)), float(own["period"])
        )
        states = []
        for flat in own["states"]:
            state = model.reference()
            state.fill_from_flat(flat)
            states.append(state)
        values = dict(zip(names, own["values"].tolist(), strict=True))
        point = Point(tuple(states), values, float(own["period"]), float(own["gain"]))
        walk.length = float(own["length"])
        return walk.again(point, own["y"], dict(zip(walk.family.names, own["others"].tolist(), strict=True)))

    def write(self, branch: Branch, there: OnBranch, walk: Walk, complete: bool = False) -> None:
        """Write the table and a motion; both replace earlier ones."""
        branch.write(self._folder)
        point, direction = there.orbit.solution.point, there.direction
        new = self._folder / f"{LAST}.new.npz"
        np.savez(
            new,
            states=np.array([state.to_flat() for state in point.states]),
            names=np.array(list(point.values), dtype=str),
            values=np.array(list(point.values.values()), dtype=float),
            period=point.period,
            gain=point.gain,
            y=direction.y,
            others=np.array([direction.others[name] for name in walk.family.names]),
            length=walk.length,
            complete=complete,
        )
        os.replace(new, self._folder / LAST)


def _numbers(row: dict[str, str]) -> dict[str, Any]:
    """Cells of the table as numbers, where they are."""
    found: dict[str, Any] = {}
    for name, cell in row.items():
        try:
            found[name] = int(cell) if name == "stable" else cell if name == "event" else float(cell)
        except ValueError:
            found[name] = None if cell == "" else cell
    return found
