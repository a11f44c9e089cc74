"""Tests of rotors and blades in rotation against closed forms, and of the two frames against each other."""

import warnings

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.joints import Revolute, Spherical, Universal

AXIS = (1.0, 0.0, 0.0)
EI, LENGTH, MASS, JT, JP = 2e3, 1.0, 10.0, 0.3, 0.5


def shaft(damping: float = 0.0, bearings: tuple[float, float] | None = None, EI3: float = EI) -> fm.Model:
    """A light shaft with a disc in the middle, on supports or on springs of two stiffnesses (N/m, along y and z)."""
    section = Section(np.diag([1e8, 1e9, 1e9, 1e4, EI, EI3]), 1e-6, np.diag([2e-9, 1e-9, 1e-9]))
    model = fm.Model()
    left = model.add(Beam(section, (0, 0, 0), (LENGTH / 2, 0, 0), elements=1, damping=damping))
    right = model.add(Beam(section, left.end, (LENGTH, 0, 0), elements=1, damping=damping))
    model.add(RigidBody(MASS, (JP, JT, JT), node=left.end))
    for end in (left.start, right.end):
        if bearings is None:
            model.add(Spherical(model.ground, end, at=end.position))
            continue
        housing = model.add(PointMass(1e-6, position=end.position)).node
        model.add(Spherical(housing, end, at=end.position))
        for stiffness, away in zip((1e6, *bearings), 100.0 * np.eye(3), strict=True):
            model.add(SpringDamper(model.ground.at(end.position + away), housing, stiffness=stiffness))
    return model


def test_articulated_blade() -> None:
    """A rigid blade hinged at e from the axis: flap at Omega sqrt(1 + 3e/2(1 - e)), lag without the 1."""
    e, speed = 0.1, 5.0
    rigid = Section(np.diag([1e9, 1e8, 1e8, 1e6, 1e6, 1e6]), 1.0, np.diag([2e-8, 1e-8, 1e-8]))
    for axis, one in (((0, 1, 0), 1.0), ((0, 0, 1), 0.0)):
        model = fm.Model(gravity=(9.81, 0, 0))  # turns in the rotating frame: without effect
        blade = model.add(Beam(rigid, (e, 0, 0), (1, 0, 0), elements=3))
        model.add(Revolute(model.ground, blade.start, axis=axis, at=(e, 0, 0)))
        found = fm.modes(model, 1, spin=fm.Spin((0, 0, 0), (0, 0, 1), speed))
        expected = speed * np.sqrt(one + 1.5 * e / (1 - e))
        assert 2 * np.pi * found.frequencies_hz == pytest.approx([expected], rel=2e-5)


