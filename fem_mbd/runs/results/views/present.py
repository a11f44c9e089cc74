"""The present state of a simulation by part, as results give it of recorded states."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.advancing import Advancing
from fem_mbd.runs.results.views.answering import OneState
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.paths import QuantityPath

_TABLES: WeakKeyDictionary[System, PartTable] = (
    WeakKeyDictionary()
)  # the description of a model takes a while


def present(sim: Advancing) -> OneState:
    """The simulation's state as it stands."""
    table = _TABLES.get(sim.system)
    if table is None:
        table = _TABLES[sim.system] = PartTable(sim.system.describe())
    return OneState(table, sim.outputs(), sim.time)


def of_part(sim: Advancing, part: Any) -> Any:
    """`Simulation.of`."""
    return present(sim).of(part)


def value_at(sim: Advancing, path: str) -> Any:
    """`Simulation.value`."""
    return QuantityPath.read(path).value(present(sim))
