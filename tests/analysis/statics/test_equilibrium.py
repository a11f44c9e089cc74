"""Tests of equilibria: closed forms, balance of reactions, transients that remain at rest, paths and their limits."""

import numpy as np
import pytest

from fem_mbd import Model, Spin, StepControl, elements, find_equilibrium, joints, modes
from fem_mbd.analysis.statics.equilibrium import EquilibriumWarning
from fem_mbd.core.model.model import PrescribedMotion
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError, SolverFailure
from tests.analysis.statics.test_static_forces import everything
from tests.core.scheme_tools import order

G = 9.81


def slider(spin_mass: float = 2.0, stiffness: float = 200.0) -> tuple[Model, elements.BodyHandle]:
    """A body that slides along x on a spring of 0.5 m unloaded length, in equilibrium at the origin."""
    model = Model(gravity=(0, -G, 0))
    body = model.add(elements.RigidBody(spin_mass, 0.01 * np.eye(3), position=(0.5, 0, 0)))
    model.add(joints.Prismatic(model.ground, body.node, axis=(1, 0, 0)))
    model.add(elements.SpringDamper(model.ground, body.node, stiffness))
    return model, body


def blade(gravity: float = 0.0) -> tuple[Model, elements.BeamHandle]:
    """A slender blade along x from 0.2 m on, pitched and swept, with eccentric mass centre."""
    model = Model(gravity=(0, 0, -gravity))
    part = elements.Section(
        np.diag([1e6, 4e5, 4e5, 60.0, 80.0, 400.0]), 1.5, np.diag([3e-3, 1e-3, 2e-3]), (0.02, -0.01)
    )
    line = elements.Straight((0.2, 0, 0), (1.8, 0.3, 0.1))
    return model, model.add(elements.Beam(part, line=line, elements=3))


def test_reactions_balance_loads_and_weight() -> None:
    model, beam = blade(G)
    model.fix(beam.start)
    force = np.array([3.0, -4.0, 8.0])
    model.add(elements.Force(beam.end, force))
    found = find_equilibrium(model)
    weight = found.forces.workspace.mass.sum() * G
    support = found.reactions["beam.0"]
    assert support[:3] == pytest.approx([-3.0, 4.0, weight - 8.0], rel=1e-9)
    place = found.outputs["position"]
    push = found.forces.workspace.mass[:, None] * np.array([0, 0, -G])
    moment = np.cross(found.state.u, push).sum(axis=0) + np.cross(place[beam.end.index], force)
    total = moment + support[3:] + np.cross(place[beam.start.index], support[:3])
    assert np.abs(total).max() < 1e-9 * np.abs(moment).max()
    assert repr(found).startswith(f"<Equilibrium of model '{model.name}' at load factor 1: ")


def test_transient_stays_at_rest() -> None:
    """Every kind of part, with one step as long as ten of the lowest periods and with many short ones."""
    model = everything()
    found = find_equilibrium(model)
    for dt in (1e-3, 0.1):
        sim = Simulation(model, 5 * dt, StepControl.fixed(dt), initial=found.state)
        list(sim.steps())
        assert np.abs(sim.state.u - found.state.u).max() < 1e-11
        assert np.abs(sim.state.r - found.state.r).max() < 1e-10
        assert sim.outputs()["reaction"] == pytest.approx(found.outputs["reaction"], abs=1e-6)


def test_rotation_stays_steady() -> None:
    """In the rotating frame the blade is at rest up to the error of the steps, of third order."""
    rate, end = 12.0, 0.2
    model, beam = blade(G)
    model.add(
        PrescribedMotion(
            beam.start, lambda t: 0.2 * np.array([np.cos(rate * t) - 1, np.sin(rate * t), 0]),
            axis=(0, 0, 1), angle=lambda t: rate * t,
        )
    )  # fmt: skip
    found = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), rate))
    deflection = found.outputs["position"][beam.end.index] - beam.end.position
    assert np.linalg.norm(deflection) > 0.05
    errors, steps = [], (20, 40, 80)
    for count in steps:
        sim = Simulation(model, end, StepControl.fixed(end / count), initial=found.state)
        list(sim.steps())
        c, s = np.cos(rate * end), np.sin(rate * end)
        back = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        errors.append(float(np.abs(sim.state.u[1:] @ back.T - found.state.u[1:]).max()))
    assert order(errors, [1 / n for n in steps]) > 2.8
    assert errors[-1] < 1e-5


