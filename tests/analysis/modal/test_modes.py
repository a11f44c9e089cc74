"""Tests of modes at rest against closed forms: beams, pendulums, linkages with joints, springs and dampers."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import fem_mbd as fm
from fem_mbd.analysis.modal import eigen
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.joints import Prismatic, Revolute, Spherical

G = 9.81
EI2, EI3, MASS, LENGTH = 100.0, 400.0, 1.0, 1.0
FREE_FREE = 4.730040744862704, 7.853204624095838  # values of beta L, Euler and Bernoulli
CLAMPED_FREE = 1.875104068711961, 4.694091132974175


def slender(mass_centre: tuple[float, float] = (0.0, 0.0), polar: float = 2e-7) -> Section:
    """Shear and rotary inertia lower the frequencies below by up to 7e-5."""
    stiffness = np.diag([1e9, 1e8, 1e8, 50.0, EI2, EI3])
    return Section(stiffness, MASS, np.diag([polar, 1e-9, polar]), mass_centre=mass_centre)


def bending(beta: tuple[float, ...]) -> Array:
    """Circular frequencies of both planes, ascending."""
    both = [np.array(beta) ** 2 * np.sqrt(EI / MASS) / LENGTH**2 for EI in (EI2, EI3)]
    return np.sort(np.concatenate(both))


def omega(found: fm.Modes) -> Array:
    return 2 * np.pi * found.frequencies_hz


@pytest.mark.parametrize("damping", [0.0, 1e-4])
def test_free_beam(damping: float) -> None:
    """Six rigid motions at zero, exactly; then bending in two planes."""
    model = fm.Model()
    model.add(Beam(slender(), (0, 0, 0), (LENGTH, 0, 0), elements=6, damping=damping))
    found = fm.modes(model, 9)
    assert np.all(found.eigenvalues[:6] == 0)
    assert omega(found)[6:9] == pytest.approx(bending(FREE_FREE)[:3], rel=1e-4)
    assert found.stable


def test_cantilever_and_its_damping() -> None:
    """Kelvin-Voigt damping eta makes the damping ratio of every mode eta omega / 2.

    To 1e-6, which is limited by round-off of the shear stiffness, 1e8 times that of the first mode.
    """
    eta = 2e-4
    model = fm.Model()
    beam = model.add(Beam(slender(), (0, 0, 0), (LENGTH, 0, 0), elements=8, damping=eta))
    model.fix(beam.start)
    found = fm.modes(model, 6)
    assert omega(found)[:4] == pytest.approx(bending(CLAMPED_FREE), rel=1e-4)
    assert found.damping_ratios == pytest.approx(eta * omega(found) / 2, rel=1e-6)
    undamped = fm.modes(model, 6, undamped=True)
    assert omega(undamped) == pytest.approx(omega(found), rel=1e-7)
    assert np.all(undamped.damping_ratios == 0)
    assert found.linear.total_mass == pytest.approx(MASS * LENGTH)
    first = found.shapes[0].real
    assert (
        np.abs(first[:, 2]).argmax() == beam.end.index
    )  # first bending is about axis 2: along z, largest at the tip
    assert np.abs(first[:, 1]).max() < 1e-6 * np.abs(first[:, 2]).max()


def test_strong_material_damping() -> None:
    """Modes below the cluster of overdamped modes at -1/eta: l^2 + eta w^2 l + w^2 = 0 with the undamped w."""
    eta = 1e-3
    model = fm.Model()
    # an axial stiffness of 1e8 times that of bending would leave six digits of the first frequency
    section = Section(np.diag([1e5, 1e4, 1e4, 1.0, 1.0, 2.0]), 1.0, np.diag([2e-6, 1e-6, 1e-6]))
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=30, damping=eta))
    model.fix(beam.start)
    w = omega(fm.modes(model, 20, undamped=True))
    expected = -eta * w**2 / 2 + 1j * w * np.sqrt(1 - (eta * w / 2) ** 2 + 0j)
    found = fm.modes(model, 20).eigenvalues
    swings = found[(found.imag > 0) & (np.abs(found) < 900)]
    assert len(swings) >= 10
    for value in swings:
        assert np.abs(expected / value - 1).min() < 1e-6


def test_mass_centre_off_the_line() -> None:
    """Fork-supported beam, coupled bending and torsion: (EI k^4 - m w^2)(GJ k^2 - (I + m e^2) w^2) = (m e w^2)^2."""
    e, inertia = 0.05, 2e-3
    model = fm.Model()
    beam = model.add(Beam(slender((e, 0.0), inertia), (0, 0, 0), (LENGTH, 0, 0), elements=8))
    for end in (beam.start, beam.end):
        model.add(Revolute(model.ground, end, axis=(0, 1, 0), at=end.position))
    expected = []
    for k in np.pi * np.arange(1, 4) / LENGTH:
        turning = inertia + MASS * e**2
        polynomial = [
            MASS * turning - (MASS * e) ** 2,
            -(EI2 * k**4 * turning + 50.0 * k**2 * MASS),
            EI2 * k**4 * 50.0 * k**2,
        ]
        expected += list(np.sqrt(np.roots(polynomial).real))
    found = omega(fm.modes(model, 8))
    for value in sorted(expected)[:4]:
        assert np.abs(found / value - 1).min() < 5e-5


def test_double_pendulum_of_bodies() -> None:
    """Stiffness comes from the joints' reactions alone."""
    (m1, m2), (l1, l2), j = (2.0, 1.5), (0.8, 0.6), 0.02
    model = fm.Model(gravity=(0, 0, -G))
    upper = model.add(RigidBody(m1, (j, j, j), position=(0, 0, -l1)))
    lower = model.add(RigidBody(m2, (j, j, j), position=(0, 0, -l1 - l2)))
    model.add(Revolute(model.ground, upper.node, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(upper.node, lower.node, at=(0, 0, -l1), axis=(0, 1, 0)))
    mass = np.array([[(m1 + m2) * l1**2 + j, m2 * l1 * l2], [m2 * l1 * l2, m2 * l2**2 + j]])
    stiffness = np.diag([(m1 + m2) * G * l1, m2 * G * l2])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))
    found = fm.modes(model)
    assert found.linear.freedoms == 2
    assert omega(found) == pytest.approx(expected, rel=1e-10)


