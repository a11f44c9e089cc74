"""Gradients against closed forms: dry friction with reversals, an impact's peak, a mass on a beam, a top."""

from collections.abc import Mapping

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, Force, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.friction import Coulomb, Linear
from fem_mbd.joints import Clamp, PointOnPlane, Spherical

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")]
METHODS = pytest.mark.parametrize("method", ["forward", "adjoint"])
GRAVITY = 9.81


@METHODS
def test_oscillator_with_dry_friction(method: str) -> None:
    """Released at x0 from rest, at omega t = 1.75 pi, after one reversal.

    With d = mu m g/k: x = -d - (x0 - 3 d) cos(omega t - pi), so by mu: (m g/k)(-1 + 3 cos(0.75 pi)).
    """
    mass, stiffness, start = 1.0, 100.0, 0.5
    end = 1.75 * np.pi / np.sqrt(stiffness / mass)

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -GRAVITY))
        block = model.add(PointMass(mass, position=(2.0 + start, 0, -mass * GRAVITY / 1e7), name="block"))
        model.add(SpringDamper(model.ground, block, stiffness, length=2.0, name="spring"))
        model.add(PointOnPlane(model.ground, block, Linear(1e7), Coulomb(values["mu"], 1e-5)))
        return fm.Simulation(model, end, fm.StepControl.fixed(end / 1600))

    found = fm.gradient(build, {"x": "final(block.position[0])"}, {"mu": 0.4}, method=method)
    weight, cosine = mass * GRAVITY / stiffness, np.cos(0.75 * np.pi)
    assert found.values[0] - 2.0 == pytest.approx(-0.4 * weight - (start - 1.2 * weight) * cosine, abs=1e-4)
    assert found.of("x", "mu") == pytest.approx(weight * (-1.0 + 3.0 * cosine), rel=2e-3)


@METHODS
def test_largest_force_of_an_elastic_impact(method: str) -> None:
    """v sqrt(k m), of a mass that meets a linear contact: by k and m half of it over each, by v sqrt(k m)."""
    values, gap = {"stiffness": 1e5, "mass": 0.4, "speed": 1.5}, 1e-3
    # in the middle of a step: forces are means over steps, and an extreme keeps its step
    peak_time = gap / values["speed"] + 0.5 * np.pi * np.sqrt(values["mass"] / values["stiffness"])

    def build(given: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        ball = model.add(PointMass(given["mass"], position=(0, 0, gap), name="ball"))
        model.add(PointOnPlane(model.ground, ball, Linear(given["stiffness"]), name="contact"))
        model.set_velocity(ball, (0, 0, -given["speed"]))
        return fm.Simulation(model, 1.25 * peak_time, fm.StepControl.fixed(peak_time / 400.5))

    found = fm.gradient(build, {"peak": "max(contact.normal_force)"}, values, method=method)
    peak = values["speed"] * np.sqrt(values["stiffness"] * values["mass"])
    assert found.values[0] == pytest.approx(peak, rel=1e-4)
    for name, power in (("stiffness", 0.5), ("mass", 0.5), ("speed", 1.0)):
        assert found.of("peak", name) == pytest.approx(power * peak / values[name], rel=1e-3)


@METHODS
def test_frequency_of_a_mass_on_a_beam(method: str) -> None:
    """A force F begins to act on a heavy tip: x = (F/k)(1 - cos omega t), k = 3 EI/L^3, omega^2 = k/m."""
    length, mass, force, bending = 1.0, 2.0, 1e-3, 50.0
    stiffness = 3.0 * bending / length**3
    omega = np.sqrt(stiffness / mass)
    end = 2.0 / omega

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        rigid = 1e7
        section = Section(
            np.diag([rigid, rigid, rigid, rigid, values["EI"], values["EI"]]), 1e-7, np.diag([1e-9] * 3)
        )
        beam = model.add(Beam(section, (0, 0, 0), (length, 0, 0), elements=2, order=4, name="beam"))
        model.add(Clamp(model.ground, beam.start))
        tip = model.add(PointMass(values["mass"], node=beam.end, name="tip"))
        model.add(Force(beam.end, (0, 0, force)))
        assert tip.node is not None
        return fm.Simulation(model, end, fm.StepControl.fixed(end / 200))

    found = fm.gradient(build, {"z": "final(tip.position[2])"}, {"EI": bending, "mass": mass}, method=method)
    x, phase = force / stiffness * (1.0 - np.cos(omega * end)), omega * end
    swing = force / stiffness * np.sin(phase) * phase / 2.0
    assert found.values[0] == pytest.approx(x, rel=1e-4)
    assert found.of("z", "EI") == pytest.approx((swing - x) / bending, rel=1e-4)
    assert found.of("z", "mass") == pytest.approx(-swing / mass, rel=1e-4)


@METHODS
def test_precession_of_a_top(method: str) -> None:
    """Steady, I1 W^2 cos a - I3 s W + m g l = 0 with the spin s about its axis: dW/ds = I3 W/(2 I1 W cos a - I3 s).

    Its mass centre is at l sin a (cos W t, sin W t), and all initial velocities follow from the spin.
    """
    mass, arm, tilt, transverse, axial = 1.0, 0.3, 0.4, 0.02, 0.03
    about_pivot, end = transverse + mass * arm**2, 0.5
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])

    def rate(spin: float) -> float:
        b, a = axial * spin, about_pivot * np.cos(tilt)
        return float((b - np.sqrt(b * b - 4.0 * a * mass * GRAVITY * arm)) / (2.0 * a))

    def build(values: Mapping[str, float]) -> fm.Simulation:
        spin = values["spin"]
        model = fm.Model(gravity=(0, 0, -GRAVITY))
        tensor = transverse * np.eye(3) + (axial - transverse) * np.outer(axis, axis)
        body = model.add(RigidBody(mass, tensor, arm * axis, name="top"))
        model.add(Spherical(model.ground, body, at=(0, 0, 0)))
        turning = rate(spin)
        omega = np.array([0.0, 0.0, turning]) + (spin - turning * np.cos(tilt)) * axis
        model.set_velocity(body, omega=omega, about=(0, 0, 0))
        return fm.Simulation(model, end, fm.StepControl.fixed(end / 400))

    spin = 60.0
    found = fm.gradient(build, {"y": "final(top.position[1])"}, {"spin": spin}, method=method)
    turning = rate(spin)
    by_spin = axial * turning / (2.0 * about_pivot * turning * np.cos(tilt) - axial * spin)
    radius = arm * np.sin(tilt)
    assert found.values[0] == pytest.approx(radius * np.sin(turning * end), rel=1e-5)
    assert found.of("y", "spin") == pytest.approx(radius * np.cos(turning * end) * end * by_spin, rel=1e-4)