def test_slider_in_rotation() -> None:
    """r = r_0/(1 - m w^2/k); gravity at a quarter revolution adds m g/(k - m w^2)."""
    model, body = slider()
    rate = 6.0
    for azimuth, weight in ((None, 0.0), (np.pi / 2, -2 * G), (-np.pi / 2, 2 * G)):
        spin = Spin((0, 0, 0), (0, 0, 1), rate, azimuth)
        found = find_equilibrium(model, spin=spin)
        x = found.outputs["position"][body.node.index][0]
        assert x == pytest.approx((200 * 0.5 + weight) / (200 - 2 * rate**2), rel=1e-10)
    assert found.path.speeds[-1] == rate


def test_speed_at_which_equilibrium_is_lost() -> None:
    """Beyond w = sqrt(k/m) = 10 rad/s the spring cannot hold the body; at lower speeds it moves away."""
    model, _ = slider()
    with pytest.raises(SolverFailure, match=r"lost beyond a speed of 9\.[0-9]* rad/s"):
        find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), 11.0))


def arch(load: float) -> tuple[Model, elements.BeamHandle]:
    """A shallow clamped arch, 1 m wide and 50 mm high, with a force on the crown."""
    model = Model()
    half = 2 * np.arctan(2 * 0.05)
    radius = 0.5 / np.sin(half)
    start = (-0.5, 0.0, 0.0)
    line = elements.Arc(
        start,
        (np.cos(half), np.sin(half), 0),
        (np.sin(half), -np.cos(half), 0),
        radius=radius,
        angle=2 * half,
    )
    part = elements.Section(np.diag([2e6, 8e5, 8e5, 10.0, 15.0, 15.0]), 1.0, np.diag([2e-4, 1e-4, 1e-4]))
    beam = model.add(elements.Beam(part, line=line, elements=6))
    model.fix(beam.start)
    model.fix(beam.end)
    model.add(elements.Force(beam.nodes[len(beam.nodes) // 2], (0, -load, 0)))
    return model, beam


def test_past_a_limit_point() -> None:
    """Load stepping stops at the limit point with an error; along the path the arch snaps through to the load."""
    model, beam = arch(4000.0)
    crown = beam.nodes[len(beam.nodes) // 2].index
    with pytest.raises(SolverFailure, match="arc_length=True") as stopped:
        find_equilibrium(model)
    lost = float(str(stopped.value).split("load factor ")[1].split()[0])
    with pytest.warns(EquilibriumWarning, match="limit points at"):
        found = find_equilibrium(model, arc_length=True)
    upper, lower = found.path.limits
    assert lost == pytest.approx(upper, rel=1e-3) and lower < upper < 1
    # the crown moves sideways between two points of the falling branch, where other paths cross
    assert len(found.path.bifurcations) == 2
    assert all(lower < load < upper for load in found.path.bifurcations)
    assert found.outputs["position"][crown][1] < -0.05


def test_returns_along_the_path() -> None:
    """A load below that of the limit point is reached on the ascending path, without critical points."""
    model, _ = arch(100.0)
    found = find_equilibrium(model, arc_length=True)
    other = find_equilibrium(model)
    assert found.path.limits == []
    assert found.state.u == pytest.approx(other.state.u, abs=1e-11)


def test_column_above_its_buckling_load_is_told() -> None:
    model = Model()
    part = elements.Section(np.diag([1e7, 1e7, 1e7, 1.0, 1.0, 2.0]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
    beam = model.add(elements.Beam(part, line=elements.Straight((0, 0, 0), (1, 0, 0)), elements=3))
    model.fix(beam.start)
    model.add(elements.Force(beam.end, (-3.0, 0, 0)))
    with pytest.warns(EquilibriumWarning, match="bifurcations at"):
        find_equilibrium(model)


def test_start_from_another_equilibrium() -> None:
    model, beam = blade(G)
    model.fix(beam.start)
    slow = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), 5.0))
    fast = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), 8.0), start=slow)
    direct = find_equilibrium(model, spin=Spin((0, 0, 0), (0, 0, 1), 8.0))
    assert fast.state.u == pytest.approx(direct.state.u, abs=1e-11)
    assert fast.path.iterations < direct.path.iterations


