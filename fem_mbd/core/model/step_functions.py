"""Evaluation of functions of time for a step: values at both ends, rates at the second.

Shapes, tables, sums, products and piecewise functions of them are evaluated in compiled code (`kernels`); a Python
function of the user's is called from Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.jumps import side_at_start
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction
from fem_mbd.core.model.workspace import Workspace


class StepFunctions:
    """The functions of time of a kind of parts.

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

    def tasks(self, work: Workspace) -> list[Task]:
        """Calls that fill the values at the beginning of a step."""
        tasks: list[Task] = []
        if len(self._in_python) < len(self.functions):
            tasks.append(Call(kernels.at_both_ends, *self._compiled, work.clock, self.values))
        if self._in_python:
            tasks.append(partial(self._call, work))
        return tasks

    def at_instant(self, time: float, side: int = +1) -> None:
        """Fill the values at the end and their rates with those at a time (s), the limit from later times or, with
        ``side`` -1, from earlier ones.
        """
        for n, function in enumerate(self.functions):
            self.values[1, n], self.values[2, n] = function.value(time, side), function.rate(time, side)

    def _call(self, work: Workspace) -> None:
        for n in self._in_python:
            function = self.functions[n]
            self.values[0, n] = function.value(work.t_i, side_at_start(work.t_i, self._jumps[n]))
            self.values[1, n] = function.value(work.t_f, -1)
            self.values[2, n] = function.rate(work.t_f, -1)


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
