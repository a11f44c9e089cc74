"""Functions of time for loads, drivers and prescribed motion: shapes, tables, callables, sums and products.

A time function returns its value, a float or a (3,) array, and its rate (per second). Times are in seconds. At the
times listed by `breakpoints()` the value or one of its low derivatives jumps; steps end there, because a kink inside a
step reduces the order of the scheme. At a breakpoint `side=+1` (the default) gives the limit from later times, for the
start of a step, and `side=-1` the limit from earlier times, for its end.
"""

from fem_mbd.core.model.time_functions.base import (
    Constant,
    FromCallable,
    TimeFunction,
    TimeFunctionLike,
    as_time_function,
)
from fem_mbd.core.model.time_functions.shapes import Harmonic, Piecewise, Polynomial, Ramp, SmoothStep, Table

__all__ = [
    "Constant",
    "FromCallable",
    "Harmonic",
    "Piecewise",
    "Polynomial",
    "Ramp",
    "SmoothStep",
    "Table",
    "TimeFunction",
    "TimeFunctionLike",
    "as_time_function",
]
