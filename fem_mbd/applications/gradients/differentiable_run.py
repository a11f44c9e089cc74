"""Class `DifferentiableRun`: a run with its steps stored, so that functions of its result can be differentiated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fem_mbd.analysis.sensitivity.adjoint import Rows, adjoint_gradients
from fem_mbd.analysis.sensitivity.dual_scheme import refuse
from fem_mbd.analysis.sensitivity.forward import Tangents, tangents
from fem_mbd.analysis.sensitivity.growth import LARGEST
from fem_mbd.analysis.sensitivity.recorded_run import Path
from fem_mbd.applications.gradients.outputs import ReadTracker
from fem_mbd.applications.sweeps.outputs import Quantities, quantities_of
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import RunFailed, run
from fem_mbd.runs.running.session import COMPLETE

Build = Callable[[Mapping[str, float]], Simulation]


def parameter_values(wrt: Mapping[str, float]) -> dict[str, float]:
    """Parameters with their values as plain numbers; InputError for others."""
    if not isinstance(wrt, Mapping):
        raise InputError(f"parameters (wrt) are {wrt!r}: give names with values, e.g. {{'mass': 0.5}}")
    return {name: finite(number, f"parameter {name}") for name, number in wrt.items()}


def built(build: Build, values: dict[str, float], caller: str) -> Simulation:
    """The simulation of some values; InputError where ``build`` makes none."""
    if not callable(build):
        raise InputError(
            f"{caller}: build is a {type(build).__name__}: give a function that makes a Simulation"
        )
    try:
        found = build(values)
    except KeyError as error:
        raise InputError(
            f"{caller}: build asks for parameter {error}; there are {', '.join(values)}"
        ) from error
    if isinstance(found, Model) or found is None:
        raise InputError(
            f"{caller}: build returns {type(found).__name__}: it has to return a fem_mbd.Simulation of the model"
        )
    return found


class DifferentiableRun:
    """A simulation of given parameters, run to its end.

    Parameters
    ----------
    build : creates the simulation from the values of the parameters
    values : of the parameters by name
    caller : name of the calling function, for messages

    Attributes
    ----------
    values : of the parameters by name
    quantities : of the model's parts, as `check_outputs` needs them
    result : of the run
    path : of the run
    seconds : CPU time of the run

    Raises
    ------
    InputError
        For a model without derivatives.
    RunFailed
        When the run is not complete.
    """

    def __init__(self, build: Build, values: Mapping[str, float], caller: str):
        self._build, self.values = build, dict(values)
        start = time.process_time()
        simulation = built(build, self.values, caller)
        refuse(simulation)
        self.quantities: Quantities = quantities_of(simulation.system.describe)
        self.path = Path()
        self.path.follow(simulation)
        self.result = run(simulation, progress=False)
        if self.result.status != COMPLETE:
            raise RunFailed(f"{caller}: the run is {self.result.status}: {self.result.reason}", self.result)
        self.seconds = time.process_time() - start
        self._tracked = ReadTracker(self.result.source)

    def evaluate(self, function: Callable[[Result], Any]) -> Any:
        """Value of a function of the result; the recorded outputs that it reads will be differentiated."""
        return function(Result(self._tracked))

    def tangents(
        self, scale: Mapping[str, float] | None = None, largest_growth: float = LARGEST
    ) -> dict[str, Tangents]:
        """Derivatives of the recorded outputs that `evaluate` has read, by each parameter.

        Parameters
        ----------
        scale, largest_growth : as for `fem_mbd.gradient`

        Raises
        ------
        InputError, BeyondHorizon, SolverFailure
            As `fem_mbd.analysis.sensitivity.forward.tangents`.
        """
        columns = sorted(self._tracked.columns)
        if not columns:
            raise InputError("the function uses no recorded output: there is nothing to differentiate")
        return tangents(self._build, self.path, columns, self.values, scale, largest_growth)

    def adjoints(
        self,
        outputs: Sequence[Rows],
        scale: Mapping[str, float] | None = None,
        largest_growth: float = LARGEST,
    ) -> tuple[Array, Array]:
        """(outputs, parameters) derivatives of outputs by the adjoint method, and (steps, parameters) those of the
        times of the steps' ends, as `adjoint_gradients` gives them.

        Parameters
        ----------
        outputs : derivatives of the outputs by recorded numbers
        scale, largest_growth : as for `fem_mbd.gradient`

        Raises
        ------
        InputError, BeyondHorizon, SolverFailure
            As `fem_mbd.analysis.sensitivity.adjoint.adjoint_gradients`.
        """
        return adjoint_gradients(self._build, self.path, outputs, self.values, scale, largest_growth)
