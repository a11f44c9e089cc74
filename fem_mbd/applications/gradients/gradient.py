"""Function `gradient`: derivatives of a run's outputs by its parameters from the one run; figure of elasticities.

`by_description` differentiates through the model description that views use: a beam's stations, section axes, offsets.
A view computes an output from recorded quantities and from this description, on which a parameter may have an effect
too: a blade's pitch rotates the axes of its root moment. This part of the derivative is a fourth-order central
difference between descriptions of changed models, which need not be run. It is computed only for outputs that depend on
the description.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.analysis.sensitivity import recorded_run
from fem_mbd.analysis.sensitivity.adjoint import Rows, WithoutAdjoint, adjoint_gradients
from fem_mbd.analysis.sensitivity.dual_scheme import refuse
from fem_mbd.analysis.sensitivity.forward import PARAMETERS_PER_SCHEME, Tangents, tangents
from fem_mbd.analysis.sensitivity.growth import LARGEST
from fem_mbd.applications.gradients import outputs
from fem_mbd.applications.gradients.outputs import ReadTracker, rows_of
from fem_mbd.applications.sweeps.outputs import Quantities, quantities_of
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.text import text_table
from fem_mbd.base.validation import finite
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.output.figures.plots import new_figure, save, styled
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source
from fem_mbd.runs.running.runs import RunFailed, run
from fem_mbd.runs.running.session import COMPLETE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        simulation = build(values)
    except KeyError as error:
        raise InputError(
            f"{caller}: build asks for parameter {error}; there are {', '.join(values)}"
        ) from error
    if isinstance(simulation, Model) or simulation is None:
        raise InputError(
            f"{caller}: build returns {type(simulation).__name__}: it has to return a fem_mbd.Simulation of the model"
        )
    return simulation


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
        self.path = recorded_run.Path()
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


PARAMETER_RANGE = 2e-3  # largest change of a parameter, relative to its size


class _WithDescription:
    """The recorded rows of a run with the description of another model."""

    def __init__(self, source: Source, model: Mapping[str, Any]):
        self._source, self.info = source, replace(source.info, model=dict(model))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def by_description(
    build: Callable[[Mapping[str, float]], Simulation],
    values: Mapping[str, float],
    source: Source,
    outputs: Sequence[Callable[[Result], Any]],
    scale: Mapping[str, float] | None = None,
) -> list[list[Any]]:
    """Derivatives of each output by each parameter, with constant recorded rows; 0.0 where an output does not change.

    Parameters
    ----------
    build : creates a simulation from the values of the parameters
    values : of the parameters by name
    source : of the run
    outputs : functions of a result that give a number or an array
    scale : size of a parameter by name where its value is zero
    """
    sizes = {name: (scale or {}).get(name, abs(value)) for name, value in values.items()}

    def result_of(changed: Mapping[str, float]) -> Result:
        changed_source: Any = _WithDescription(source, build({**values, **changed}).system.describe())
        return Result(changed_source)

    derivatives: list[list[Any]] = [[0.0] * len(values) for _ in outputs]
    dependent = _dependent_outputs(outputs, result_of, values, sizes, Result(source))
    if not dependent:
        return derivatives
    for column, (name, value) in enumerate(values.items()):
        step = PARAMETER_RANGE / 2.0 * sizes[name]
        results = [result_of({name: value + k * step}) for k in (1, -1, 2, -2)]
        for row in dependent:
            a, b, c, d = (np.asarray(outputs[row](result), dtype=float) for result in results)
            derivatives[row][column] = (8.0 * (a - b) - (c - d)) / (12.0 * step)
    return derivatives


def _dependent_outputs(
    outputs: Sequence[Callable[[Result], Any]],
    result_of: Callable[[Mapping[str, float]], Result],
    values: Mapping[str, float],
    sizes: Mapping[str, float],
    unchanged: Result,
) -> list[int]:
    """Indices of the outputs that change with the description when all parameters change at once."""
    try:
        changed = result_of({name: value + PARAMETER_RANGE * sizes[name] for name, value in values.items()})
        return [
            k for k, output in enumerate(outputs) if not np.array_equal(output(changed), output(unchanged))
        ]
    except InputError:  # the changes together give no valid model, or one with other records
        return list(range(len(outputs)))


FORWARD, ADJOINT, AUTO = METHODS = ("forward", "adjoint", "auto")
ZERO_TOLERANCE = 1e-30  # fraction of the largest derivative: smaller ones are zero
OUTPUTS_AT_ONCE = 7  # in one pass of the adjoint method
ADJOINT_COST = 2  # of such a pass, at most, in units of a forward pass


@dataclass(frozen=True, eq=False)
class Gradient:
    """Outputs of a run and their derivatives.

    Attributes
    ----------
    outputs, parameters : names
    values : (outputs,) at the parameters' values
    at : (parameters,) values of the parameters
    jacobian : (outputs, parameters) derivatives, in the output's unit over the parameter's
    result : of the run
    seconds : CPU time of the run, and of the derivatives with the models of the set-up and the outputs' reductions
    """

    outputs: tuple[str, ...]
    parameters: tuple[str, ...]
    values: Array
    at: Array
    jacobian: Array
    result: Result
    seconds: tuple[float, float]

    def of(self, output: str, by: str) -> float:
        """Derivative of one output by one parameter.

        Parameters
        ----------
        output, by : names of the output and of the parameter

        Raises
        ------
        InputError
            For names that are not in `outputs` and `parameters`.
        """
        if output not in self.outputs or by not in self.parameters:
            raise InputError(
                f"there is no derivative of {output!r} by {by!r}; outputs: {', '.join(self.outputs)}; parameters: "
                f"{', '.join(self.parameters)}"
            )
        return float(self.jacobian[self.outputs.index(output), self.parameters.index(by)])

    @property
    def elasticities(self) -> Array:
        """(outputs, parameters) relative change of an output over the relative change of a parameter; nan where the
        output is zero."""
        values = np.where(self.values == 0.0, np.nan, self.values)
        return np.asarray(self.jacobian * self.at / values[:, None])

    def table(self) -> str:
        """Outputs line by line: value, and the derivative by each parameter with its elasticity in brackets."""
        head = ["output", "value", *(f"by {name}" for name in self.parameters)]
        rows = [
            [name, f"{v:.9g}", *(f"{d:.9g} ({e:.3g})" for d, e in zip(ds, es, strict=True))]
            for name, v, ds, es in zip(
                self.outputs, self.values, self.jacobian, self.elasticities, strict=True
            )
        ]
        return text_table([head, *rows])

    def __repr__(self) -> str:
        return f"<Gradient of {', '.join(self.outputs)} by {', '.join(self.parameters)}>\n{self.table()}"


def gradient(
    build: Build,
    of: Mapping[str, Any],
    wrt: Mapping[str, float],
    *,
    method: str = AUTO,
    scale: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> Gradient:
    """Outputs of a run and their exact derivatives by parameters, for constant step sizes.

    After the run its steps are differentiated: in their order with dual numbers, for six parameters at a time
    ("forward"), or backwards with the matrices of the steps, for seven outputs at a time ("adjoint").

    Parameters
    ----------
    build : creates the simulation from the values of the parameters, ``build({"length": 1.0, …})``, as any smooth
        function of them
    of : outputs by name: texts as of a sweep's outputs, ``"max(Q.normal_force)"``, or functions of a result that give a
        number
    wrt : parameters by name, with their values
    method : "forward", "adjoint", or "auto": the cheaper one; outputs that have no adjoint are differentiated forwards
    scale : size of parameters whose value is zero, by name
    largest_growth : of a small change of the initial state during the run; where it is exceeded, the motion is chaotic
        and derivatives are refused

    Raises
    ------
    InputError
        For models and outputs without derivatives (functions of time and laws in Python), parameters
        that are not used, or that change the structure of the model.
    fem_mbd.analysis.sensitivity.growth.BeyondHorizon
        Beyond the horizon of a chaotic motion, with the time and the rate of growth.
    RunFailed, SolverFailure
        When the run, or the derivatives of a step, fail.
    """
    values = parameter_values(wrt)
    if not values or not of:
        raise InputError("gradient: give at least one output (of) and one parameter (wrt)")
    for name in scale or {}:
        if name not in values:
            raise InputError(f"scale: there is no parameter {name!r}; {nearest(name, values)}")
    run = DifferentiableRun(build, values, "gradient")
    checked = outputs.checked(of, run.quantities)
    output_values = [run.evaluate(partial(outputs.value, output)) for output in checked.values()]
    start = process_time()
    slopes = _slopes(run, checked, _method(method, len(checked), len(values)), scale, largest_growth)
    slopes += by_description(
        build, values, run.result.source, [partial(outputs.value, o) for o in checked.values()], scale
    )
    _warn_of_zero_columns(slopes, tuple(values))
    return Gradient(
        tuple(checked), tuple(values), np.array(output_values), np.array(list(values.values())), slopes, run.result,
        (run.seconds, process_time() - start),
    )  # fmt: skip


def _method(method: str, outputs: int, parameters: int) -> list[str]:
    """Methods to try, the cheaper one first."""
    if method not in METHODS:
        raise InputError(f"gradient: method={method!r} is none of {', '.join(METHODS)}")
    if method != AUTO:
        return [method]
    forward, adjoint = -(-parameters // PARAMETERS_PER_SCHEME), -(-outputs // OUTPUTS_AT_ONCE)
    return [ADJOINT, FORWARD] if forward > ADJOINT_COST * adjoint else [FORWARD]


def _slopes(
    run: DifferentiableRun,
    checked: Mapping[str, outputs.Output],
    methods: Sequence[str],
    scale: Mapping[str, float] | None,
    largest_growth: float,
) -> Array:
    """(outputs, parameters) derivatives, by the first method that these outputs have."""
    source = run.result.source
    if methods[0] == ADJOINT:
        try:
            rows = [rows_of(n, o, source) for n, o in checked.items()]
            slopes, ends = run.adjoints(rows, scale, largest_growth)
            moved = [Tangents({}, {}, rates) for rates in ends.T]
            return slopes + [[outputs.slope_by_times(o, source, m) for m in moved] for o in checked.values()]
        except WithoutAdjoint:
            if len(methods) == 1:
                raise
    tangents = run.tangents(scale, largest_growth)
    return np.array(
        [[outputs.slope(o, source, tangent) for tangent in tangents.values()] for o in checked.values()]
    )


def _warn_of_zero_columns(slopes: Array, names: tuple[str, ...]) -> None:
    """Warn of parameters on which no output depends."""
    threshold = ZERO_TOLERANCE * np.abs(slopes).max(initial=0.0)
    unused = [
        name for name, column in zip(names, slopes.T, strict=True) if not (np.abs(column) > threshold).any()
    ]
    if unused:
        warnings.warn(
            f"no output depends on {', '.join(unused)}: it has no effect in this run (as in a contact that never "
            "closes, or a force that acts later), or the motion has come to rest",
            FemMbdWarning,
            stacklevel=3,
        )


def draw_gradient(gradient: Gradient, file: Path, title: str = "") -> Path:
    """Draw the elasticities, largest at the top; an output that is zero has none.

    Parameters
    ----------
    gradient : outputs and derivatives
    file : of the figure
    title : above it
    """
    elasticities = np.nan_to_num(gradient.elasticities)
    order = np.argsort(np.abs(elasticities).max(axis=0))
    with styled():
        figure, axes = new_figure(height=1.4 + 0.25 * len(order) * len(gradient.outputs))
        ax: Axes = axes[0, 0]
        thickness = 0.8 / len(gradient.outputs)
        for k, (name, row) in enumerate(zip(gradient.outputs, elasticities, strict=True)):
            ax.barh(
                np.arange(len(order)) - k * thickness,
                row[order],
                thickness,
                label=f"{name} = {gradient.values[k]:.4g}",
            )
        names = [f"{gradient.parameters[p]} = {gradient.at[p]:.4g}" for p in order]
        ax.set_yticks(np.arange(len(order)) - 0.5 * (0.8 - thickness), names)
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set(xlabel="relative change of the output over that of the parameter", title=title)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), fontsize="small")
        return save(figure, file)
