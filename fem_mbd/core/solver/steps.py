"""The accepted steps of one run, without Python where that is possible.

`time_loop` makes steps in compiled code. Those that do not go well it leaves as they stand: the readable step goes on
with them.
"""

from __future__ import annotations

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions.inputs import Inputs
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver import time_loop_kernels
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.readable_steps import ReadableSteps
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.solver.time_loop import TimeLoop
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes


class Steps(ReadableSteps):
    """Steps by the compiled loop, and readable ones."""

    def __init__(
        self,
        scheme: Scheme,
        solver: NewtonSolver,
        sizes: StepSizes,
        inputs: Inputs,
        impacts: Impacts,
    ):
        super().__init__(scheme, solver, sizes, impacts)
        self._inputs = inputs
        self._marches = sizes.compiled and impacts.kind is None
        self._time_loop: TimeLoop | None = None
        self._half_done = (
            False  # the step has been begun and Newton has been through it, by the compiled loop
        )
        self._error: BaseException | None = None  # behind steps that were made

    def make(self, t_end: float) -> StepRecord:
        """One accepted step towards t_end (s).

        Raises
        ------
        SolverFailure
            When the smallest step does not converge.
        """
        self._inputs.install()
        if not self._half_done:
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
        """Up to ``most`` accepted steps without Python; None where Python has to make the next one, by `make`.

        Parameters
        ----------
        t_end : s
        most : steps
        outputs, sink, row : what is stored after steps, where, and in which row first

        Raises
        ------
        Exception
            What a Python function among the calls has raised. Behind steps that were made it is raised by the next
            call.
        """
        error, self._error = self._error, None
        if error is not None:
            raise error
        self._inputs.install()
        loop = None if self._half_done else self._ready_time_loop(outputs, sink)
        if loop is None:
            return None
        before = self.counters["steps"]
        try:
            loop.run(self.state.time, t_end, most, before, row)
        except BaseException as raised:
            if not loop.made:
                raise
            self._error = raised
        self._half_done = loop.left == time_loop_kernels.REST
        if not loop.made:
            return None
        self._book(loop)
        return loop.block()

    def begin_anew(self) -> None:
        """Drop a step that has been begun: the next one starts from the state as it is."""
        self._half_done = False

    def _ready_time_loop(self, outputs: StateOutputs | None, sink: Sink | None) -> TimeLoop | None:
        """What makes the next step without Python, None where Python has to."""
        newton = self.solver.compiled
        if (
            not self._marches
            or newton is None
            or self.balance.scale == 0.0  # nothing to hold energies against
            or self.sizes.carries_jump
            or self.sizes.pause.lasts
        ):
            return None
        loop = self._time_loop
        if loop is None or loop.newton is not newton or sink not in (None, loop.sink):
            self._time_loop = loop = TimeLoop(
                self.scheme, self.sizes, self.balance, self.solver, newton, outputs, sink
            )
        return loop

    def _book(self, loop: TimeLoop) -> None:
        """Take note of the steps that it has made."""
        iterations, factorisations, assembly, solve, control = loop.counts()
        counters = self.counters
        counters["steps"] += loop.made
        counters["newton_iterations"] += iterations
        counters["factorisations"] += factorisations
        counters["assembly"] += assembly
        counters["solve"] += solve
        counters["control"] += control
        self.solver.seconds_assembly = counters["assembly"]
        self.retries.passed(loop.made)
        self.sizes.pause.passed(loop.made)
        self._opened = ""
        self.contacts = self._contact_records()

    def _begin(self, t_f: float) -> Array:
        """As in `ReadableSteps`; a step that the compiled loop has begun goes on where it was left."""
        if self._half_done and self._time_loop is not None:
            self._half_done = False
            self.solver.take_over()
            return self._time_loop.predictor
        return super()._begin(t_f)
