"""Inflow of rotor disks: gains and masses, hover and climb in closed form, a step of pitch, forward flight, energy."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import fem_mbd as fm
from fem_mbd import InputError, Simulation, StepControl
from fem_mbd.aerodynamics import DreesInflow, Momentum, PetersHe, PittPeters, UniformInflow, Wind
from fem_mbd.aerodynamics.inflow import Inflow
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.base.arrays import Array
from tests.aerodynamics.hinged_rotor import (
    CHORD,
    DENSITY,
    RADIUS,
    SLOPE,
    SPEED,
    blade_aerodynamics,
    hinged_rotor,
)
from tests.core.scheme_tools import order, run, simulation, worst_residual

TIP, AREA = SPEED * RADIUS, np.pi * RADIUS**2
SOLIDITY = 4 * CHORD / (np.pi * RADIUS)
LIFT = SOLIDITY * SLOPE
TURN = 2.0 * np.pi / SPEED
MODELS = [UniformInflow(), DreesInflow(), PittPeters(), PetersHe(2)]


def kind_of(sim: Simulation) -> Any:
    return next(kind for kind in sim.system.kinds if isinstance(kind, RotorLoadsKind))


def rows(sim: Simulation) -> Array:
    """Sums and amplitudes of the disk."""
    kind = kind_of(sim)
    return np.array(kind.history[len(kind.stations) :])


def flown(model: fm.Model, turns: float, steps: int = 120) -> tuple[Simulation, Array]:
    """A run, and the mean rates of the sums over its last revolution."""
    sim = Simulation(model, turns * TURN, StepControl.fixed(TURN / steps))
    before = rows(sim)[0]
    for _ in sim.steps():
        if sim.state.time < (turns - 1.0 + 1e-9) * TURN:
            before = rows(sim)[0]
    return sim, (rows(sim)[0] - before) / TURN


def coefficients(rates: Array) -> tuple[float, float]:
    """C_T and C_Q."""
    size = DENSITY * AREA * TIP**2
    return float(rates[2] / size), float(-rates[5] / (size * RADIUS))


def rigid(
    induction: Inflow,
    wind: float = 0.0,
    along: float = 0.0,
    cyclic: Mapping[str, float] | None = None,
    **options: Any,
) -> fm.Model:
    """Blades without hinges; wind: m/s in the disk, along: through it from above; cyclic: as of `hinged_rotor`."""
    speed, angle = np.hypot(wind, along), np.degrees(np.arctan2(-along, wind))
    air = Wind(speed, inclination=angle)
    blade = blade_aerodynamics(**{"pitch": 0.04, **options})
    return hinged_rotor(air, blade, hinged=False, induction=induction, cyclic=cyclic)


def test_apparent_masses_of_pitt_and_peters() -> None:
    expected = [128 / (75 * np.pi), 16 / (45 * np.pi), 16 / (45 * np.pi)]
    np.testing.assert_allclose(PittPeters().apparent_masses(), expected, rtol=1e-14)


@pytest.mark.parametrize("skew", [0.0, 0.4, np.pi / 2])
def test_gains_of_pitt_and_peters(skew: float) -> None:
    """Pitt & Peters 1981 in the angle of the wake: hover 1/2, 2, 2; edgewise 1/2, 0, 4 and 15 pi/64."""
    cosine, coupling = np.cos(skew), 15 * np.pi / 64 * np.sqrt((1 - np.cos(skew)) / (1 + np.cos(skew)))
    fore_and_aft, sides = 4 * cosine / (1 + cosine), 4 / (1 + cosine)
    expected = [[0.5, -coupling, 0], [coupling, fore_and_aft, 0], [0, 0, sides]]
    np.testing.assert_allclose(PittPeters().gain_matrix(skew), expected, atol=1e-14)


@pytest.mark.parametrize("harmonic", [0, 1, 2])
def test_peters_he_tends_to_local_momentum_theory_in_axial_flow(harmonic: int) -> None:
    """A pressure p(x) cos(m psi) on a disk induces p/(2 rho V) there, the more closely the more functions there are."""
    x = np.linspace(0.0, 1.0, 4001)
    pressure = x**harmonic * (1.0 - x**2)
    errors = []
    for harmonics in (4, 8, 12):
        model = PetersHe(harmonics)
        modes = model.modes()
        own = (modes["harmonic"] == harmonic) & (modes["sine"] == 0)
        shapes = np.array([np.polynomial.polynomial.polyval(x, one["powers"]) for one in modes])
        around = 2.0 if harmonic == 0 else 1.0  # integral of cos^2 over pi
        loads = own * modes["share"] * around * trapezoid(x * pressure * shapes, x, axis=1)
        found = (own * (model.gain_matrix(0.0) @ loads)) @ shapes
        difference = found - 0.5 * pressure
        errors.append(np.sqrt(trapezoid(x * difference**2, x) / trapezoid(x * pressure**2, x)))
    assert errors[0] > 1.5 * errors[1] > 2.0 * errors[2]
    assert errors[2] < 0.02


def hover(pitch: float) -> float:
    """lambda of a blade of constant pitch: C_T = (sigma a/2)(theta/3 - lambda/2) = 2 lambda^2."""
    return float(LIFT / 16 * (np.sqrt(1 + 64 * pitch / (3 * LIFT)) - 1))


@pytest.mark.parametrize("induction", MODELS[:3])
def test_hover_of_constant_pitch(induction: Inflow) -> None:
    sim, rates = flown(rigid(induction), 1.0)
    inflow = hover(0.04)
    assert coefficients(rates)[0] == pytest.approx(2 * inflow**2, rel=1e-3)
    assert rows(sim)[1, 0] == pytest.approx(inflow * TIP, rel=1e-3)


def test_hover_of_ideal_twist_and_its_figure_of_merit() -> None:
    """theta = theta_t R/r: C_T = (sigma a/4)(theta_t - lambda), C_P = C_T^1.5/2^.5 + sigma cd/8 (Leishman 2006)."""
    tip, drag = 0.03, 0.01
    _, rates = flown(rigid(UniformInflow(), pitch=tip, ideal=True, drag=drag), 1.0)
    inflow = 0.5 * (np.sqrt((LIFT / 8) ** 2 + 4 * LIFT * tip / 8) - LIFT / 8)
    thrust = 2 * inflow**2
    ideal = thrust**1.5 / np.sqrt(2)
    found, power = coefficients(rates)
    # pitch of the inner tenth is limited, where the lift is some hundredth
    assert found == pytest.approx(thrust, rel=0.01)
    merit = found**1.5 / np.sqrt(2) / power
    assert merit == pytest.approx(ideal / (ideal + SOLIDITY * drag / 8), rel=0.01)


@pytest.mark.parametrize("climb", [4.0, -4.0])
def test_climb_and_descent_agree_with_glauert(climb: float) -> None:
    """w = T/(2 rho A |V_c + w|), of thrust and inflow of the same run."""
    sim, rates = flown(rigid(UniformInflow(), along=climb, pitch=0.06), 1.0)
    w = rows(sim)[1, 0]
    assert w == pytest.approx(rates[2] / (2 * DENSITY * AREA * abs(climb + w)), rel=1e-6)


@pytest.mark.parametrize("advance", [0.05, 0.3])
def test_forward_flight_agrees_with_glauert_and_drees(advance: float) -> None:
    sim, rates = flown(rigid(DreesInflow(), advance * TIP, 5.0), 2.0)
    kind = kind_of(sim)
    w, fore, side = rows(sim)[1, :3]
    flow, through = advance * TIP, 5.0 + w
    total = np.hypot(flow, through)
    assert side == pytest.approx(-2.0 * advance * w, rel=1e-9)
    x = flow / (total + through)
    k_x = 4 / 3 * ((1 - np.cos(2 * np.arctan(x))) / np.sin(2 * np.arctan(x)) - 1.8 * advance * total / TIP)
    assert fore == pytest.approx(k_x * w, rel=1e-9)
    force = (kind.stations["force"][:, 2] * kind.stations["length"]).sum()
    assert w == pytest.approx(force / (2 * DENSITY * AREA * total), rel=1e-9)
    assert rates[2] == pytest.approx(force, rel=0.2)


def test_step_of_pitch_in_hover() -> None:
    """M R w' = T/(rho A) - 2 w^2 is an equation of Riccati for the linear lift of the blades, solved in closed form."""
    model, span = rigid(PittPeters()), 0.4 * TURN
    before, a, b = hover(0.02), LIFT * 0.04 / 6, LIFT / 4  # C_T = a - b lambda
    root = np.sqrt(b * b + 8 * a)
    up, down = (-b + root) / 4, (-b - root) / 4
    ratio = (before - up) / (before - down) * np.exp(-2 * (up - down) * SPEED * span / (128 / (75 * np.pi)))
    expected = (up - ratio * down) / (1 - ratio)
    errors = []
    for steps in (12, 24, 96):
        sim = Simulation(model, span, StepControl.fixed(span / steps))
        kind = kind_of(sim)
        row = len(kind.stations) + 1
        kind.history[:, -1], kind.history[row, :3] = 1.0, (before * TIP, 0.0, 0.0)
        next(h for h in sim.state.history if h.shape == kind.history.shape)[:] = kind.history
        for _ in sim.steps():
            pass
        errors.append(abs(kind.history[row, 0] / TIP - expected) / (up - before))
    assert errors[0] > 2.0 * errors[1]
    assert errors[2] < 1e-3


