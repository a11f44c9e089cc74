"""Periodic motions and their multipliers against closed forms and published numbers, and what is refused."""

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fem_mbd as fm
from fem_mbd.analysis.periodic.orbit import multipliers
from fem_mbd.base.arrays import Array
from fem_mbd.elements import (
    Beam,
    Force,
    JointTorque,
    Material,
    PointMass,
    RigidBody,
    RotationalSpringDamper,
    Section,
    SpringDamper,
)
from fem_mbd.errors import InputError
from fem_mbd.joints import Revolute, RigidContact, RollingBall
from tests.analysis.periodic.oscillators import AWAY, duffing, state_at
from tests.refusals import refused

# NLvib's oscillator at omega = 1.2: its large motion at the start of the period, and its multipliers
AT_12, MULTIPLIERS = (
    (1.3342434848, 2.5429490024),
    np.array([0.80986415 + 0.33732103j, 0.80986415 - 0.33732103j]),
)
NEAR = (1.33, 2.5)


def _large(steps: int, segments: int = 1) -> fm.Orbit:
    values = {"omega": 1.2}
    at = state_at(duffing(values), [NEAR[0]], [NEAR[1]])
    return fm.periodic(duffing, values, frequency="omega", at=at, steps=steps, segments=segments)


def _start(orbit: fm.Orbit) -> Array:
    return np.array([orbit.state.u[1, 0] - AWAY, orbit.state.v[1, 0]])


def test_duffing_as_published() -> None:
    coarse, orbit = _large(500), _large(1000)
    assert orbit.stable
    assert np.abs(orbit.multipliers - MULTIPLIERS).max() < 1e-6
    # the scheme is of third order: with the larger steps what is left is eight times as much
    extrapolated = _start(orbit) + (_start(orbit) - _start(coarse)) / 7.0
    assert np.abs(_start(orbit) - AT_12).max() < 1e-6
    assert np.abs(extrapolated - AT_12).max() < 1e-8


def test_multipliers_do_not_depend_on_segments() -> None:
    expected = _large(200).multipliers
    for segments in (3, 5, 20):
        orbit = _large(200, segments)
        assert len(orbit.states) == segments
        assert np.abs(orbit.multipliers - expected).max() < 1e-9


@pytest.mark.parametrize(("force", "place"), [(1e-6, 1.0), (1e-9, 1.0), (1e-6, 1e3), (1e-9, 1e3)])
@pytest.mark.parametrize("settle", [0, 10])
def test_small_motion_far_from_the_origin(force: float, place: float, settle: int) -> None:
    """x = Im(H exp(i w t)), H = F/(k - m w^2 + i c w), to the scheme's error of 200 steps and the round-off of places.

    (w h)^3 = 3e-5 bounds the error of the third-order scheme; places have the round-off 2^-53 of their size, and errors
    of a step's end by it are kept for 1/(1 - exp(-c T/2)) = 5 periods of 200 steps, so that 30 of them add up.
    """
    omega = 7.0

    def build(_: Mapping[str, float]) -> fm.Model:
        model = fm.Model()
        mass = model.add(PointMass(1.0, (place, 0, 0), name="mass"))
        model.fix(mass, translation=(False, True, True), rotation=True)
        model.add(SpringDamper(model.ground.at((place - 1.0, 0, 0)), mass, 100.0, 0.5))
        model.add(Force(mass, fm.time_functions.Harmonic((force, 0, 0), omega)))
        return model

    orbit = fm.periodic(build, period=2 * np.pi / omega, settle=settle)
    response = force / (100.0 - omega**2 + 0.5j * omega)
    allowed = 3e-5 + 30 * 2.0**-53 * place / abs(response)
    found = np.array([orbit.state.u[1, 0] - place, orbit.state.v[1, 0] / omega])
    assert found / abs(response) == pytest.approx(
        np.array([response.imag, response.real]) / abs(response), abs=allowed
    )


def test_linear_oscillator() -> None:
    """Its multipliers are exp((-zeta +- i sqrt(1 - zeta^2)) w T), whatever drives it; the error is of third order."""
    ratio, omega = 0.03, 0.7
    exact = np.exp((-ratio + 1j * np.sqrt(1.0 - ratio**2)) * 2.0 * np.pi / omega)
    values = {"omega": omega, "zeta": 2.0 * ratio, "gamma": 0.0}
    errors = []
    for steps in (50, 100):
        orbit = fm.periodic(duffing, values, frequency="omega", steps=steps, settle=3)
        errors.append(
            np.abs(orbit.multipliers[0 if orbit.multipliers[0].imag * exact.imag > 0 else 1] - exact)
        )
        assert orbit.solution.iterations <= 4
    assert errors[1] < 2e-4
    assert 7.0 < errors[0] / errors[1] < 9.0


def test_product_of_graded_matrices() -> None:
    """Multipliers near one stay beside large ones, where the product has lost seven digits of them."""
    random = np.random.default_rng(2)
    turns = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(20)]
    sizes = np.array([3.0, 1.0, 0.1])
    blocks = [
        turns[(k + 1) % 20] @ (np.diag(sizes) + np.triu(random.normal(size=(3, 3)), 1)) @ turns[k].T
        for k in range(20)
    ]
    found, _ = multipliers(blocks)
    assert found[0] == pytest.approx(3.0**20, rel=1e-6)
    assert np.abs(found[1:] - sizes[1:] ** 20).max() < 1e-10


