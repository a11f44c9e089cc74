"""Simulation with named scalar inputs and outputs, as needed by an FMU or a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.applications.cosimulation.part_inputs import add_part_input
from fem_mbd.case import Case
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.paths import QuantityPath, current_state


@dataclass(frozen=True, eq=False)
class Plant:
    """A simulation with its external inputs and outputs.

    Attributes
    ----------
    sim : the simulation
    inputs : unit by name
    outputs : path by name
    units : of the outputs, by name
    """

    sim: Simulation
    inputs: Mapping[str, str]
    outputs: Mapping[str, QuantityPath]
    units: Mapping[str, str]

    def values(self) -> dict[str, float]:
        """Current values of the outputs, by name."""
        states = current_state(self.sim)
        return {name: float(path.value(states)) for name, path in self.outputs.items()}


def plant_of_case(case: Case[Any], parameters: Any, inputs: Sequence[str], outputs: Sequence[str]) -> Plant:
    """A case as a plant.

    Parameters
    ----------
    case : the case
    parameters : of the case
    inputs : names of inputs of its model, or of inputs at its parts (`part_inputs`); if empty, all of the model's
    outputs : PATH or NAME=PATH of quantities (`fem_mbd.Simulation.value`); a path of several numbers represents all of
        them, NAME[0], NAME[1] …

    Raises
    ------
    InputError
        For an invalid input or output, or when there is no output.
    """
    sim = case.build(parameters)
    if not isinstance(sim, Simulation):
        raise InputError(
            f"case '{case.name}' does not build a fem_mbd.Simulation: it cannot be controlled from outside"
        )
    sim = _with_inputs(sim, [name for name in inputs if name not in sim.inputs])
    units = {name: sim.inputs.declared[name].unit for name in (inputs or sim.inputs)}
    states = current_state(sim)
    paths: dict[str, QuantityPath] = {}
    for text in outputs:
        name, _, path = text.rpartition("=")
        for own, each in _numbers(name.strip() or path.strip(), QuantityPath.read(path), states):
            if own in paths or own in units:
                raise InputError(
                    f"output {text!r}: the name {own!r} is used already: write NAME={path.strip()}"
                )
            paths[own] = each
    if not paths:
        raise InputError("there are no outputs: give quantities, e.g. hinge.angle")
    return Plant(sim, units, paths, {name: path.unit(states) for name, path in paths.items()})


def _with_inputs(sim: Simulation, names: Sequence[str]) -> Simulation:
    """A new simulation with inputs at parts of its model."""
    if not names:
        return sim
    for name in names:
        add_part_input(sim.system, name, list(sim.inputs))
    return Simulation(
        sim.system.model, sim.end_time, sim.control, newton=sim.solver.options, initial=sim.state
    )


def _numbers(name: str, path: QuantityPath, states: Any) -> list[tuple[str, QuantityPath]]:
    """The path under its name, or one path for each of its components."""
    size = np.shape(path.value(states))
    if not size:
        return [(name, path)]
    if len(size) > 1:
        raise InputError(f"output {path.text!r} is a table of {size}: choose a vector or a number")
    return [(f"{name}[{k}]", QuantityPath.read(f"{path.text}[{k}]")) for k in range(size[0])]
