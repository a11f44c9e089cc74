"""Function `error_of`: estimates of the errors of a run's outputs due to its step sizes and the mesh of its beams.

`TimeErrors` weights the local errors of the steps with the adjoint. The state at the end of step n has a local error
e_n (`HalfSteps`). With the adjoint a_n, the derivative of the output by that state, the error of the output is the sum
of a_n . e_n. Reductions over time add errors: those of the trapezoidal rule, and of extremes between the ends of steps.
These follow from the outputs in the middle of the steps. A mean over a step (forces of joints) has a local error of its
own: it follows from the mean of its two half steps. Source: R. Becker, R. Rannacher, An optimal control approach to a
posteriori error estimation, Acta Numerica 10 (2001), section 2, with the residual of the weights' interpolation
replaced by local errors.

Repetition of every step of a path as two half steps from the same state, to estimate the step's local error.

A step of length h from a state has an error e = C h^(p + 1) at its end, two steps of h/2 together an error e/2^p. Their
difference is therefore d = e (1 - 2^-p), with p = 3 for the scheme's motions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import OUTPUTS_PER_PASS, Adjoint, Rows, together
from fem_mbd.analysis.sensitivity.dual_scheme import phases_of
from fem_mbd.analysis.sensitivity.growth import LARGEST, AdjointGrowth
from fem_mbd.analysis.sensitivity.recorded_run import Path, StateVector
from fem_mbd.analysis.sensitivity.setup import made
from fem_mbd.analysis.sensitivity.stretch import Factors
from fem_mbd.applications.gradients import outputs
from fem_mbd.applications.gradients.gradient import DifferentiableRun
from fem_mbd.applications.gradients.outputs import GROUP, RULES, Output, by_component, by_values, rows_of
from fem_mbd.applications.sweeps.outputs import AT, REDUCTIONS, Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.base.text import text_table
from fem_mbd.base.validation import positive
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.beam.beam import finer_beams
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source
from fem_mbd.runs.running.runs import RunFailed, run
from fem_mbd.runs.running.session import COMPLETE

ORDER = 3
TOLERANCE = 1e-12  # of the unknowns of a kind
MAX_ITERATIONS = 30  # iterations of Newton's method


class HalfSteps:
    """Half steps of a simulation that is not run.

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    columns : names of the outputs that are wanted at the ends of half steps

    Attributes
    ----------
    unsolved : steps so far whose half steps did not converge
    """

    def __init__(self, simulation: Simulation, columns: Sequence[str] = ()):
        self._vector, self._work = StateVector(simulation), simulation.scheme.workspace
        self._calls = calls = simulation.scheme.calls
        phases = phases_of(simulation)
        self._begin, self._residual, self._accept = map(CallList, (calls.begin, calls.residual, calls.accept))
        self._linearise = CallList([*calls.residual_after_tangent, *calls.tangent])
        self._record = CallList(phases.record)
        self._measure = CallList(phases.measure_plain)
        self._outputs = {name: phases.outputs[name] for name in columns}
        self._factors = Factors(simulation.system, calls.values, 1)
        kinds = [np.flatnonzero(simulation.system.unit == k) for k in range(3)]
        self._kinds = [kind for kind in kinds if len(kind)]
        self.unsolved = 0

    def error(self, state: Array, end: Array, clock: Array) -> tuple[Array, list[dict[str, Array]]]:
        """Error of the end of a step, and outputs after its two half steps.

        Parameters
        ----------
        state, end : (size,) at the start and at the end of the step
        clock : (3,) its start, end and length, s

        Returns
        -------
        (size,) the error, zero where half steps do not converge; outputs by name, (k,) each, none then
        """
        start, last, length = map(float, clock)
        middle, outputs = start + 0.5 * length, []
        self._vector.put(state)
        for begin, until in ((start, middle), (middle, last)):
            if not self._step(begin, until, 0.5 * length):
                self.unsolved += 1
                return np.zeros_like(end), []
            outputs.append(
                {
                    name: np.concatenate([_flat(array) for array in all_])
                    for name, all_ in self._outputs.items()
                }
            )
        return (end - self._vector.get()) / (1.0 - 2.0**-ORDER), outputs

    def _step(self, start: float, end: float, length: float) -> bool:
        self._work.clock[:] = start, end, length
        self._begin()
        y, last = self._calls.y, np.inf
        for _ in range(MAX_ITERATIONS):
            self._residual()
            right = self._calls.f[:, None].copy()
            self._linearise()
            self._factors.make()
            change = self._factors.solve(right)[:, 0]
            y -= change
            left = max(float(np.abs(change[k]).max() / max(np.abs(y[k]).max(), 1e-300)) for k in self._kinds)
            if not np.isfinite(left):
                return False
            if left <= TOLERANCE or (left < 1e-6 and left > 0.3 * last):
                break
            last = left
        else:
            return False
        self._residual()
        if self._outputs:
            self._record()
        self._accept()
        if self._outputs:
            self._measure()
        return True


def _flat(array: Array) -> Array:
    numbers: Array = array.view(np.float64) if array.dtype.names else array
    return numbers.ravel().copy()


TRAPEZOIDAL_SHARE = 1.0 - 0.25  # share of the trapezoidal rule's error that half the intervals remove
EXTREMES = ("max", "min", "absmax", "range")
OF_MEANS = ("final", "mean", "integral", AT)  # linear in a history of means over steps


class TimeErrors:
    """Contributions of all steps to the errors of outputs.

    Parameters
    ----------
    build : creates the simulation
    path : of its run
    outputs : derivatives of the outputs by recorded numbers, by name
    largest_growth : of a small change up to the end; errors are refused beyond it

    Attributes
    ----------
    by_step : (steps, outputs) contribution of each step to the error of each output
    halves : (steps, 2, k) numbers after the half steps, by recorded output
    unsolved : number of steps whose half steps did not converge; their errors count as zero
    """

    def __init__(
        self,
        build: Callable[[], Simulation],
        path: Path,
        outputs: Mapping[str, Rows],
        largest_growth: float = LARGEST,
    ):
        self.by_step = np.zeros((len(path), len(outputs)))
        columns = sorted(set().union(*(rows.columns for rows in outputs.values())))
        half = HalfSteps(_simulation(build), columns)
        half_outputs: dict[str, list[Array]] = {name: [] for name in columns}
        all_outputs = list(outputs.values())
        errors: dict[int, Array] = {}
        for first in range(0, len(all_outputs), OUTPUTS_PER_PASS):
            group = all_outputs[first : first + OUTPUTS_PER_PASS]
            weights = together(group, len(path) + 1)
            adjoint = Adjoint(_simulation(build), path, weights, _simulation(build), errors=True)
            growth = AdjointGrowth(adjoint.numbers, float(path.ends[-1]), largest_growth)
            for number, state in adjoint.steps(growth.end()):
                growth.check(float(path.clocks[number][0]), state)
                if number not in errors:
                    start, end = adjoint.states[number : number + 2]
                    error, numbers = half.error(start, end, path.clocks[number])
                    errors[number] = adjoint.numbers.from_changes(error, end)
                    for name, rows in half_outputs.items():
                        rows.append(np.array([half_step[name] for half_step in numbers]))
                self.by_step[number, first : first + len(group)] = (
                    errors[number] @ adjoint.at_end[:, : len(group)]
                )
        self.halves = {name: rows[::-1] for name, rows in half_outputs.items()}
        self.unsolved = half.unsolved


def _simulation(build: Callable[[], Simulation]) -> Simulation:
    return made(lambda _: build(), {})


class _WithOtherRows:
    """A source with other numbers in the rows of some outputs."""

    def __init__(self, source: Source, rows: Mapping[str, Array]):
        self._source, self.info, self._rows = source, source.info, rows

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        values = self._source.read(name, rows)
        new = self._rows.get(name.removeprefix(GROUP)) if name.startswith(GROUP) else None
        if new is None:
            return values
        flat = np.ascontiguousarray(new[rows])
        return (flat.view(values.dtype) if values.dtype.names else flat).reshape(values.shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def reduction_error(output: Output, source: Source, errors: TimeErrors) -> float:
    """Error of a reduction over time itself, besides those of the steps: sums over rows, extremes between them."""
    if not isinstance(output, Reduction) or output.name not in (*RULES, AT) or errors.unsolved:
        return 0.0
    result = Result(source)
    times, values, constant = output.history(result)
    if output.name in ("final", AT) and not constant:
        return 0.0
    after_halves = []
    for k in (0, 1):
        rows = {name: np.array([pair[k] for pair in pairs]) for name, pairs in errors.halves.items()}
        after_halves.append(Result(_WithOtherRows(source, rows)))
    if constant and output.name in OF_MEANS:
        return _error_of_means(output, result, after_halves)
    halves = [output.history(after)[1] for after in after_halves]
    fine_t, fine = np.empty(2 * len(times)), np.empty(2 * len(times))
    fine_t[1::2], fine[1::2] = times, (halves[1] if constant else values)
    fine_t[::2], fine[::2] = times - 0.5 * np.diff(times, prepend=source.info.start_time), halves[0]
    whole_steps = output.window(result, times, values, constant)
    half_steps = output.window(result, fine_t, fine, constant)
    if output.name in EXTREMES:
        better = _extreme(output.name, half_steps[0][1:], half_steps[1][1:])
        return float(REDUCTIONS[output.name](*whole_steps) - better)
    share = 1.0 if constant else TRAPEZOIDAL_SHARE
    coarse, better = (REDUCTIONS[output.name](*window) for window in (whole_steps, half_steps))
    return float((coarse - better) / share)


def _error_of_means(output: Reduction, result: Result, after_halves: Sequence[Result]) -> float:
    """Error of a linear reduction of means over steps, by their own local errors: an eighth of it with half steps."""
    vectors, halves = output.vectors(result), [output.vectors(after) for after in after_halves]
    local = (vectors - 0.5 * (halves[0] + halves[1])) / (1.0 - 2.0**-ORDER)
    times, values, constant = output.history(result)
    if output.name == AT:
        by = np.zeros(len(times))
        by[min(int(np.searchsorted(times, output.time)), len(times) - 1)] = 1.0
    else:
        by = by_values(output, result, times, values, constant)
    return float(by @ (by_component(vectors) * local).sum(axis=1))


def _extreme(name: str, t: Array, y: Array) -> float:
    """Extreme of the parabola through the extreme value and its neighbours."""
    if name == "range":
        return _extreme("max", t, y) - _extreme("min", t, y)
    if name == "absmax":
        return _extreme("max", t, np.abs(y))
    sign = -1.0 if name == "min" else 1.0
    k = int((sign * y).argmax())
    if not 0 < k < len(y) - 1:
        return float(y[k])
    (a, b), (left, right) = (t[k] - t[k - 1], t[k + 1] - t[k]), (y[k - 1] - y[k], y[k + 1] - y[k])
    slope = (right * a / b - left * b / a) / (a + b)
    curvature = (right / b + left / a) / (a + b)
    return float(y[k] - 0.25 * slope**2 / curvature) if curvature != 0.0 else float(y[k])


TOLERANCE_FRACTION = 0.8  # fraction of a tolerance for which new step sizes are computed
MAX_FACTOR, MIN_FACTOR = 4.0, 0.05  # limits of the new size of a step, relative to the old one


@dataclass(frozen=True, eq=False)
class ErrorBar:
    """Outputs of a run with estimates of their errors (value minus exact value).

    Attributes
    ----------
    outputs : names
    values : (outputs,)
    time : (outputs,) errors due to the step sizes
    mesh : (outputs,) errors due to the mesh of beams
    by_step : (steps, outputs) contributions of the steps to the errors due to step sizes
    beams : names of the beams whose mesh was refined for the estimate; without beams there is no mesh error
    unsolved : number of steps without an estimate, as their half steps did not converge
    result : of the run
    clocks : (steps, 3) start, end and length of the steps, s
    """

    outputs: tuple[str, ...]
    values: Array
    time: Array
    mesh: Array
    by_step: Array
    beams: tuple[str, ...]
    unsolved: int
    result: Result
    clocks: Array

    def of(self, output: str) -> float:
        """The estimated error of an output.

        Parameters
        ----------
        output : its name

        Raises
        ------
        InputError
            For a name that is not in `outputs`.
        """
        k = self._index(output)
        return float(self.time[k] + self.mesh[k])

    def _index(self, output: str) -> int:
        if output not in self.outputs:
            raise InputError(f"there is no error of {output!r}; outputs: {', '.join(self.outputs)}")
        return self.outputs.index(output)

    def goal(self, output: str, tolerance: float) -> StepControl:
        """Step control with which the estimated error of an output due to step sizes stays below a tolerance.

        The error of a step is proportional to h^(p + 1). The returned sizes give the smallest number of steps whose
        total error is below the tolerance, without the errors of reductions over time (extremes between steps, sums).

        Parameters
        ----------
        output : its name
        tolerance : of its error, in its unit

        Raises
        ------
        InputError
            For a name that is not in `outputs`, and a tolerance that is not above zero.
        """
        tolerance = TOLERANCE_FRACTION * positive(tolerance, "tolerance")
        sizes, errors = self.clocks[:, 2], np.abs(self.by_step[:, self._index(output)])
        errors = np.maximum(errors, 1e-3 * errors.mean())
        if not errors.any():
            raise InputError(f"goal: there are no errors of the steps for {output!r}")
        rates = (errors / sizes ** (ORDER + 1)) ** (-1.0 / (ORDER + 1))  # sizes with equal errors
        factor = (tolerance / float((errors * (rates / sizes) ** ORDER).sum())) ** (1.0 / ORDER)
        new_sizes = np.clip(factor * rates, MIN_FACTOR * sizes, MAX_FACTOR * sizes)
        # number of new steps up to the end of each old one; new steps end where it is an integer
        count = np.concatenate([[0.0], np.cumsum(sizes / new_sizes)])
        times = np.concatenate([self.clocks[:1, 0], self.clocks[:, 1]])
        integers = np.linspace(0.0, count[-1], int(np.ceil(count[-1])) + 1)
        ends = np.interp(integers, count, times)[1:-1]
        return StepControl.fixed(float(MAX_FACTOR * sizes.max()), breakpoints=ends.tolist())

    def table(self) -> str:
        """Outputs line by line: value, estimated error, its parts due to step sizes and mesh."""
        rows = [["output", "value", "error", "by steps", "by mesh"]]
        for name, value, time, mesh in zip(self.outputs, self.values, self.time, self.mesh, strict=True):
            rows.append([name, f"{value:.9g}", f"±{abs(time) + abs(mesh):.2g}", f"{time:.3g}", f"{mesh:.3g}"])
        return text_table(rows)

    def __repr__(self) -> str:
        return f"<ErrorBar of {', '.join(self.outputs)}>\n{self.table()}"


def error_of(
    build: Callable[[], Simulation], of: Mapping[str, Any], *, largest_growth: float = LARGEST
) -> ErrorBar:
    """Outputs of a run with estimates of their errors due to its step sizes and the mesh of its beams.

    Each step of the run is repeated as two half steps, and the errors of the steps are weighted with the adjoint of the
    output. A model with beams is run again with one more node in each of their elements.

    Parameters
    ----------
    build : creates the simulation, the same at each call
    of : outputs by name, as for `fem_mbd.gradient`
    largest_growth : of a small change during the run; where it is exceeded, the motion is chaotic and errors cannot be
        estimated

    Raises
    ------
    InputError
        For models and outputs that have no adjoint, see `fem_mbd.gradient`.
    fem_mbd.analysis.sensitivity.growth.BeyondHorizon
        Beyond the horizon of a chaotic motion.
    RunFailed, SolverFailure
        When a run, or the adjoint of a step, fails.
    """
    if not of:
        raise InputError("error_of: give at least one output (of)")
    if not callable(build) or isinstance(build, Simulation):
        raise InputError(
            f"error_of: build is a {type(build).__name__}: give a function without arguments that makes a Simulation"
        )
    differentiable = DifferentiableRun(lambda _: build(), {}, "error_of")
    checked, source = outputs.checked(of, differentiable.quantities), differentiable.result.source
    values = np.array(
        [differentiable.evaluate(partial(outputs.value, output)) for output in checked.values()]
    )
    rows = {name: rows_of(name, output, source) for name, output in checked.items()}
    errors = TimeErrors(build, differentiable.path, rows, largest_growth)
    reduction_errors = np.array([reduction_error(output, source, errors) for output in checked.values()])
    finer, beams = _with_finer_beams(build, checked, differentiable.path.ends)
    return ErrorBar(
        tuple(checked), values, errors.by_step.sum(axis=0) + reduction_errors,
        values - finer if beams else np.zeros(len(values)),
        errors.by_step, tuple(beams), errors.unsolved, differentiable.result, np.array(differentiable.path.clocks),
    )  # fmt: skip


def _with_finer_beams(
    build: Callable[[], Simulation], checked: Mapping[str, outputs.Output], ends: Array
) -> tuple[Array, list[str]]:
    """Outputs of the run with finer beams on the same steps, and the names of these beams."""
    with finer_beams() as beams:
        simulation = build()
    if not beams:
        return np.zeros(len(checked)), []
    simulation.stop_at(ends[:-1].tolist())
    result = run(simulation, progress=False)
    if result.status != COMPLETE:
        raise RunFailed(f"error_of: the run with finer beams is {result.status}: {result.reason}", result)
    same = [_same_node(name, output, beams) for name, output in checked.items()]
    return np.array([outputs.value(output, result) for output in same]), list(beams)


def _same_node(name: str, output: outputs.Output, beams: Mapping[str, tuple[int, int]]) -> outputs.Output:
    """An output of a beam's node with the node's number in the finer beam."""
    if not isinstance(output, Reduction):
        return output
    beam, _, number = output.part.rpartition(".")
    if beam not in beams or not number.isdigit():
        return output
    nodes, finer_nodes = beams[beam]
    element, remainder = divmod(int(number), nodes)
    if remainder:
        raise InputError(
            f"output {name}: {output.part} lies inside an element, and a finer mesh has no node there: give the output "
            f"of a node where elements meet, {beam}.{element * nodes}, or of a fraction of the beam's length"
        )
    return replace(output, path=replace(output.path, part=f"{beam}.{element * finer_nodes}"))
