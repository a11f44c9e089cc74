"""Branches: folds, period doublings and free vibrations against published numbers and closed forms."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

import fem_mbd as fm
from fem_mbd.analysis.periodic import arc_length
from fem_mbd.analysis.periodic.arc_length import switched
from fem_mbd.analysis.periodic.bifurcations import (
    TOLERANCE,
    Event,
    Indicators,
    counts,
    events,
    located,
    turned,
)
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Force, JointTorque, PointMass, RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.joints import Revolute
from tests.analysis.periodic.oscillators import AWAY, duffing, state_at, with_stop
from tests.refusals import refused

pytestmark = pytest.mark.slow

FOLD = 1.2696019555  # rad/s, of NLvib's oscillator, the upper one
GAMMA = 0.1
OMEGA = 2.0 / 3.0  # rad/s, of the driven pendulum


def _fold(steps: int) -> float:
    values = {"omega": 1.25}
    orbit = fm.periodic(
        duffing, values, frequency="omega", at=state_at(duffing(values), [2.0], [2.2]), steps=steps
    )
    assert orbit.amplitude > 2.7
    branch = fm.continuation(orbit, "omega", (1.2, 1.3), step=(0.05, 0.2), points=14)
    (fold,) = branch.bifurcations
    assert fold.event == "fold"
    place = int(np.flatnonzero(branch.column("event") == "fold")[0])
    assert all(branch.column("stable")[:place]) and not any(branch.column("stable")[place + 1 :])
    return float(branch.column("omega")[place])


def test_fold_of_duffing_as_published() -> None:
    """The error is of third order in the step: two lengths of it give the number without."""
    coarse, fine = _fold(200), _fold(400)
    assert 6.5 < (coarse - FOLD) / (fine - FOLD) < 9.5
    assert fine + (fine - coarse) / 7.0 == pytest.approx(FOLD, abs=1e-7)


def test_backbone_of_duffing() -> None:
    """Free vibrations have the frequency pi sqrt(1 + gamma A^2)/(2 K(m)), m = gamma A^2/(2 (1 + gamma A^2))."""
    values = {"zeta": 0.0, "force": 0.0, "gamma": GAMMA}
    orbit = fm.nonlinear_mode(duffing, values, amplitude=0.3, steps=200)
    assert orbit.stable
    branch = fm.continuation(orbit, "frequency", (0.9, 1.3), step=(0.1, 0.3))
    assert branch.column("amplitude")[-1] > 2.5
    for one in branch.orbits:
        x, v = one.state.u[1, 0] - AWAY, one.state.v[1, 0]
        energy = 0.5 * v**2 + 0.5 * x**2 + 0.25 * GAMMA * x**4
        square = (np.sqrt(1.0 + 4.0 * GAMMA * energy) - 1.0) / GAMMA
        share = GAMMA * square
        exact = np.pi * np.sqrt(1.0 + share) / (2.0 * ellipk(0.5 * share / (1.0 + share)))
        assert one.frequency == pytest.approx(exact, abs=2e-6)
        assert abs(one.gain) < 1e-5


def test_peak_of_two_masses_with_a_stop_as_published() -> None:
    """NLvib's measure: the root of the sum of squares of the first mass's Fourier coefficients, over root 2."""
    values, peak = {"omega": 0.742}, (0.0, 0.0)
    at = state_at(with_stop(values), [-1.32, -0.58], [0.504, -0.084])
    orbit = fm.periodic(with_stop, values, frequency="omega", at=at, steps=200)
    branch = fm.continuation(orbit, "omega", (0.735, 0.76), points=26, step=(0.05, 0.1), bifurcations=False)
    for one in branch.orbits:
        place = one.result().of("one").position[-200:, 0] - AWAY
        share = np.abs(np.fft.rfft(place)) / len(place)
        size = np.sqrt(share[0] ** 2 + 4.0 * (share[1:] ** 2).sum()) / np.sqrt(2.0)
        peak = max(peak, (float(size), one.frequency))
    assert peak[0] == pytest.approx(0.981, abs=1e-3)
    assert peak[1] == pytest.approx(0.754, abs=1e-3)


def _parametric(values: Mapping[str, float]) -> fm.Model:
    """A pendulum on a support that moves up and down: at rest it loses its stability to a swing of twice the period."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    bob = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.0, 0.0, -1.0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge"))
    lift = np.array([0.0, 0.0, values["lift"]])
    model.add(Force(bob, fm.time_functions.Harmonic(lift, values["omega"])))
    model.add(RotationalSpringDamper(model.ground, bob, (0.0, 1.0, 0.0), 0.0, 0.1))
    return model