def test_deficiency_of_the_moment_of_cyclic_pitch_in_hover() -> None:
    """W. Johnson, Helicopter Theory (1980), section 10-6.4: C_M = sigma a theta_c/16 / (1 + sigma a/(16 lambda_0))."""
    cyclic, inflow = 0.005, hover(0.06)
    model = rigid(PittPeters(), pitch=0.06, cyclic={"cos": cyclic, "sin": 0.0})
    _, rates = flown(model, 6.0, 60)
    moment = float(np.hypot(rates[3], rates[4])) / (DENSITY * AREA * TIP**2 * RADIUS)
    assert moment == pytest.approx(LIFT * cyclic / 16 / (1 + LIFT / (16 * inflow)), rel=1e-2)


def test_peters_he_runs_in_forward_flight_and_agrees_with_pitt_and_peters() -> None:
    """Thrust within a tenth: the theories have other radial functions."""
    thrust = [flown(rigid(one, 0.2 * TIP, 5.0), 2.0, 60)[1][2] for one in (PittPeters(), PetersHe(4))]
    assert thrust[1] == pytest.approx(thrust[0], rel=0.1)


@pytest.mark.parametrize("direction", [0.0, 137.0])
def test_azimuths_count_from_the_flow(direction: float) -> None:
    """Turned about the axis with its wind and its blades, a rotor has turned amplitudes: only the axes are fixed."""
    amplitudes = []
    for aft in (0.0, direction):
        air = Wind(0.2 * TIP, direction=aft, inclination=-3.0)
        model = hinged_rotor(
            air, blade_aerodynamics(0.04), hinged=False, induction=PetersHe(2), blades=40, stations=10
        )
        sim = Simulation(model, 0.25 * TURN, StepControl.fixed(TURN / 40))
        for _ in sim.steps():
            pass
        amplitudes.append(rows(sim)[1, :6])
    a = np.radians(direction)
    one, other = amplitudes
    modes = PetersHe(2).modes()
    for j in range(len(modes)):
        if modes[j]["sine"]:
            m = int(modes[j]["harmonic"])
            turned = np.exp(1j * m * a) * complex(one[j - 1], one[j])
            # blades lie 9 degrees apart: 137 degrees are not a whole number of them
            np.testing.assert_allclose(
                [other[j - 1], other[j]], [turned.real, turned.imag], atol=2e-3 * abs(one[0])
            )


