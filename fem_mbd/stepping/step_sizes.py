"""The sizes of the time steps of one run, and the one place where a step is accepted or rejected.

The next size is the smallest of what the rules, the growth limit and `dt_max` allow, not below `dt_min`;
the name of whichever decided goes into the step's record. Output times, breakpoints and the end of the run
are hit exactly; a step that was shortened for one of them does not make the step after it small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor, inf, isfinite, isnan, log2

from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.stepping.growth_pause import GrowthPause
from fem_mbd.stepping.step_control import NOTCHES_PER_OCTAVE, StepControl
from fem_mbd.stepping.step_record import StepRecord
from fem_mbd.stepping.step_rules import StepRule
from fem_mbd.stepping.stops import Stop, Stops, end_of_step, round_off, size_towards

INITIAL, GROWTH, DT_MAX, DT_MIN, NEWTON_FAILURE = "initial", "growth", "dt_max", "dt_min", "newton failure"
_OWN_NAMES = (INITIAL, GROWTH, DT_MAX, DT_MIN, NEWTON_FAILURE)
_RETRY_AT_MOST = 0.9  # of the rejected step, whatever a rule says, so that rejections come to an end
_HAIR = 1e-9  # relative room for round-off in comparisons of sizes


class StepSizes:
    """What a `StepControl` decides in one run.

    Protocol of a run: `first`, then for each step `judge` until it returns 0.0 (or `after_newton_failure`
    where Newton did not converge), then `next`. `end_of_step` gives the time at which a step ends, exact at
    stops. A resumed run starts with `restore` and `aim` instead of `first`.

    Parameters
    ----------
    control : the settings, which are not changed: one control may serve many runs, also at the same time
    breakpoints : instants (s) at which the model's functions of time have a kink, besides those of `control`
    jumps : those of them (s) at which a given motion jumps. The step that begins there carries the jump out: it is no
        longer than the first step of a run, and rules do not judge it, for no smaller step has a smaller jump

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
        self._jumps = tuple(jumps)
        self._names = (*_OWN_NAMES, *(rule.name for rule in self.rules))
        self._wanted, self._wanted_by = control.dt_initial, INITIAL  # size without regard to stops
        self._previous_dt = 0.0  # of the last accepted step, 0 before it
        self._start, self._stop = 0.0, Stop(inf, "end")  # of the step being tried
        self._rule = INITIAL
        self._pause = GrowthPause()

    @property
    def rule(self) -> str:
        """Name of the rule that decided the size of the step being tried."""
        return self._rule

    @property
    def carries_jump(self) -> bool:
        """Whether the step being tried begins at a jump of a given motion."""
        return any(abs(self._start - jump) <= round_off(jump) for jump in self._jumps)

    def first(self, t0: float, t_end: float) -> tuple[float, str]:
        """Size of the first step from `t0` in a run to `t_end` (s), and who decided it."""
        self._stops.check_run(t0, t_end)
        self._choose(self.control.dt_initial, INITIAL)
        return self.aim(t0, t_end)

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at these instants (s) too; before `first` or `aim`.

        Raises
        ------
        InputError
            When one is next to a breakpoint but not on it.
        """
        self._stops.add(times, "output")

    def judge(self, record: StepRecord) -> float:
        """0.0 when the step of `record` is accepted, else the smaller size to try it again with.

        Whatever the rules say, a step that cannot be made smaller is accepted, and so is one that carries out a jump.
        """
        if self.carries_jump:
            return 0.0
        retry, name = 0.0, ""
        for rule in self.rules:
            size = self._checked(rule.reject(record), rule, record)
            if size > 0.0 and not 0.0 < retry <= size:
                retry, name = size, rule.name
        smaller = self._smaller(record.dt, retry) if retry > 0.0 else None
        if smaller is None:
            return 0.0
        self._wanted = smaller
        self._wanted_by = self._rule = name
        return smaller

    def next(self, record: StepRecord, t_end: float) -> tuple[float, str]:
        """Size of the step after `record`, which has been accepted, and who decided it."""
        self.choose(record)
        return self.aim(record.time, t_end)

    def choose(self, record: StepRecord) -> None:
        """Decide on the size after `record`, which has been accepted; `aim` fits it to where the run goes next."""
        previous_dt = self._previous_dt or record.dt
        self._pause.passed()
        growth, chosen = (1.0, NEWTON_FAILURE) if self._pause.lasts else (self.control.growth, GROWTH)
        least = max(self._wanted, growth * record.dt)
        for rule in self.rules:
            size = self._checked(rule.propose(record, previous_dt), rule, record)
            if size < least:
                least, chosen = size, rule.name
        self._previous_dt = record.dt
        self._choose(least, chosen)

    def after_newton_failure(self, dt: float) -> float | None:
        """Half of `dt`, or None when the step cannot be made smaller."""
        self._pause.failed()
        smaller = self._smaller(dt, 0.5 * dt)
        if smaller is not None:
            self._wanted = smaller
            self._wanted_by = self._rule = NEWTON_FAILURE
        return smaller

    def longer(self, size: float) -> float:
        """A longer ``size`` (s) for another attempt at a step that failed, within dt_max and the next stop."""
        size, _ = size_towards(self._stop, self._start, min(size, self.control.dt_max), self.control.dt_min)
        self._rule = NEWTON_FAILURE
        return size

    def aim(self, time: float, t_end: float) -> tuple[float, str]:
        """The chosen size for a step from `time`, fitted to the next stop, and who decided it.

        (0.0, "end") at the end of the run. Asking again changes nothing.
        """
        self._start, self._stop = time, self._stops.next_after(time, t_end)
        if time >= t_end:
            return 0.0, "end"
        wanted, by = self._wanted, self._wanted_by
        if self.carries_jump and self.control.dt_initial < wanted:
            wanted, by = self.control.dt_initial, INITIAL
        dt, changed = size_towards(self._stop, time, wanted, self.control.dt_min)
        self._rule = self._stop.name if changed else by
        return dt, self._rule

    def end_of_step(self, dt: float) -> float:
        """End (s) of the step being tried if it is `dt` long: the stop itself where one was aimed at."""
        return end_of_step(self._stop, self._start, dt)

    def state(self) -> dict[str, float]:
        """Everything that later sizes depend on besides the records, for `restore`."""
        own = {"wanted": self._wanted, "previous_dt": self._previous_dt}
        own["wanted_by"] = float(self._names.index(self._wanted_by))
        own |= {f"pause {key}": value for key, value in self._pause.state().items()}
        return own | {
            f"rule {k}: {key}": v for k, rule in enumerate(self.rules) for key, v in rule.state().items()
        }

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from `state`; call `aim` for the next step. InputError if it is that of other rules."""
        if set(state) != set(self.state()) or not 0 <= state["wanted_by"] < len(self._names):
            raise InputError(
                "the stored state of step control belongs to other rules: resume with the same ones"
            )
        self._wanted, self._previous_dt = float(state["wanted"]), float(state["previous_dt"])
        self._wanted_by = self._names[int(state["wanted_by"])]
        pause = {k.removeprefix("pause "): v for k, v in state.items() if k.startswith("pause ")}
        self._pause.restore(pause)
        for k, rule in enumerate(self.rules):
            prefix = f"rule {k}: "
            rule.restore({key[len(prefix) :]: v for key, v in state.items() if key.startswith(prefix)})

    def _choose(self, size: float, name: str) -> None:
        if size > self.control.dt_max:
            size, name = self.control.dt_max, DT_MAX
        size = self._rounded(size)
        if size < self.control.dt_min:
            size, name = self.control.dt_min, DT_MIN
        self._wanted, self._wanted_by = size, name

    def _smaller(self, dt: float, wanted: float) -> float | None:
        """Size for another attempt at a step of `dt` that failed.

        None when there is none above dt_min that leaves no sliver before the next stop.
        """
        size = max(self._rounded(min(wanted, _RETRY_AT_MOST * dt)), self.control.dt_min)
        size, _ = size_towards(self._stop, self._start, size, self.control.dt_min)
        return size if size < dt * (1.0 - _HAIR) else None

    def _rounded(self, size: float) -> float:
        if not self.control.quantise:
            return size
        largest = self.control.dt_max if isfinite(self.control.dt_max) else self.control.dt_initial
        notch = floor(NOTCHES_PER_OCTAVE * log2(size / largest) + _HAIR)
        return float(largest * 2.0 ** (notch / NOTCHES_PER_OCTAVE))

    @staticmethod
    def _checked(size: float, rule: StepRule, record: StepRecord) -> float:
        if isnan(size) or size < 0.0:
            raise SolverFailure(
                f"step rule '{rule.name}' asked for a step of {size} s at t = {record.time:g} s: its input "
                "is not finite; look at the contacts and energies of that step"
            )
        return size