def test_period_doubling_and_the_branch_behind_it() -> None:
    values = {"lift": 0.3, "omega": 2.0 * np.sqrt(9.81)}
    orbit = fm.periodic(_parametric, values, frequency="omega", steps=80, settle=0)
    branch = fm.continuation(orbit, "lift", (0.3, 2.0), step=(0.1, 0.2))
    doubling = branch.bifurcations[0]
    assert doubling.event == "period doubling"
    assert min(abs(doubling.orbit.multipliers + 1.0)) < 1e-8
    # Mathieu's equation with damping: |lift|/(m g) = 2 c/(J w0) at the main resonance, to first order in the damping
    inertia = 1.0 + 1e-3
    expected = 2.0 * 0.1 / inertia / np.sqrt(9.81 / inertia) * 9.81
    assert doubling.orbit.values["lift"] == pytest.approx(expected, rel=0.02)
    other = switched(doubling)
    assert other.period == pytest.approx(2.0 * orbit.period)
    assert other.amplitude > 1e-3
    assert abs(other.values["lift"] - doubling.orbit.values["lift"]) < 0.1
    half = np.array([state.u[1, 0] for state in other.states])
    assert half[0] == pytest.approx(-half[1], rel=1e-3, abs=1e-6)


def _pendulum(values: Mapping[str, float]) -> fm.Model:
    """th'' + 0.5 th' + sin th = A cos(2 t/3)."""
    model = fm.Model(gravity=(0.0, 0.0, -1.0))
    bob = model.add(RigidBody(1.0, (1e-9, 1e-9, 1e-9), position=(0.0, 0.0, -1.0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge"))
    model.add(RotationalSpringDamper(model.ground, bob, (0.0, 1.0, 0.0), 0.0, 0.5))
    torque = fm.time_functions.Harmonic(values["A"], OMEGA, phase=0.5 * np.pi)
    model.add(JointTorque(model.ground, bob, (0.0, 1.0, 0.0), torque))
    return model


def _symmetry_is_lost_at() -> float:
    """A at which the symmetric motion of `_pendulum` has the multiplier +1: shooting over half a period by SciPy."""
    half, start = np.pi / OMEGA, np.array([-1.0, 1.5])

    def at_half_period(strength: float, x: Array) -> tuple[Array, Array]:
        def rate(t: float, z: Array) -> list[float]:
            change = np.array([[0.0, 1.0], [-np.cos(z[0]), -0.5]]) @ z[2:].reshape(2, 2)
            return [z[1], -0.5 * z[1] - np.sin(z[0]) + strength * np.cos(OMEGA * t), *change.ravel()]

        z = solve_ivp(rate, (0.0, half), [*x, 1.0, 0.0, 0.0, 1.0], rtol=1e-10, atol=1e-12).y[:, -1]
        return z[:2], z[2:].reshape(2, 2)

    def determinant(strength: float) -> float:
        nonlocal start
        for _ in range(8):  # x at half the period is -x
            end, by_start = at_half_period(strength, start)
            start = start - np.linalg.solve(by_start + np.eye(2), end + start)
        return float(np.linalg.det(by_start @ by_start - np.eye(2)))

    for strength in (0.5, 0.7, 0.9):
        determinant(strength)
    return float(brentq(determinant, 0.99, 1.02, xtol=1e-9))


def test_a_driven_pendulum_loses_its_symmetry() -> None:
    """The branch goes straight on through the branch point, whose place has the error of the steps, of third order."""
    found = []
    for steps in (60, 120):
        orbit = fm.periodic(_pendulum, {"A": 0.98}, period=2.0 * np.pi / OMEGA, settle=20, steps=steps)
        branch = fm.continuation(orbit, "A", (0.96, 1.02), step=(0.2, 0.4))
        (point,) = branch.bifurcations
        assert point.event == "branch point" and point.located
        assert abs(point.orbit.multipliers[0] - 1.0) < TOLERANCE
        assert branch.column("A")[-1] == pytest.approx(1.02) and not branch.points[-1].orbit.stable
        found.append(float(point.orbit.values["A"]))
    exact = _symmetry_is_lost_at()
    assert 6.5 < (found[0] - exact) / (found[1] - exact) < 9.5
    other = switched(point)
    assert abs(other.multipliers[0]) < 1.0  # the branch that crosses is stable: a pitchfork


def test_a_branch_point_where_no_motion_is_found() -> None:
    """A multiplier 1 + 3 x + x^2 along a line, whose Newton iteration ends within 0.01 of the crossing."""

    def at(x: float, near: float) -> float:
        if 0.0 < abs(x) < 1e-7:
            raise SolverFailure("singular")
        return x

    def test(x: float) -> float:
        return -3.0 * x - x**2

    ends = (-0.2, -0.2), (0.4, 0.4)
    place = located(at, test, lambda x: abs(test(x)), ends)
    assert place is not None and abs(test(place)) < TOLERANCE
    # where no motion is found at all, none is said to be the bifurcation
    assert located(lambda x, near: at(1e-8, near), test, lambda x: abs(test(x)), ends) is None


def test_a_multiplier_that_turns_round_at_one_belongs_to_another_branch() -> None:
    """1 - m over equal steps: 0.3, 0.1, then 0.2 on the branch that crosses, -0.1 on the branch itself."""
    assert turned((0.3, 0.1, 0.2), (1.0, 1.0)) and turned((-0.3, -0.1, -0.2), (1.0, 1.0))
    assert not turned((0.3, 0.1, -0.1), (1.0, 1.0))
    assert not turned((0.3, 0.2, 0.25), (1.0, 1.0))
    assert not turned((0.3, 0.1, 0.09), (1.0, 0.1))  # a shorter step, behind which it is not expected at one


def test_a_branch_that_goes_over_to_the_one_that_crosses_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With derivatives kept from the near side Newton's iteration leaves the branch at the branch point."""
    monkeypatch.setattr(arc_length, "CROSSING_NEAR", 0.0)
    orbit = fm.periodic(_pendulum, {"A": 0.97}, period=2.0 * np.pi / OMEGA, settle=30, steps=60)
    branch = fm.continuation(orbit, "A", (0.9, 1.1), step=(0.01, 0.15))
    assert branch.bifurcations[0].event == "branch point"
    assert branch.bifurcations[0].orbit.values["A"] == pytest.approx(_symmetry_is_lost_at(), abs=0.01)


def test_motions_begin_in_the_same_phase_of_their_driver() -> None:
    """A whole number of periods after time zero, from the start on over the whole range; as those from time zero."""
    branches = []
    for start in (0.0, 13.0):
        orbit = fm.periodic(duffing, {"omega": 0.9}, frequency="omega", steps=60, start=start)
        branches.append(fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2)))
    at_zero, later = branches
    assert [one.state.time for one in at_zero.orbits] == [0.0] * len(at_zero.orbits)
    for one in later.orbits:
        assert one.state.time == pytest.approx(3.0 * one.period, rel=1e-14)
        assert one.state.time >= 13.0
    assert later.column("omega") == pytest.approx(at_zero.column("omega"), rel=1e-6)
    assert later.column("amplitude") == pytest.approx(at_zero.column("amplitude"), rel=1e-6)
    assert later.column("multiplier") == pytest.approx(at_zero.column("multiplier"), rel=1e-6)


def test_a_branch_goes_on_from_its_folder(tmp_path: Path) -> None:
    values = {"omega": 0.9}
    orbit = fm.periodic(duffing, values, frequency="omega", steps=60)
    whole = fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2))
    fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2), points=4, folder=tmp_path)
    rest = fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2), folder=tmp_path)
    assert len(rest.points) < len(rest.rows) == len(whole.rows)
    assert rest.column("amplitude") == pytest.approx(whole.column("amplitude"), rel=1e-4)
    again = fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2), folder=tmp_path)
    assert again.rows == rest.rows and not again.points
    assert isinstance(again.column("omega"), np.ndarray) and again.column("event").dtype.kind == "U"
    with pytest.raises(InputError, match="holds a branch with the columns"):
        fm.continuation(orbit, "omega", (0.9, 1.1), of={"x": "max(mass.position[0])"}, folder=tmp_path)


