"""Rigid contacts in runs: bouncing, chattering, double pendulum at a wall, Newton's cradle, ledger, resume, bad input.

Closed forms: F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts (1996), and textbooks.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd import InputError, Model, Simulation, SolverFailure, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.solver import impacts
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.joints import DrivenPrismatic, Prismatic, Revolute, RigidContact
from fem_mbd.runs.results.checks import BOUND
from tests.core.scheme_tools import simulation

G = 9.81


def falling(restitution: float, height: float = 0.5, **options: Any) -> tuple[Model, Any]:
    model = Model((0, 0, -G))
    body = model.add(RigidBody(2.0, (0.1, 0.2, 0.3), (0.3, -0.2, height), name="ball"))
    return model, model.add(
        RigidContact(model.ground, body, restitution, direction=(0, 0, 1), name="floor", **options)
    )


def test_bouncing_ball() -> None:
    """Impacts at t_1 (1 + 2 e + 2 e^2 ...), each with e times the speed; between them the parabola."""
    e, height = 0.7, 0.5
    model, contact = falling(e, height)
    result = fm.simulate(model, 1.5, StepControl.fixed(0.01))
    struck = np.flatnonzero(result.of(contact).impulse)
    first = np.sqrt(2 * height / G)
    times = first * (1 + 2 * np.cumsum(e ** np.arange(1, 40)))
    expected = np.array([first, *times[times < 1.5]])
    assert result.time[struck] == pytest.approx(expected, abs=1e-9)
    speeds = G * first * e ** np.arange(1, len(expected) + 1)
    assert result.of("ball").velocity[struck, 2] == pytest.approx(speeds, rel=1e-8)
    assert result.of(contact).impulse[struck] == pytest.approx(2.0 * speeds * (1 + 1 / e), rel=1e-8)
    lost = 0.5 * 2.0 * (speeds / e) ** 2 * (1 - e**2)
    assert result.energy["dissipation_contact"][struck] == pytest.approx(lost, rel=1e-8)
    assert result.summary["energy"]["relative"] < 1e-12
    assert result.of(contact).gap.min() > -1e-9


def test_chattering_comes_to_rest() -> None:
    """Infinitely many impacts until t_1 (1 + e)/(1 - e); then the contact is closed, without further dissipation."""
    e, height = 0.5, 0.2
    model, contact = falling(e, height, rest_speed=1e-3)
    first = np.sqrt(2 * height / G)
    end = first * (1 + e) / (1 - e)
    result = fm.simulate(model, 1.5 * end, StepControl.fixed(0.01))
    view = result.of(contact)
    rest = int(np.argmax(view.closed > 0.0))
    # a rebound of 1e-3 m/s would continue for 2 v/(g (1 - e))
    assert end - 2 * 1e-3 / (G * (1 - e)) <= result.time[rest] <= end + 1e-9
    assert view.closed[rest:] == pytest.approx(1.0)
    assert view.normal_force[rest + 1 :] == pytest.approx(2.0 * G, rel=1e-9)
    assert result.energy["dissipation_contact"].sum() == pytest.approx(2.0 * G * height, rel=1e-6)
    assert result.summary["energy"]["relative"] < 1e-12


def shaken() -> tuple[Model, Any]:
    """A ball on a table that is shaken by 0.05 sin(20 t) m."""
    model = Model((0, 0, -G))
    table = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="table"))
    shake = fm.time_functions.Harmonic(0.05, 20.0)
    model.add(DrivenPrismatic(model.ground, table, at=(0, 0, 0), axis=(0, 0, 1), displacement=shake))
    ball = model.add(RigidBody(2.0, (0.1, 0.2, 0.3), (0, 0, 0.1), name="ball"))
    model.set_velocity([table, ball], (0, 0, 1.0))
    return model, model.add(RigidContact(table, ball, 0.0, direction=(0, 0, 1), radius=0.1, name="floor"))


def test_a_contact_that_would_pull_opens() -> None:
    """It leaves the table when that falls faster than g, 20 t_0 = asin(g/(0.05 20^2)), flies, lands, and sticks."""
    model, contact = shaken()
    result = fm.simulate(model, 0.3, StepControl.fixed(2e-3))
    leaves = np.arcsin(G / (0.05 * 20.0**2)) / 20.0
    place, speed = 0.05 * np.sin(20.0 * leaves), np.cos(20.0 * leaves)

    def gap(t: float) -> float:
        return float(place + speed * (t - leaves) - 0.5 * G * (t - leaves) ** 2 - 0.05 * np.sin(20.0 * t))

    lands = brentq(gap, leaves + 0.02, 0.3)
    view, t = result.of(contact), result.time
    flying = view.closed == 0.0
    assert t[flying].min() == pytest.approx(leaves, abs=2.1e-3)
    assert t[np.flatnonzero(view.impulse)] == pytest.approx([lands], abs=1e-6)
    assert not flying[t < leaves].any() and flying[(t > leaves + 2.1e-3) & (t < lands - 1e-9)].all()
    # the mean of a step is the force at its middle, but for dt^2/24 of its second derivative, 2 20^4 0.05
    stays, dt = t < leaves, result.step["dt"]
    push = 2.0 * (G - 20.0**2 * 0.05 * np.sin(20.0 * (t - 0.5 * dt)))
    assert view.normal_force[stays] == pytest.approx(
        push[stays], abs=1.5 * 2e-3**2 / 24 * 2.0 * 20.0**4 * 0.05
    )
    assert result.summary["energy"]["relative"] < 1e-11


def test_an_open_contact_cannot_be_opened() -> None:
    """Bodies that are inside each other for all of a step, however short it is, have been driven there."""
    sim = Simulation(falling(0.5)[0], 1.0, StepControl.fixed(0.01))
    with pytest.raises(SolverFailure, match="'floor': at t = 0 s its bodies penetrate each other"):
        sim.impacts._open(0)


def double_pendulum(law: str, e: float) -> tuple[Model, Any]:
    """Two rods, hanging at angles, whose lower end strikes a wall; ideal joints carry impulses."""
    model = Model((0, 0, 0))
    lengths, masses, angles = (0.8, 0.6), (1.5, 0.9), (0.3, 0.7)
    at, bodies = np.zeros(3), []
    before: Any = model.ground
    for n, (length, mass, angle) in enumerate(zip(lengths, masses, angles, strict=True)):
        along = np.array([np.sin(angle), 0, -np.cos(angle)])
        inertia = mass * length**2 / 12
        body = model.add(
            RigidBody(mass, (inertia, inertia, inertia), at + 0.5 * length * along, name=f"rod {n}")
        )
        model.add(Revolute(before, body, at=at, axis=(0, 1, 0)))
        at, before = at + length * along, body
        bodies.append(body)
    model.set_velocity(bodies[0], omega=(0, -1.2, 0), about=(0, 0, 0))
    elbow = 0.8 * np.array([np.sin(0.3), 0, -np.cos(0.3)])
    model.set_velocity(bodies[1], np.cross((0, -1.2, 0), elbow), (0, -0.7, 0), about=elbow)
    tip = bodies[1].node.at_global(at)
    wall = model.ground.at_global(at + (1e-9, 0, 0))
    return model, model.add(RigidContact(wall, tip, e, direction=(-1, 0, 0), law=law, name="wall"))  # type: ignore[arg-type]


def generalised(at: tuple[float, float]) -> tuple[Array, Array]:
    """Mass matrix of the double pendulum in the rods' absolute angles, and the tip's derivative along x."""
    (l1, l2), (m1, m2) = (0.8, 0.6), (1.5, 0.9)
    c = np.cos(at[1] - at[0])
    mass = np.array([[(m1 / 3 + m2) * l1**2, m2 * l1 * l2 * c / 2], [m2 * l1 * l2 * c / 2, m2 * l2**2 / 3]])
    return mass, np.array([l1 * np.cos(at[0]), l2 * np.cos(at[1])])


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_double_pendulum_strikes_a_wall(law: str, e: float) -> None:
    """In two coordinates: dq' = -(1 + e) M^-1 w (w . q')/(w . M^-1 w). One frictionless impact has one answer."""
    model, contact = double_pendulum(law, e)
    result = fm.simulate(model, 1e-3, StepControl.fixed(1e-3))
    struck = int(np.flatnonzero(result.of(contact).impulse)[0])
    mass, w = generalised((0.3, 0.7))
    rates = np.array([1.2, 0.7])
    response = np.linalg.solve(mass, w)
    impulse = (1 + e) * (w @ rates) / (w @ response)
    after = rates - impulse * response
    found = [-result.of(f"rod {n}").angular_velocity[struck, 1] for n in (0, 1)]
    assert found == pytest.approx(after, abs=1e-6)
    assert result.of(contact).impulse[struck] == pytest.approx(impulse, rel=1e-6)
    lost = 0.5 * (rates @ mass @ rates - after @ mass @ after)
    assert result.energy["dissipation_contact"][struck] == pytest.approx(lost, abs=1e-6)


def cradle(law: str, count: int = 4, e: float = 1.0) -> Model:
    """Equal balls in a row in contact, on rails along x; the first one has 1 m/s."""
    model = Model((0, 0, 0))
    balls = []
    for n in range(count):
        ball = model.add(
            RigidBody(1.0, (1e-2,) * 3, (0.1 * n - (0.05 if n == 0 else 0.0), 0, 0), name=f"ball {n}")
        )
        model.add(Prismatic(model.ground, ball, at=ball.node.position, axis=(1, 0, 0)))
        balls.append(ball)
    for left, right in zip(balls[:-1], balls[1:], strict=True):
        model.add(RigidContact(left, right, e, direction=(1, 0, 0), radius=0.1, law=law))  # type: ignore[arg-type]
    model.set_velocity(balls[0], (1.0, 0, 0))
    return model


@pytest.mark.parametrize(
    ("law", "velocities"),
    [
        ("sequential", [0.0, 0.0, 0.0, 1.0]),
        ("newton", [-0.5, 0.5, 0.5, 0.5]),
        ("poisson", [-0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_newtons_cradle(law: str, velocities: list[float]) -> None:
    """Equal balls, e = 1: one after the other the last one leaves; all at once the others leave together."""
    model = cradle(law)
    result = fm.simulate(model, 0.1, StepControl.fixed(0.01))
    found = [result.of(f"ball {n}").velocity[-1, 0] for n in range(4)]
    assert found == pytest.approx(velocities, abs=1e-9)
    assert result.energy["dissipation_contact"].sum() == pytest.approx(0.0, abs=1e-12)
    assert result.summary["energy"]["relative"] < BOUND
    # the error of a step is that of Newton's method with an old factorisation; impacts have none
    exact = fm.run(
        Simulation(model, 0.1, StepControl.fixed(0.01), newton=fm.NewtonOptions(reuse=False)), progress=False
    )
    assert exact.summary["energy"]["relative"] < 1e-15


def test_steps_with_impacts_are_cut_where_they_happen_and_named() -> None:
    model, _ = falling(0.7)
    sim = Simulation(model, 1.0, StepControl.fixed(0.01))
    rules = [record.rule for record in sim.steps()]
    assert rules.count("impact") == 2  # at 0.319 and 0.766 s


def test_resume_is_bit_for_bit(tmp_path: Path) -> None:
    """A run interrupted during chatter and resumed is identical to the uninterrupted one."""
    whole = simulation(falling(0.5)[0], 0.01, 1.2)
    half = simulation(falling(0.5)[0], 0.01, 1.2)
    stored: list[tuple[Array, dict[str, float]]] = []
    for record in half.steps():
        half.hooks.solver_reset()
        stored.append((half.state.to_flat(), half.hooks.controller_state()))
        if record.time > 0.8:
            break
    for _ in whole.steps():
        whole.hooks.solver_reset()
    again = simulation(falling(0.5)[0], 0.01, 1.2)
    again.state.fill_from_flat(stored[-1][0])
    again.hooks.resume_from(stored[-1][1])
    for _ in again.steps():
        again.hooks.solver_reset()
    assert np.array_equal(again.state.to_flat(), whole.state.to_flat())


def test_bad_input() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 1), name="body"))
    for options, message in (
        ({"restitution": 1.2}, "restitution is 1.2: give 0 to 1"),
        ({"restitution": -0.1}, "restitution is -0.1"),
        ({"radius": -0.1}, "radius is -0.1"),
        ({"rest_speed": 0.0}, "rest_speed"),
        ({"law": "newtn"}, "did you mean"),
        ({"direction": None}, "direction"),
    ):
        with pytest.raises(InputError, match=message):
            RigidContact(model.ground, body, **{"restitution": 0.5, "direction": (0, 0, 1), **options})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="and itself"):
        model.add(RigidContact(body, body, 0.5, direction=(0, 0, 1)))


def test_models_that_are_refused() -> None:
    model, _ = falling(0.5, -0.01)
    with pytest.raises(InputError, match=r"'floor': its bodies overlap by 0\.01 m"):
        fm.simulate(model, 0.1, StepControl.fixed(0.01))
    model, _ = falling(0.5)
    model.add(RigidContact(model.ground, model.nodes[1], 0.5, direction=(0, 0, 1), law="poisson"))
    with pytest.raises(InputError, match="must have the same impact law: here are newton, poisson"):
        fm.simulate(model, 0.1, StepControl.fixed(0.01))
    model, _ = falling(0.5)
    beam = model.add(Beam(Section.circle(0.01, Material(7e10, 0.3, 2700)), (1, 0, 1), (2, 0, 1)))
    model.fix(beam.start)
    with pytest.raises(InputError, match="has beams"):
        fm.simulate(model, 0.1, StepControl.fixed(0.01))


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_a_contact_that_is_pushed_again_while_another_one_expands(e: float) -> None:
    """A ball falls on an equal one that rests on the floor, whose contact is plastic: by Poisson's law the floor takes
    both the compression m v and what the other contact gives back, e m v; the lower ball stays, the upper one returns
    with e v."""
    m, v = 2.0, 3.0
    mobility = np.array([[1.0, -1.0], [-1.0, 2.0]]) / m  # of floor and balls
    before, restitution = np.array([0.0, -v]), np.array([0.0, e])
    impulse = impacts.poisson(mobility, before, restitution)
    assert impulse == pytest.approx((1.0 + e) * m * v * np.ones(2), abs=1e-12)
    assert before + mobility @ impulse == pytest.approx([0.0, e * v], abs=1e-12)
