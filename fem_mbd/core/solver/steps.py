"""The accepted steps of one run, without Python where that is possible.

`march` makes steps in compiled code. Those that do not go well it leaves as they stand: the readable step goes on with
them.
"""

from __future__ import annotations

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions.inputs import Inputs
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver import march_kernels
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.march import March
from fem_mbd.core.solver.readable_steps import ReadableSteps
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes


class Steps(ReadableSteps):
    """Steps by the march, and readable ones."""

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
        self._march: March | None = None
        self._half_done = False  # the step has been begun and Newton has been through it, by the march
        self._error: BaseException | None = None  # behind steps that were made

    def make(self, t_end: float) -> StepRecord:
        """One accepted step towards t_end (s).

        Raises
        ------
        SolverFailure
            When the smallest step does not converge.
        """
        if not self._half_done:
            block = self.march(t_end, 1)
            if block is not None:
                return block.record(0)
        return super().make(t_end)

    def march(
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
        march = None if self._half_done else self._ready_march(outputs, sink)
        if march is None:
            return None
        before = self.counters["steps"]
        try:
            march.run(self.state.time, t_end, most, before, row)
        except BaseException as raised:
            if not march.made:
                raise
            self._error = raised
        self._half_done = march.left == march_kernels.REST
        if not march.made:
            return None
        self._book(march)
        return march.block()

    def begin_anew(self) -> None:
        """Drop a step that has been begun: the next one starts from the state as it is."""
        self._half_done = False

    def _ready_march(self, outputs: StateOutputs | None, sink: Sink | None) -> March | None:
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
        march = self._march
        if march is None or march.newton is not newton or sink not in (None, march.sink):
            self._march = march = March(
                self.scheme, self.sizes, self.balance, self.solver, newton, outputs, sink
            )
        return march

    def _book(self, march: March) -> None:
        """Take note of the steps that it has made."""
        iterations, factorisations, assembly, solve, control = march.counts()
        counters = self.counters
        counters["steps"] += march.made
        counters["newton_iterations"] += iterations
        counters["factorisations"] += factorisations
        counters["assembly"] += assembly
        counters["solve"] += solve
        counters["control"] += control
        self.solver.seconds_assembly = counters["assembly"]
        self.retries.passed(march.made)
        self.sizes.pause.passed(march.made)
        self._opened = ""
        self.contacts = self._contact_records()

    def _begin(self, t_f: float) -> Array:
        """As in `ReadableSteps`; a step that the march has begun goes on where it was left."""
        if self._half_done and self._march is not None:
            self._half_done = False
            self.solver.take_over()
            return self._march.predictor
        return super()._begin(t_f)