def test_a_branch_that_is_lost_keeps_its_last_motion() -> None:
    """There is no model with less than no damping."""
    orbit = fm.periodic(duffing, {"omega": 0.9, "zeta": 0.01}, frequency="omega", steps=40, settle=40)
    branch = fm.continuation(orbit, "zeta", (-0.1, 0.1), down=True, step=(0.01, 0.02))
    assert 0.0 < branch.column("zeta")[-1] < 0.01
    assert "the branch was lost behind <Orbit" in branch.lost and "must not be negative" in branch.lost


def test_what_is_refused() -> None:
    orbit = fm.periodic(duffing, {"omega": 0.9}, frequency="omega", steps=40)
    refused("did you mean 'omega'", fm.continuation, orbit, "omga", (0.9, 1.0))
    refused("give the smaller value first", fm.continuation, orbit, "omega", (1.0, 0.9))
    refused("no 'positon'", fm.continuation, orbit, "omega", (0.9, 1.0), of={"x": "max(mass.positon[0])"})
    refused("begins at omega = 0.9, outside of within", fm.continuation, orbit, "omega", (1.0, 1.1))
    branch = fm.continuation(orbit, "omega", (0.9, 1.0), points=3)
    refused("give the smaller one first", fm.continuation, orbit, "omega", (0.9, 1.0), step=(0.2, 0.1))
    refused("give the first step, or", fm.continuation, orbit, "omega", (0.9, 1.0), step=(0.1, 0.2, 0.3))
    refused("no bifurcation", lambda: switched(branch.points[0]))
    refused("no column 'peak'", branch.column, "peak")