def test_loads_at_a_time() -> None:
    model, body = slider()
    model.add(elements.Force(body.node, np.array([10.0, 0, 0]) * Ramp(0.0, 2.0)))
    found = find_equilibrium(model, time=1.0)
    assert found.outputs["position"][body.node.index][0] == pytest.approx(0.5 + 5.0 / 200)
    assert found.state.time == 1.0


def test_mechanism_and_bad_input() -> None:
    model = Model(gravity=(0, 0, -G), name="loose")
    body = model.add(elements.RigidBody(1.0, np.eye(3), position=(0, 0, 0)))
    with pytest.raises(
        SolverFailure, match=r"'loose' has no equilibrium.*\(0, 0, -9\.81\) N, so it accelerates"
    ):
        find_equilibrium(model)
    with pytest.raises(SolverFailure, match=r"modes of a free structure remove gravity and loads"):
        modes(model)
    model.fix(body.node, rotation=False)
    with pytest.raises(SolverFailure, match=r"model 'loose' at load factor.*support it against rigid motion"):
        find_equilibrium(model)
    with pytest.raises(InputError, match="load_steps is 0"):
        find_equilibrium(model, load_steps=0)
    with pytest.raises(InputError, match="load_factor"):
        find_equilibrium(model, np.inf)
    other, _ = slider()
    with pytest.raises(InputError, match="another model"):
        find_equilibrium(blade()[0], start=find_equilibrium(other))


def test_redundant_supports_share_the_load() -> None:
    """Two joints at the same point carry equal parts, and together the load of a single one."""
    reactions, places = [], []
    for joints_at_end in (1, 2):
        model = Model(gravity=(0, 0, -G), allow_redundant=True)
        part = elements.Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
        beam = model.add(elements.Beam(part, (0, 0, 0), (1, 0, 0), elements=2))
        model.fix(beam.start)
        for _ in range(joints_at_end):
            model.add(joints.Spherical(model.ground, beam.end, at=(1, 0, 0)))
        middle = beam.nodes[3]
        model.add(elements.Force(middle, (0, 300.0, -200.0)))
        found = find_equilibrium(model)
        reactions.append(found.outputs["reaction"][:, :3])
        places.append(found.outputs["position"][middle.index])
    one, two = reactions
    assert two == pytest.approx(np.repeat(0.5 * one, 2, axis=0), rel=1e-6, abs=1e-6)
    assert places[1] == pytest.approx(places[0], abs=1e-11)


def test_what_is_free_to_move_is_named() -> None:
    for joint, free in (
        (joints.Revolute, r"node 'bob.node' can turn about \(0, 0, 1\) without resistance"),
        (
            joints.Prismatic,
            r"nothing holds it against the resultant of its weight and loads, \(0, 0, -9.81\) N",
        ),
    ):
        model = Model(gravity=(0, 0, -9.81))
        bob = model.add(elements.RigidBody(1.0, (1, 1, 1), (1, 0, 0), name="bob")).node
        model.add(joint(model.ground, bob, at=(0, 0, 0), axis=(0, 0, 1)))
        with pytest.raises(SolverFailure, match=free):
            find_equilibrium(model)
