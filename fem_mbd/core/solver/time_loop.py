"""Steps without Python: the lists of calls for `time_loop_kernels.make_steps`, and what it leaves behind.

The lists are those of the readable step in `ReadableSteps` and `Scheme`, and decisions are taken by the same kernels,
so both ways lead to the same states and records, to the last bit.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Number, Task
from fem_mbd.core.newton.compiled_newton import CompiledNewton
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.step_calls import ENERGY, ROUND_OFF
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver import time_loop_kernels as kernels
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.core.solver.failing_step import open_at
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.stepping import rule_kernels, size_kernels
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.core.stepping.step_rules import CompiledRule
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError

ROWS, ROOM = 256, 4_000_000  # steps of one block, and bytes of what is told of them, at most
TIME, T_END, OPEN = range(3)  # places among the numbers of a run
MOST, MADE, LEFT, ITERATIONS, FACTORISATIONS, ASSEMBLY, SOLVING, SIZING, BEFORE, EVERY, ROW, PAUSE = range(
    3, 15
)


class TimeLoop:
    """The compiled steps of one run, with the solver's iteration as it is now.

    Parameters
    ----------
    scheme, sizes, balance : of the run; the rules of ``sizes`` are compiled ones
    solver : that has solved a step already
    newton : its iteration
    outputs, sink : what is stored after steps, and where

    Attributes
    ----------
    predictor : (size,) of the step begun last
    made : steps made by the last `run`
    left : what it has left to Python behind them, as `time_loop_kernels` numbers it
    """

    def __init__(
        self,
        scheme: Scheme,
        sizes: StepSizes,
        balance: EnergyBalance,
        solver: NewtonSolver,
        newton: CompiledNewton,
        outputs: StateOutputs | None = None,
        sink: Sink | None = None,
    ):
        self._scheme, self.newton, self.sink = scheme, newton, sink
        self._names, self._sizes = sizes.names, sizes
        calls, work = scheme.calls, scheme.work
        run: Any = np.zeros(1, dtype=kernels.RUN)
        self._times, self._counts = run.view(np.float64), run.view(np.int64)
        self._times[OPEN] = open_at(scheme.system) if scheme.system.redundant else inf
        newton.attempt["most"] = solver.options.max_iterations
        contacts = calls.contacts if len(calls.contacts) else np.zeros(0, dtype=CONTACT_RECORD)
        rows = min(ROWS, 1 + ROOM // max(contacts.nbytes, 1))
        self._statistics: Any = np.zeros(rows, dtype=kernels.STATISTICS)
        self._rows = np.zeros((rows, len(work.amounts)))
        self._told: Any = np.zeros((rows, len(contacts)), dtype=CONTACT_RECORD)
        step, rejections = np.zeros(3), np.zeros(len(sizes.rules))
        energy, round_off = (calls.numbers[place : place + 1] for place in (ENERGY, ROUND_OFF))
        choice, attempt = solver.choice.choice, newton.attempt
        shared = (work.clock, attempt)

        def ask(kernel: Any, out: Array) -> list[Task]:
            compiled = [rule.compiled for rule in sizes.rules if isinstance(rule, CompiledRule)]
            return [
                Call(kernel, rule, contacts, work.amounts, step, out[k : k + 1])
                for k, rule in enumerate(compiled)
            ]

        begin_step = Call(
            kernels.begin_step, run, sizes.sizes, *shared, choice, solver.energy_residual.left, balance.balance,
            calls.after_tangent,
        )  # fmt: skip
        keep: list[Task] = [
            Call(
                kernels.accept_step, run, work.amounts, energy, balance.balance, attempt, choice, work.clock
            ),
            Call(kernels.record_step, run, sizes.sizes, *shared, round_off, self._statistics),
            Call(kernels.store, work.amounts, run, self._rows),
        ]
        if len(contacts):
            told = self._told.view(np.float64).reshape(rows, -1)
            keep.append(Call(kernels.store, contacts.view(np.float64), run, told))
        check = Call(
            kernels.check_step, run, work.amounts, round_off, balance.balance, work.constraints, rejections
        )
        choose = Call(size_kernels.choose, sizes.sizes, sizes.proposals, work.step, 0)
        aim = Call(
            size_kernels.aim, sizes.sizes, sizes.stop_times, sizes.stop_names, sizes.jumps,
            Number(self._times, TIME), Number(self._times, T_END),
        )  # fmt: skip
        inform = Call(kernels.inform_rules, sizes.sizes, *shared, step)
        self.predictor = np.zeros_like(calls.y)
        self._begin = CallList([*calls.begin, Call(copy, calls.y, self.predictor)])
        self._lists = [
            CallList([begin_step]),
            self._begin,
            CallList([newton.task]),
            CallList(calls.ledger),
            CallList([inform, *ask(rule_kernels.reject, rejections), check]),
            CallList([*calls.accept, *keep]),
            CallList([] if outputs is None or sink is None else _stored(outputs, sink, run, contacts)),
            CallList(ask(rule_kernels.propose, sizes.proposals)),
            CallList([choose, aim]),
            newton.watch,
        ]
        tables = [one.table for one in self._lists]
        self._time_loop = CallList(
            [Call(kernels.make_steps, run, sizes.sizes, attempt, sizes.proposals, *tables, newton.instant)]
        )

    def run(self, time: float, t_end: float, most: int, before: int, row: int) -> None:
        """Make up to ``most`` steps from ``time`` towards ``t_end`` (s); see `made` and `left`.

        Parameters
        ----------
        time, t_end, most : as above
        before : steps that the run has made already
        row : of the sink, where the next outputs are stored; -1: none are

        Raises
        ------
        Exception
            What a Python function among the calls has raised. `made` steps are whole.
        """
        self._times[TIME], self._times[T_END] = time, t_end
        every = self.sink.every if self.sink is not None and row >= 0 else 0
        if every and self.sink is not None:  # no more than there are rows for
            most = min(most, every * max(min(map(len, self.sink.rows.values()), default=0) - row, 0))
        self._counts[MOST : MADE + 1] = min(most, len(self._statistics)), 0
        self._counts[BEFORE:] = before, every, row, row >= 0 and every == 0
        self._first, self._row = before + 1, row
        try:
            (self._time_loop.run_free if self.newton.free else self._time_loop)()
        finally:
            self.made, self.left = self._counts[MADE : LEFT + 1].tolist()
            if self.made:
                self._scheme.state.time = float(self._times[TIME])
        if self.left == kernels.SIZE:
            # says which rule asked for a size that is none
            self._sizes.choose(self.block().record(self.made - 1))
        elif self.left == kernels.ERROR:
            for one in self._lists:
                one.raise_error()
        elif self.left == kernels.BEGINNING:
            try:
                self._begin.raise_error()
            except InputError:
                pass  # that the readable step meets again, and takes for a step that is too long

    def counts(self) -> tuple[int, int, float, float, float]:
        """Of the steps made: iterations, factorisations, seconds of assembly, of the rest of solving, of sizes."""
        iterations, factorisations, *times = self._counts[ITERATIONS : SIZING + 1].tolist()
        assembly, solving, sizing = (1e-9 * ns for ns in times)
        return iterations, factorisations, assembly, solving - assembly, sizing

    def block(self) -> Block:
        """The steps made by the last `run`; its arrays are used again by the next one."""
        made = self.made
        stored = int(self._counts[ROW]) - self._row
        statistics, energy, contacts = self._statistics[:made], self._rows[:made], self._told[:made]
        begun = self.left == kernels.REST
        return Block(self._first, statistics, energy, contacts, self._names, stored, begun)


def _stored(outputs: StateOutputs, sink: Sink, run: Any, contacts: Any) -> list[Task]:
    """What evaluates the outputs of the accepted state and stores those that are wanted."""
    tasks, found = outputs.in_place()
    found["contact"] = [contacts]
    for name, rows in sink.rows.items():
        at, to = 0, _numbers(rows).reshape(len(rows), -1)
        for values in found[name]:
            flat = _numbers(values).reshape(-1)
            if flat.size:
                tasks.append(Call(kernels.store_outputs, flat, at, run, to))
            at += flat.size
    return tasks


def _numbers(array: Any) -> Array:
    """A view of all numbers of an array of numbers or of records of them."""
    return array.view(np.float64) if array.dtype.names else array
