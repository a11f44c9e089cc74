"""Step sizes of one run: choice of the next size, acceptance and rejection of steps by the rules.

`GrowthPause` is a pause in the growth of the step size after repeated failures of Newton's method. A step that Newton
cannot solve is halved. Where the size grows back within a few steps to the one that failed, and fails again and again,
most of the work is spent on rejected attempts. So each further failure doubles the pause before the size may grow. A
single failure changes nothing.

`StepSizes` chooses the smallest size that the rules, the growth limit and `dt_max` allow, not below `dt_min`; the
step's record names the rule or limit that decided. Output times, breakpoints and the end of the run are hit exactly; a
step that was shortened for one of them does not shorten the step after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isnan
from typing import Any

import numpy as np

from fem_mbd.core.stepping import size_kernels as kernels
from fem_mbd.core.stepping.step_control import StepControl, Stops
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import CompiledRule, StepRule
from fem_mbd.errors import InputError, SolverFailure

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
)  # as `size_kernels` numbers them
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
        self.sizes: Any = np.zeros(1, dtype=kernels.SIZES)
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
        kernels.set_wanted(self.sizes, self.control.dt_initial, kernels.INITIAL)
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
        for number, rule in enumerate(self.rules, kernels.FIRST_RULE):
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
        kernels.choose(self.sizes, self.proposals, record.dt, self.pause.active)

    def after_newton_failure(self, dt: float, rule: int = kernels.NEWTON_FAILURE) -> float | None:
        """Half of `dt`, or None when the step cannot be made smaller.

        Parameters
        ----------
        dt : s
        rule : what decides the smaller size: Newton's failure, or a part's range (`kernels.RANGE`)
        """
        self.pause.step_failed()
        smaller = self._smaller(dt, 0.5 * dt)
        if smaller is not None:
            self._want(smaller, rule)
        return smaller

    def longer_size(self, size: float) -> float:
        """A longer ``size`` (s) for another attempt at a step that failed, limited by dt_max and the next stop."""
        self.sizes["rule"] = kernels.NEWTON_FAILURE
        return self._towards_stop(min(size, self.control.dt_max))

    def plan_step(self, time: float, t_end: float) -> tuple[float, str]:
        """The chosen size for a step from `time`, fitted to the next stop, and the rule that decided it.

        (0.0, "end") at the end of the run. Repeated calls change nothing.
        """
        kernels.plan_step(self.sizes, self.stop_times, self.stop_names, self.jumps, time, t_end)
        return self.planned

    def end_of_step(self, dt: float) -> float:
        """End (s) of the present attempt if it is `dt` long: exactly the stop where it ends at one."""
        start, stop = self._start_and_stop()
        return float(kernels.end_of_step(stop, start, dt))

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
        size = max(kernels.rounded(self.sizes, min(wanted, _MAX_RETRY * dt)), self.control.dt_min)
        size = self._towards_stop(size)
        return size if size < dt * (1.0 - kernels.TOLERANCE) else None

    def _towards_stop(self, size: float) -> float:
        start, stop = self._start_and_stop()
        return float(kernels.size_towards(stop, start, size, self.control.dt_min)[0])

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
