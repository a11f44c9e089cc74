"""Stops: times that a run must hit exactly, output times, breakpoints of time functions and the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple

from fem_mbd.base.validation import finite
from fem_mbd.errors import InputError

_ROUND_OFF = 8.0 * sys.float_info.epsilon  # as in `size_kernels`


class Stop(NamedTuple):
    """A time (s) and its kind: "output" or "breakpoint"."""

    time: float
    name: str


class Stops:
    """Sorted stops, merged where they agree to round-off, none closer together than `dt_min` (s)."""

    def __init__(self, output_times: Iterable[float], breakpoints: Iterable[float], dt_min: float):
        self._dt_min = dt_min
        self._stops: list[Stop] = []
        self.add(output_times, "output")
        self.add(breakpoints, "breakpoint")

    def named(self, name: str) -> tuple[float, ...]:
        """The times (s) of the stops of kind ``name``."""
        return tuple(stop.time for stop in self._stops if stop.name == name)

    def all(self) -> list[Stop]:
        """Every stop, ascending."""
        return self._stops

    def check_run(self, t0: float, t_end: float) -> None:
        """InputError unless a run from `t0` to `t_end` can reach every stop with steps of at least dt_min."""
        if not t_end > t0:
            raise InputError(f"the run ends at {t_end:g} s and starts at {t0:g} s: the end must be later")
        if self._dt_min <= 2.0 * max(round_off(t0), round_off(t_end)):
            raise InputError(
                f"dt_min = {self._dt_min:g} s is below round-off at times up to {t_end:g} s: give a larger one"
            )
        inside = [s.time for s in self._stops if t0 + round_off(t0) < s.time < t_end - round_off(t_end)]
        self._check_spacing([t0, *inside, t_end])

    def add(self, times: Iterable[float], name: str) -> None:
        """Add stops, in any order; InputError when one is close to another but not equal to it."""
        try:
            added = [Stop(finite(time, f"{name} time"), name) for time in times]
        except TypeError as error:
            raise InputError(f"{name} times are {times!r}: give a sequence of times in s") from error
        merged: list[Stop] = []
        # Of equal times "output" comes last: its exact value is stored, for which a user searches the results.
        for stop in sorted(self._stops + added):
            if merged and stop.time - merged[-1].time <= round_off(stop.time):
                merged.pop()
            merged.append(stop)
        self._check_spacing([stop.time for stop in merged])
        self._stops = merged

    def _check_spacing(self, times: list[float]) -> None:
        for earlier, later in zip(times, times[1:], strict=False):
            if later - earlier < self._dt_min * (1.0 - 1e-9):
                raise InputError(
                    f"a step would have to go from {earlier!r} s to {later!r} s (start, end, output times or "
                    f"breakpoints), less than dt_min = {self._dt_min:g} s: make them equal or lower dt_min"
                )


def round_off(time: float) -> float:
    """Largest difference (s) between times of this size that counts as round-off."""
    return _ROUND_OFF * abs(time)