def _indicators(values: list[complex], slope: float = 1.0, gaps: tuple[float, ...] = ()) -> Indicators:
    return Indicators(slope, np.array(values, complex), np.array(gaps))


def test_events_by_multipliers() -> None:
    inside, pair = _indicators([0.9, 0.5]), [0.6 + 0.7j, 0.6 - 0.7j]
    assert events(inside, _indicators([1.1, 0.5])) == [Event("branch point")]
    assert events(inside, _indicators([1.1, 0.5], slope=-1.0)) == [Event("fold")]
    assert events(_indicators([-0.9, 0.5]), _indicators([-1.1, 0.5])) == [Event("period doubling")]
    assert events(_indicators(pair), _indicators([1.3 * one for one in pair])) == [Event("Neimark-Sacker")]
    # outside the circle a pair may become two real multipliers: nothing happens to stability
    assert events(_indicators([1.3 * one for one in pair]), _indicators([1.2, 1.4])) == []
    assert events(_indicators([0.5], gaps=(0.1, 0.2)), _indicators([0.5], gaps=(0.1, -0.01))) == [
        Event("grazing", 1)
    ]
    assert counts(np.array([1.2, -1.5, 2j, -2j, 0.3])) == (1, 1, 1)


def test_multipliers_on_a_branch_are_those_of_its_motions() -> None:
    orbit = fm.periodic(duffing, {"omega": 0.9}, frequency="omega", steps=100)
    branch = fm.continuation(orbit, "omega", (0.9, 1.1), step=(0.1, 0.2))
    ax = branch.plot("amplitude").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("omega [rad/s]", "amplitude [m]")
    for one in branch.orbits:
        again = fm.periodic(duffing, one.values, frequency="omega", steps=100, at=one.state)
        assert np.abs(one.multipliers - again.multipliers).max() < 1e-6


