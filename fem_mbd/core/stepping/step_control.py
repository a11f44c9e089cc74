"""Class `StepControl`: the user's settings of step sizes, rules and limits (`step_sizes` has their state in a run).

Default step control, for runs to which the user gives none, and warnings of controls that do not suit a model.

`warn_of_blind_rules` is for models with contacts whose step rules do not depend on contacts; `Pace` for runs that would
take millions of steps under the default control.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive, positive_or_infinite
from fem_mbd.core.stepping.step_rules import (
    ErrorEstimate,
    FixedStep,
    NewtonEffort,
    Penetration,
    RotationLimit,
    StepRule,
    Stribeck,
)
from fem_mbd.errors import FemMbdWarning, InputError

SIZES_PER_OCTAVE = 4  # of a grid of sizes
_ROUND_OFF = 8.0 * sys.float_info.epsilon  # as in `step_sizes`


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


SMALLEST = 1e-6  # of the first step: the default of dt_min
SETTINGS = ("dt_initial", "dt_min", "dt_max", "growth", "output_times", "breakpoints", "quantise")


@dataclass(frozen=True, init=False)
class StepControl:
    """Settings from which a run chooses the sizes of its time steps.

    The settings cannot be changed, and a run stores its state elsewhere: any number of runs may use one control, one
    after the other or at the same time.

    Parameters
    ----------
    *rules : step rules, e.g. `Penetration`, `Stribeck`, `ErrorEstimate`; the smallest of their sizes is taken
    dt_initial, dt_min, dt_max : sizes in s; `dt_max` may be inf. A `dt_initial` outside the limits is replaced by the
        limit, and the first step's record then names the limit; `dt_min` is a millionth of `dt_initial` by default
    growth : largest factor from one step to the next; inf for none, which needs a finite `dt_max`, because in steady
        contact the contact and friction rules alone have no upper bound
    output_times, breakpoints : times (s) to hit exactly, in any order; those outside the run are ignored
    quantise : round sizes down to dt_max 2^(-k/4) (dt_initial 2^(-k/4) if dt_max is inf), so that factorisations of
        the tangent can be reused

    Raises
    ------
    InputError
        For invalid or inconsistent sizes and times, and for settings that do not exist.
    """

    rules: tuple[StepRule, ...]
    dt_initial: float
    dt_min: float
    dt_max: float
    growth: float
    output_times: tuple[float, ...]
    breakpoints: tuple[float, ...]
    quantise: bool

    def __init__(
        self,
        *rules: StepRule,
        dt_initial: float | None = None,
        dt_min: float | None = None,
        dt_max: float = inf,
        growth: float = 1.5,
        output_times: Iterable[float] = (),
        breakpoints: Iterable[float] = (),
        quantise: bool = False,
        **unknown: object,
    ):
        for rule in rules:
            _check_rule(rule)
        for name, value in unknown.items():
            advice = f"StepControl.fixed({value!r})" if name == "dt" else nearest(name, SETTINGS)
            raise InputError(f"StepControl: there is no setting {name!r}; {advice}")
        if dt_initial is None:
            raise InputError(
                "StepControl: give dt_initial, the size of the first step in s "
                "(StepControl.fixed(1e-3) makes all steps 1e-3 s long)"
            )
        first = positive(dt_initial, "dt_initial")
        smallest = SMALLEST * first if dt_min is None else positive(dt_min, "dt_min")
        stops = Stops(output_times, breakpoints, smallest)  # raises unless they are sequences of numbers
        settings = {
            "rules": rules,
            "dt_initial": first,
            "dt_min": smallest,
            "dt_max": positive_or_infinite(dt_max, "dt_max"),
            "growth": positive_or_infinite(growth, "growth"),
            "output_times": stops.named("output"),
            "breakpoints": stops.named("breakpoint"),
            "quantise": bool(quantise),
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)
        self._check_sizes()

    @classmethod
    def fixed(
        cls, dt: float, output_times: Iterable[float] = (), breakpoints: Iterable[float] = ()
    ) -> StepControl:
        """Steps of `dt` (s) throughout, shorter only to hit stops and where Newton fails.

        Parameters
        ----------
        dt : s
        output_times, breakpoints : times (s) to hit exactly

        Raises
        ------
        InputError
            Unless `dt` is above zero and the times are further apart than a millionth of it.
        """
        dt = positive(dt, "dt")
        return cls(FixedStep(dt), dt_initial=dt, output_times=output_times, breakpoints=breakpoints)

    def _check_sizes(self) -> None:
        if self.dt_min > self.dt_max:
            raise InputError(f"dt_min = {self.dt_min:g} s is above dt_max = {self.dt_max:g} s")
        smallest = 2.0 ** (1.0 / SIZES_PER_OCTAVE) if self.quantise else 1.0
        if self.growth <= smallest:
            raise InputError(
                f"growth is {self.growth:g}: it must be above {smallest:.4g}, or steps never grow again"
            )
        if not isfinite(self.growth) and not isfinite(self.dt_max):
            raise InputError(
                "growth = inf needs a finite dt_max: in steady contact nothing else limits the step"
            )


def _check_rule(rule: object) -> None:
    if isinstance(rule, int | float):
        raise InputError(
            f"StepControl: {rule!r} is not a step rule; StepControl.fixed({rule!r}) makes equal steps"
        )
    if isinstance(rule, type) or not all(hasattr(rule, n) for n in ("propose", "for_run", "name")):
        raise InputError(f"StepControl: {rule!r} is not a step rule: give e.g. fem_mbd.ErrorEstimate(1e-4)")


# of the error estimate: gives a propeller's loads to 1e-4 (tests/core/stepping/test_default_control.py)
TOLERANCE = 5e-4
PENETRATION = 5e-6  # change of a gap per step near contact, as a fraction of the model's length
DEEP = 0.1  # the same in contact, as a fraction of its depth
ROTATION = 0.2  # rad, largest rotation of a node in a step: 31 steps a turn
STRIBECK = 0.05  # step size near sticking, in time constants of the friction law
REST = 0.01  # Stribeck velocities: contacts that slip more slowly stick, and allow longer steps
SLOW_SPEED_RATIO = 0.01  # model lengths per run: speed whose energy is the floor of the error's scale
_FIRST, _LONGEST = 1e-4, 0.02  # step sizes, as fractions of the duration
_SHORTEST = 1e-12  # the same: round-off of times is 1e-16 of the duration


def default_control(
    length: float, mass: float, contacts: bool, duration: float, end: float = 0.0
) -> StepControl:
    """The control that `simulate` uses when none is given.

    Steps follow the error estimate with a tolerance of 5e-4, relative to the largest energy so far, and at least to
    the kinetic energy of all the mass at a hundredth of the model's length per duration. Without this floor, a machine
    that a driver starts from rest would need the same relative accuracy in its first nanosecond as in the rest of the
    run. No node rotates by more than 0.2 rad in a step (`RotationLimit`). A model with contacts gets the rules
    `Penetration`, with 5e-6 of the model's length or a tenth of the depth, and `Stribeck`, with 0.05 and longer steps
    while contacts stick, too. No step is longer than a fiftieth of the run. To see the effect on a result, run again
    with a control of your own with half these values.

    Parameters
    ----------
    length : the model's size, m
    mass : total mass, kg
    contacts : whether the model has contacts
    duration : s, from start to end
    end : s, whose round-off no step is near
    """
    slow = min(SLOW_SPEED_RATIO * length / duration, 1e100)
    rules: list[StepRule] = [ErrorEstimate(TOLERANCE, floor=0.5 * mass * slow**2), RotationLimit(ROTATION)]
    if contacts:
        rules += [Penetration(PENETRATION * length, deep=DEEP), Stribeck(STRIBECK, rest=REST)]
    first, shortest, longest = (share * duration for share in (_FIRST, _SHORTEST, _LONGEST))
    return StepControl(*rules, dt_initial=first, dt_min=max(shortest, 4.0 * round_off(end)), dt_max=longest)


RULES_WITHOUT_CONTACTS = (ErrorEstimate, NewtonEffort, RotationLimit)


class BlindRulesWarning(FemMbdWarning):
    """The error estimate uses jumps of velocities and strains only: steps may be too long for contact and friction."""


def warn_of_blind_rules(control: StepControl, stacklevel: int = 2) -> None:
    """Warn if ``control`` has an error estimate but no rule that looks at contacts."""
    rules = control.rules
    if any(isinstance(rule, ErrorEstimate) for rule in rules) and all(
        isinstance(rule, RULES_WITHOUT_CONTACTS) for rule in rules
    ):
        warnings.warn(
            "the model has contacts, but ErrorEstimate measures errors of motion and strain only, not of normal "
            "forces, friction or bristles: add Penetration and Stribeck, or give no control (the default has all "
            "three)",
            BlindRulesWarning,
            stacklevel=stacklevel + 1,
        )


MANY_STEPS = 1_000_000  # of a run: minutes to hours
FIRST_LOOK = 10_000  # steps after which a run is judged first, then whenever their number has doubled


class ManySteps(FemMbdWarning):
    """At its present pace a run takes millions of steps."""


class Pace:
    """The number of steps that a run under the default control will take, from those so far.

    Parameters
    ----------
    start, end : s, of the run
    contacts : name of the part of each contact record
    """

    def __init__(self, start: float, end: float, contacts: Sequence[str]):
        self._start, self._end, self._contacts = start, end, contacts
        self._next: float = FIRST_LOOK

    def look(self, steps: int, time: float, rule: str, contacts: Any) -> None:
        """Issue a `ManySteps` warning, once, where the run would take more than a million steps; called often.

        Parameters
        ----------
        steps : made so far, from the start
        time : s, that they have reached
        rule : that decided the last size
        contacts : records of the last step, of dtype ``CONTACT_RECORD``
        """
        if steps < self._next or not self._start < time < self._end:
            return
        self._next = 2 * steps
        expected = steps * (self._end - self._start) / (time - self._start)
        if expected < MANY_STEPS:
            return
        self._next = np.inf
        where = ""
        if len(self._contacts):
            change = np.abs(contacts["gap_f"] - contacts["gap_i"])
            where = f", the gap of '{self._contacts[int(change.argmax())]}' changes most"
        warnings.warn(
            f"{steps} steps have reached t = {time:.4g} s of {self._end:.4g} s: at this pace the run needs about "
            f"{expected:.1g} steps (the rule '{rule}' decides{where}). End it earlier, use a softer or a damped "
            "contact, or give a control of your own, e.g. "
            f"StepControl.fixed({(self._end - self._start) / MANY_STEPS:.1g}), and compare with half that size",
            ManySteps,
            stacklevel=2,
        )
