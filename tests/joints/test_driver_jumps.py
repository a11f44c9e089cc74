"""Prescribed motions with jumps: the next step performs the jump, and the energy balance includes its work."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import ErrorEstimate, InputError, Model, PrescribedMotion, Simulation, StepControl
from fem_mbd.core.model.time_functions import Table, TimeFunction
from fem_mbd.elements import Force, RigidBody, SpringDamper
from fem_mbd.joints import DrivenPrismatic, DrivenRevolute, Prismatic
from tests.core.scheme_tools import column, run, worst_residual

AXIS, MASS, INERTIA = (0.0, 0.0, 1.0), 2.0, 0.025
WHEN = 0.02  # s, of the jump
WAYS = ("driven revolute", "driven prismatic", "prescribed rotation", "prescribed displacement")


def jump(size: float, when: float = WHEN) -> TimeFunction:
    return Table([0, when, 2 * when], [0, size, size], kind="step")


def shifted(way: str, size: float, dt: float) -> Simulation:
    """A free body that is rotated by ``size`` rad or shifted by ``size`` m instantaneously."""
    model = Model()
    node = model.add(RigidBody(MASS, (1e-2, 2e-2, INERTIA), (0, 0, 0))).node
    given: dict[str, Any] = {
        "driven revolute": lambda: DrivenRevolute(model.ground, node, axis=AXIS, angle=jump(size), allow_jumps=True),
        "driven prismatic": lambda: DrivenPrismatic(
            model.ground, node, axis=AXIS, displacement=jump(size), allow_jumps=True
        ),
        "prescribed rotation": lambda: PrescribedMotion(node, axis=AXIS, angle=jump(size), allow_jumps=True),
        "prescribed displacement": lambda: PrescribedMotion(node, np.array(AXIS) * jump(size), allow_jumps=True),
    }  # fmt: skip
    model.add(given[way]())
    return Simulation(model, 0.05, StepControl.fixed(dt))


@pytest.mark.parametrize("dt", [0.01, 0.0025])
@pytest.mark.parametrize("way", WAYS)
def test_the_work_of_a_jump_of_a_body_that_stops_behind_it(way: str, dt: float) -> None:
    """The mean velocity d/dt of the step is (v_j + v_f)/2 with v_f = 0: the jump's energy is m (2 d/dt)^2 / 2."""
    sim = shifted(way, 1.0, dt)
    ledger = run(sim)
    turns = way in ("driven revolute", "prescribed rotation")
    expected = 2 * (INERTIA if turns else MASS) / dt**2
    for name in ("work_drivers", "dissipation_scheme"):
        amounts = column(ledger, name)
        assert amounts.max() == pytest.approx(expected, rel=1e-12)
        assert amounts.sum() == pytest.approx(expected, rel=1e-12)
    assert worst_residual(sim, ledger) < 1e-12
    if turns:
        assert sim.state.r[1] @ (1, 0, 0) == pytest.approx((np.cos(1), np.sin(1), 0), abs=1e-12)
    else:
        assert sim.state.u[1] == pytest.approx(AXIS, abs=1e-12)


def oscillator(control: StepControl | None) -> Simulation:
    """A body of 2 kg on a spring of 800 N/m, 20 rad/s, whose base is shifted by 0.1 m at 0.2 s."""
    model = Model()
    base = model.add(RigidBody(0.5, (0.01, 0.01, 0.01), (0, 0, 0))).node
    body = model.add(RigidBody(MASS, (0.01, 0.01, 0.01), (1, 0, 0))).node
    axis = (1, 0, 0)
    model.add(DrivenPrismatic(model.ground, base, axis=axis, displacement=jump(0.1, 0.2), allow_jumps=True))
    model.add(Prismatic(model.ground, body, at=(1, 0, 0), axis=axis))
    model.add(SpringDamper(base, body, 800.0, 0.0, length=1.0))
    return Simulation(model, 1.0, control)


