"""Tests of step control with synthetic motions: limits, stops, rejections, Newton failures, resuming, bad input."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fem_mbd.core.stepping.step_control import StepControl, default_control
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import ErrorEstimate, FixedStep, NewtonEffort, RotationLimit, StepRule
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError, SolverFailure
from tests.core.stepping.step_records import quiet, record, run


class Scripted(StepRule):
    """Proposes sizes by a function of time; rejects steps longer than `longest`."""

    name = "scripted"

    def __init__(self, size: Callable[[float], float], longest: float = inf):
        self.size, self.longest = size, longest

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        return self.size(record.time)

    def reject(self, record: StepRecord) -> float:
        return 0.5 * record.dt if record.dt > self.longest else 0.0


def sizes(records: list[StepRecord]) -> np.ndarray:
    return np.array([r.dt for r in records])


def test_fixed_step_divides_the_run_evenly() -> None:
    records = run(StepControl.fixed(0.01), quiet, 1.0)
    assert len(records) == 100 and records[-1].time == 1.0
    assert set(sizes(records)) == {0.01}  # to the bit: a factorisation serves the whole run
    assert {r.rule for r in records} == {"initial", "fixed", "end"}


def test_growth_limits_the_size_and_dt_max_ends_the_growth() -> None:
    records = run(StepControl(dt_initial=1e-4, dt_max=0.1, growth=1.5), quiet, 2.0)
    grown = [r for r in records if r.rule == "growth"]
    np.testing.assert_allclose([r.dt for r in grown], 1e-4 * 1.5 ** np.arange(1, len(grown) + 1))
    assert {r.dt for r in records if r.rule == "dt_max"} == {0.1}
    assert records[0].rule == "initial" and records[-1].time == 2.0


def test_smallest_rule_wins_and_is_named() -> None:
    control = StepControl(FixedStep(0.02), Scripted(lambda t: 0.01 if t > 0.5 else inf), dt_initial=0.02)
    records = run(control, quiet, 1.0)
    assert {r.rule for r in records if 0.6 < r.time < 0.9} == {"scripted"}
    assert {r.rule for r in records if 0.1 < r.time < 0.4} == {"fixed"}


def test_dt_min_holds_against_rules() -> None:
    records = run(StepControl(Scripted(lambda t: 1e-12), dt_initial=1e-3, dt_min=1e-3), quiet, 0.1)
    assert np.min(sizes(records)) >= 1e-3 * (1 - 1e-9)
    assert records[50].rule == "dt_min"


def test_initial_size_is_limited_by_name() -> None:
    assert StepSizes(StepControl(dt_initial=1.0, dt_max=0.1)).first(0.0, 9.0) == (0.1, "dt_max")
    assert StepSizes(StepControl(dt_initial=1e-6, dt_min=1e-3)).first(0.0, 9.0) == (1e-3, "dt_min")


def test_output_times_are_hit_exactly_and_do_not_spoil_the_size_after_them() -> None:
    outputs = [0.1 * k for k in range(1, 10)]  # 0.30000000000000004 among them
    control = StepControl(FixedStep(0.03), dt_initial=0.03, output_times=outputs, breakpoints=[0.3])
    records = run(control, quiet, 1.0)
    times = {r.time for r in records}
    assert set(outputs) <= times and 1.0 in times
    after_output = [b for a, b in zip(records, records[1:], strict=False) if a.rule == "output"]
    assert sum(r.dt == 0.03 for r in after_output) >= 9
    assert {r.rule for r in records if r.time in outputs} == {"output"}


def test_breakpoints_of_the_model_come_in_any_order() -> None:
    sizes = StepSizes(StepControl(FixedStep(0.4), dt_initial=0.4), [0.9, 0.5, 0.9])
    records = run(sizes, quiet, 2.0)
    assert {0.5, 0.9} <= {r.time for r in records}
    assert [r.rule for r in records if r.time in (0.5, 0.9)] == ["breakpoint", "breakpoint"]


def test_short_remainders_before_a_stop_are_avoided() -> None:
    split = run(StepControl(FixedStep(0.1), dt_initial=0.1, output_times=[0.2005]), quiet, 1.0)
    assert sizes(split)[:3] == pytest.approx([0.1, 0.05025, 0.05025])
    tiny = run(StepControl(FixedStep(0.1), dt_initial=0.1, output_times=[0.2 + 1e-9]), quiet, 1.0)
    assert tiny[1].time == 0.2 + 1e-9
    at_minimum = run(StepControl(FixedStep(0.1), dt_initial=0.1, dt_min=0.1, output_times=[0.25]), quiet, 1.0)
    assert sizes(at_minimum)[:2] == pytest.approx([0.125, 0.125]) or sizes(at_minimum)[:2] == pytest.approx(
        [0.1, 0.15]
    )


@settings(max_examples=150, deadline=None)
@given(
    stops=st.lists(st.integers(1, 9999), max_size=12),
    dt=st.floats(1e-4, 0.7),
    dt_min=st.sampled_from([1e-9, 1e-5, 1e-4]),
    growth=st.floats(1.3, 5.0),
    quantise=st.booleans(),
    seed=st.integers(0, 999),
)
def test_any_run_hits_its_stops_without_short_steps(
    stops: list[int], dt: float, dt_min: float, growth: float, quantise: bool, seed: int
) -> None:
    """Random stops, sizes, rejections and Newton failures."""
    rng = np.random.default_rng(seed)
    wish = 10.0 ** rng.uniform(-3.5, 0.0, 50)
    instants = [k * 1e-4 for k in stops]
    rule = Scripted(lambda t: float(wish[int(49 * t)]), longest=0.3)
    control = StepControl(
        rule, dt_initial=dt, dt_min=dt_min, growth=growth, output_times=instants, quantise=quantise
    )
    records = run(control, quiet, 1.0, newton_fails=lambda t, size: size > 0.01 and rng.random() < 0.2)
    times = np.array([0.0, *(r.time for r in records)])
    assert set(instants) <= set(times) and times[-1] == 1.0
    assert np.min(np.diff(times)) >= dt_min * (1 - 1e-6)
    np.testing.assert_allclose(np.diff(times), sizes(records), rtol=1e-9, atol=1e-14)


def test_rejected_step_is_retried_with_the_rule_named_and_growth_starts_from_there() -> None:
    control = StepControl(Scripted(lambda t: inf, longest=0.06), dt_initial=0.2, growth=1.2)
    records = run(control, quiet, 1.0)
    assert records[0].dt == pytest.approx(0.05)
    assert (records[0].rejections, records[0].rule) == (2, "scripted")
    assert records[1].dt == pytest.approx(0.06) and records[1].rule == "growth"


def test_step_of_the_smallest_size_is_always_accepted() -> None:
    control = StepControl(Scripted(lambda t: inf, longest=0.0), dt_initial=0.1, dt_min=0.02, growth=1.5)
    records = run(control, quiet, 0.5)
    assert len(records) > 10 and np.min(sizes(records)) >= 0.02 * (1 - 1e-9)


def test_rule_that_rejects_with_the_same_size_cannot_stop_the_run() -> None:
    class Stubborn(Scripted):
        def reject(self, record: StepRecord) -> float:
            return record.dt if record.dt > 0.01 else 0.0

    records = run(StepControl(Stubborn(lambda t: inf), dt_initial=0.1), quiet, 0.2)
    assert np.max(sizes(records)) <= 0.01


def test_newton_failure_halves_and_gives_up_at_the_minimum() -> None:
    control = StepSizes(StepControl(dt_initial=0.1, dt_min=0.03))
    control.first(0.0, 1.0)
    assert control.after_newton_failure(0.1) == 0.05 and control.rule == "newton failure"
    assert control.after_newton_failure(0.05) == 0.03
    assert control.after_newton_failure(0.03) is None


def test_size_recovers_after_a_newton_failure() -> None:
    control = StepControl(FixedStep(0.1), dt_initial=0.1, growth=1.5)
    records = run(control, quiet, 3.0, newton_fails=lambda t, dt: dt > 0.06 and 0.95 < t < 1.04)
    near = next(k for k, r in enumerate(records) if r.rule == "newton failure")
    assert sizes(records)[near : near + 3] == pytest.approx([0.05, 0.075, 0.1])


@pytest.mark.parametrize("quantise", [False, True])
def test_state_and_restore_repeat_the_sequence(quantise: bool) -> None:
    def make() -> StepSizes:
        scripted = Scripted(lambda t: 0.002 + 0.03 * np.sin(9 * t) ** 2, longest=0.03)
        return StepSizes(
            StepControl(
                scripted,
                ErrorEstimate(1e-3),
                dt_initial=0.01,
                dt_max=0.1,
                output_times=[0.37, 0.8],
                quantise=quantise,
            )
        )

    def motion(t0: float, t1: float) -> StepRecord:
        return record(t0, t1, kinetic=2.0 + np.cos(t1), dissipation_scheme=40.0 * (t1 - t0) ** 4 * (1 + t1))

    whole = run(make(), motion, 1.0)
    interrupted, resumed = make(), make()
    half = run(interrupted, motion, 1.0, stop_after=25)
    assert 25 == len(half) < len(whole)
    resumed.restore(interrupted.state())
    rest = run(resumed, motion, 1.0, t0=half[-1].time, resumed=True)
    assert [(r.time, r.dt, r.rule) for r in half + rest] == [(r.time, r.dt, r.rule) for r in whole]


def test_state_is_plain_numbers_and_the_state_of_other_rules_is_refused() -> None:
    state = StepSizes(StepControl(ErrorEstimate(1e-3), dt_initial=0.1)).state()
    assert all(isinstance(v, float) for v in state.values())
    with pytest.raises(InputError, match="other rules"):
        StepSizes(StepControl(dt_initial=0.1)).restore(state)


def test_runs_can_share_one_control_at_the_same_time() -> None:
    """The steps of two interleaved runs with different energies are those of each run alone."""

    def motion(energy: float) -> Callable[[float, float], StepRecord]:
        return lambda t0, t1: record(t0, t1, kinetic=energy, dissipation_scheme=(t1 - t0) ** 4 * (1 + t1))

    control = StepControl(ErrorEstimate(1e-3), dt_initial=0.01, dt_max=0.1)
    alone = [[r.dt for r in run(control, motion(energy), 1.0)] for energy in (1.0, 50.0)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda energy: run(control, motion(energy), 1.0), (1.0, 50.0)))
    assert [[r.dt for r in records] for records in together] == alone and alone[0] != alone[1]


def test_control_cannot_be_changed_and_compares_by_its_settings() -> None:
    control = StepControl(ErrorEstimate(1e-3), dt_initial=0.01, output_times=[0.5, 0.1])
    with pytest.raises(FrozenInstanceError):
        control.dt_max = 1.0  # type: ignore[misc]
    assert control == StepControl(ErrorEstimate(1e-3), dt_initial=0.01, output_times=(0.1, 0.5))
    assert control.output_times == (0.1, 0.5)


@pytest.mark.parametrize("contacts", [False, True])
@pytest.mark.parametrize("duration", [1e-300, 1e-6, 1.0, 1e9])
def test_default_control_works_for_any_duration(contacts: bool, duration: float) -> None:
    control = default_control(2.0, 3.0, contacts, duration)
    assert StepSizes(control).first(0.0, duration)[0] == pytest.approx(1e-4 * duration)
    names = ["error estimate", "rotation", "penetration", "stribeck"]
    assert [rule.name for rule in control.rules] == names[: 2 + 2 * contacts]


def test_quantised_sizes_lie_on_the_grid_and_are_few() -> None:
    wish = Scripted(lambda t: 0.004 + 0.003 * np.sin(40 * t))
    records = run(StepControl(wish, dt_initial=1e-3, dt_max=0.1, quantise=True), quiet, 1.0)
    on_rule = np.array([r.dt for r in records if r.rule == "scripted"])
    exponents = 4 * np.log2(on_rule / 0.1)
    np.testing.assert_allclose(exponents, np.round(exponents), atol=1e-9)
    assert len(np.unique(on_rule)) <= 12 < len(on_rule)
    wanted = np.array(
        [wish.size(a.time) for a, b in zip(records, records[1:], strict=False) if b.rule == "scripted"]
    )
    assert np.all(on_rule <= wanted * (1 + 1e-9)) and np.all(on_rule > wanted * 2**-0.25 * (1 - 1e-9))


def test_error_estimate_approaches_its_tolerance_and_steps_scale_with_its_root() -> None:
    def motion(t0: float, t1: float) -> StepRecord:
        return record(t0, t1, kinetic=2.0, dissipation_scheme=3.0 * (t1 - t0) ** 4)

    ends = []
    for tolerance in (1e-4, 1e-6):
        dt = run(StepControl(ErrorEstimate(tolerance), dt_initial=1e-4), motion, 1.0)[-3].dt
        assert np.sqrt(3.0 * dt**4 / 2.0) == pytest.approx(0.81 * tolerance, rel=1e-6)
        ends.append(dt)
    assert ends[0] / ends[1] == pytest.approx(10.0)


def test_error_estimate_rejects_a_step_far_above_its_tolerance() -> None:
    rule = ErrorEstimate(1e-4).for_run()
    bad = record(0.0, 0.1, kinetic=1.0, dissipation_scheme=1e-6)  # error 1e-3
    assert rule.reject(bad) == pytest.approx(0.1 * 0.9 * np.sqrt(0.1))
    assert rule.reject(record(0.0, 0.1, kinetic=1.0, dissipation_scheme=3e-8)) == 0.0
    assert rule.reject(quiet(0.0, 0.1)) == 0.0 and rule.propose(quiet(0.0, 0.1), 0.1) == inf


def test_newton_effort_shortens_holds_or_does_not_limit_the_step() -> None:
    rule = NewtonEffort(5)
    assert rule.propose(record(0.0, 0.1, newton_iterations=4), 0.1) == inf
    assert rule.propose(record(0.0, 0.1, newton_iterations=5), 0.1) == 0.1
    assert rule.propose(record(0.0, 0.1, newton_iterations=8), 0.1) == pytest.approx(0.0625)
    assert rule.propose(record(0.0, 0.1, newton_iterations=50), 0.1) == 0.05


def test_size_that_is_not_a_number_ends_the_run_with_the_rule_named() -> None:
    control = StepControl(Scripted(lambda t: float("nan")), dt_initial=0.1)
    with pytest.raises(SolverFailure, match="step rule 'scripted'"):
        run(control, quiet, 1.0)


BAD: dict[str, Callable[[], object]] = {
    "dt_min = 0.1 s is above dt_max = 0.01 s": lambda: StepControl(dt_initial=0.1, dt_min=0.1, dt_max=0.01),
    "dt_initial is -1": lambda: StepControl(dt_initial=-1.0),
    "dt_min is 0": lambda: StepControl(dt_initial=1.0, dt_min=0.0),
    "dt_max is nan": lambda: StepControl(dt_initial=1.0, dt_max=np.nan),
    "dt is 0": lambda: StepControl.fixed(0.0),
    "growth is 1: it must be above 1": lambda: StepControl(dt_initial=1.0, growth=1.0),
    "growth is 1.1: it must be above 1.189": lambda: StepControl(dt_initial=1.0, growth=1.1, quantise=True),
    "needs a finite dt_max": lambda: StepControl(dt_initial=1.0, growth=inf),
    "output time is nan": lambda: StepControl(dt_initial=1.0, output_times=[0.1, np.nan]),
    "less than dt_min": lambda: StepControl(dt_initial=1.0, dt_min=1e-3, output_times=[0.1, 0.1001]),
    "from 0.5 s to 0.5000": lambda: StepSizes(StepControl(dt_initial=1.0, output_times=[0.5]), [0.5 + 1e-10]),
    "start, end": lambda: StepSizes(StepControl(dt_initial=1.0, dt_min=1e-3, output_times=[1.9999])).first(0.0, 2.0),
    "the end must be later": lambda: StepSizes(StepControl(dt_initial=1.0)).first(2.0, 2.0),
    "is below round-off at times up to": lambda: StepSizes(StepControl(dt_initial=1.0, dt_min=1e-15)).first(0.0, 2.0),
    "FixedStep dt is -1": lambda: FixedStep(-1.0),
    "tolerance is 0": lambda: ErrorEstimate(0.0),
    "floor is -1": lambda: ErrorEstimate(1e-3, floor=-1.0),
    r"no setting 'dt'; StepControl.fixed\(0.01\)": lambda: StepControl(dt=0.01),
    "no setting 'dt_mx'; did you mean 'dt_max'": lambda: StepControl(dt_initial=1.0, dt_mx=2.0),
    "give dt_initial": lambda: StepControl(ErrorEstimate(1e-3)),
    r"0.01 is not a step rule; StepControl.fixed\(0.01\)": lambda: StepControl(0.01),  # type: ignore[arg-type]
    "target is 0": lambda: NewtonEffort(0),
    "target is 2: give 3 or more": lambda: NewtonEffort(2),
    "RotationLimit angle": lambda: RotationLimit(0.0),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        BAD[message]()
