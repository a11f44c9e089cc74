"""Case: a pendulum rod, the smallest study, with an ideal hinge or a pin in a bushing with clearance and friction.

A round steel rod of length L hangs from the hinge at the origin, rotates about global axis 2 and is released at rest at
`angle` from the downward vertical. With the ideal hinge its period has a closed form: for a stiff rod T = 4 sqrt(I / (m
g L/2)) K(sin^2(angle / 2)), I = m (L^2/3 + r^2/4), with K the complete elliptic integral of the first kind in its
parameter (L. D. Landau and E. M. Lifshitz, Mechanics, section 11). The rod bends by about (its swing frequency / its
first bending frequency)^2, some 1e-5 here.

With clearance the pin rests in the bushing, bounces and rolls: energy is stored in contact and bristles and dissipated
by friction only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, inf, radians, sin, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
import scipy

from fem_mbd import friction, joints
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.errors import InputError
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result

GRAVITY = 9.81
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
PERIOD_TOLERANCE = 5e-4  # relative error due to bending, and to interpolation of the crossings
RESIDUAL_BOUND = 1e-11


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are a rod of 2.5 kg with a large amplitude."""

    joint: Literal["ideal", "clearance"] = parameter("ideal", "", "hinge at the top")
    end_time: float = parameter(2.0, "s", "simulated time")
    dt: float = parameter(5e-3, "s", "constant step with the ideal hinge")
    dt_max: float = parameter(2e-3, "s", "largest step with clearance")
    angle: float = parameter(60.0, "deg", "start, from the downward vertical")
    length: float = parameter(1.0, "m", "of the rod")
    radius: float = parameter(10e-3, "m", "of the rod")
    damping: float = parameter(0.0, "s", "Kelvin-Voigt damping of the rod")
    elements: int = parameter(2, "", "beam elements of four nodes")
    bushing: float = parameter(20e-3, "m", "radius of the bushing")
    gap: float = parameter(1e-4, "m", "radial clearance")
    contact_stiffness: float = parameter(1e7, "N/m", "linear contact spring")
    friction: float = parameter(0.2, "", "mu_s = mu_k of the LuGre model")
    penetration: float = parameter(1e-6, "m", "eps_p of the contact rule of step control")

    def __post_init__(self) -> None:
        if not 0.0 < abs(self.angle) < 180.0:
            raise InputError(f"pendulum: angle is {self.angle}: give degrees between 0 and 180")
        check_positive(self, "pendulum", "length end_time")

    @property
    def direction(self) -> np.ndarray:
        """(3,) from the hinge to the tip at the start."""
        return np.array([sin(radians(self.angle)), 0.0, -cos(radians(self.angle))])

    @property
    def period(self) -> float:
        """Period of a rigid rod on an ideal hinge, s."""
        inertia = self.length**2 / 3 + self.radius**2 / 4
        return (
            4
            * sqrt(inertia / (GRAVITY * self.length / 2))
            * scipy.special.ellipk(sin(radians(self.angle) / 2) ** 2)
        )


def build(p: Parameters) -> Simulation:
    """The model and its step control."""
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="pendulum")
    section = Section.circle(p.radius, STEEL)
    # With clearance the pin starts where it hangs: on the lower side of the bushing, pressed in by its weight.
    sag = 0.0 if p.joint == "ideal" else p.gap + _weight(section, p) / p.contact_stiffness
    top = np.array([0.0, 0.0, -sag])
    rod = model.add(
        Beam(section, top, top + p.length * p.direction, elements=p.elements, damping=p.damping, name="rod")
    )
    axis = (0.0, 1.0, 0.0)
    if p.joint == "ideal":
        model.add(joints.Revolute(model.ground, rod.start, axis=axis, name="hinge"))
        return Simulation(model, p.end_time, StepControl.fixed(p.dt))
    # Bristles start undeflected when contact begins: then the energy can only decrease, which is checked below.
    law = friction.LuGre(sigma_0=1e5, mu_s=p.friction, mu_k=p.friction, v_s=1e-3, unload_fresh_bristles=True)
    pin = p.bushing - p.gap
    model.add(
        joints.PlanarClearance(
            model.ground,
            rod.start,
            p.bushing,
            pin,
            friction.Linear(p.contact_stiffness),
            law,
            name="hinge",
            axis=axis,
        )
    )
    rules = Penetration(p.penetration), Stribeck(tau_min=0.05)
    return Simulation(model, p.end_time, StepControl(*rules, dt_initial=1e-5, dt_max=p.dt_max))


def _weight(section: Section, p: Parameters) -> float:
    return section.mass_per_length * p.length * GRAVITY


def tip_angle(result: Result) -> np.ndarray:
    """(m,) angle of the line from hinge to tip from the downward vertical, rad."""
    ends = result.of("rod").position(at=[0.0, 1.0])
    arm = ends[:, 1] - ends[:, 0]
    return np.arctan2(arm[:, 0], -arm[:, 2])


def measured_period(result: Result) -> float:
    """Twice the time between the first two passages through the vertical, s; nan when there are fewer."""
    angle, time = tip_angle(result), result.output_time
    before = np.flatnonzero(np.sign(angle[:-1]) != np.sign(angle[1:]))[:2]
    if len(before) < 2:
        return float("nan")
    slope = (angle[before + 1] - angle[before]) / (time[before + 1] - time[before])
    crossings = time[before] - angle[before] / slope
    return float(2 * (crossings[1] - crossings[0]))


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance; period of the ideal pendulum; with clearance energy is dissipated, never gained."""
    balanced = balance(result.summary)
    if p.joint == "ideal":
        if p.end_time < 0.76 * p.period:
            return balanced
        return [
            *balanced,
            near("period [s]", measured_period(result), p.period, PERIOD_TOLERANCE, "elliptic integral"),
        ]
    total = sum(result.energy[name] for name in ENERGIES)
    lost = result.energy["dissipation_friction"].sum() + result.energy["dissipation_scheme"].sum()
    growth = float(np.max(np.diff(total), initial=-inf)) / result.summary["energy"]["scale"]
    return [
        *balanced,
        at_most(
            "largest growth of the energy in a step / scale", growth, RESIDUAL_BOUND, "property of the scheme"
        ),
        at_least("energy lost to friction and scheme [J]", float(lost), 0.0, "second law"),
    ]


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Angle, and the hinge's force: reaction or contact."""
    time = result.output_time
    panels = [Panel("angle [°]", {"rod": np.degrees(tip_angle(result))})]
    if p.joint == "ideal":
        force = result.of("hinge").reaction.force
        panels.append(Panel("force on the rod [N]", {"horizontal": force[:, 0], "vertical": force[:, 2]}))
    else:
        contact = result.of("hinge")
        tangential = np.linalg.norm(contact.friction_force, axis=1)
        panels.append(Panel("contact force [N]", {"normal": contact.normal_force, "friction": tangential}))
        panels.append(Panel("gap [µm]", {"gap": 1e6 * contact.gap}))
    return [draw_panels(folder / "pendulum.png", time, panels, title=f"pendulum, {p.joint} hinge")]


CASE = Case(
    "pendulum", "a pendulum rod, ideal hinge or clearance with friction", Parameters, build, checks, plot
)
