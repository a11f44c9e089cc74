"""Driven joints: prescribed motion, and exact energy balance at any step size."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, RunFailed, Simulation, StepControl, simulate
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Harmonic, Polynomial, SmoothStep, Table
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.elements import RigidBody
from fem_mbd.joints import DrivenPrismatic, DrivenRevolute, Prismatic, Revolute
from tests.core.scheme_tools import column, orders, run, simulation, worst_residual
from tests.joints.joint_models import ANGLE, AT, AXIS, DRIVEN, SLIDE, joined


@pytest.mark.out_of_range("angular momentum lost in a step", "rotation in a step")
@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("dt", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("name", DRIVEN)
def test_energy_balance_closes(name: str, dt: float, ground: bool) -> None:
    sim = simulation(joined(name, ground=ground), dt, 60 * dt)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_drivers")).sum() > 0.1
    assert worst_residual(sim, ledger) < 1e-12
    assert np.abs(sim.scheme.workspace.constraints).max() < 1e-12


@pytest.mark.parametrize("name", DRIVEN)
def test_relative_motion_is_prescribed(name: str) -> None:
    sim = simulation(joined(name), 0.05, 2.0)
    reference = sim.state.copy()
    for record in sim.steps():
        # position and triad of L relative to K, there and in the reference configuration
        turn = sim.state.r[1] @ reference.r[1].T
        relative = turn.T @ sim.state.r[2] @ reference.r[2].T
        arms = [r @ r0.T @ (AT - u0) + u for r, r0, u, u0 in _frames(sim, reference.r, reference.u)]
        apart = turn.T @ (arms[1] - arms[0])
        angle, slide = (ANGLE, 0 * SLIDE) if name == "driven revolute" else (0 * ANGLE, SLIDE)
        assert relative == pytest.approx(rotation_about(AXIS, float(angle.value(record.time))), abs=1e-12)
        assert apart == pytest.approx(slide.value(record.time) * AXIS, abs=1e-12)


def _frames(sim: Simulation, r: Array, u: Array) -> list[tuple[Array, Array, Array, Array]]:
    return [(sim.state.r[n], r[n], sim.state.u[n], u[n]) for n in (1, 2)]


@pytest.mark.parametrize("name", DRIVEN)
def test_order(name: str) -> None:
    def solve(count: int) -> tuple[Array, ...]:
        sim = simulation(joined(name), 1.0 / count)
        run(sim)
        state = sim.state
        return state.u, state.r, state.v, state.omega, state.multipliers.sum(axis=1)

    found = orders(solve, (25, 36, 50, 71), 600)
    assert min(found[:4]) > 2.8
    assert found[4] == pytest.approx(2, abs=0.2)


@pytest.mark.out_of_range("rotation in a step")
@pytest.mark.parametrize("dt", [0.05, 0.3])
def test_work_of_spinning_up_a_disk_is_its_kinetic_energy(dt: float) -> None:
    model = Model()
    disk = model.add(RigidBody(2.0, (0.1, 0.1, 0.2), (1, 0, 0))).node
    angle = Polynomial((0, 0, 1.5, 0.25))
    model.add(DrivenRevolute(model.ground, disk, at=(1, 0, 0), axis=(0, 0, 1), angle=angle))
    sim = simulation(model, dt, 1.5)
    ledger = run(sim)
    speed = angle.rate(1.5)
    assert sim.state.omega[1] == pytest.approx((0, 0, speed), abs=1e-13)
    gained = column(ledger, "work_drivers").sum() - column(ledger, "dissipation_scheme").sum()
    assert gained == pytest.approx(0.5 * 0.2 * speed**2, rel=1e-11)


def test_many_revolutions() -> None:
    model = Model(gravity=(0, -9.81, 0))
    crank = model.add(RigidBody(2.0, (0.1, 0.1, 0.2), (0, 0, 0), centre=(0.3, 0, 0))).node
    model.add(DrivenRevolute(model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), speed=20.0))
    model.set_velocity(crank, omega=(0, 0, 20), about=(0, 0, 0))
    sim = simulation(model, 0.02, 4.0)
    ledger = run(sim)
    assert sim.state.r[1] == pytest.approx(rotation_about((0, 0, 1), 80.0), abs=1e-11)
    # at constant speed the driver only lifts the weight; over whole revolutions its work is zero
    lifted = 2.0 * 9.81 * 0.3 * np.sin(80.0)
    work = column(ledger, "work_drivers").sum() - column(ledger, "dissipation_scheme").sum()
    assert work == pytest.approx(lifted, abs=1e-9)
    assert ledger[-1, : len(ENERGIES)].sum() == pytest.approx(0.5 * (0.2 + 0.18) * 400 + lifted, rel=1e-12)


def test_kinks_of_a_driver_fall_on_ends_of_steps() -> None:
    """A slide given by a table of straight lines: the speed jumps, steps end there, the energy balance closes."""
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    slide = Table((0, 0.33, 0.61, 2), (0, 0, 0.5, -0.2), kind="linear")
    model.add(DrivenPrismatic(model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), displacement=slide))
    sim = simulation(model, 0.1, 1.0)
    times, ledger = [], []
    for record in sim.steps():
        times.append(record.time)
        ledger.append(record.energy)
        assert sim.state.u[1, 0] == pytest.approx(slide.value(record.time), abs=1e-13)
    assert {0.33, 0.61} <= set(times)
    assert worst_residual(sim, np.array(ledger)) < 1e-12


def test_a_harmonic_drive_from_rest_is_no_inconsistency() -> None:
    """cos(pi/2) is 6e-17, not zero: no warning (an error in these tests) and no change of the velocities."""
    for name in DRIVEN:
        sim = simulation(joined(name, ground=True), 0.1)
        assert sim.initial_message == ""
    assert Harmonic(1.0, 2.0, np.pi / 2).rate(0.0) != 0.0


def test_a_driver_that_jumps_is_refused() -> None:
    """A rotation of one radian in zero time is an error."""
    model = Model()
    body = model.add(RigidBody(1.0, (1e-2, 2e-2, 2.5e-2), (0, 0, 0)))
    turns = Table([0, 0.02, 0.05], [0, 1, 2], kind="step")
    with pytest.raises(InputError, match=r"'crank'.* jumps by 1 at t = 0.02 s"):
        model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=turns, name="crank"))
    with pytest.raises(InputError, match=r"'ram'.* jumps by 1 at t = 0.02 s"):
        model.add(DrivenPrismatic(model.ground, body.node, axis=(0, 0, 1), displacement=turns, name="ram"))


def scissor(x_0: float, x_1: float) -> Model:
    """A lift of two bars of 1 m crossed at their middle; the lower slider moves from x_0 to x_1 (m) within 2 s."""
    height, y = np.sqrt(1.0 - x_0**2), (0, 1, 0)
    model = Model(gravity=(0, 0, -9.81), allow_redundant=True)
    bars = [
        model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (x_0 / 2, 0, height / 2), name=f"bar {n}")) for n in (0, 1)
    ]
    lower, upper = (
        model.add(RigidBody(0.2, (1e-3, 1e-3, 1e-3), (x_0, 0, z), name=f"slider at {z:.1g}"))
        for z in (0, height)
    )
    platform = model.add(RigidBody(20.0, (1, 1, 1), (x_0 / 2, 0, height), name="platform"))
    path = SmoothStep(0.0, 2.0, 0.0, x_1 - x_0)
    model.add(
        DrivenPrismatic(model.ground, lower, at=(x_0, 0, 0), axis=(1, 0, 0), displacement=path, name="motor")
    )
    pins: tuple[Any, ...] = (
        (model.ground, bars[0], (0, 0, 0)),
        (lower, bars[1], (x_0, 0, 0)),
        (bars[0], bars[1], (x_0 / 2, 0, height / 2)),
        (bars[0], upper, (x_0, 0, height)),
        (bars[1], platform, (0, 0, height)),
    )
    for n, (k, l, at) in enumerate(pins):
        model.add(Revolute(k, l, at=at, axis=y, name=f"pin {n}"))
    model.add(Prismatic(platform, upper, at=(x_0, 0, height), axis=(1, 0, 0), name="rail"))
    return model


def test_holding_force_of_a_scissor_lift() -> None:
    """Virtual work: V = (20.2 + 2/2) g sqrt(1 - x^2), so that the motor holds with dV/dx = -21.2 g x / height."""
    result = simulate(scissor(0.8, 0.3), 2.5, StepControl.fixed(2.5e-2))
    force = result.of("motor").reaction.force[-1, 0]
    assert force == pytest.approx(-21.2 * 9.81 * 0.3 / np.sqrt(1.0 - 0.3**2), rel=1e-8)


@pytest.mark.out_of_range("change of the distance from a singular position")
def test_drive_beyond_the_reach_of_a_mechanism_is_named() -> None:
    """The bars lie flat when the slider is at 1 m, 0.2 m from its start; the drive asks for 0.25 m."""
    with pytest.raises(
        RunFailed, match=r"joint 'motor' is at 0\.(2|1999\d*) m there, near the end of the mechanism's reach"
    ):
        simulate(scissor(0.8, 1.05), 2.5, StepControl.fixed(5e-3))