@METHODS
def test_means_of_an_oscillation(method: str) -> None:
    """x = x0 cos(omega t) from time 0 to T: mean x0 sin(omega T)/(omega T), by x0 and by the stiffness.

    Up to the first end of a step the value there counts: x0 (omega dt)^2/2 too little over dt at most, beside the
    trapezoidal rule's x0 (omega dt)^2/12 over T.
    """
    stiffness, start, end, steps = 4.0, 0.3, 2.0, 200

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        mass = model.add(PointMass(1.0, position=(2.0 + values["start"], 0, 0), name="mass"))
        model.add(SpringDamper(model.ground, mass, values["stiffness"], length=2.0, name="spring"))
        return fm.Simulation(model, end, fm.StepControl.fixed(end / steps))

    found = fm.gradient(
        build,
        {"mean": "mean(mass.position[0])", "rms": "rms(mass.velocity[0])"},
        {"start": start, "stiffness": stiffness},
        method=method,
    )
    omega = np.sqrt(stiffness)
    turn = omega * end
    share = np.sin(turn) / turn
    error = (omega * end / steps) ** 2 * (1.0 / 12.0 + 0.5 / steps)
    assert found.values[0] - 2.0 == pytest.approx(start * share, abs=start * error)
    assert found.of("mean", "start") == pytest.approx(share, abs=error)
    by_turn = start * (np.cos(turn) - share) / turn
    assert found.of("mean", "stiffness") == pytest.approx(by_turn * 0.5 * turn / stiffness, abs=error)
    # velocities -x0 omega sin(omega t)
    size = start * omega * np.sqrt(0.5 - 0.25 * np.sin(2.0 * turn) / turn)
    assert found.values[1] == pytest.approx(size, rel=4.0 * error)
    assert found.of("rms", "start") == pytest.approx(size / start, rel=4.0 * error)


@METHODS
def test_free_turns_of_a_symmetric_body(method: str) -> None:
    """Euler's equations: omega_1 + i omega_2 = w exp(i (C - A) n t/A), with w and n across and about the axis."""
    values, end = {"A": 2.0, "C": 3.0, "w": 0.5, "n": 2.0}, 2.0

    def build(given: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        body = model.add(
            RigidBody(1.0, (given["A"], given["A"], given["C"]), position=(0, 0, 0), name="body")
        )
        model.set_velocity(body, omega=(given["w"], 0, given["n"]))
        return fm.Simulation(model, end, fm.StepControl.fixed(end / 200))

    of = {"one": "final(body.omega[0])", "two": "final(body.omega[1])"}
    found = fm.gradient(build, of, values, method=method)
    turn = (values["C"] - values["A"]) * values["n"] * end / values["A"]
    omega = values["w"] * np.exp(1j * turn)
    by_turn = {
        "A": -values["C"] * values["n"] * end / values["A"] ** 2,
        "C": values["n"] * end / values["A"],
        "n": turn / values["n"],
    }
    for name in values:
        exact = omega / values["w"] if name == "w" else 1j * omega * by_turn[name]
        assert found.of("one", name) == pytest.approx(exact.real, abs=1e-6)
        assert found.of("two", name) == pytest.approx(exact.imag, abs=1e-6)
