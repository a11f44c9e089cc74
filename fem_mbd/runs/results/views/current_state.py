"""The current state of a simulation by part, with the same views as results."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.advancing import Advancing
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.paths import QuantityPath

_TABLES: WeakKeyDictionary[System, PartTable] = (
    WeakKeyDictionary()
)  # caches the description of a model, which takes long to compute


def current_state(sim: Advancing) -> SingleState:
    """The simulation's current state."""
    table = _TABLES.get(sim.system)
    if table is None:
        table = _TABLES[sim.system] = PartTable(sim.system.describe())
    return SingleState(table, sim.outputs(), sim.time)


def of_part(sim: Advancing, part: Any) -> Any:
    """`Simulation.of`."""
    return current_state(sim).of(part)


def value_at(sim: Advancing, path: str) -> Any:
    """`Simulation.value`."""
    return QuantityPath.read(path).value(current_state(sim))