def test_four_bar_with_redundant_joints() -> None:
    """A coupler suspended on two parallel rods oscillates without rotation."""
    length, m_rod, m = 0.5, 0.4, 1.2
    model = fm.Model(gravity=(0, 0, -G), allow_redundant=True)
    coupler = model.add(RigidBody(m, (0.01, 0.02, 0.02), position=(0.3, 0, -length)))
    for x in (0.0, 0.6):
        inertia = m_rod * length**2 / 12
        rod = model.add(RigidBody(m_rod, (inertia, inertia, 1e-5), position=(x, 0, -length / 2)))
        model.add(Revolute(model.ground, rod.node, at=(x, 0, 0), axis=(0, 1, 0)))
        model.add(Revolute(rod.node, coupler.node, at=(x, 0, -length), axis=(0, 1, 0)))
    found = fm.modes(model)
    assert found.linear.freedoms == 1
    expected = np.sqrt((m_rod + m) * G * length / ((2 * m_rod / 3 + m) * length**2))
    assert omega(found) == pytest.approx([expected], rel=1e-9)


@pytest.mark.parametrize("c", [0.5, 40.0])
def test_damped_oscillator(c: float) -> None:
    """Below and above critical damping: the roots of m l^2 + c l + k."""
    m, k = 2.0, 50.0
    model = fm.Model()
    mass = model.add(PointMass(m, position=(1, 0, 0)))
    slider = model.add(RigidBody(1e-9, (1e-9, 1e-9, 1e-9), position=(1, 0, 0)))
    model.add(Prismatic(model.ground, slider.node, at=(1, 0, 0), axis=(1, 0, 0)))
    model.add(Spherical(slider.node, mass.node, at=(1, 0, 0)))
    model.add(SpringDamper(model.ground, mass.node, stiffness=k, damping=c))
    roots = np.roots([m + 1e-9, c, k])
    expected = roots[roots.imag >= 0]
    found = fm.modes(model).eigenvalues
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), rel=1e-8)


