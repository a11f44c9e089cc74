"""Tests of the comparison of constraint methods: scheme, the source's statements over 20 s, orders, bad input."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.cases.constraint_methods import (
    CASE,
    DRIFTING_METHODS,
    ELIMINATED,
    STABILISED,
    Parameters,
    growth,
    source_checks,
)
from fem_mbd.cases.constraint_methods.histories import METHODS, RK4, History, integrate_by, own_history
from fem_mbd.runs.running.runs import run

pytestmark = pytest.mark.slow

BY_NAME = {method.name: method for method in METHODS}


def test_own_scheme_and_the_table(tmp_path: Path) -> None:
    p = Parameters(end_time=0.2)
    result = run(CASE.build(p), progress=False)
    checks = CASE.checks(result, p)
    assert len(checks) == 5 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    figure, table = CASE.plot(result, p, tmp_path)
    assert figure.stat().st_size > 10_000
    lines = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [line["method"] for line in lines] == ["this package", *2 * [m.name for m in METHODS]]
    assert float(lines[1]["work / standard method"]) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end_time", "dt"), [(10.0, 2e-3), pytest.param(20.0, 1e-3, marks=pytest.mark.study)]
)
def test_statements_of_the_source(end_time: float, dt: float) -> None:
    """All statements, together with the scheme: one fails (docs). The source's own time and step are a study."""
    p = Parameters(end_time=end_time, dt=dt)
    result = run(CASE.build(p), progress=False, quantities=("position", "quaternion", "velocity", "omega"))
    checks = CASE.checks(result, p)
    failed = [c.name for c in checks if not c.passed]
    assert failed == ["change of energy, direct correction / largest of the others"]
    assert (
        len(checks)
        == 5 + 2 * (2 * len(DRIFTING_METHODS) + 2 * len(ELIMINATED) + 4 * len(STABILISED)) + 2 + 6 + 3
    )


def test_all_ways_lead_to_the_same_motion() -> None:
    """Scheme and integrators are independent; after half a second they agree within their errors."""
    p = Parameters(end_time=0.5, relative_tolerance=1e-12)
    result = run(CASE.build(p), progress=False)
    fine = run(CASE.build(replace(p, dt=5e-4)), progress=False)
    exact = integrate_by(BY_NAME["coordinate partitioning"], p.integrator, p)
    place = exact.last[7 * 2 : 7 * 2 + 3]
    coarse, finer = (float(np.abs(r.of("slider").position[-1] - place).max()) for r in (result, fine))
    assert coarse < 1e-5 * 0.14  # of the stroke
    assert np.log2(coarse / finer) == pytest.approx(3.0, abs=0.3)  # the scheme's order


def test_order_of_runge_kutta() -> None:
    """Energy and violation of the standard method fall as dt^4."""
    made = [integrate_by(BY_NAME["standard"], RK4, Parameters(end_time=0.5, dt=dt)) for dt in (4e-3, 2e-3)]
    for name in ("position", "velocity"):
        coarse, fine = (float(getattr(history, name)[-1]) for history in made)
        assert np.log2(coarse / fine) > 3.7


@pytest.mark.parametrize("integrator", ["RK23", "RK45", "DOP853"])
def test_scipys_integrators_and_a_correction(integrator: str) -> None:
    """The integrator continues from the corrected state: energy is conserved to its tolerance."""
    p = Parameters(end_time=0.3, integrator=integrator, relative_tolerance=1e-7)  # type: ignore[arg-type]
    history = integrate_by(BY_NAME["direct correction"], integrator, p)
    assert history.position.max() <= p.correction_tolerance and history.velocity.max() < 1e-13
    assert np.abs(history.energy).max() < 1e-5 and history.time[-1] == pytest.approx(0.3)


def test_checks_fail_for_what_is_not_so() -> None:
    """A drift that ends, a bound that grows, energies of the other sign, an expensive standard method."""
    p, time = Parameters(), np.linspace(0.01, 20.0, 2000)

    def history(name: str, integrator: str) -> History:
        grows = name in (*STABILISED, *ELIMINATED)
        violation = 1e-3 * time if grows else np.full_like(time, 1e-3)
        energy = -time if name in ("standard", "Baumgarte", "augmented Lagrangian") else time
        energy = 0.1 * energy if name == "direct correction" else energy
        work = 5.0 if name == "standard" else 1.0
        return History(name, integrator, time, violation, violation, energy, work, 1.0, time)

    runs = {(m.name, i): history(m.name, i) for i in (RK4, p.integrator) for m in METHODS}
    failed = {c.name for c in source_checks(runs, p) if not c.passed}
    assert sum("order of growth" in name for name in failed) == 4 * len(DRIFTING_METHODS)
    assert sum("r.m.s. of second half / first half" in name for name in failed) == 4 * len(STABILISED)
    assert sum("crosses its mean" in name for name in failed) == 4 * len(STABILISED)
    assert sum("violation [m" in name for name in failed) == 4 * len(ELIMINATED)
    assert sum("energy gained" in name for name in failed) == 5
    assert "change of energy, direct correction / largest of the others" in failed
    assert "smallest work of the other four / standard" in failed


def test_growth_is_the_power_of_time() -> None:
    time = np.linspace(0.1, 20.0, 400)
    for power in (1.0, 2.0):
        assert growth(time, 1e-9 * time**power) == pytest.approx(power, abs=1e-6)


def test_own_history_of_every_state() -> None:
    p = Parameters(end_time=0.02)
    result = run(CASE.build(p), progress=False)
    assert len(own_history(result, every=0.0).time) == result.steps > len(own_history(result).time)
