"""Time loop over accepted steps, compiled; class `TimeLoop` gives it its lists of calls and reads its results.

The kernel `make_steps` makes the steps of `ReadableSteps` in the regular case. A step that Newton does not solve at the
first attempt, whose energy residual is too large, or that a rule rejects is not finished here: Python continues it.
Source: theory.md, sections 6, 9.

The calls are those of the step in Python (`ReadableSteps`, `Scheme`), and the same kernels take the decisions. So
states and records are bitwise the same in both.
"""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, CallList, Number, Task, run_calls
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, record, vector, void
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.newton import jacobian_reuse
from fem_mbd.core.newton.energy_residual import ENERGY_TEST
from fem_mbd.core.newton.jacobian_reuse import REUSE
from fem_mbd.core.newton.newton_iteration import ATTEMPT, DONE, CompiledNewton
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.tdg import ENERGY, ROUND_OFF, Scheme
from fem_mbd.core.solver import energy_balance
from fem_mbd.core.solver.energy_balance import BALANCE, EnergyBalance
from fem_mbd.core.solver.readable_steps import constraint_tolerance
from fem_mbd.core.stepping import step_rules, step_sizes
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, Block, Sink
from fem_mbd.core.stepping.step_rules import DT, ITERATIONS, LARGEST_ROTATION, PREVIOUS_DT, CompiledRule
from fem_mbd.core.stepping.step_sizes import SIZES, StepSizes
from fem_mbd.errors import InputError

# why the loop ended: all steps are complete, a step could not begin, a step after Newton's first attempt is to be
# continued in Python, an exception, an invalid step size
COMPLETE, BEGIN_FAILED, STEP_BEGUN, ERROR, INVALID_SIZE = range(5)
TIME_SLICE = 50_000_000  # ns: after so long the loop returns, so that Python handles signals
STORED_ENERGIES = len(ENERGIES)

RUN = np.dtype(
    [
        ("time", "f8"),  # s, of the accepted state
        ("t_end", "f8"),  # s, the last step ends there
        ("most", "i8"),  # steps to make
        ("made", "i8"),
        ("outcome", "i8"),  # COMPLETE, BEGIN_FAILED …
        ("iterations", "i8"),  # of all these steps
        ("factorisations", "i8"),
        ("assembly", "i8"),  # ns
        ("solving", "i8"),  # ns, assembly included
        ("sizing", "i8"),  # ns
        ("before", "i8"),  # steps of the run before these
        ("every", "i8"),  # outputs are stored after each of so many steps of the run; 0: never
        ("row", "i8"),  # of the next outputs
        ("pause", "i8"),  # whether to return at output times
    ],
    align=True,
)
STATISTICS = np.dtype(
    [
        ("time", "f8"),  # s, end of the step
        ("dt", "f8"),  # s
        ("rule", "i8"),  # number of the rule that decided its size
        ("newton_iterations", "i8"),
        ("factorisations", "i8"),
        ("round_off", "f8"),  # J
        ("rotation", "f8"),  # rad, the largest of a node
    ],
    align=True,
)


@kernel(
    void(record(RUN)[::1], record(SIZES)[::1], vector, record(ATTEMPT)[::1], record(REUSE)[::1],
    record(ENERGY_TEST)[::1], record(BALANCE)[::1], indices, indices),
)  # fmt: skip
def begin_step(run, sizes, clock, attempts, reuse, energy_test, balance, after_tangent, cautious):
    """Set the end of the step, and the arguments of Newton's attempt."""
    s, a = sizes[0], attempts[0]
    clock[0], clock[1] = run[0].time, step_sizes.end_of_step(s.stop, s.start, s.dt)
    clock[2] = clock[1] - clock[0]
    a.dt = s.dt
    a.backtracking = 1 if cautious[0] > 0 else 0
    a.reuse = 1 if reuse[0].policy != jacobian_reuse.NEVER and not a.backtracking else 0
    a.refresh = 0 if a.reuse and not jacobian_reuse.needs_factorisation(reuse, s.dt) else 1
    energy_test[0].scale = balance[0].scale
    after_tangent[0] = 0


@kernel(void(record(SIZES)[::1], vector, record(ATTEMPT)[::1], vector, vector))
def inform_rules(sizes, clock, attempts, rotation, step):
    """Write the numbers of a step that rules read, step (4,); rotation (1,) rad, the largest of a node."""
    previous = sizes[0].previous_dt
    step[DT] = clock[2]
    step[PREVIOUS_DT] = previous if previous > 0.0 else clock[2]
    step[ITERATIONS] = attempts[0].iterations
    step[LARGEST_ROTATION] = rotation[0]


