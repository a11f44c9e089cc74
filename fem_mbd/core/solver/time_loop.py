"""Interface to the compiled time loop: the lists of calls for `time_loop_kernels.make_steps`, and its results.

The calls are those of the step in Python (`ReadableSteps`, `Scheme`), and the same kernels take the decisions. So
states and records are bitwise the same in both.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Number, Task
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.newton.compiled_newton import CompiledNewton
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.step_calls import ENERGY, ROUND_OFF
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver import time_loop_kernels as kernels
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.core.solver.failing_step import constraint_tolerance
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.stepping import rule_kernels, size_kernels
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.core.stepping.step_rules import CompiledRule
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError

MAX_STEPS, MAX_BYTES = 256, 4_000_000  # of one block, and of its contact records
# what `TimeLoop.counts` reads of a run
EFFORT = ["iterations", "factorisations", "assembly", "solving", "sizing"]


class TimeLoop:
    """The compiled time loop of one run, with the present Newton iteration of the solver.

    Parameters
    ----------
    scheme, sizes, balance : of the run; the rules of ``sizes`` are compiled ones
    solver : that has solved a step already
    newton : its iteration
    ranges : of the parts
    outputs, sink : outputs to store after steps, and the arrays for them

    Attributes
    ----------
    predictor : (size,) of the step begun last
    made : number of steps made by the last `run`
    outcome : why the last `run` ended, a constant of `time_loop_kernels`
    """

    def __init__(
        self,
        scheme: Scheme,
        sizes: StepSizes,
        balance: EnergyBalance,
        solver: NewtonSolver,
        newton: CompiledNewton,
        ranges: Ranges,
        outputs: StateOutputs | None = None,
        sink: Sink | None = None,
    ):
        self._scheme, self.newton, self.sink = scheme, newton, sink
        self._names, self._sizes = sizes.names, sizes
        calls, work = scheme.calls, scheme.work
        run: Any = np.zeros(1, dtype=kernels.RUN)
        self._run = run[0]
        self._run["tolerance"] = constraint_tolerance(scheme.system) if scheme.system.redundant else inf
        newton.attempt["max_iterations"] = solver.options.max_iterations
        contacts = calls.contacts if len(calls.contacts) else np.zeros(0, dtype=CONTACT_RECORD)
        rows = min(MAX_STEPS, 1 + MAX_BYTES // max(contacts.nbytes, 1))
        self._statistics: Any = np.zeros(rows, dtype=kernels.STATISTICS)
        self._rows = np.zeros((rows, len(work.amounts)))
        self._contacts: Any = np.zeros((rows, len(contacts)), dtype=CONTACT_RECORD)
        step, rejections = np.zeros(4), np.zeros(len(sizes.rules))
        round_off = calls.numbers[ROUND_OFF : ROUND_OFF + 1]
        reuse, shared = solver.jacobian_reuse.record, (work.clock, newton.attempt)
        begin = (run, sizes.sizes, *shared, reuse, solver.energy_residual.record)
        check = Call(
            kernels.check_step, run, work.amounts, round_off, balance.balance, work.constraints, rejections,
            ranges.refused,
        )  # fmt: skip
        inform = Call(kernels.inform_rules, sizes.sizes, *shared, work.rotation, step)
        rules = (sizes, contacts, work.amounts, step)
        self.predictor = np.zeros_like(calls.y)
        self._begin = CallList([solver.set_round_off, *calls.begin, Call(copy, calls.y, self.predictor)])
        self._lists = [
            CallList(
                [Call(kernels.begin_step, *begin, balance.balance, calls.after_tangent, solver.cautious)]
            ),
            self._begin,
            CallList([newton.task]),
            CallList(calls.ledger),
            CallList([*ranges.check, inform, *_rule_calls(rule_kernels.reject, *rules, rejections), check]),
            CallList(
                [*ranges.keep, *calls.accept, *self._store_calls(run, sizes, balance, solver, contacts)]
            ),
            CallList([] if outputs is None or sink is None else _output_calls(outputs, sink, run, contacts)),
            CallList(_rule_calls(rule_kernels.propose, *rules, sizes.proposals)),
            CallList(self._size_calls(sizes, run)),
            newton.timer,
        ]
        lists = kernels.Lists(*(task_list.table for task_list in self._lists))
        steps = (run, sizes.sizes, newton.attempt, sizes.proposals, lists, newton.timestamp)
        self._time_loop = CallList([Call(kernels.make_steps, *steps)])

    def _store_calls(
        self, run: Any, sizes: StepSizes, balance: EnergyBalance, solver: NewtonSolver, contacts: Any
    ) -> list[Task]:
        """Calls that accept a step and store its records."""
        calls, work, attempt = self._scheme.calls, self._scheme.work, self.newton.attempt
        energy, round_off = (calls.numbers[k : k + 1] for k in (ENERGY, ROUND_OFF))
        policy = (attempt, solver.jacobian_reuse.record, solver.cautious)
        store: list[Task] = [
            Call(kernels.accept_step, run, work.amounts, energy, balance.balance, *policy, work.clock),
            Call(
                kernels.record_step,
                run,
                sizes.sizes,
                work.clock,
                attempt,
                round_off,
                work.rotation,
                self._statistics,
            ),
            Call(kernels.store, work.amounts, run, self._rows),
        ]
        if len(contacts):
            stored = self._contacts.view(np.float64).reshape(len(self._contacts), -1)
            store.append(Call(kernels.store, contacts.view(np.float64), run, stored))
        return store

    def _size_calls(self, sizes: StepSizes, run: Any) -> list[Task]:
        """Calls that choose the size of the next step."""
        return [
            Call(size_kernels.choose, sizes.sizes, sizes.proposals, self._scheme.work.step, 0),
            Call(
                size_kernels.plan_step, sizes.sizes, sizes.stop_times, sizes.stop_names, sizes.jumps,
                Number(run["time"]), Number(run["t_end"]),
            ),
        ]  # fmt: skip

    def run(self, time: float, t_end: float, most: int, before: int, row: int) -> None:
        """Make up to ``most`` steps from ``time`` towards ``t_end`` (s); sets `made` and `outcome`.

        Parameters
        ----------
        time, t_end, most : as above
        before : steps that the run has made already
        row : of the sink, for the next outputs; -1: outputs are not stored

        Raises
        ------
        Exception
            An exception of a Python function among the calls. `made` steps are complete.
        """
        every = self.sink.every if self.sink is not None and row >= 0 else 0
        if every and self.sink is not None:  # limited by the number of rows
            most = min(most, every * max(min(map(len, self.sink.rows.values()), default=0) - row, 0))
        run = self._run
        run["time"], run["t_end"], run["most"], run["made"] = time, t_end, min(most, len(self._statistics)), 0
        run["before"], run["every"], run["row"] = before, every, row
        run["pause"] = row >= 0 and every == 0
        self._first, self._row = before + 1, row
        try:
            (self._time_loop.run_without_gil if self.newton.releases_gil else self._time_loop)()
        finally:
            self.made, self.outcome = int(run["made"]), int(run["outcome"])
            if self.made:
                self._scheme.state.time = float(run["time"])
        if self.outcome == kernels.INVALID_SIZE:
            # raises with the name of the rule
            self._sizes.choose(self.block().record(self.made - 1))
        elif self.outcome == kernels.ERROR:
            for task_list in self._lists:
                task_list.raise_error()
        elif self.outcome == kernels.BEGIN_FAILED:
            try:
                self._begin.raise_error()
            except InputError:
                pass  # the step in Python gets this error again, and treats it as a step that is too long

    def counts(self) -> tuple[int, int, float, float, float]:
        """Effort of the steps made: iterations, factorisations, seconds of assembly, of solving, of step sizes."""
        iterations, factorisations, *times = (int(self._run[name]) for name in EFFORT)
        assembly, solving, sizing = (1e-9 * ns for ns in times)
        return iterations, factorisations, assembly, solving - assembly, sizing

    def block(self) -> Block:
        """The steps made by the last `run`; the next one overwrites its arrays."""
        made = self.made
        stored = int(self._run["row"]) - self._row
        statistics, energy, contacts = self._statistics[:made], self._rows[:made], self._contacts[:made]
        next_begun = self.outcome == kernels.STEP_BEGUN
        return Block(self._first, statistics, energy, contacts, self._names, stored, next_begun)


def _rule_calls(
    kernel: Any, sizes: StepSizes, contacts: Any, amounts: Array, step: Array, out: Array
) -> list[Task]:
    """Calls of a kernel of step rules, each of which fills its entry of ``out`` (rules,)."""
    compiled = [rule.compiled for rule in sizes.rules if isinstance(rule, CompiledRule)]
    return [Call(kernel, rule, contacts, amounts, step, out[k : k + 1]) for k, rule in enumerate(compiled)]


def _output_calls(outputs: StateOutputs, sink: Sink, run: Any, contacts: Any) -> list[Task]:
    """Calls that evaluate the outputs of the accepted state and store the requested ones."""
    tasks, arrays = outputs.in_place()
    arrays["contact"] = [contacts]
    for name, rows in sink.rows.items():
        column, target = 0, _numbers(rows).reshape(len(rows), -1)
        for values in arrays[name]:
            flat = _numbers(values).reshape(-1)
            if flat.size:
                tasks.append(Call(kernels.store_outputs, flat, column, run, target))
            column += flat.size
    return tasks


def _numbers(array: Any) -> Array:
    """View of an array, or of records of numbers, as one array of numbers."""
    return array.view(np.float64) if array.dtype.names else array