def test_unstable_equilibrium() -> None:
    """An inverted pendulum moves away from its equilibrium as exp(t sqrt(m g l / J))."""
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), position=(0, 0, 0.7)))
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 1, 0)))
    found = fm.modes(model)
    assert found.eigenvalues == pytest.approx([np.sqrt(2.0 * G * 0.7 / (0.1 + 2.0 * 0.49))], rel=1e-10)
    assert not found.stable
    assert found.damping_ratios == pytest.approx([-1.0])


def test_not_an_equilibrium() -> None:
    model = fm.Model(gravity=(0, 0, -G), name="falling")
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), position=(0.7, 0, 0), name="bob"))
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 1, 0)))
    state = fm.Simulation(model, 1.0, fm.StepControl.fixed(0.1)).state
    with pytest.raises(fm.InputError, match=r"'falling' is not in equilibrium.*'bob"):
        fm.modes(model, at=state)


@pytest.mark.parametrize("number", [0, 2.5])
def test_number_of_modes(number: float) -> None:
    model = fm.Model()
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    with pytest.raises(fm.InputError, match="number"):
        fm.modes(model, number)  # type: ignore[arg-type]


def _random_system(n: int) -> tuple[csr_matrix, csr_matrix, csr_matrix]:
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, n, n))
    mass = np.diag(np.where(np.arange(n) % 7 == 3, 0.0, rng.uniform(1, 2, n)))
    return csr_matrix(a @ a.T + 10 * np.eye(n)), csr_matrix(0.1 * b @ b.T + c - c.T), csr_matrix(mass)


def test_dense_and_arpack_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a random system in which some unknowns have no inertia."""
    stiffness, rates, mass = _random_system(60)
    results = []
    for dense in (100, 0):
        for module in (eigen, eigen):
            monkeypatch.setattr(module, "MAX_DENSE_UNKNOWNS", dense)
        mu, _ = eigen.symmetric(stiffness, mass, 5)
        values, vectors, _ = eigen.quadratic(stiffness, rates, mass, 5, float(np.sqrt(mu[0])))
        for value, x in zip(values, vectors.T, strict=True):
            left = (value**2 * mass + value * rates + stiffness) @ x
            assert np.linalg.norm(left) < 1e-9 * np.linalg.norm(stiffness @ x)
        results.append((mu, values))
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-10)
    assert results[0][1] == pytest.approx(results[1][1], rel=1e-9)


def test_whirl_is_the_difference_of_the_kinetic_energies_of_both_senses() -> None:
    """A slender body along z whose centre goes round forwards (radius a) while it tilts backwards (b): m a^2 against
    J b^2 on average, whatever the phases."""
    model, m, j, a, b = fm.Model(), 3.0, 0.7, 0.2, 0.5
    body = model.add(RigidBody(m, (j, j, 1e-9 * j), position=(0, 0, 0)))
    for k in range(3):
        arm = 0.5 * np.roll((1.0, 0, 0), k)
        for side in (-1, 1):
            model.add(SpringDamper(model.ground.at(side * arm * 3), body.node.at(side * arm), 100.0))
    linear = fm.linearise(model)
    assert linear.freedoms == 6
    wanted = (m * a**2 - j * b**2) / (m * a**2 + j * b**2)
    for phase in (1.0, 1j, np.exp(0.3j)):
        # with exp(i w t): x = cos, y = sin is (1, -i), forwards about z; tilts (1, i) backwards
        vector = np.array([a, -1j * a, 0.0, b * phase, 1j * b * phase, 0.0])
        found = fm.Modes(linear, np.array([2.0j]), np.linalg.solve(linear.basis.toarray(), vector)[:, None])
        assert found.whirl((0, 0, 1)) == pytest.approx([wanted], rel=1e-8)
        assert found.whirl((0, 0, -1)) == pytest.approx([-wanted], rel=1e-8)
