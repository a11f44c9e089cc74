"""Blade-element momentum theory alone: a turbine, a propeller, and dynamic inflow after a step.

Turbine: G. Ingram, Wind turbine blade analysis using the blade element momentum method, Durham University 2011: five
stations, tip-speed ratio 8, no loss at the tip; converged values of CCBlade. Propeller: CCBlade.jl, test/runtests.jl
(MIT): thrust and torque at 39 speeds. Dynamic inflow: the closed form of Oye's two filters after a step of the
quasi-steady induction, whose error is of second order in the step. Allowed: 1e-4, for the
propeller of the values at 1 m/s.
"""

import numpy as np

from fem_mbd.aerodynamics.blade import Polar
from fem_mbd.aerodynamics.momentum import MIX, Momentum
from fem_mbd.aerodynamics.rigid_rotor import RigidRotor
from tests.aerodynamics.test_momentum import DATA, inflow
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

WITHOUT_LOSS = Momentum(relation="glauert", tip_loss=False)
# radius m: a, a'
INGRAM = {"1": (0.2443, 0.0676), "2": (0.2497, 0.0180), "3": (0.2533, 0.0081)}
TAU, STEP, TIME = (8.0, 2.5), (3.0, 1.0), 4.0  # s, m/s, s


def ingram() -> list[Number]:
    """Axial and tangential induction at three radii."""
    alpha = np.linspace(-180.0, 180.0, 361)
    polar = Polar(alpha, 0.084 * np.clip(alpha, -40.0, 40.0), 0.0 * alpha)
    gamma = np.array([74.31002131, 84.89805553, 89.07195504, 91.25038415, 92.58003871])
    chord = [0.706025153, 0.436187551, 0.304517933, 0.232257636, 0.187279622]
    rotor = RigidRotor(
        np.arange(1.0, 6.0), chord, np.radians(90.0 - gamma), [polar] * 5, 3, 5.0, induction=WITHOUT_LOSS
    )
    found = rotor.at(7.0, 8.0 * 7.0 / 5.0)
    axial = {f"{r} m": pair[0] for r, pair in INGRAM.items()}
    tangential = {f"{r} m": pair[1] for r, pair in INGRAM.items()}
    return [
        *numbers("turbine, a at ", "", axial, found["a"][:3], 1e-4),
        *numbers("turbine, a' at ", "", tangential, found["a_prime"][:3], 1e-4),
    ]


def propeller() -> tuple[list[Number], Picture]:
    """Largest difference of thrust and torque over 39 speeds; a propeller is a turbine upside down."""
    radius, blades = 0.8, 2
    r = np.linspace(radius / 10.0, radius, 11)
    alpha = np.union1d(np.linspace(-180.0, 180.0, 73), np.linspace(-45.0, 45.0, 9001))
    cl = 6.2 * np.clip(np.radians(-alpha), -0.8, 0.8)
    polar = Polar(alpha, -cl, 0.008 - 0.003 * cl + 0.01 * cl * cl)
    rotor = RigidRotor(
        r, 0.1 + 0 * r, np.arctan(1.0 / (2 * np.pi * r)), [polar] * 11, blades, radius, induction=WITHOUT_LOSS
    )
    table = np.loadtxt(DATA / "propeller.csv", delimiter=",", skiprows=3)
    each = [rotor.at(speed, 2100.0 * np.pi / 30.0) for speed in table[:, 0]]
    thrust = np.array([-blades * (r[1] - r[0]) * one["axial"].sum() for one in each])
    torque = np.array([-blades * (r[1] - r[0]) * (r @ one["driving"]) for one in each])
    found = []
    for name, unit, values, column in (("thrust", "N", thrust, 1), ("torque", "N m", torque, 2)):
        worst = int(np.argmax(np.abs(values - table[:, column])))
        at, allowed = f"propeller, {name} at {table[worst, 0]:g} m/s (worst of 39)", 1e-4 * table[0, column]
        found.append(Number(at, unit, table[worst, column], float(values[worst]), allowed))
    curves = [ours(table[:, 0], thrust, "thrust [N]"), reference(table[:, 0], table[:, 1])]
    return found, Picture("speed [m/s]", "thrust of the propeller [N]", curves)


def dynamic_inflow() -> list[Number]:
    """Four seconds after the step, in 400 steps."""
    (tau1, tau2), (before, after) = TAU, STEP
    share, d = (1 - MIX) * tau1 / (tau1 - tau2), before - after
    exact = after + d * (share * np.exp(-TIME / tau1) + (1 - share) * np.exp(-TIME / tau2))
    return [Number("dynamic inflow, W after 4 s", "m/s", exact, inflow(400, TIME, TAU, STEP), 1e-4)]


def solve() -> Solution:
    """All three."""
    found, picture = propeller()
    return Solution([*ingram(), *found, *dynamic_inflow()], [picture])


PROBLEM = Problem(
    name="blade_element",
    title="Blade-element momentum theory",
    group="Machines",
    source="Ingram 2011; CCBlade.jl; Oye 1990",
    reference="CCBlade; closed form",
    solve=solve,
)
