"""Parameters, model and simulation of the cubes: one for each direction of the pull, all on the same plane."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Force, RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Hertz, LuGre, PowerDamping
from fem_mbd.joints import FaceOnPlane, circle_of_points

PULL_STARTS, PULL_HOLDS, PRESS_FALLS, PRESS_ENDS = 1.0, 2.0, 3.0, 4.0  # s
DAMPING_EXPONENT = 0.5
SPACING = 0.3  # m between the cubes; they do not touch


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are the source's."""

    directions: tuple[float, ...] = parameter(
        (0.0, 30.0, 60.0, 90.0), "deg", "of the pull, a cube for each, from the x axis"
    )
    points: Literal[6, 4] = parameter(6, "", "contact points on the circle")
    form: Literal["vector", "scalar"] = parameter(
        "vector", "", "bristles of the LuGre model; vector: projected"
    )
    dt: float = parameter(
        1e-3, "s", "constant step (above 2 ms friction oscillates about its mean from step to step)"
    )
    end_time: float = parameter(PRESS_ENDS, "s", "simulated time")
    side: float = parameter(0.1, "m", "of the cube")
    radius: float = parameter(0.05, "m", "of the circle of contact points")
    mass: float = parameter(1.0, "kg", "of the cube (assumed)")
    press: float = parameter(10.0, "N", "vertical force")
    pull: float = parameter(0.75, "N", "horizontal force, at the centre of the cube (assumed)")
    sigma: float = parameter(3e-9, "m^2 N^0.5", "compliance of the contact")
    damping: float = parameter(4.88e5, "N s/m^1.5", "of the contact, at each point")
    exponent: float = parameter(2.0, "", "P_K of the contact")
    sigma_0: float = parameter(1e4, "1/m", "bristle stiffness per normal force")
    sigma_1: float = parameter(sqrt(1e5) / 10, "s/m", "bristle damping per normal force")
    sigma_2: float = parameter(0.04, "s/m", "viscous friction per normal force")
    mu_s: float = parameter(0.15, "", "static friction coefficient")
    mu_k: float = parameter(0.1, "", "kinetic friction coefficient")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")

    def __post_init__(self) -> None:
        if not self.directions:
            raise InputError("cube_on_plane: directions is empty: give at least one angle in degrees")
        check_positive(self, "cube_on_plane", "side radius mass press pull sigma dt end_time")

    @property
    def point_stiffness(self) -> float:
        """K of one point, N/m^P_K."""
        polygon = 0.5 * self.points * self.radius**2 * np.sin(2 * np.pi / self.points)
        return float(polygon / self.sigma**self.exponent / self.points)

    @property
    def slip_time(self) -> float:
        """Time (s) at which the pull exceeds the limit of static friction."""
        share = self.pull / (self.mu_s * self.press)
        return PRESS_ENDS - share * (PRESS_ENDS - PRESS_FALLS)

    @property
    def slip_window(self) -> tuple[float, float]:
        """Time (s) before and after that at which the speed may pass v_s: bristles creep at half of it; friction stays
        static.
        """
        growth = self.mu_s * self.press / (PRESS_ENDS - PRESS_FALLS)  # N/s, of the excess of the pull
        return 2.0 * self.mu_s / (self.sigma_0 * self.v_s), sqrt(2.0 * self.mass * self.v_s / growth)

    @property
    def slides(self) -> bool:
        """Whether the cube slips during the decrease of the normal force, and not before."""
        return PRESS_FALLS < self.slip_time < min(PRESS_ENDS, self.end_time) - 0.05


def build(p: Parameters) -> Simulation:
    """One cube for each direction, all on the same plane."""
    model = Model(name="cube_on_plane")
    normal = PowerDamping(Hertz(p.point_stiffness, p.exponent), p.damping, DAMPING_EXPONENT)
    friction = LuGre(
        sigma_0=p.sigma_0,
        sigma_1=p.sigma_1,
        sigma_2=p.sigma_2,
        mu_s=p.mu_s,
        mu_k=p.mu_k,
        v_s=p.v_s,
        form=p.form,
    )
    press = Ramp(PRESS_FALLS, PRESS_ENDS, (0.0, 0.0, -p.press), (0.0, 0.0, 0.0))
    for number, angle in enumerate(np.radians(p.directions)):
        centre = (SPACING * number, 0.0, 0.5 * p.side)
        cube = model.add(
            RigidBody(p.mass, [p.mass * p.side**2 / 6] * 3, centre, name=f"cube {number + 1}")
        ).node
        face = circle_of_points(cube.at((0, 0, -0.5 * p.side)), p.radius, p.points, first=(1, 0, 0))
        model.add(FaceOnPlane(model.ground, face, normal, friction, name=f"face {number + 1}"))
        pull = p.pull * np.array([np.cos(angle), np.sin(angle), 0.0])
        model.add(Force(cube, press, name=f"press {number + 1}"))
        model.add(Force(cube, Ramp(PULL_STARTS, PULL_HOLDS, 0.0 * pull, pull), name=f"pull {number + 1}"))
    return Simulation(model, p.end_time, StepControl.fixed(p.dt))