def test_blade_on_a_universal_joint() -> None:
    """Lag and flap at once, at Omega sqrt(3e/2l) and Omega sqrt(1 + 3e/2l) of a stiff blade of length l.

    Before it is stressed by its rotation the blade's lag stiffness is negative and flap has none.
    """
    e, length, speed = 0.5, 4.5, 20.0
    section = Section(np.diag([1e9, 1e9, 1e9, 1e6, 1e6, 1e6]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
    model = fm.Model()
    blade = model.add(Beam(section, (e, 0, 0), (e + length, 0, 0), elements=4))
    model.add(Universal(model.ground.at((e, 0, 0)), blade.start, axis_k=(0, 0, 1), axis_l=(0, 1, 0)))
    found = fm.modes(model, 2, spin=fm.Spin((0, 0, 0), (0, 0, 1), speed))
    lag = 1.5 * e / length
    assert 2 * np.pi * found.frequencies_hz == pytest.approx(speed * np.sqrt([lag, 1 + lag]), rel=1e-3)


def test_the_two_frames_tell_the_same() -> None:
    """A forward whirl w in fixed axes is w - Omega in those of the rotor, a backward one w + Omega."""
    speed = 300.0
    still = fm.campbell(shaft(), [speed], axis=AXIS, number=5, frame="inertial")
    turning = fm.modes(shaft(), 5, spin=fm.Spin((0, 0, 0), AXIS, speed))
    whirling = np.abs(still.whirl[0]) > 0.5
    w = 2 * np.pi * still.frequencies_hz[0, whirling]
    expected = np.abs(w - speed * np.sign(still.whirl[0, whirling]))
    found = 2 * np.pi * turning.frequencies_hz
    assert np.sort(found[found > 1.0]) == pytest.approx(np.sort(expected), rel=1e-6)


def test_bearings_of_two_stiffnesses() -> None:
    """Translation and tilt of a disc between springs; tilt: (Jt l^2 + ky)(Jt l^2 + kz) + (Jp Omega l)^2 = 0."""
    speed, springs = 200.0, (4e4, 9e4)
    side = [1 / ((LENGTH / 2) ** 3 / (3 * EI) + LENGTH / 2 / 1e9 + 1 / k) for k in springs]
    translation = np.sqrt([2 * k / MASS for k in side])
    ky, kz = (2 * k * (LENGTH / 2) ** 2 for k in side)
    tilt = np.sqrt(np.abs(np.roots([JT**2, JT * (ky + kz) + (JP * speed) ** 2, ky * kz])))
    expected = np.sort([*translation, *tilt])
    found = fm.campbell(shaft(bearings=springs), [speed], axis=AXIS, number=8, frame="inertial")
    frequencies = 2 * np.pi * found.frequencies_hz[0]
    for value in expected:
        assert np.abs(frequencies / value - 1).min() < 1e-5
    critical = fm.critical_speeds(shaft(bearings=springs), axis=AXIS, frame="inertial")
    a, b, c = JT**2 - JP**2, -JT * (ky + kz), ky * kz
    roots = np.roots([a, b, c])
    closed = np.sort([*translation, *np.sqrt(roots[roots > 0])])
    assert critical.speeds[: len(closed)] == pytest.approx(closed, rel=1e-5)


def test_internal_damping_drives_whirl_above_the_critical_speed() -> None:
    """Disc in the middle: m l^2 + eta k (l - i Omega) + k = 0 for the whirl w = y + i z."""
    eta = 1e-4
    stiffness = 1 / (LENGTH**3 / (48 * EI) + LENGTH / (4 * 1e9))
    critical = np.sqrt(stiffness / MASS)
    for speed in (0.5 * critical, 0.95 * critical, 1.05 * critical, 2 * critical):
        roots = np.roots([MASS, eta * stiffness, stiffness * (1 - 1j * eta * speed)])
        forward = roots[np.argmax(roots.imag)]
        found = fm.campbell(shaft(damping=eta), [speed], axis=AXIS, number=3, frame="inertial")
        value = found.eigenvalues[0, np.argmax(found.whirl[0])]
        assert value.imag == pytest.approx(forward.imag, rel=1e-6)
        assert value.real == pytest.approx(forward.real, rel=1e-4)
        assert (found.growth[0] > 0) == (speed > critical)


def test_unstable_band_of_a_flat_shaft() -> None:
    """A shaft of two stiffnesses is unstable between its two critical speeds, as described in the rotating frame."""
    model = shaft(EI3=1.2 * EI)
    edges = [np.sqrt(1 / (LENGTH**3 / (48 * k) + LENGTH / (4 * 1e9)) / MASS) for k in (EI, 1.2 * EI)]
    direct = fm.critical_speeds(model, axis=AXIS, number=2)
    assert direct.speeds == pytest.approx(edges, rel=1e-6)
    found = fm.campbell(model, np.linspace(80, 125, 10), axis=AXIS, number=4)
    assert found.divergence() == pytest.approx(edges, rel=1e-6)
    inside = (found.speeds > edges[0]) & (found.speeds < edges[1])
    assert np.array_equal(found.growth > 1e-3, inside)
    with pytest.raises(fm.InputError, match="stiffness is not the same in all directions"):
        fm.campbell(model, [10.0], axis=AXIS, frame="inertial")


@pytest.mark.out_of_range("does not resolve its mode")
def test_round_off_of_stiff_motions_is_no_growth() -> None:
    """Axial and torsional frequencies of a light shaft are millions of rad/s, where damping of 1e-9 is round-off."""
    found = fm.modes(shaft(EI3=1.2 * EI), 14, spin=fm.Spin((0, 0, 0), AXIS, 95.0))
    assert np.abs(found.eigenvalues).max() > 1e6
    assert found.stable and not found.eigenvalues.real.any()


def test_deflection_of_a_blade_whose_mass_centre_is_off_its_axis() -> None:
    """About z, the mass at +y: -m W^2 e L^4/(12 EI), from the force m W^2 e and the couple -e m W^2 x per length."""
    mass, offset, stiffness, speed = 2.0, 0.01, 10.0, 0.5
    inertia = np.diag([2e-6, 1e-6, 1e-6])
    section = Section(np.diag([1e7] * 3 + [stiffness] * 3), mass, inertia, mass_centre=(offset, 0.0))
    model = fm.Model()
    blade = model.add(Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=4))
    model.fix(blade.start)
    found = fm.find_equilibrium(model, spin=fm.Spin((0, 0, 0), (0, 0, 1), speed))
    expected = -mass * speed**2 * offset / (12.0 * stiffness)
    # the blade's own pull straightens it: 2 m W^2/(EI) L^4 over a hundred or so
    assert found.of(blade.end).displacement[1] == pytest.approx(expected, rel=5e-3)


def test_bad_input() -> None:
    model = shaft()
    with pytest.raises(fm.InputError, match="ascend"):
        fm.campbell(model, [2.0, 1.0])
    with pytest.raises(fm.InputError, match="frame is 'inertal'"):
        fm.campbell(model, [1.0], frame="inertal")
    with pytest.raises(fm.InputError, match="nothing is free to spin"):
        fm.campbell(model, [1.0], axis=(0, 0, 1), frame="inertial")


@pytest.mark.parametrize("pendulums", [1, 2])
@pytest.mark.parametrize(("rate", "unstable"), [(3.0, False), (3.2, True), (4.0, True), (5.0, False)])
def test_a_hanging_conical_pendulum_is_unstable_above_its_speed(
    rate: float, unstable: bool, pendulums: int
) -> None:
    """m L^2 phi'' = -m g L sin(phi) + m L^2 W^2 sin(phi) cos(phi): hanging is unstable above sqrt(g/L) = 3.13 rad/s."""
    model = fm.Model(gravity=(0, 0, -9.81))
    for k in range(pendulums):
        bob = model.add(RigidBody(1.0, (1e-9,) * 3, (0.05, 0, -np.sqrt(1 - 0.05**2)), name=f"bob {k}"))
        model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fm.find_equilibrium(model, spin=fm.Spin((0, 0, 0), (0, 0, 1), rate))
    assert len(caught) == unstable and all("is unstable" in str(w.message) for w in caught)
    height = -found.of("bob 0").position[2]
    assert height == pytest.approx(9.81 / rate**2 if rate == 5.0 else 1.0, rel=1e-9)
