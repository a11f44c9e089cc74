"""Class `StepControl`: the user's settings of step sizes, rules and limits (`step_sizes` has their state in a run)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import positive, positive_or_infinite
from fem_mbd.core.stepping.size_kernels import SIZES_PER_OCTAVE
from fem_mbd.core.stepping.step_rules import FixedStep, StepRule
from fem_mbd.core.stepping.stops import Stops
from fem_mbd.errors import InputError

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
