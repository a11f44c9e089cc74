"""Step sizes of one run: choice of the next size, acceptance and rejection of steps by the rules.

`GrowthPause` is a pause in the growth of the step size after repeated failures of Newton's method. A step that Newton
cannot solve is halved. Where the size grows back within a few steps to the one that failed, and fails again and again,
most of the work is spent on rejected attempts. So each further failure doubles the pause before the size may grow. A
single failure changes nothing.

`StepSizes` chooses the smallest size that the rules, the growth limit and `dt_max` allow, not below `dt_min`; the
step's record names the rule or limit that decided. Output times, breakpoints and the end of the run are hit exactly; a
step that was shortened for one of them does not shorten the step after it.

`StepSizes` and the compiled time loop share the kernels. The decisions so far are a record of dtype `SIZES`. Numbers in
it say which rule or limit decided; `StepSizes` has their names. Times and sizes in s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isnan
from typing import Any

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, indices, int64, record, vector, void
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF, count_until
from fem_mbd.core.stepping.step_control import SIZES_PER_OCTAVE, StepControl, Stops
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import CompiledRule, StepRule
from fem_mbd.errors import InputError, SolverFailure

INITIAL, GROWTH, DT_MAX, DT_MIN, NEWTON_FAILURE, RANGE, FIRST_RULE = range(7)
TOLERANCE = 1e-9  # relative, for round-off in comparisons of sizes
SIZES = np.dtype(
    [
        ("dt_initial", "f8"),
        ("dt_min", "f8"),
        ("dt_max", "f8"),
        ("growth", "f8"),
        ("grid", "f8"),  # sizes are rounded down to this size times 2^(-k/4); 0: no rounding
        ("end", "i8"),  # number of the name "end", of the run
        ("wanted", "f8"),  # size before it is fitted to stops
        ("wanted_by", "i8"),
        ("previous_dt", "f8"),  # of the last accepted step, 0 before the first
        # of the present attempt
        ("start", "f8"),
        ("stop", "f8"),
        ("stop_name", "i8"),
        ("dt", "f8"),  # planned size
        ("rule", "i8"),  # the rule or limit that decided its size
        ("jump", "i8"),  # whether it begins at a jump of a given motion
    ],
    align=True,
)
_STRETCH = 1e-6  # fraction of the step: a shorter remainder before a stop is added to the step
_SHORT_REMAINDER = 0.1  # fraction of the step: a shorter remainder is avoided by two equal steps to the stop


@kernel
def _round_off(time):
    """As `step_control.round_off`."""
    return ROUND_OFF * abs(time)


@kernel
def size_towards(stop, start, wanted, dt_min):
    """Size of a step from ``start``, ``wanted`` or fitted to the stop, and whether the stop has changed it.

    The step ends at the stop or leaves a remainder that is long enough for a step. A remainder below dt_min, or below a
    tenth of the step, is avoided by two equal steps, or by one longer step where half the time to the stop would be
    below dt_min.
    """
    time_left = stop - start
    remainder = time_left - wanted
    if abs(remainder) <= 0.5 * _round_off(stop):
        # exactly, so that equal steps stay equal; end_of_step corrects the difference
        return wanted, True
    if remainder <= _STRETCH * wanted:
        return time_left, True
    if remainder < max(dt_min, _SHORT_REMAINDER * wanted):
        return (0.5 * time_left if 0.5 * time_left >= dt_min else time_left), True
    return wanted, False


@kernel
def end_of_step(stop, start, dt):
    """start + dt, or exactly the stop when the two agree to round-off."""
    end = start + dt
    return stop if abs(end - stop) <= _round_off(stop) else end


@kernel
def rounded(sizes, size):
    """A size rounded down to the grid of allowed sizes, if there is one; ``sizes`` (1,) of dtype SIZES."""
    grid = sizes[0].grid
    if grid == 0.0:
        return size
    k = np.floor(SIZES_PER_OCTAVE * np.log2(size / grid) + TOLERANCE)
    return grid * 2.0 ** (k / SIZES_PER_OCTAVE)


@kernel(void(record(SIZES)[::1], float64, int64))
def set_wanted(sizes, size, name):
    """Set the wanted size, within the limits and on the grid; ``name``: number of the rule that decided."""
    s = sizes[0]
    if size > s.dt_max:
        size, name = s.dt_max, DT_MAX
    size = rounded(sizes, size)
    if size < s.dt_min:
        size, name = s.dt_min, DT_MIN
    s.wanted, s.wanted_by = size, name


@kernel(void(record(SIZES)[::1], vector, float64, boolean))
def choose(sizes, proposals, dt, pause):
    """Choose the size after an accepted step of ``dt``; ``proposals`` (k,) of the rules, ``pause``: no growth."""
    s = sizes[0]
    growth, chosen = (1.0, NEWTON_FAILURE) if pause else (s.growth, GROWTH)
    smallest = max(s.wanted, growth * dt)
    for k in range(proposals.shape[0]):
        if proposals[k] < smallest:
            smallest, chosen = proposals[k], FIRST_RULE + k
    s.previous_dt = dt
    set_wanted(sizes, smallest, chosen)


@kernel(void(record(SIZES)[::1], vector, indices, vector, float64, float64))
def plan_step(sizes, stops, names, jumps, time, t_end):
    """Plan the step from ``time``: the wanted size fitted to the next stop; 0.0 at the end of the run.

    stops, names (n,): times to hit exactly, ascending, and the numbers of their names; jumps (k,): times of jumps.
    """
    s = sizes[0]
    s.start, s.stop, s.stop_name = time, t_end, s.end
    k = count_until(stops, time + _round_off(time))
    if k < stops.shape[0] and stops[k] < t_end - _round_off(t_end):
        s.stop, s.stop_name = stops[k], names[k]
    s.jump = 0
    for jump in jumps:
        if abs(time - jump) <= _round_off(jump):
            s.jump = 1
    if time >= t_end:
        s.dt, s.rule = 0.0, s.end
        return
    wanted, by = s.wanted, s.wanted_by
    if s.jump and s.dt_initial < wanted:
        wanted, by = s.dt_initial, INITIAL
    dt, changed = size_towards(s.stop, time, wanted, s.dt_min)
    s.dt = dt
    s.rule = s.stop_name if changed else by


REPEAT_STEPS = 3  # steps since a pause: a failure within them counts as a repeated one
FIRST_PAUSE, LONGEST_PAUSE = 4, 32  # steps


class GrowthPause:
    """The pause in the growth of the step size in one run."""

    def __init__(self) -> None:
        self._remaining, self._length, self._since = 0, 0, REPEAT_STEPS + 1
        self._failed = False

    def step_failed(self) -> None:
        """Record that an attempt at the present step has failed."""
        self._failed = True

    def steps_accepted(self, steps: int = 1) -> None:
        """Record that the present step has been accepted, or several without a failure while there is no pause.

        Parameters
        ----------
        steps : number of accepted steps
        """
        if self._failed:
            repeated = self._since <= REPEAT_STEPS
            self._length = min(max(2 * self._length, FIRST_PAUSE), LONGEST_PAUSE) if repeated else 0
            self._remaining, self._since = self._length, 0
        elif self._remaining > 0:
            self._remaining -= 1
        else:
            self._since = min(self._since + steps, REPEAT_STEPS + 1)
        self._failed = False

    @property
    def active(self) -> bool:
        """Whether the next step must not be longer than this one."""
        return self._remaining > 0

    def state(self) -> dict[str, float]:
        """State for `restore`."""
        return {"left": float(self._remaining), "length": float(self._length), "since": float(self._since)}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``.

        Parameters
        ----------
        state : as returned by `state`
        """
        self._remaining, self._length, self._since = (int(state[k]) for k in ("left", "length", "since"))
        self._failed = False


