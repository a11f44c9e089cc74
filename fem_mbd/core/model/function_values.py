"""Values of functions of time in a step: at its start, at its end, and rates there; jumps of prescribed motions.

`jumps_of` finds the jumps of prescribed motions: an error, or carried out by one step with its work in the energy
balance. A body cannot be at two positions at one instant. Where a jump is allowed, the step that begins there starts
from the value before it and ends at a value after it: the scheme moves the body through the jump within that step. The
driver's work is exact for it, as for any other motion. The work on the body's own inertia is dissipated within the step
and grows as the step decreases (a mass m displaced by d in a step of dt needs 2 m d^2/dt^2); the work on springs and
beams is stored, and converges as the step decreases.

`StepFunctions` evaluates. Shapes, tables, sums, products and piecewise functions of them are evaluated in compiled code
(`time_functions.kernels`); a Python function of the user's is called from Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from math import inf

import numpy as np

from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction
from fem_mbd.core.model.time_functions.inputs import held
from fem_mbd.core.model.time_functions.values import is_at
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.errors import InputError

JUMP = 1e-9  # fraction of the function's largest value near its breakpoints: smaller jumps are round-off
MAX_ROTATION = 0.9 * np.pi  # rad: largest rotation of a node in a step of the scheme


def jumps_of(function: TimeFunction | None, what: str, allowed: bool, most: float = inf) -> tuple[float, ...]:
    """The times (s) among a function's breakpoints at which its value jumps.

    Jumps of the rate do not count: they are impacts, which the scheme resolves. Jumps of a plain callable are not
    detected.

    Parameters
    ----------
    function : of time; None has no jumps
    what : the prescribed quantity, for messages
    allowed : whether it may jump
    most : largest jump that a step can carry out

    Raises
    ------
    InputError
        For a piecewise constant input, and for a jump that is not allowed, is too large, or is not after t = 0, where
        runs start from the reference configuration.
    """
    jumps: list[float] = []
    if function is None:
        return ()
    if jumping := held(function):
        raise InputError(
            f"{what}: input '{jumping[0]}' jumps when it is set, which a prescribed motion must not: create it with "
            'within="linear", or prescribe a speed'
        )
    size = _size(function)
    for t in function.breakpoints():
        before, after = np.asarray(function.value(t, -1)), np.asarray(function.value(t, +1))
        jump = float(np.abs(after - before).max())
        if jump <= JUMP * size:
            continue
        message = f"{what} jumps by {jump:.3g} at t = {t:g} s"
        if not allowed:
            raise InputError(
                f"{message}: the work of a prescribed motion is infinite there; use a continuous transition, e.g. "
                "SmoothStep or a linear Table, or give allow_jumps=True: the step that begins there then carries the "
                "jump out"
            )
        if t <= 0.0:
            raise InputError(
                f"{message}: a jump must be later than t = 0; build the model in the position after the jump"
            )
        if not jump <= most:
            raise InputError(f"{message}: a step rotates by at most {most:.3g} rad; divide the jump")
        jumps.append(t)
    return tuple(jumps)


def _size(function: TimeFunction) -> float:
    """Largest magnitude of a function at its breakpoints and between them."""
    points = sorted(function.breakpoints())
    between = [0.5 * (a + b) for a, b in pairwise([0.0, *points])]
    values = [function.value(t, side) for t in points for side in (-1, +1)] + [
        function.value(t, +1) for t in between
    ]
    return max((float(np.abs(value).max()) for value in values), default=0.0)


def side_at_start(t: float, jumps: Iterable[float]) -> int:
    """The side of time t (s) for the start of a step with a motion that jumps at these instants (s).

    -1, before the jump, at one of them: the step carries the jump out. +1 at any other time.
    """
    return -1 if any(is_at(t, instant) for instant in jumps) else +1


class StepFunctions:
    """The functions of time of an element class.

    Parameters
    ----------
    functions : in the order of the values
    jumps : times (s) of the jumps of each function that a step carries out; none by default

    Attributes
    ----------
    values : (3, n, 3) values at the step's start, at its end, rates at its end; the components of a scalar are equal
    """

    def __init__(self, functions: Sequence[TimeFunction], jumps: Sequence[tuple[float, ...]] | None = None):
        self.functions = tuple(functions)
        self.values = np.zeros((3, len(self.functions), 3))
        self._jumps = tuple(jumps) if jumps is not None else ((),) * len(self.functions)
        programs = [f.instructions() for f in self.functions]
        self._in_python = [n for n, program in enumerate(programs) if program is None]
        self._compiled = _compiled([program or [] for program in programs], self._jumps)

    def tasks(self, workspace: Workspace) -> list[Task]:
        """Calls that fill the values at the beginning of a step."""
        tasks: list[Task] = []
        if len(self._in_python) < len(self.functions):
            tasks.append(Call(kernels.at_both_ends, *self._compiled, workspace.clock, self.values))
        if self._in_python:
            tasks.append(partial(self._call, workspace))
        return tasks

    def at_instant(self, time: float, side: int = +1) -> None:
        """Fill the values at the end and their rates with those at a time (s), the limit from later times or, with
        ``side`` -1, from earlier ones.
        """
        for n, function in enumerate(self.functions):
            self.values[1, n], self.values[2, n] = function.value(time, side), function.rate(time, side)

    def _call(self, workspace: Workspace) -> None:
        for n in self._in_python:
            function = self.functions[n]
            self.values[0, n] = function.value(workspace.t_i, side_at_start(workspace.t_i, self._jumps[n]))
            self.values[1, n] = function.value(workspace.t_f, -1)
            self.values[2, n] = function.rate(workspace.t_f, -1)


def _compiled(
    programs: list[list[Instruction]], jumps: Sequence[tuple[float, ...]]
) -> tuple[np.ndarray, ...]:
    """code, ends, data, jumps, jump_ends, stack: arguments of `kernels.at_both_ends`."""
    code: list[tuple[int, int, int]] = []
    data: list[float] = []
    for program in programs:
        for instruction in program:
            code.append((instruction.code, len(data), instruction.pieces))
            data += instruction.numbers
    depth = max((len(program) for program in programs), default=0) + 1
    return (
        np.array(code, dtype=np.int64).reshape(-1, 3),
        np.cumsum([0, *map(len, programs)]),
        np.array(data, dtype=float),
        np.array([t for times in jumps for t in times], dtype=float),
        np.cumsum([0, *map(len, jumps)]),
        np.zeros((depth, 2, 3)),
    )
