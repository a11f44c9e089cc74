"""Synthetic step records and a loop that imitates a simulation, for tests of step control."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes

Motion = Callable[[float, float], StepRecord]  # record of the step from one time to another


def record(
    t0: float, t1: float, contacts: Sequence[Mapping[str, object]] = (), **energy: float
) -> StepRecord:
    """Record of a step from t0 to t1 (s); `contacts` and `energy` by field and ledger names."""
    rows = np.zeros(len(contacts), dtype=CONTACT_RECORD)
    for row, contact in zip(rows, contacts, strict=True):
        for key, value in contact.items():
            row[key] = value
    iterations = int(energy.pop("newton_iterations", 3))
    ledger = np.array([energy.pop(name, 0.0) for name in LEDGER])
    assert not energy, f"not in the ledger: {sorted(energy)}"
    return StepRecord(1, t1, t1 - t0, "", iterations, 1, 0, ledger, 0.0, rows)


def quiet(t0: float, t1: float) -> StepRecord:
    """A step without contacts and energies."""
    return record(t0, t1)


def run(
    control: StepControl | StepSizes,
    motion: Motion,
    t_end: float,
    t0: float = 0.0,
    newton_fails: Callable[[float, float], bool] = lambda t, dt: False,
    stop_after: int = 100_000,
    resumed: bool = False,
) -> list[StepRecord]:
    """The loop of a simulation around `control`; the accepted records with rule and rejections."""
    sizes = StepSizes(control) if isinstance(control, StepControl) else control
    accepted: list[StepRecord] = []
    dt, _ = sizes.plan_step(t0, t_end) if resumed else sizes.first(t0, t_end)
    time, rejections = t0, 0
    for _ in range(100_000):
        if time >= t_end or len(accepted) >= stop_after:
            return accepted
        if newton_fails(time, dt):
            smaller = sizes.after_newton_failure(dt)
            if smaller is None:
                return accepted
            dt, rejections = smaller, rejections + 1
            continue
        result = motion(time, sizes.end_of_step(dt))
        result.dt = dt
        retry = sizes.check(result)
        if retry > 0.0:
            assert retry < dt
            dt, rejections = retry, rejections + 1
            continue
        result.rule, result.rejections, result.index = sizes.rule, rejections, len(accepted) + 1
        accepted.append(result)
        time, rejections = result.time, 0
        dt, _ = sizes.next(result, t_end)
    raise AssertionError("the run does not end")