@pytest.mark.parametrize("control", [StepControl.fixed(1e-3), None], ids=["fixed", "default"])
def test_energy_of_a_spring_after_a_jump(control: StepControl | None) -> None:
    """x = d (1 - cos(omega t)) from the jump on; the jump takes one step, so that much may the motion be late."""
    sim, shift, omega, worst, step = oscillator(control), 0.1, 20.0, 0.0, None
    for record in sim.steps():
        late = record.time - 0.2
        if step is None and late > 0:
            step = record
        exact = shift * (1 - np.cos(omega * late)) if late > 0 else 0.0
        worst = max(worst, abs(sim.state.u[2, 0] - 1 - exact))
    assert step is not None and step.dt <= 1.000001 * sim.control.dt_initial
    assert worst < shift * omega * step.dt
    stored = float(column(step.energy, "work_drivers") - column(step.energy, "dissipation_scheme"))
    gained = omega**2 * shift * step.dt  # m/s, most that the body can gain while the base is on its way
    assert stored == pytest.approx(0.5 * 800 * shift**2, abs=0.5 * MASS * gained**2)


def test_step_rules_ignore_the_step_with_a_jump() -> None:
    """The jump does not depend on the step: error control would reduce it to its minimum, with a work of 1e12 J."""
    sim = oscillator(StepControl(ErrorEstimate(1e-4), dt_initial=1e-3, dt_min=1e-7))
    sizes = {round(record.time - record.dt, 9): record.dt for record in sim.steps()}
    assert sizes[0.2] == pytest.approx(1e-3, rel=1e-9)


def test_impossible_jumps_are_refused() -> None:
    model = Model()
    node = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    with pytest.raises(
        InputError, match=r"its angle jumps by 3 at t = 0.02 s: a step rotates by at most 2.83 rad"
    ):
        DrivenRevolute(model.ground, node, axis=AXIS, angle=jump(3.0), allow_jumps=True)
    with pytest.raises(InputError, match=r"angle jumps by 3 at t = 0.02 s: a step rotates"):
        model.add(PrescribedMotion(node, axis=AXIS, angle=jump(3.0), allow_jumps=True))
    early = Table([-1, 0, 1], [0, 1, 1], kind="step")
    with pytest.raises(
        InputError, match=r"its displacement jumps by 1 at t = 0 s: a jump must be later than t = 0"
    ):
        DrivenPrismatic(model.ground, node, axis=AXIS, displacement=early, allow_jumps=True)


def switched_on(t: float) -> float:
    """m/s, a speed that jumps."""
    return 1.5 if t >= 0.1 else 0.0


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 7e-3])
def test_jump_of_a_speed_in_python_is_found(dt: float) -> None:
    """Displacement v (t - 0.1); the impact dissipates m v^2/2, and the drive's work is m v^2, at any step size."""
    model = Model()
    body = model.add(RigidBody(MASS, (1, 1, 1), (0, 0, 0)))
    model.add(DrivenPrismatic(model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), speed=switched_on))
    sim = Simulation(model, 0.3, StepControl.fixed(dt))
    ledger = run(sim)
    assert sim.state.u[1, 0] == pytest.approx(0.3, abs=1e-13)
    assert column(ledger, "work_drivers").sum() == pytest.approx(MASS * 1.5**2, rel=1e-12)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(0.5 * MASS * 1.5**2, rel=1e-12)


def test_jump_of_a_position_in_python_is_refused_before_the_run() -> None:
    for way in ("driven", "prescribed"):
        model = Model()
        body = model.add(RigidBody(MASS, (1, 1, 1), (0, 0, 0)))
        if way == "driven":
            model.add(
                DrivenPrismatic(model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), displacement=switched_on)
            )
        else:
            model.add(PrescribedMotion(body, lambda t: (switched_on(t), 0.0, 0.0)))
        with pytest.raises(InputError, match=r"jumps at t = 0\.1 s.*kinks=\(0\.1,\)"):
            Simulation(model, 0.3, StepControl.fixed(1e-2))


def test_short_pulse_of_a_force_is_resolved_by_default_steps() -> None:
    """Impulse F T = m v, with a pulse of 1.1 ms within a second."""
    model = Model()
    body = model.add(RigidBody(MASS, (1, 1, 1), (0, 0, 0)))
    model.add(Force(body, lambda t: (100.0 if 0.4 <= t < 0.4011 else 0.0, 0.0, 0.0)))
    sim = Simulation(model, 1.0)
    run(sim)
    assert sim.state.v[1, 0] == pytest.approx(100.0 * 1.1e-3 / MASS, rel=1e-9)
