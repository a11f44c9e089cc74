"""Steps one after the other in compiled code; `time_loop` gives it its lists of calls.

It is what `Steps` does in Python, for steps that go well. One that Newton does not solve at once, whose energies do not
add up, or that a rule refuses is left as it stands, and Python goes on with it. Source: theory.md, sections 6, 9.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import run_calls
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, record, vector, void
from fem_mbd.core.newton import jacobian_reuse
from fem_mbd.core.newton.energy_residual import LEFT
from fem_mbd.core.newton.jacobian_reuse import CHOICE
from fem_mbd.core.newton.newton_iteration import ATTEMPT, DONE
from fem_mbd.core.scheme.ledger_names import ENERGIES
from fem_mbd.core.solver import energy_balance
from fem_mbd.core.solver.energy_balance import BALANCE
from fem_mbd.core.stepping import size_kernels
from fem_mbd.core.stepping.rule_kernels import DT, ITERATIONS, PREVIOUS_DT
from fem_mbd.core.stepping.size_kernels import SIZES

# what is left to Python behind the steps that were made: nothing, a step that cannot begin, one that Newton has
# been through, an error, a size that is none
NOTHING, BEGINNING, REST, ERROR, SIZE = range(5)
SLICE = 50_000_000  # ns: Python is asked for signals after so long
OWN_ENERGIES = len(ENERGIES)

RUN = np.dtype(
    [
        ("time", "f8"),  # s, of the accepted state
        ("t_end", "f8"),  # s, the last step ends there
        ("open", "f8"),  # m, what constraints may be missed by; inf where nothing can open them
        ("most", "i8"),  # steps to make
        ("made", "i8"),
        ("left", "i8"),  # NOTHING, BEGINNING …
        ("iterations", "i8"),  # of all these steps
        ("factorisations", "i8"),
        ("assembly", "i8"),  # ns
        ("solving", "i8"),  # ns, assembly included
        ("sizing", "i8"),  # ns
        ("before", "i8"),  # steps of the run before these
        ("every", "i8"),  # outputs are stored after each of so many steps of the run; 0: never
        ("row", "i8"),  # where the next ones are stored
        ("pause", "i8"),  # whether to stop at output times
    ],
    align=True,
)
STATISTICS = np.dtype(
    [
        ("time", "f8"),  # s, end of the step
        ("dt", "f8"),  # s
        ("rule", "i8"),  # number of the name of who decided its size
        ("newton_iterations", "i8"),
        ("factorisations", "i8"),
        ("round_off", "f8"),  # J
    ],
    align=True,
)


@kernel(
    void(record(RUN)[::1], record(SIZES)[::1], vector, record(ATTEMPT)[::1], record(CHOICE)[::1],
    record(LEFT)[::1], record(BALANCE)[::1], indices),
)  # fmt: skip
def begin_step(run, sizes, clock, attempts, choice, left, balance, after_tangent):
    """Where the step ends, and how Newton begins."""
    s, a = sizes[0], attempts[0]
    clock[0], clock[1] = run[0].time, size_kernels.end_of_step(s.stop, s.start, s.dt)
    clock[2] = clock[1] - clock[0]
    a.dt = s.dt
    a.keep = 1 if choice[0].way != jacobian_reuse.NEVER else 0
    a.refresh = 0 if a.keep and not jacobian_reuse.due(choice, s.dt) else 1
    left[0].scale = balance[0].scale
    after_tangent[0] = 0


@kernel(void(record(SIZES)[::1], vector, record(ATTEMPT)[::1], vector))
def inform_rules(sizes, clock, attempts, step):
    """What rules are told of a step, (3,)."""
    previous = sizes[0].previous_dt
    step[DT] = clock[2]
    step[PREVIOUS_DT] = previous if previous > 0.0 else clock[2]
    step[ITERATIONS] = attempts[0].iterations


@kernel(void(record(RUN)[::1], vector, vector, record(BALANCE)[::1], matrix, vector))
def check_step(run, row, round_off, balance, constraints, rejections):
    """Leave the step to Python unless its joints are closed, its energies add up and no rule rejects it.

    round_off (1,) J, what it can make of the balance by the forces; Python asks the tangent where more is left.
    """
    good, total = True, 0.0
    for k in range(constraints.shape[0]):
        good = good and abs(constraints[k, 0]) <= run[0].open
    for amount in row:
        total += amount
    good = good and np.isfinite(total) and energy_balance.resolved(balance, row, round_off[0])
    for size in rejections:
        good = good and size == 0.0
    run[0].left = NOTHING if good else REST


@kernel(
    void(record(RUN)[::1], vector, vector, record(BALANCE)[::1], record(ATTEMPT)[::1], record(CHOICE)[::1],
    vector),
)  # fmt: skip
def accept_step(run, row, energy, balance, attempts, choice, clock):
    """Take over an accepted step: time, energies, what Newton took; energy (1,) of the state, J."""
    r, a = run[0], attempts[0]
    energy[0] = 0.0
    for k in range(OWN_ENERGIES):
        energy[0] += row[k]
    energy_balance.add(balance, row)
    jacobian_reuse.learn(choice, a.iterations, a.factorisations)
    if a.factorisations > 0:
        choice[0].factored_for = a.dt
    r.time = clock[1]
    r.iterations += a.iterations
    r.factorisations += a.factorisations
    r.assembly += a.assembly


@kernel(
    void(record(RUN)[::1], record(SIZES)[::1], vector, record(ATTEMPT)[::1], vector, record(STATISTICS)[::1])
)
def record_step(run, sizes, clock, attempts, round_off, statistics):
    """A row of statistics, statistics (rows,) of dtype STATISTICS."""
    row, a = statistics[run[0].made], attempts[0]
    row.time, row.dt, row.rule = clock[1], clock[2], sizes[0].rule
    row.newton_iterations, row.factorisations = a.iterations, a.factorisations
    row.round_off = round_off[0]


@kernel(void(vector, record(RUN)[::1], matrix))
def store(values, run, rows):
    """Keep values (n,) in the row of this step, rows (most, n)."""
    to = rows[run[0].made]
    for k in range(values.shape[0]):
        to[k] = values[k]


@kernel(void(vector, int64, record(RUN)[::1], matrix))
def store_outputs(values, at, run, rows):
    """Keep values (n,) in the next row of outputs, rows (…, m), from column ``at`` on."""
    to = rows[run[0].row]
    for k in range(values.shape[0]):
        to[at + k] = values[k]


@kernel
def _now(watch, instant):
    """Of a clock that only goes forwards, ns."""
    run_calls(watch)
    return 1_000_000_000 * instant[0] + instant[1]


@kernel
def _are_sizes(proposals):
    for size in proposals:
        if not size >= 0.0:
            return False
    return True


@kernel(
    void(record(RUN)[::1], record(SIZES)[::1], record(ATTEMPT)[::1], vector, index_rows, index_rows,
    index_rows, index_rows, index_rows, index_rows, index_rows, index_rows, index_rows, index_rows, indices),
)  # fmt: skip
def make_steps(
    run, sizes, attempts, proposals, begin_step, begin, solve, ledger, check, accept, outputs, propose, aim, watch,
    instant
):  # fmt: skip
    """Make up to ``most`` steps, for as long as a slice of time lasts; the lists of calls are those of a step.

    Steps that begin at a jump of a given motion are Python's.
    """
    r, s = run[0], sizes[0]
    r.made = r.iterations = r.factorisations = r.assembly = r.solving = r.sizing = 0
    r.left = NOTHING
    now = _now(watch, instant)
    until, at_stop = now + SLICE, False
    while r.made < r.most and r.time < r.t_end and s.jump == 0 and now < until and not at_stop:
        run_calls(begin_step)
        if not run_calls(begin):
            r.left = BEGINNING
            return
        run_calls(solve)
        r.left = REST
        if attempts[0].reason != DONE:
            return
        r.solving += _now(watch, instant) - now
        if not (run_calls(ledger) and run_calls(check)):
            r.left = ERROR
        if r.left != NOTHING:
            return
        if not run_calls(accept):
            r.left = ERROR
            return
        r.made += 1
        if r.every > 0 and (r.before + r.made) % r.every == 0:
            if not run_calls(outputs):
                r.left = ERROR
                return
            r.row += 1
        at_stop = r.pause != 0 and r.time == s.stop
        now = _now(watch, instant)
        if r.time < r.t_end:
            run_calls(propose)
            if not _are_sizes(proposals):
                r.left = SIZE
                return
            run_calls(aim)
        before, now = now, _now(watch, instant)
        r.sizing += now - before
