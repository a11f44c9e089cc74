"""Function `error_of`: estimates of the errors of a run's outputs due to its step sizes and the mesh of its beams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.growth import LARGEST
from fem_mbd.analysis.sensitivity.half_steps import ORDER
from fem_mbd.applications.gradients import outputs
from fem_mbd.applications.gradients.differentiable_run import DifferentiableRun
from fem_mbd.applications.gradients.rows import rows_of
from fem_mbd.applications.gradients.time_errors import TimeErrors, reduction_error
from fem_mbd.applications.sweeps.reduction import Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.base.text_table import text_table
from fem_mbd.base.validation import positive
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.beam.finer import finer_beams
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import RunFailed, run
from fem_mbd.runs.running.session import COMPLETE

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
