"""ElastoDyn's polynomials of mode shapes: closed forms, another program, the published NREL 5 MW turbine."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import trapezoid

import fem_mbd as fm
from fem_mbd import machines
from fem_mbd.cases.nrel5mw_turbine import machine
from fem_mbd.elements import BladeAxis, RigidBody, Section, SectionTable
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.errors import InputError
from fem_mbd.machines.description.beams import plain_beam

RATED = 12.1 * np.pi / 30
X = np.linspace(0.0, 1.0, 501)
# NREL/TP-500-38060 and OpenFAST's deck of the NREL 5 MW blade; and what pyBmodes (Apache 2.0), finite elements of
# Euler-Bernoulli beams, finds for the same deck: reference_decks/nrel5mw_land
PUBLISHED = {
    "BldFl1Sh": (0.0622, 1.7254, -3.2452, 4.7131, -2.2555),
    "BldFl2Sh": (-0.5809, 1.2067, -15.5349, 29.7347, -13.8255),
    "BldEdgSh": (0.3627, 2.5337, -3.5772, 2.376, -0.6952),
}
PYBMODES = {
    "BldFl1Sh": (-3.3525490e-02, 2.5896015, -5.8138242, 7.7154168, -3.4576687),
    "BldFl2Sh": (-1.6971139, 10.404123, -40.156878, 56.325299, -23.875431),
    "BldEdgSh": (3.2042780e-01, 2.9469777, -4.7077911, 3.5856640, -1.1452785),
}
TOWER = {
    "TwFAM1Sh": (0.7004, 2.1963, -5.6202, 6.2275, -2.504),
    "TwSSM1Sh": (1.385, -1.7684, 3.0871, -2.2395, 0.5357),
}


def polynomial(coefficients: tuple[float, ...], x: np.ndarray = X) -> np.ndarray:
    return np.asarray(sum(c * x**p for c, p in zip(coefficients, range(2, 7), strict=True)))


def cantilever(x: np.ndarray, root: float) -> np.ndarray:
    """Mode of a uniform cantilever with cos(k) cosh(k) = -1, scaled to 1 at the tip."""
    ratio = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))

    def shape(at: np.ndarray) -> np.ndarray:
        k = root * at
        return np.asarray(np.cosh(k) - np.cos(k) - ratio * (np.sinh(k) - np.sin(k)))

    return shape(x) / shape(np.ones(1))


def test_a_uniform_cantilever() -> None:
    """Shapes and frequencies in closed form; twist is taken out, and flapwise is x."""
    length, mass, flap, edge = 20.0, 30.0, 4e7, 9e7
    s = np.linspace(0.0, 1.0, 9)
    axis = BladeAxis([[0, 0, 0], [0, 0, length]], [0.0, 0.3])
    uniform = plain_beam("blade", axis, s, np.full(9, mass), (np.full(9, edge), np.full(9, flap)))
    found = machines.blade_mode_shapes(uniform)
    for name, root, bending, bound in (
        ("BldFl1Sh", 1.875104068711961, flap, 1e-4), ("BldFl2Sh", 4.694091132974174, flap, 5e-3),
        ("BldEdgSh", 1.875104068711961, edge, 1e-4),
    ):  # fmt: skip
        shape = found[name]
        assert shape.coefficients.sum() == pytest.approx(1.0, abs=1e-12)
        assert shape.frequency_hz == pytest.approx(
            root**2 * np.sqrt(bending / mass) / (2 * np.pi * length**2), rel=1e-3
        )
        exact = cantilever(X, root)
        missed = np.sqrt(np.mean((shape(X) - exact) ** 2)) / np.abs(exact).max()
        assert missed < bound
        # the error that is stated is that of the polynomial, the beam's own is smaller
        assert shape.error == pytest.approx(missed, rel=0.2, abs=2e-5)
        direct = machines.fit_mode_shape(name, X, exact)
        # its shear stiffness is 1e5 EI/L^2: k^2/1e5 of the shape is shear, 2.2e-4 in mode 2
        assert shape(X) == pytest.approx(direct(X), abs=3e-4)


def test_the_blade_of_the_nrel_5mw_turbine() -> None:
    """At 12.1 rev/min: another program within 0.3 %, the deck's rounded and older shapes within 1 and 3 %."""
    found = machines.blade_mode_shapes(machine("elastodyn").member("blade1").blade, radius=1.5, speed=RATED)
    for name, shape in found.items():
        own = shape(X)
        assert np.abs(own - polynomial(PYBMODES[name])).max() < 3e-3 * np.abs(own).max()
        bound = 0.03 if name == "BldFl2Sh" else 0.01
        assert np.abs(own - polynomial(PUBLISHED[name])).max() < bound * np.abs(own).max()
        assert shape.error < 5e-3
        assert shape.lines.splitlines()[0].split()[1] == f"{name}(2)"
        assert [float(line.split()[0]) for line in shape.lines.splitlines()] == pytest.approx(
            shape.coefficients, rel=1e-6
        )


