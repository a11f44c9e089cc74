"""The accepted steps of one run: by the compiled time loop where possible, else in Python.

`time_loop` makes steps in compiled code. A step that fails a check there is continued in Python, by `ReadableSteps`,
from the state that the compiled loop has reached.
"""

from __future__ import annotations

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.model.time_functions.inputs import Inputs
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver import time_loop
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.readable_steps import ReadableSteps
from fem_mbd.core.solver.time_loop import TimeLoop
from fem_mbd.core.stepping.step_record import Block, Sink, StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes


class Steps(ReadableSteps):
    """The steps of one run, by the compiled loop or in Python."""

    def __init__(
        self,
        scheme: Scheme,
        solver: NewtonSolver,
        sizes: StepSizes,
        inputs: Inputs,
        impacts: Impacts,
        ranges: Ranges,
    ):
        super().__init__(scheme, solver, sizes, impacts, ranges)
        self._inputs = inputs
        self._compilable = sizes.compiled and impacts.kind is None
        self._time_loop: TimeLoop | None = None
        self._step_begun = False  # the compiled loop has begun the step and made Newton's first attempt at it
        self._pending_error: BaseException | None = None  # raised after steps that were accepted

    def make(self, t_end: float) -> StepRecord:
        """Make one accepted step towards t_end (s).

        Raises
        ------
        SolverFailure
            When the smallest step does not converge.
        """
        self._inputs.install()
        if not self._step_begun:
            block = self.make_steps(t_end, 1)
            if block is not None:
                return block.record(0)
        return super().make(t_end)

    def make_steps(
        self,
        t_end: float,
        most: int,
        outputs: StateOutputs | None = None,
        sink: Sink | None = None,
        row: int = -1,
    ) -> Block | None:
        """Make up to ``most`` accepted steps in compiled code; None where the next one has to be made by `make`.

        Parameters
        ----------
        t_end : s
        most : number of steps
        outputs, sink, row : outputs to store after steps, the arrays for them, and the first row to fill

        Raises
        ------
        Exception
            An exception of a Python function among the calls. After accepted steps it is raised by the next call.
        """
        error, self._pending_error = self._pending_error, None
        if error is not None:
            raise error
        self._inputs.install()
        loop = None if self._step_begun else self._ready_time_loop(outputs, sink)
        if loop is None:
            return None
        before = self.counters["steps"]
        try:
            loop.run(self.state.time, t_end, most, before, row)
        except BaseException as raised:
            if not loop.made:
                raise
            self._pending_error = raised
        self._step_begun = loop.outcome == time_loop.STEP_BEGUN
        if not loop.made:
            return None
        self._update_counters(loop)
        return loop.block()

    def discard_begun_step(self) -> None:
        """Discard a step that has been begun: the next one starts from the present state."""
        self._step_begun = False

    def _ready_time_loop(self, outputs: StateOutputs | None, sink: Sink | None) -> TimeLoop | None:
        """The compiled loop for the next step, None where Python has to make it."""
        newton = self.solver.compiled
        if (
            not self._compilable
            or newton is None
            or self.balance.scale == 0.0  # no scale for the energy residual
            or self.sizes.carries_jump
            or self.sizes.pause.active
        ):
            return None
        loop = self._time_loop
        if loop is None or loop.newton is not newton or sink not in (None, loop.sink):
            self._time_loop = loop = TimeLoop(
                self.scheme, self.sizes, self.balance, self.solver, newton, self.ranges, outputs, sink
            )
        return loop

    def _update_counters(self, loop: TimeLoop) -> None:
        """Add the steps that the compiled loop has made."""
        iterations, factorisations, assembly, solve, control = loop.counts()
        counters = self.counters
        counters["steps"] += loop.made
        counters["newton_iterations"] += iterations
        counters["factorisations"] += factorisations
        counters["assembly"] += assembly
        counters["solve"] += solve
        counters["control"] += control
        self.solver.seconds_assembly = counters["assembly"]
        self.retries.steps_accepted(loop.made)
        self.sizes.pause.steps_accepted(loop.made)
        self._violated_joint = ""
        self.contacts = self._contact_records()
        self.ranges.warn()
        self._look_at_pace()

    def _begin(self, t_f: float) -> Array:
        """As in `ReadableSteps`; a step that the compiled loop has begun is continued."""
        if self._step_begun and self._time_loop is not None:
            self._step_begun = False
            self.solver.use_attempt_made()
            return self._time_loop.predictor
        return super()._begin(t_f)