def test_constrained_motion_as_an_unconstrained_one() -> None:
    """A pendulum on a hinge with a spring, and the same on a node whose other motions are fixed."""

    def build(values: Mapping[str, float]) -> fm.Model:
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        free = values["hinge"] > 0.0
        bob = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.0, 0.0, -1.0), name="bob"))
        anchor = model.add(PointMass(1.0, (5.0, 0.0, -1.0)))
        model.fix(anchor)
        if free:
            model.add(Revolute(model.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        model.add(SpringDamper(bob, anchor, 2.0, 0.3, cubic=1.0))
        model.add(Force(bob, fm.time_functions.Harmonic((4.0, 0.0, 0.0), values["omega"])))
        return model

    orbit = fm.periodic(
        build, {"omega": 3.0, "hinge": 1.0}, frequency="omega", steps=100, settle=5, segments=2
    )
    assert orbit.state.u.shape == (3, 3)
    assert orbit.monodromy.shape == (2, 2)
    # differences of runs, of the package's Floquet analysis
    model = build({"omega": 3.0, "hinge": 1.0})
    expected = fm.floquet(model, orbit.period, steps=100, at=orbit.state).multipliers
    assert orbit.multipliers == pytest.approx(expected, abs=1e-6)


def test_what_is_refused() -> None:
    values = {"omega": 1.2}
    refused("give the period", fm.periodic, duffing, values)
    refused("did you mean 'omega'", fm.periodic, duffing, values, frequency="omga")
    refused("give fewer segments", fm.periodic, duffing, values, frequency="omega", steps=10, segments=11)
    refused("does not repeat itself after 2 s", fm.periodic, duffing, values, period=2.0)
    refused("not autonomous or free", fm.periodic, duffing, values, period=7.0, autonomous=True)
    refused("omega, the driver's frequency, is zero", fm.periodic, duffing, {"omega": 0.0}, frequency="omega")
    refused("asks for parameter 'omega'", fm.periodic, duffing, {"zeta": 0.1}, period=7.0)
    damped = {"zeta": 0.1, "force": 0.0}
    refused("leave dampers", fm.nonlinear_mode, duffing, damped, amplitude=0.1)
    refused("it has to return a Model", fm.periodic, lambda _: 3, values, period=1.0)
    refused("give a Model, or a function", fm.periodic, 3, values, period=1.0)


def test_models_that_are_refused() -> None:
    def ball(part: str) -> fm.Model:
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        one = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.0, 0.0, 0.5)))
        if part == "rolling":
            model.add(RollingBall(model.ground, one, 0.5, direction=(0.0, 0.0, 1.0)))
        elif part == "rigid":
            model.add(RigidContact(model.ground, one, 0.5, direction=(0.0, 0.0, 1.0)))
        else:
            model.add(Force(one, lambda t: np.array([np.sin(t), 0.0, 0.0])))
        return model

    for part, message in (
        ("rolling", "rolling joints"),
        ("rigid", "rigid contacts"),
        ("python", "in Python"),
    ):
        with pytest.raises(InputError, match=message):
            fm.periodic(ball(part), period=1.0, settle=0)


def test_no_periodic_motion() -> None:
    """A mass that nothing holds is driven away."""
    model = fm.Model()
    mass = model.add(PointMass(1.0, (1.0, 0.0, 0.0)))
    model.add(Force(mass, (1.0, 0.0, 0.0)))
    with pytest.raises(fm.SolverFailure, match=r"singular|no periodic motion"):
        fm.periodic(model, period=1.0, settle=1)


def test_a_motion_with_unknown_period() -> None:
    """A pendulum that a constant torque turns over against a damper: its period is that of a long run."""
    inertia, torque, damping = 1.0 + 0.1, 12.0, 1.5
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    bob = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.0, 0.0, -1.0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge"))
    model.add(RotationalSpringDamper(model.ground, bob, (0.0, 1.0, 0.0), 0.0, damping))
    model.add(JointTorque(model.ground, bob, (0.0, 1.0, 0.0), torque))
    model.set_velocity(bob, omega=(0.0, 8.0, 0.0), about=(0.0, 0.0, 0.0))

    def rate(_t: float, s: Array) -> list[float]:
        return [s[1], (torque - damping * s[1] - 9.81 * np.sin(s[0])) / inertia]

    def turned(_t: float, s: Array) -> float:
        return float(np.sin(0.5 * s[0]))

    run = solve_ivp(rate, (0.0, 40.0), (0.0, 8.0), events=turned, rtol=1e-11, atol=1e-12)
    period = run.t_events[0][-1] - run.t_events[0][-2]
    orbit = fm.periodic(model, period=1.02 * period, autonomous=True, settle=8, steps=400)
    assert orbit.period == pytest.approx(period, rel=1e-6)
    assert min(abs(orbit.multipliers - 1.0)) < 1e-6 and orbit.stable
    # Liouville: the product of the multipliers is what damping leaves of areas in a period
    assert np.prod(orbit.multipliers).real == pytest.approx(np.exp(-damping / inertia * period), rel=1e-4)


def test_modes_of_a_slender_strip_are_those_of_the_linear_model() -> None:
    """1 m of steel, 20 mm x 2 mm, clamped: the lowest mode is 1e-10 of the highest eigenvalue."""
    steel = Material(young=210e9, poisson=0.3, density=7850)
    model = fm.Model()
    section = Section.rectangle(width=0.02, height=0.002, material=steel)
    strip = model.add(Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=2, name="strip"))
    model.fix(strip.start)
    found = fm.nonlinear_mode(model, amplitude=1e-4, steps=100)
    assert 1.0 / found.period == pytest.approx(fm.modes(model, 1).frequencies_hz[0], rel=1e-4)
    assert 1.0 / found.period == pytest.approx(1.671, rel=5e-3)  # 1.875^2 sqrt(EI/m)/(2 pi)
