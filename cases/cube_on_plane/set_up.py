"""One cube for each direction of the pull, all on the same plane."""

from __future__ import annotations

import numpy as np

from fem_mbd.cases.cube_on_plane.parameters import (
    PRESS_ENDS,
    PRESS_FALLS,
    PULL_HOLDS,
    PULL_STARTS,
    Parameters,
)
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Force, RigidBody
from fem_mbd.friction import Hertz, LuGre, PowerDamping
from fem_mbd.joints import FaceOnPlane, circle_of_points

DAMPING_EXPONENT = 0.5
SPACING = 0.3  # m between the cubes; they do not touch


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