def test_the_tower_of_the_nrel_5mw_turbine() -> None:
    """Frequency of each shape by Rayleigh's quotient of the deck's tables; first shapes of the deck within 1 %."""
    turbine = machine("elastodyn")
    found = machines.tower_mode_shapes(turbine)
    tower, height = turbine.member("tower").blade, 87.6
    s = np.asarray(tower.sections.s)
    mass = np.interp(X, s, [section.mass_per_length for section in tower.sections.sections])
    # head of the turbine about the tower's top: BModes' input of the NREL 5 MW tower has 4.370e7, 2.353e7 kg m^2
    # about x and y, -0.414 and 1.967 m, 350 t
    head, up = 349606.5, 1.966
    for name, about in (
        ("TwFAM1Sh", 2.353e7),
        ("TwFAM2Sh", 2.353e7),
        ("TwSSM1Sh", 4.370e7),
        ("TwSSM2Sh", 4.370e7),
    ):
        shape, fore_aft = found[name], name.startswith("TwFA")
        stiff = np.interp(
            X,
            s,
            [
                section.stiffness[5 if fore_aft else 4, 5 if fore_aft else 4]
                for section in tower.sections.sections
            ],
        )
        own, powers = shape(X), np.arange(2, 7)
        slope = float(shape.coefficients @ powers) / height
        bent = (shape.coefficients * powers * (powers - 1) * X[:, None] ** (powers - 2)).sum(
            axis=1
        ) / height**2
        kinetic = height * trapezoid(mass * own**2, X) + head * (1 + 2 * up * slope) + about * slope**2
        quotient = np.sqrt(height * trapezoid(stiff * bent**2, X) / kinetic) / (2 * np.pi)
        assert shape.frequency_hz == pytest.approx(quotient, rel=0.01 if name.endswith("1Sh") else 0.03)
        assert shape.error < 1e-3
    for name, coefficients in TOWER.items():
        assert np.abs(found[name](X) - polynomial(coefficients)).max() < 0.01


def test_bad_input() -> None:
    with pytest.raises(InputError, match="its free end does not move"):
        machines.fit_mode_shape("BldFl1Sh", X, X * (1 - X))
    turbine = machine("elastodyn")
    twice = replace(
        turbine, placements=(*turbine.placements[:1], replace(turbine.placements[1], parent=None))
    )
    with pytest.raises(InputError, match="'tower', 'nacelle' are clamped to the ground"):
        machines.tower_mode_shapes(twice)


@pytest.mark.out_of_range("does not resolve its mode")
def test_what_stands_on_a_tower_counts_as_a_rigid_body() -> None:
    """A nacelle whose mass is far above the tower's top, with blades that weigh next to nothing: the same tower with
    one rigid body, whose inertia is given about its own mass centre."""
    s, height, bending = np.linspace(0.0, 1.0, 9), 80.0, np.full(9, 4e11)
    axis = BladeAxis([[0, 0, 0], [0, 0, height]], [0.0, 0.0])
    tower = plain_beam("tower", axis, s, np.full(9, 4000.0), (bending, bending))
    light = Section(1e8 * np.eye(6), 1e-4, 1e-7 * np.diag([2.0, 1.0, 1.0]))
    blade = Blade(BladeAxis([[0, 0, 0], [0, 0, 2.0]], [0.0, 0.0]), SectionTable([0.0, 1.0], [light, light]))
    mass, centre, inertia = 3e5, (1.0, 0.0, 12.0), np.diag([3e6, 4e6, 5e6])
    turbine = machines.build_turbine(
        "turbine", machines.Tower(tower), machines.Nacelle(mass, centre, inertia), machines.Drivetrain(-2.0, 1.0),
        machines.Rotor(blade, machines.Hub(0.5, 1e-3, inertia=1e-3), 3),
    )  # fmt: skip
    found = sorted(shape.frequency_hz for shape in machines.tower_mode_shapes(turbine).values())
    model = fm.Model()
    alone = model.add(tower.beam(elements=1))
    model.fix(alone.start)
    model.add(RigidBody(mass, inertia, node=alone.end, centre=centre, axes="global"))
    assert found == pytest.approx(fm.modes(model, 4, undamped=True).frequencies_hz, rel=1e-6)