@pytest.mark.parametrize("induction", MODELS)
def test_energy_balance_closes(induction: Inflow) -> None:
    model = hinged_rotor(
        Wind(30.0, inclination=-5.0), blade_aerodynamics(0.08), induction=induction, stall="hgm"
    )
    sim = simulation(model, TURN / 60, 0.5 * TURN)
    assert worst_residual(sim, run(sim)) < 1e-11


def test_order() -> None:
    """Second order in the step, as the loads."""
    model = hinged_rotor(Wind(30.0, inclination=-5.0), blade_aerodynamics(0.08), induction=PittPeters())
    found = {}
    for steps in (24, 48, 96, 768):
        sim = Simulation(model, 0.5 * TURN, StepControl.fixed(TURN / steps))
        for _ in sim.steps():
            pass
        found[steps] = rows(sim)[1, :3]
    errors = [np.abs(found[n] - found[768]).max() for n in (24, 48, 96)]
    assert order(errors, [1 / 24, 1 / 48, 1 / 96]) == pytest.approx(2.0, abs=0.3)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="harmonics is 13: give at most 12"):
        PetersHe(13)
    with pytest.raises(InputError, match="skew is 2 rad"):
        PittPeters().gain_matrix(2.0)
    with pytest.raises(InputError, match="aft is along the axis"):
        hinged_rotor(Wind(0.0), blade_aerodynamics(0.1), induction=PittPeters(), aft=(0, 0, 1))
    sim = Simulation(
        hinged_rotor(Wind(0.0), blade_aerodynamics(0.1), induction=Momentum()), 1.0, StepControl.fixed(0.1)
    )
    with pytest.raises(InputError, match="given when the rotor is made"):
        kind_of(sim).set_induction(PittPeters())