def _chain(_: Mapping[str, float]) -> fm.Model:
    """Two masses on springs x + x^3/2 each, and a spring between them: motions in and out of phase are exact modes."""
    model = fm.Model()
    one, two = (model.add(PointMass(1.0, (k * AWAY, 0.0, 0.0), name=f"mass {k}")) for k in (1, 2))
    for mass in (one, two):
        model.fix(mass, translation=(False, True, True), rotation=True)
    model.add(SpringDamper(model.ground, one, 1.0, cubic=0.5))
    model.add(SpringDamper(one, two, 1.0))
    model.add(SpringDamper(two, model.ground.at((3.0 * AWAY, 0.0, 0.0)), 1.0, cubic=0.5))
    return model


def _hill(amplitude: float) -> tuple[float, float]:
    """Frequency of x'' + 3 x + x^3/2 = 0, and the trace of y'' + (1 + 1.5 x^2) y = 0 over its period."""
    square = 3.0 + 0.5 * amplitude**2
    omega = 0.5 * np.pi * np.sqrt(square) / ellipk(0.25 * amplitude**2 / square)

    def rate(_: float, z: Array) -> list[float]:
        return [z[1], -3.0 * z[0] - 0.5 * z[0] ** 3, z[3], -(1.0 + 1.5 * z[0] ** 2) * z[2]]

    ends = [
        solve_ivp(rate, (0.0, 2.0 * np.pi / omega), [amplitude, 0.0, *y], rtol=1e-10, atol=1e-12).y[2:, -1]
        for y in np.eye(2)
    ]
    return float(omega), float(ends[0][0] + ends[1][1])


def test_a_mode_loses_its_stability_to_the_other_one() -> None:
    """At a trace of 2 of Hill's equation; as long as multipliers stay on the unit circle nothing is reported."""
    orbit = fm.nonlinear_mode(_chain, mode=2, amplitude=0.05)
    branch = fm.continuation(orbit, "frequency", (1.7, 2.2), step=(0.1, 0.3))
    (found,) = branch.bifurcations
    expected = _hill(brentq(lambda amplitude: _hill(amplitude)[1] - 2.0, 1.5, 1.8))[0]
    assert found.event == "branch point" and "branch point on a branch: <Orbit" in repr(found)
    assert found.orbit.frequency == pytest.approx(expected, abs=2e-5)
    for one in branch.orbits[-3:]:
        amplitude = brentq(lambda a, w=one.frequency: _hill(a)[0] - w, 0.01, 3.0)
        own = one.multipliers[np.argsort(np.abs(one.multipliers - 1.0))[2:]]
        assert own.sum() == pytest.approx(_hill(amplitude)[1], abs=1e-4)


def test_free_vibrations_end_at_rest() -> None:
    """A pendulum's frequency falls as it swings further, pi w0/(2 K(sin^2(a/2))); downwards it comes to rest."""

    def pendulum(_: Mapping[str, float]) -> fm.Model:
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        bob = model.add(RigidBody(1.0, (1e-9, 1e-9, 1e-9), (0.0, 0.0, -1.0), name="bob"))
        model.add(Revolute(model.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        return model

    orbit = fm.nonlinear_mode(pendulum, amplitude=0.05)
    assert repr(orbit).startswith("<Orbit period")
    larger = fm.continuation(
        orbit, "frequency", (2.9, 3.5), of={"x": "max(bob.position[0])"}, step=(0.05, 0.2)
    )
    for frequency, x in zip(larger.column("frequency"), larger.column("x"), strict=True):
        swing = ellipk(np.sin(0.5 * np.arcsin(x)) ** 2)
        assert frequency == pytest.approx(0.5 * np.pi * np.sqrt(9.81) / swing, rel=1e-5)
    smaller = fm.continuation(orbit, "frequency", (2.9, 3.5), down=True, step=(0.05, 0.2))
    assert not smaller.bifurcations and not smaller.lost
    assert smaller.orbits[-1].amplitude < 0.01 * orbit.amplitude