@kernel(void(record(RUN)[::1], vector, vector, record(BALANCE)[::1], matrix, vector, vector, indices))
def check_step(run, row, round_off, balance, constraints, allowed, rejections, refused):
    """Set the outcome: complete when constraints are fulfilled, energies are balanced and no rule or range rejects it.

    round_off (1,) J, bound of the energy residual by round-off of the forces; where the residual is larger, Python
    evaluates the tangent for a better bound. allowed (m,) largest violations of the constraints, m or rad.
    """
    complete, total = refused[0] == 0, 0.0
    for k in range(constraints.shape[0]):
        complete = complete and abs(constraints[k, 0]) <= allowed[k]
    for amount in row:
        total += amount
    complete = complete and np.isfinite(total) and energy_balance.resolved(balance, row, round_off[0])
    for size in rejections:
        complete = complete and size == 0.0
    run[0].outcome = COMPLETE if complete else STEP_BEGUN


@kernel(
    void(record(RUN)[::1], vector, vector, record(BALANCE)[::1], record(ATTEMPT)[::1], record(REUSE)[::1],
    indices, vector),
)  # fmt: skip
def accept_step(run, row, energy, balance, attempts, reuse, cautious, clock):
    """Add an accepted step to time, energies and counts of the run; energy (1,) of the state, J."""
    r, a = run[0], attempts[0]
    energy[0] = 0.0
    for k in range(STORED_ENERGIES):
        energy[0] += row[k]
    energy_balance.add(balance, row)
    jacobian_reuse.record_cost(reuse, a.iterations, a.factorisations)
    if a.factorisations > 0:
        reuse[0].factored_for = a.dt
    cautious[0] = max(cautious[0] - 1, 0)
    r.time = clock[1]
    r.iterations += a.iterations
    r.factorisations += a.factorisations
    r.assembly += a.assembly


@kernel(
    void(
        record(RUN)[::1], record(SIZES)[::1], vector, record(ATTEMPT)[::1], vector, vector, record(STATISTICS)[::1]
    )
)  # fmt: skip
def record_step(run, sizes, clock, attempts, round_off, rotation, statistics):
    """Write the statistics of the step, statistics (rows,) of dtype STATISTICS."""
    row, a = statistics[run[0].made], attempts[0]
    row.time, row.dt, row.rule = clock[1], clock[2], sizes[0].rule
    row.newton_iterations, row.factorisations = a.iterations, a.factorisations
    row.round_off, row.rotation = round_off[0], rotation[0]


@kernel(void(vector, record(RUN)[::1], matrix))
def store_row(values, run, rows):
    """Store values (n,) in the row of this step, rows (most, n)."""
    to = rows[run[0].made]
    for k in range(values.shape[0]):
        to[k] = values[k]


@kernel(void(vector, int64, record(RUN)[::1], matrix))
def store_outputs(values, column, run, rows):
    """Store values (n,) in the next row of outputs, rows (…, m), from a column on."""
    to = rows[run[0].row]
    for k in range(values.shape[0]):
        to[column + k] = values[k]


@kernel
def _now(timer, timestamp):
    """Time of the monotonic clock, ns."""
    run_calls(timer)
    return 1_000_000_000 * timestamp[0] + timestamp[1]


@kernel
def _are_valid(proposals):
    for size in proposals:
        if not size >= 0.0:
            return False
    return True


class Lists(NamedTuple):
    """Lists of the calls of a step, the tables of `CallList` objects, in the order in which they are made."""

    begin_step: Annotated[Any, index_rows]  # arguments of Newton's attempt
    begin: Annotated[Any, index_rows]  # predictor
    solve: Annotated[Any, index_rows]
    ledger: Annotated[Any, index_rows]
    check: Annotated[Any, index_rows]
    accept: Annotated[Any, index_rows]
    outputs: Annotated[Any, index_rows]
    propose: Annotated[Any, index_rows]  # sizes of the next step, by the rules
    plan: Annotated[Any, index_rows]  # the next step
    timer: Annotated[Any, index_rows]  # reads the clock


