"""Tests of the sensitivity of a step's balance to round-off: derivative by the tangent against differences."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.nodes.node_kernels import kinetic_and_jump
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.friction import Dahl, Linear
from fem_mbd.joints import PointOnPlane, Revolute

DT = 2e-3


def sliding(stiffness: float = 1e6, **options: Any) -> Simulation:
    """A body that slides on a floor far from the origin, with a beam on its back."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    body = model.add(RigidBody(2.0, (1e-2, 2e-2, 2.5e-2), (7.0, -3.0, 0.1)))
    contact = body.node.at_global((7.0, -3.0, 0.0))
    floor = model.ground.at_global((7.0, -3.0, 0.0))
    model.add(PointOnPlane(floor, contact, normal=Linear(stiffness), friction=Dahl(0.3, 1e4)))
    beam = model.add(Beam(Section.circle(0.01, Material(7e10, 0.3, 2700)), (7, -3, 0.1), (7.2, -2.6, 0.3)))
    model.add(Revolute(body.node, beam.start, axis=(0.3, 0.4, 0.5)))
    model.set_velocity([body.node, *beam.nodes], (1.0, 0.4, 0.0), (0.0, 0.0, 1.0), about=(7.0, -3.0, 0.0))
    return Simulation(model, 1.0, StepControl.fixed(DT), newton=NewtonOptions(**options))


def solved(sim: Simulation) -> Array:
    """The motion (size,) of a step after some others; the step is solved and not accepted."""
    list(islice(sim.steps(), 5))
    scheme = sim.scheme
    outcome = sim.solver.solve(scheme.begin(sim.state.time + DT), DT, keep=False)
    assert outcome.converged
    scheme.ledger()
    return sim.solver.y.copy()


def work_of_forces(sim: Simulation, y: Array) -> float:
    """What all terms of the balance but kinetic ones sum up to in a step of the motion ``y`` (size,), J."""
    workspace, f, pair = sim.scheme.workspace, np.empty_like(y), np.empty(2)
    sim.scheme.residual(y, f)
    kinetic_and_jump(workspace.x, workspace.x_i, workspace.mass, workspace.inertia, pair)
    return float(f @ y - pair.sum()) / DT**2


def test_it_is_the_derivative_of_the_balance_without_inertia() -> None:
    sim = sliding()
    y = solved(sim)
    found, workspace, equation = sim.scheme.unresolved_work(), sim.scheme.workspace, sim.system.equation
    places = np.abs(workspace.q_f[:, 0]).max(axis=1)
    expected, h = 0.0, 1e-7
    for n, i in np.argwhere(equation >= 0):
        up, down = y.copy(), y.copy()
        up[equation[n, i]] += h
        down[equation[n, i]] -= h
        slope = (work_of_forces(sim, up) - work_of_forces(sim, down)) / (2 * h)
        expected += abs(slope) * (places[n] if i % 6 < 3 else 1.0)
    assert found == pytest.approx(2.0**-52 * expected, rel=1e-3, abs=0.0)
    assert sim.scheme.unresolved_work(noise=1e-14) == pytest.approx(1e-14 * 2.0**52 * found)


def test_friction_in_a_stiff_contact_depends_on_the_last_digits_more_than_its_forces_do() -> None:
    """The path s of the step: mu s k/2 for the place across the floor, as the force is that of the mean depth."""
    sim = sliding(1e9)
    y = solved(sim)
    slid = DT * float(np.hypot(*sim.state.v[1][:2]))
    slope = 0.3 * slid * 0.5e9
    assert slope > 1e3 * 0.3 * float(np.abs(sim.scheme.workspace.force_m).max()) / DT**2
    found = sim.scheme.unresolved_work()
    assert 0.8 * slope < found / (7.0 * 2.0**-52) < 2.0 * slope
    # the balance does move by so much when the place is another by one digit
    shifted = y.copy()
    shifted[sim.system.equation[1, 2]] += 2.0**-50
    change = abs(work_of_forces(sim, shifted) - work_of_forces(sim, y))
    assert 0.8 * slope < change * 2.0**50 < 2.0 * slope


def asked_and_plain(monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Simulation, Simulation]:
    """Eight readable steps that all ask for it, and eight of which none does."""
    plain = sliding(**options)
    expected = list(islice(plain.steps(), 8))
    monkeypatch.setattr(EnergyBalance, "resolved", lambda *_: False)
    asked = sliding(**options)
    asked._steps._compilable = False
    records = list(islice(asked.steps(), 8))
    assert all(one.round_off > other.round_off for one, other in zip(records, expected, strict=True))
    return asked, plain


@pytest.mark.parametrize("compiled", [True, False])
def test_asking_for_it_leaves_the_run_as_it_is(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, plain = asked_and_plain(monkeypatch, compiled=compiled, linear_solver="lu")
    assert asked.state.to_flat().tobytes() == plain.state.to_flat().tobytes()


def test_factors_in_the_place_of_the_matrix_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those kept from step to step are lost by it, one in a step; taking values for factors would cost more."""
    asked, plain = asked_and_plain(monkeypatch, linear_solver="block", reuse=True)
    assert asked.counters["factorisations"] <= plain.counters["factorisations"] + asked.counters["steps"]
    motion = float(np.abs(plain.scheme.workspace.x).max())
    assert np.abs(asked.state.u - plain.state.u).max() < 1e-9 * motion