_LIMIT_NAMES = (
    "initial",
    "growth",
    "dt_max",
    "dt_min",
    "newton failure",
    "range",
)  # by their numbers
_STOP_NAMES = ("output", "breakpoint", "end")
_STORED = ("wanted", "wanted_by", "previous_dt")  # the state that later steps depend on
_MAX_RETRY = 0.9  # largest new size over that of the rejected step, so that rejections come to an end


class StepSizes:
    """The step sizes that a `StepControl` gives in one run.

    Sequence of calls in a run: `first`, then for each step `check` until it returns 0.0 (or `after_newton_failure`
    where Newton did not converge), then `next`. `end_of_step` gives the time at which a step ends, exact at
    stops. A resumed run starts with `restore` and `plan_step` instead of `first`.

    Parameters
    ----------
    control : the settings, which are not changed: many runs may use one control, also at the same time
    breakpoints : times (s) at which the model's functions of time have a kink, besides those of `control`
    jumps : those of them (s) at which a given motion jumps. The step that begins there carries the jump out: it is no
        longer than the first step of a run, and rules do not check it, since a smaller step has the same jump

    Raises
    ------
    InputError
        When a breakpoint is close to an output time but not equal to it.
    """

    def __init__(self, control: StepControl, breakpoints: Iterable[float] = (), jumps: Iterable[float] = ()):
        self.control = control
        self.rules: tuple[StepRule, ...] = tuple(rule.for_run() for rule in control.rules)
        self._stops = Stops(control.output_times, control.breakpoints, control.dt_min)
        self._stops.add(breakpoints, "breakpoint")
        self.jumps = np.array(list(jumps))
        self.names = (*_LIMIT_NAMES, *(rule.name for rule in self.rules), *_STOP_NAMES)
        self.proposals = np.zeros(len(self.rules))
        self.pause = GrowthPause()
        self.sizes: Any = np.zeros(1, dtype=SIZES)
        for name in ("dt_initial", "dt_min", "dt_max", "growth"):
            self.sizes[name] = getattr(control, name)
        largest = control.dt_max if isfinite(control.dt_max) else control.dt_initial
        self.sizes["grid"] = largest if control.quantise else 0.0
        self.sizes["end"] = len(self.names) - 1
        self.sizes["wanted"] = control.dt_initial
        self._set_stops()

    def _set_stops(self) -> None:
        stops, first = self._stops.all(), len(_LIMIT_NAMES) + len(self.rules)
        self.stop_times = np.array([stop.time for stop in stops])
        numbers = [first + _STOP_NAMES.index(stop.name) for stop in stops]
        self.stop_names = np.array(numbers, dtype=np.int64)

    @property
    def rule(self) -> str:
        """Name of the rule that decided the size of the present attempt."""
        return self.names[int(self.sizes["rule"][0])]

    @property
    def planned(self) -> tuple[float, str]:
        """Size (s) of the next step by `plan_step`, and the rule that decided it."""
        return float(self.sizes["dt"][0]), self.rule

    @property
    def carries_jump(self) -> bool:
        """Whether the present attempt begins at a jump of a given motion."""
        return bool(self.sizes["jump"][0])

    @property
    def compiled(self) -> bool:
        """Whether all rules are compiled ones of this package."""
        methods = ("propose", "reject", "compiled")
        return all(
            isinstance(rule, CompiledRule)
            and all(getattr(type(rule), name) is getattr(CompiledRule, name) for name in methods)
            for rule in self.rules
        )

    def first(self, t0: float, t_end: float) -> tuple[float, str]:
        """Size of the first step from `t0` in a run to `t_end` (s), and the rule that decided it."""
        self._stops.check_run(t0, t_end)
        set_wanted(self.sizes, self.control.dt_initial, INITIAL)
        return self.plan_step(t0, t_end)

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at these times (s) too; called before `first` or `plan_step`.

        Raises
        ------
        InputError
            When one is close to a breakpoint but not equal to it.
        """
        self._stops.add(times, "output")
        self._set_stops()

    def check(self, record: StepRecord) -> float:
        """0.0 when the step of `record` is accepted, else the smaller size with which to repeat it.

        A step that cannot be made smaller and a step that carries out a jump are accepted whatever the rules return.
        """
        if self.carries_jump:
            return 0.0
        retry, by = 0.0, 0
        for number, rule in enumerate(self.rules, FIRST_RULE):
            size = self._checked(rule.reject(record), rule, record)
            if size > 0.0 and not 0.0 < retry <= size:
                retry, by = size, number
        smaller = self._smaller(record.dt, retry) if retry > 0.0 else None
        if smaller is None:
            return 0.0
        self._want(smaller, by)
        return smaller

    def next(self, record: StepRecord, t_end: float) -> tuple[float, str]:
        """Size of the step after `record`, which has been accepted, and the rule that decided it."""
        self.choose(record)
        return self.plan_step(record.time, t_end)

    def choose(self, record: StepRecord) -> None:
        """Choose the size after `record`, which has been accepted; `plan_step` then fits it to the next stop."""
        previous_dt = float(self.sizes["previous_dt"][0]) or record.dt
        self.pause.steps_accepted()
        for k, rule in enumerate(self.rules):
            self.proposals[k] = self._checked(rule.propose(record, previous_dt), rule, record)
        choose(self.sizes, self.proposals, record.dt, self.pause.active)

    def after_newton_failure(self, dt: float, rule: int = NEWTON_FAILURE) -> float | None:
        """Half of `dt`, or None when the step cannot be made smaller.

        Parameters
        ----------
        dt : s
        rule : what decides the smaller size: Newton's failure, or a part's range (`RANGE`)
        """
        self.pause.step_failed()
        smaller = self._smaller(dt, 0.5 * dt)
        if smaller is not None:
            self._want(smaller, rule)
        return smaller

    def longer_size(self, size: float) -> float:
        """A longer ``size`` (s) for another attempt at a step that failed, limited by dt_max and the next stop."""
        self.sizes["rule"] = NEWTON_FAILURE
        return self._towards_stop(min(size, self.control.dt_max))

    def plan_step(self, time: float, t_end: float) -> tuple[float, str]:
        """The chosen size for a step from `time`, fitted to the next stop, and the rule that decided it.

        (0.0, "end") at the end of the run. Repeated calls change nothing.
        """
        plan_step(self.sizes, self.stop_times, self.stop_names, self.jumps, time, t_end)
        return self.planned

    def end_of_step(self, dt: float) -> float:
        """End (s) of the present attempt if it is `dt` long: exactly the stop where it ends at one."""
        start, stop = self._start_and_stop()
        return float(end_of_step(stop, start, dt))

    def state(self) -> dict[str, float]:
        """Everything that later sizes depend on besides the records, for `restore`."""
        state = {name: float(self.sizes[name][0]) for name in _STORED}
        state |= {f"pause {key}": value for key, value in self.pause.state().items()}
        for k, rule in enumerate(self.rules):
            state |= {f"rule {k}: {key}": value for key, value in rule.state().items()}
        return state

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from `state`; call `plan_step` for the next step. InputError if it is the state of other rules."""
        if set(state) != set(self.state()) or not 0 <= state["wanted_by"] < len(self.names):
            raise InputError(
                "the stored state of step control belongs to other rules: resume with the same ones"
            )
        for name in _STORED:
            self.sizes[name] = state[name]
        pause = {k.removeprefix("pause "): v for k, v in state.items() if k.startswith("pause ")}
        self.pause.restore(pause)
        for k, rule in enumerate(self.rules):
            prefix = f"rule {k}: "
            rule.restore({key[len(prefix) :]: v for key, v in state.items() if key.startswith(prefix)})

    def _want(self, size: float, by: int) -> None:
        """Set the size for a repeated attempt, from which the size of the next step is chosen too."""
        self.sizes["wanted"], self.sizes["wanted_by"], self.sizes["rule"] = size, by, by

    def _smaller(self, dt: float, wanted: float) -> float | None:
        """Size for another attempt at a step of `dt` that failed.

        None when no smaller size is above dt_min and leaves no too short remainder before the next stop.
        """
        size = max(rounded(self.sizes, min(wanted, _MAX_RETRY * dt)), self.control.dt_min)
        size = self._towards_stop(size)
        return size if size < dt * (1.0 - TOLERANCE) else None

    def _towards_stop(self, size: float) -> float:
        start, stop = self._start_and_stop()
        return float(size_towards(stop, start, size, self.control.dt_min)[0])

    def _start_and_stop(self) -> tuple[float, float]:
        """Start of the present attempt and the next stop (s)."""
        return float(self.sizes["start"][0]), float(self.sizes["stop"][0])

    @staticmethod
    def _checked(size: float, rule: StepRule, record: StepRecord) -> float:
        if isnan(size) or size < 0.0:
            raise SolverFailure(
                f"step rule '{rule.name}' returned a step of {size} s at t = {record.time:g} s: its input "
                "is not finite; look at the contacts and energies of that step"
            )
        return size
