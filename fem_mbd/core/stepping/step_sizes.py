"""The sizes of the time steps of one run, and the one place where a step is accepted or rejected.

The next size is the smallest of what the rules, the growth limit and `dt_max` allow, not below `dt_min`;
the name of whichever decided goes into the step's record. Output times, breakpoints and the end of the run
are hit exactly; a step that was shortened for one of them does not make the step after it small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isnan
from typing import Any

import numpy as np

from fem_mbd.core.stepping import size_kernels as kernels
from fem_mbd.core.stepping.growth_pause import GrowthPause
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import CompiledRule, StepRule
from fem_mbd.core.stepping.stops import Stops
from fem_mbd.errors import InputError, SolverFailure

_OWN_NAMES = ("initial", "growth", "dt_max", "dt_min", "newton failure")  # as `size_kernels` numbers them
_STOP_NAMES = ("output", "breakpoint", "end")
_KEPT = ("wanted", "wanted_by", "previous_dt")  # what later steps depend on
_RETRY_AT_MOST = 0.9  # of the rejected step, whatever a rule says, so that rejections come to an end


class StepSizes:
    """What a `StepControl` decides in one run.

    Protocol of a run: `first`, then for each step `check` until it returns 0.0 (or `after_newton_failure`
    where Newton did not converge), then `next`. `end_of_step` gives the time at which a step ends, exact at
    stops. A resumed run starts with `restore` and `aim` instead of `first`.

    Parameters
    ----------
    control : the settings, which are not changed: one control may serve many runs, also at the same time
    breakpoints : instants (s) at which the model's functions of time have a kink, besides those of `control`
    jumps : those of them (s) at which a given motion jumps. The step that begins there carries the jump out: it is no
        longer than the first step of a run, and rules do not check it, for no smaller step has a smaller jump

    Raises
    ------
    InputError
        When a breakpoint is next to an output time but not on it.
    """

    def __init__(self, control: StepControl, breakpoints: Iterable[float] = (), jumps: Iterable[float] = ()):
        self.control = control
        self.rules: tuple[StepRule, ...] = tuple(rule.for_run() for rule in control.rules)
        self._stops = Stops(control.output_times, control.breakpoints, control.dt_min)
        self._stops.add(breakpoints, "breakpoint")
        self.jumps = np.array(list(jumps))
        self.names = (*_OWN_NAMES, *(rule.name for rule in self.rules), *_STOP_NAMES)
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
        stops, first = self._stops.all(), len(_OWN_NAMES) + len(self.rules)
        self.stop_times = np.array([stop.time for stop in stops])
        numbers = [first + _STOP_NAMES.index(stop.name) for stop in stops]
        self.stop_names = np.array(numbers, dtype=np.int64)

    @property
    def rule(self) -> str:
        """Name of the rule that decided the size of the step being tried."""
        return self.names[int(self.sizes["rule"][0])]

    @property
    def aimed(self) -> tuple[float, str]:
        """Size (s) of the next step as `aim` left it, and who decided it."""
        return float(self.sizes["dt"][0]), self.rule

    @property
    def carries_jump(self) -> bool:
        """Whether the step being tried begins at a jump of a given motion."""
        return bool(self.sizes["jump"][0])

    @property
    def compiled(self) -> bool:
        """Whether all rules are those of this package, which need no Python."""
        own = ("propose", "reject", "compiled")
        return all(
            isinstance(rule, CompiledRule)
            and all(getattr(type(rule), name) is getattr(CompiledRule, name) for name in own)
            for rule in self.rules
        )

    def first(self, t0: float, t_end: float) -> tuple[float, str]:
        """Size of the first step from `t0` in a run to `t_end` (s), and who decided it."""
        self._stops.check_run(t0, t_end)
        kernels.want(self.sizes, self.control.dt_initial, kernels.INITIAL)
        return self.aim(t0, t_end)

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at these instants (s) too; before `first` or `aim`.

        Raises
        ------
        InputError
            When one is next to a breakpoint but not on it.
        """
        self._stops.add(times, "output")
        self._set_stops()

    def check(self, record: StepRecord) -> float:
        """0.0 when the step of `record` is accepted, else the smaller size to try it again with.

        Whatever the rules say, a step that cannot be made smaller is accepted, and so is one that carries out a jump.
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
        """Size of the step after `record`, which has been accepted, and who decided it."""
        self.choose(record)
        return self.aim(record.time, t_end)

    def choose(self, record: StepRecord) -> None:
        """Decide on the size after `record`, which has been accepted; `aim` fits it to where the run goes next."""
        previous_dt = float(self.sizes["previous_dt"][0]) or record.dt
        self.pause.passed()
        for k, rule in enumerate(self.rules):
            self.proposals[k] = self._checked(rule.propose(record, previous_dt), rule, record)
        kernels.choose(self.sizes, self.proposals, record.dt, self.pause.lasts)

    def after_newton_failure(self, dt: float) -> float | None:
        """Half of `dt`, or None when the step cannot be made smaller."""
        self.pause.failed()
        smaller = self._smaller(dt, 0.5 * dt)
        if smaller is not None:
            self._want(smaller, kernels.NEWTON_FAILURE)
        return smaller

    def longer(self, size: float) -> float:
        """A longer ``size`` (s) for another attempt at a step that failed, within dt_max and the next stop."""
        self.sizes["rule"] = kernels.NEWTON_FAILURE
        return self._towards_stop(min(size, self.control.dt_max))

    def aim(self, time: float, t_end: float) -> tuple[float, str]:
        """The chosen size for a step from `time`, fitted to the next stop, and who decided it.

        (0.0, "end") at the end of the run. Asking again changes nothing.
        """
        kernels.aim(self.sizes, self.stop_times, self.stop_names, self.jumps, time, t_end)
        return self.aimed

    def end_of_step(self, dt: float) -> float:
        """End (s) of the step being tried if it is `dt` long: the stop itself where one was aimed at."""
        start, stop = self._way()
        return float(kernels.end_of_step(stop, start, dt))

    def state(self) -> dict[str, float]:
        """Everything that later sizes depend on besides the records, for `restore`."""
        own = {name: float(self.sizes[name][0]) for name in _KEPT}
        own |= {f"pause {key}": value for key, value in self.pause.state().items()}
        return own | {
            f"rule {k}: {key}": v for k, rule in enumerate(self.rules) for key, v in rule.state().items()
        }

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from `state`; call `aim` for the next step. InputError if it is that of other rules."""
        if set(state) != set(self.state()) or not 0 <= state["wanted_by"] < len(self.names):
            raise InputError(
                "the stored state of step control belongs to other rules: resume with the same ones"
            )
        for name in _KEPT:
            self.sizes[name] = state[name]
        pause = {k.removeprefix("pause "): v for k, v in state.items() if k.startswith("pause ")}
        self.pause.restore(pause)
        for k, rule in enumerate(self.rules):
            prefix = f"rule {k}: "
            rule.restore({key[len(prefix) :]: v for key, v in state.items() if key.startswith(prefix)})

    def _want(self, size: float, by: int) -> None:
        """Try a step again with this size, which is also what the next one starts from."""
        self.sizes["wanted"], self.sizes["wanted_by"], self.sizes["rule"] = size, by, by

    def _smaller(self, dt: float, wanted: float) -> float | None:
        """Size for another attempt at a step of `dt` that failed.

        None when there is none above dt_min that leaves no sliver before the next stop.
        """
        size = max(kernels.rounded(self.sizes, min(wanted, _RETRY_AT_MOST * dt)), self.control.dt_min)
        size = self._towards_stop(size)
        return size if size < dt * (1.0 - kernels.HAIR) else None

    def _towards_stop(self, size: float) -> float:
        start, stop = self._way()
        return float(kernels.size_towards(stop, start, size, self.control.dt_min)[0])

    def _way(self) -> tuple[float, float]:
        """Where the step being tried begins, and the stop after that (s)."""
        return float(self.sizes["start"][0]), float(self.sizes["stop"][0])

    @staticmethod
    def _checked(size: float, rule: StepRule, record: StepRecord) -> float:
        if isnan(size) or size < 0.0:
            raise SolverFailure(
                f"step rule '{rule.name}' asked for a step of {size} s at t = {record.time:g} s: its input "
                "is not finite; look at the contacts and energies of that step"
            )
        return size
