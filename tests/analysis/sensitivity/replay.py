"""The steps of a run made again with other parameters, and derivatives by differences, which tests compare with."""

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from fem_mbd import FemMbdWarning, Simulation, case_parameters
from fem_mbd.analysis.sensitivity.recorded_run import Path
from fem_mbd.analysis.sensitivity.setup import Build, made
from fem_mbd.base.arrays import Array
from fem_mbd.cases import load_case

PASSES = 20  # at most, of Newton's method, from the solution of the step that parameters were moved from
ROUND_OFF = 1e-15  # m, rad, of a node in a model of some metres


def of_case(name: str, given: Sequence[str], wrt: Sequence[str]) -> tuple[Build, dict[str, float]]:
    """What builds a case from values of some of its parameters, and these values."""
    case = load_case(name)
    base = case_parameters.fill(case.parameters, None, given, "test")

    def build(values: Mapping[str, float]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FemMbdWarning)
            return case.build(dataclasses.replace(base, **values))

    return build, {one: float(getattr(base, one)) for one in wrt}


def path_of(build: Build, values: Mapping[str, float]) -> Path:
    """Of a run to its end."""
    simulation, path = build(values), Path()
    path.follow(simulation)
    for _ in simulation.steps():
        pass
    return path


def replayed(
    build: Build, values: Mapping[str, float], path: Path, look: Callable[[Simulation], Array]
) -> Array:
    """(steps, …) what ``look`` finds after each step of the path, solved to round-off with fresh tangents."""
    simulation, found = made(build, values), []
    scheme, system = simulation.scheme, simulation.system
    moving = system.unit < 2  # lengths and angles
    for clock, unknowns in zip(path.clocks, path.unknowns, strict=True):
        scheme.begin(float(clock[1]))
        y, f = unknowns.copy(), np.zeros(system.size)
        for _ in range(PASSES):
            scheme.residual(y, f)
            matrix = csr_matrix((scheme.tangent().copy(), system.indices, system.indptr)).tocsc()
            change = splu(matrix).solve(f)
            y -= change
            if np.abs(change[moving]).max() < 1e-13 * np.abs(y[moving]).max():
                break
        scheme.residual(y, f)
        assert np.abs(change[moving]).max() < 1e-9 * np.abs(y[moving]).max() + ROUND_OFF
        scheme.accept(scheme.ledger())
        found.append(look(simulation))
    return np.array(found)


def differences(
    build: Build,
    values: Mapping[str, float],
    name: str,
    path: Path,
    share: float,
    look: Callable[[Simulation], Array],
) -> Array:
    """Derivative by a parameter: central differences of sixth order of whole runs, moved by that share of it."""
    step = share * abs(values[name])

    def at(steps: int) -> Array:
        return replayed(build, {**values, name: values[name] + steps * step}, path, look)

    weights = (0.75, -0.15, 1.0 / 60.0)
    found: Array = sum(weight * (at(k) - at(-k)) for k, weight in enumerate(weights, 1)) / step  # type: ignore[assignment]
    return found