@kernel(void(record(RUN)[::1], record(SIZES)[::1], record(ATTEMPT)[::1], vector, Lists, indices))
def make_steps(run, sizes, attempts, proposals, lists, timestamp):
    """Make up to ``most`` steps within a time slice; timestamp (2,) s and ns of the clock, proposals (rules,) s.

    Steps that begin at a jump of a given motion are made in Python.
    """
    begin_step, begin, solve, ledger, check, accept, outputs, propose, plan, timer = lists
    r, s = run[0], sizes[0]
    r.made = r.iterations = r.factorisations = r.assembly = r.solving = r.sizing = 0
    r.outcome = COMPLETE
    now = _now(timer, timestamp)
    until, at_stop = now + TIME_SLICE, False
    while r.made < r.most and r.time < r.t_end and s.jump == 0 and now < until and not at_stop:
        run_calls(begin_step)
        if not run_calls(begin):
            r.outcome = BEGIN_FAILED
            return
        run_calls(solve)
        r.outcome = STEP_BEGUN
        if attempts[0].reason != DONE:
            return
        r.solving += _now(timer, timestamp) - now
        if not (run_calls(ledger) and run_calls(check)):
            r.outcome = ERROR
        if r.outcome != COMPLETE:
            return
        if not run_calls(accept):
            r.outcome = ERROR
            return
        r.made += 1
        if r.every > 0 and (r.before + r.made) % r.every == 0:
            if not run_calls(outputs):
                r.outcome = ERROR
                return
            r.row += 1
        at_stop = r.pause != 0 and r.time == s.stop
        now = _now(timer, timestamp)
        if r.time < r.t_end:
            run_calls(propose)
            if not _are_valid(proposals):
                r.outcome = INVALID_SIZE
                return
            run_calls(plan)
        before, now = now, _now(timer, timestamp)
        r.sizing += now - before


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
    outcome : why the last `run` ended, a constant of this module
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
        calls, workspace = scheme.calls, scheme.workspace
        run: Any = np.zeros(1, dtype=RUN)
        self._run = run[0]
        redundant = scheme.system.redundant > 0
        allowed = (
            constraint_tolerance(scheme.system) if redundant else np.full(scheme.system.constraints, inf)
        )
        newton.attempt["max_iterations"] = solver.options.max_iterations
        contacts = calls.contacts if len(calls.contacts) else np.zeros(0, dtype=CONTACT_RECORD)
        rows = min(MAX_STEPS, 1 + MAX_BYTES // max(contacts.nbytes, 1))
        self._statistics: Any = np.zeros(rows, dtype=STATISTICS)
        self._rows = np.zeros((rows, len(workspace.amounts)))
        self._contacts: Any = np.zeros((rows, len(contacts)), dtype=CONTACT_RECORD)
        step, rejections = np.zeros(4), np.zeros(len(sizes.rules))
        round_off = calls.numbers[ROUND_OFF : ROUND_OFF + 1]
        reuse, shared = solver.jacobian_reuse.record, (workspace.clock, newton.attempt)
        begin = (run, sizes.sizes, *shared, reuse, solver.energy_residual.record)
        check = Call(
            check_step, run, workspace.amounts, round_off, balance.balance, workspace.constraints, allowed, rejections,
            ranges.refused,
        )  # fmt: skip
        inform = Call(inform_rules, sizes.sizes, *shared, workspace.rotation, step)
        rules = (sizes, contacts, workspace.amounts, step)
        self.predictor = np.zeros_like(calls.y)
        self._begin = CallList([solver.set_round_off, *calls.begin, Call(copy, calls.y, self.predictor)])
        self._lists = [
            CallList([Call(begin_step, *begin, balance.balance, calls.after_tangent, solver.cautious)]),
            self._begin,
            CallList([newton.task]),
            CallList(calls.ledger),
            CallList([*ranges.check, inform, *_rule_calls(step_rules.reject, *rules, rejections), check]),
            CallList(
                [*ranges.keep, *calls.accept, *self._store_calls(run, sizes, balance, solver, contacts)]
            ),
            CallList([] if outputs is None or sink is None else _output_calls(outputs, sink, run, contacts)),
            CallList(_rule_calls(step_rules.propose, *rules, sizes.proposals)),
            CallList(self._size_calls(sizes, run)),
            newton.timer,
        ]
        lists = Lists(*(task_list.table for task_list in self._lists))
        steps = (run, sizes.sizes, newton.attempt, sizes.proposals, lists, newton.timestamp)
        self._time_loop = CallList([Call(make_steps, *steps)])

    def _store_calls(
        self, run: Any, sizes: StepSizes, balance: EnergyBalance, solver: NewtonSolver, contacts: Any
    ) -> list[Task]:
        """Calls that accept a step and store its records."""
        calls, workspace, attempt = self._scheme.calls, self._scheme.workspace, self.newton.attempt
        energy, round_off = (calls.numbers[k : k + 1] for k in (ENERGY, ROUND_OFF))
        policy = (attempt, solver.jacobian_reuse.record, solver.cautious)
        storing: list[Task] = [
            Call(accept_step, run, workspace.amounts, energy, balance.balance, *policy, workspace.clock),
            Call(
                record_step,
                run,
                sizes.sizes,
                workspace.clock,
                attempt,
                round_off,
                workspace.rotation,
                self._statistics,
            ),
            Call(store_row, workspace.amounts, run, self._rows),
        ]
        if len(contacts):
            stored = self._contacts.view(np.float64).reshape(len(self._contacts), -1)
            storing.append(Call(store_row, contacts.view(np.float64), run, stored))
        return storing

    def _size_calls(self, sizes: StepSizes, run: Any) -> list[Task]:
        """Calls that choose the size of the next step."""
        return [
            Call(step_sizes.choose, sizes.sizes, sizes.proposals, self._scheme.workspace.step, 0),
            Call(
                step_sizes.plan_step, sizes.sizes, sizes.stop_times, sizes.stop_names, sizes.jumps,
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
        if self.outcome == INVALID_SIZE:
            # raises with the name of the rule
            self._sizes.choose(self.block().record(self.made - 1))
        elif self.outcome == ERROR:
            for task_list in self._lists:
                task_list.raise_error()
        elif self.outcome == BEGIN_FAILED:
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
        next_begun = self.outcome == STEP_BEGUN
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
                tasks.append(Call(store_outputs, flat, column, run, target))
            column += flat.size
    return tasks


def _numbers(array: Any) -> Array:
    """View of an array, or of records of numbers, as one array of numbers."""
    return array.view(np.float64) if array.dtype.names else array
