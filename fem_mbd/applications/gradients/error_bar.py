"""`error_of`: estimates of the errors of a run's outputs, by the sizes of its steps and by the mesh of its beams."""

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
from fem_mbd.applications.gradients.time_errors import TimeErrors, own_error
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

TOLERANCE_FRACTION = 0.8  # of a tolerance, that new sizes of steps are made for
LARGER, SMALLER = 4.0, 0.05  # times its size, that a step becomes at most and at least


@dataclass(frozen=True, eq=False)
class ErrorBar:
    """Outputs of a run with estimates of their errors: value less exact value.

    Attributes
    ----------
    outputs : names
    values : (outputs,)
    time : (outputs,) errors by the sizes of the steps
    mesh : (outputs,) errors by the elements of beams
    by_step : (steps, outputs) shares of the steps in the errors by the sizes of steps
    beams : names of the beams whose mesh was refined for the estimate; without any the mesh has no error
    unsolved : number of steps without an estimate, whose half steps did not converge
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
        k = self._place(output)
        return float(self.time[k] + self.mesh[k])

    def _place(self, output: str) -> int:
        if output not in self.outputs:
            raise InputError(f"there is no error of {output!r}; outputs: {', '.join(self.outputs)}")
        return self.outputs.index(output)

    def goal(self, output: str, tolerance: float) -> StepControl:
        """Steps with which the estimated error of an output by their sizes stays below a tolerance.

        The error of a step grows as h^(p + 1); of all sizes that bring the errors of all steps together below the
        tolerance these are the fewest. Errors of a reduction over time itself (extremes between steps, sums over them)
        are not among them.

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
        sizes, errors = self.clocks[:, 2], np.abs(self.by_step[:, self._place(output)])
        errors = np.maximum(errors, 1e-3 * errors.mean())
        if not errors.any():
            raise InputError(f"goal: there are no errors of the steps for {output!r}")
        rates = (errors / sizes ** (ORDER + 1)) ** (-1.0 / (ORDER + 1))  # sizes that share the error evenly
        factor = (tolerance / float((errors * (rates / sizes) ** ORDER).sum())) ** (1.0 / ORDER)
        wanted = np.clip(factor * rates, SMALLER * sizes, LARGER * sizes)
        # the number of steps up to the end of each: instants at which it is whole
        count = np.concatenate([[0.0], np.cumsum(sizes / wanted)])
        times = np.concatenate([self.clocks[:1, 0], self.clocks[:, 1]])
        whole = np.linspace(0.0, count[-1], int(np.ceil(count[-1])) + 1)
        ends = np.interp(whole, count, times)[1:-1]
        return StepControl.fixed(float(LARGER * sizes.max()), breakpoints=ends.tolist())

    def table(self) -> str:
        """Outputs line by line: value, estimated error, its shares of time and mesh."""
        rows = [["output", "value", "error", "by steps", "by mesh"]]
        for name, value, time, mesh in zip(self.outputs, self.values, self.time, self.mesh, strict=True):
            rows.append([name, f"{value:.9g}", f"±{abs(time) + abs(mesh):.2g}", f"{time:.3g}", f"{mesh:.3g}"])
        return text_table(rows)

    def __repr__(self) -> str:
        return f"<ErrorBar of {', '.join(self.outputs)}>\n{self.table()}"


def error_of(
    build: Callable[[], Simulation], of: Mapping[str, Any], *, largest_growth: float = LARGEST
) -> ErrorBar:
    """Outputs of a run with estimates of their errors by the sizes of its steps and by the mesh of its beams.

    The run is made, each of its steps once more as two half steps, and the errors of the steps are weighted with the
    adjoint of the output. Where there are beams the run is made once more with one node more in each of their elements.

    Parameters
    ----------
    build : makes the simulation, always the same one
    of : outputs by name, as for `fem_mbd.gradient`
    largest_growth : of a small change during the run; where it is more, the motion is chaotic, and errors have no
        estimate

    Raises
    ------
    InputError
        For models and outputs that have no adjoint, see `fem_mbd.gradient`.
    fem_mbd.analysis.sensitivity.growth.BeyondHorizon
        Behind the horizon of a chaotic motion.
    RunFailed, SolverFailure
        When a run, or the adjoint of a step, fails.
    """
    if not of:
        raise InputError("error_of: give at least one output (of)")
    if not callable(build) or isinstance(build, Simulation):
        raise InputError(
            f"error_of: build is a {type(build).__name__}: give a function without arguments that makes a Simulation"
        )
    made = DifferentiableRun(lambda _: build(), {}, "error_of")
    wanted, source = outputs.checked(of, made.quantities), made.result.source
    values = np.array([made.evaluate(partial(outputs.value, output)) for output in wanted.values()])
    rows = {name: rows_of(name, output, source) for name, output in wanted.items()}
    errors = TimeErrors(build, made.path, rows, largest_growth)
    own = np.array([own_error(output, source, errors) for output in wanted.values()])
    finer, beams = _finer(build, wanted, made.path.ends)
    return ErrorBar(
        tuple(wanted), values, errors.by_step.sum(axis=0) + own, values - finer if beams else np.zeros(len(values)),
        errors.by_step, tuple(beams), errors.unsolved, made.result, np.array(made.path.clocks),
    )  # fmt: skip


def _finer(
    build: Callable[[], Simulation], wanted: Mapping[str, outputs.Wanted], ends: Array
) -> tuple[Array, list[str]]:
    """Outputs of the run with finer beams on the same steps, and the names of these beams."""
    with finer_beams() as beams:
        simulation = build()
    if not beams:
        return np.zeros(len(wanted)), []
    simulation.stop_at(ends[:-1].tolist())
    result = run(simulation, progress=False)
    if result.status != COMPLETE:
        raise RunFailed(f"error_of: the run with finer beams is {result.status}: {result.reason}", result)
    same = [_same_place(name, output, beams) for name, output in wanted.items()]
    return np.array([outputs.value(output, result) for output in same]), list(beams)


def _same_place(name: str, output: outputs.Wanted, beams: Mapping[str, tuple[int, int]]) -> outputs.Wanted:
    """An output of a beam's node with the node's number in the finer beam."""
    if not isinstance(output, Reduction):
        return output
    beam, _, number = output.part.rpartition(".")
    if beam not in beams or not number.isdigit():
        return output
    before, after = beams[beam]
    element, rest = divmod(int(number), before)
    if rest:
        raise InputError(
            f"output {name}: {output.part} lies inside an element, and a finer mesh has no node there: give the output "
            f"of a node where elements meet, {beam}.{element * before}, or of a fraction of the beam's length"
        )
    return replace(output, part=f"{beam}.{element * after}")
