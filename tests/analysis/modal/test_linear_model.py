"""Tests of linearised matrices against the independently computed static tangent, and against differences."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.elements import Beam, Force, RigidBody, SpringDamper
from fem_mbd.joints import Universal
from tests.elements.beam.beam_models import line, section


def pendulum(damping: float = 0.0, springs: bool = True) -> fm.Model:
    """A curved, twisted, coupled beam with a body on a joint at its end, under gravity and a force."""
    model = fm.Model(gravity=(0, 0, -9.81))
    beam = model.add(Beam(section(3000.0), line=line("curved"), elements=2, damping=damping))
    model.fix(beam.start)
    body = model.add(RigidBody(1.0, (0.2, 0.3, 0.4), position=beam.end.position + [0, 0, -0.2]))
    model.add(Universal(beam.end, body.node, at=beam.end.position, axis_k=(1, 0, 0), axis_l=(0, 1, 0)))
    for away in ((3.0, 0, 0), (0, 3.0, 0)) if springs else ():
        anchor = model.ground.at(body.node.position + away)
        model.add(SpringDamper(anchor, body.node, stiffness=200.0))
    model.add(Force(beam.node_nearest(0.5), (3.0, 2.0, 1.0)))
    return model


@pytest.mark.parametrize("rate", [0.0, 1.5])
def test_stiffness_is_the_change_of_the_static_forces(rate: float) -> None:
    """At a loaded equilibrium, at rest and in rotation with gravity held; symmetric on the free motions."""
    model = pendulum()
    spin = fm.Spin((0.1, 0, 0), (0, 0, 1), rate, azimuth=0.0) if rate else None
    found = fm.find_equilibrium(model, spin=spin)
    linear = fm.linearise(model, found, spin=spin)
    forces = StaticForces(model, spin=spin)
    n, h = forces.n, 1e-6
    change = np.empty((n + forces.m, n))
    for k, along in enumerate(h * np.eye(n, n + forces.m)):
        ahead, back = (forces.residual(forces.update(found.state, sign * along)) for sign in (1, -1))
        change[:, k] = (ahead - back) / (2 * h)
    assert linear.stiffness.toarray() == pytest.approx(change[:n], abs=1e-7 * np.abs(change).max())
    assert linear.constraints.toarray() == pytest.approx(change[n:], abs=1e-9)
    assert abs(linear.constraints @ linear.basis).max() < 1e-12
    reduced = linear.reduced(linear.stiffness).toarray()
    assert reduced == pytest.approx(reduced.T, abs=1e-7 * np.abs(reduced).max())
    gyroscopic = linear.gyroscopic.toarray()
    assert gyroscopic == pytest.approx(-gyroscopic.T, abs=1e-12)
    assert (np.abs(gyroscopic).max() > 0) == bool(rate)


def test_equilibrium_is_found_when_none_is_given() -> None:
    model = pendulum(damping=1e-3)
    own = fm.modes(model, 4)
    given = fm.modes(model, 4, at=fm.find_equilibrium(model))
    assert own.linear.equilibrium is not None
    assert own.eigenvalues == pytest.approx(given.eigenvalues, rel=1e-6)
    assert own.stable and np.all(own.damping_ratios > 0)


def test_a_body_that_hangs() -> None:
    """Without its weight it has no definite position: load stepping cannot start, a search at full load can."""
    found = fm.modes(pendulum(springs=False), 2)
    linear = found.linear
    body = linear.system.model.nodes[-1].index
    joint = linear.system.model.nodes[-2].index
    state = linear.state
    place = state.u - np.einsum("nij,nj->ni", state.r, linear.system.workspace.centre)
    assert np.all(np.abs((place[body] - place[joint])[:2]) < 1e-9)  # straight down
    assert found.stable
    found_so = fm.find_equilibrium(pendulum(springs=False))
    assert found_so.state.u == pytest.approx(state.u, abs=1e-8)


def test_modes_are_those_of_the_transient() -> None:
    """A run that starts in a mode's shape with its velocity remains in it: frequency from the zeros of the tip."""
    model = pendulum()
    equilibrium = fm.find_equilibrium(model)
    found = fm.modes(model, 3, at=equilibrium)
    omega = float(found.eigenvalues[2].imag)
    full = np.zeros((found.linear.system.workspace.n, 6))
    full[~found.linear.system.fixed] = (found.linear.basis @ found.vectors[:, 2]).real
    state = equilibrium.state.copy()
    size = 1e-5 / np.abs(full).max()
    state.v += size * omega * full[:, :3]
    state.omega += size * omega * full[:, 3:]
    period = 2 * np.pi / omega
    sim = fm.Simulation(model, 1.02 * period, fm.StepControl.fixed(period / 200), initial=state)
    node = int(np.abs(full[:, :3]).max(axis=1).argmax())
    direction = full[node, :3] / np.linalg.norm(full[node, :3])
    rows = [
        (record.time, float((sim.state.u[node] - equilibrium.state.u[node]) @ direction))
        for record in sim.steps()
    ]
    time, motion = np.array(rows).T
    k = int(np.flatnonzero((motion[:-1] < 0) & (motion[1:] >= 0))[-1])
    zero = time[k] - motion[k] * (time[k + 1] - time[k]) / (motion[k + 1] - motion[k])
    assert zero == pytest.approx(period, rel=1e-3)
