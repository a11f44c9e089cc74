"""Laws written outside of the package: copies of `Coulomb` and `Linear`, and a contact with them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Coulomb, Linear
from fem_mbd.friction.records import (
    friction_kernel,
    friction_record,
    mean_force_kernel,
    own_normal_record,
    potential_kernel,
)
from fem_mbd.joints import PointOnPlane


@friction_kernel
def own_friction(p, s_m, z_i, f_n, dt, mu, z_f):
    """mu_k (1 - exp(-|v|/v_0)) along the slip."""
    x = np.sqrt(s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]) / (p[1] * dt)
    weight = p[0] / (p[1] * dt)
    if x.real > 1e-5:
        weight = weight * (1.0 - np.exp(-x)) / x
    for k in range(3):
        mu[k] = weight * s_m[k]


@potential_kernel
def own_potential(p, q, out):
    """k q**2/2."""
    out[0] = 0.5 * p[0] * q * q if q < 0.0 else 0.0


@mean_force_kernel
def own_mean_force(p, q_i, q_f, out):
    """-k (q_i + q_f)/2 between closed gaps."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        out[0] = -0.5 * p[0] * (q_i + q_f)
    elif q_f.real < 0.0:
        out[0] = 0.5 * p[0] * q_f * (q_f / (q_i - q_f))
    elif q_i.real < 0.0:
        out[0] = 0.5 * p[0] * q_i * (q_i / (q_f - q_i))
    else:
        out[0] = 0.0 * q_f


@dataclass(frozen=True)
class OwnCoulomb:
    """`Coulomb` of one's own."""

    def record(self) -> Any:
        return friction_record(own_friction, (0.1, 1e-2))


@dataclass(frozen=True)
class OwnLinear:
    """`Linear` of one's own."""

    def record(self) -> Any:
        return own_normal_record(own_potential, own_mean_force, (1e5,))


@friction_kernel
def narrow_friction(p, s_m, z_i, f_n, dt, mu, z_f):
    """Friction for slow slip; raises ValueError otherwise."""
    if (s_m[0] ** 2 + s_m[1] ** 2 + s_m[2] ** 2).real > (p[1] * dt) ** 2:
        raise ValueError("slips too fast")
    for k in range(3):
        mu[k] = p[0] * s_m[k] / dt


@dataclass(frozen=True)
class Narrow:
    """For slip of at most 0.315 m/s: above that of the checks of a law, below that of `launched`."""

    def record(self) -> Any:
        return friction_record(narrow_friction, (0.1, 0.315))


def sliding(own: bool, steps: int = 40) -> list[float]:
    """Last state of a body that hits a plane, slides and rebounds."""
    laws = (OwnLinear(), OwnCoulomb()) if own else (Linear(1e5), Coulomb(mu_k=0.1, v_0=1e-2))
    sim = launched(laws[0], laws[1], steps)
    for _ in sim.steps():
        pass
    return [float(one) for one in sim.state.to_flat()]


def launched(
    normal: Any, friction: Any, steps: int, newton: fm.NewtonOptions | None = None, height: float = 1e-4
) -> fm.Simulation:
    """A body that is launched onto a plane with these laws."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(1.0, (0.02, 0.02, 0.02), position=(0, 0, height))).node
    model.set_velocity(body, (0.3, 0.1, -0.2))
    model.add(PointOnPlane(model.ground, body, normal=normal, friction=friction, direction=(0, 0, 1)))
    return fm.Simulation(model, steps * 5e-4, fm.StepControl.fixed(5e-4), newton=newton)
