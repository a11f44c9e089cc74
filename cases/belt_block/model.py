"""Parameters, friction laws and model of the block on a belt: a block for each law, each on its own spring.

The step rule follows the change of slip: small steps where a block starts or stops slipping, large ones in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from fem_mbd import friction
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model, PrescribedMotion
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import StepRule
from fem_mbd.elements import PointMass, RigidBody, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.friction import FrictionLaw, Linear
from fem_mbd.joints import PointOnPlane

GRAVITY = 9.81
GROUPS = ("without stiction", "with stiction", "dynamic")
LEAST_REDUCTION = 0.1  # lower limit of the reduction of a repeated step
SPACING = 0.1  # m across the belt; the blocks do not touch
SLIP_CHANGE_RATIO = 0.1  # change of the slip velocity in a step, as a fraction
SHORTEST = 1e-3  # fraction of the largest step, lower limit for the change of slip
MIN_STEP_RATIO = 1e-6  # fraction of the largest step, lower limit where Newton's method fails
ANCHOR = 10.0  # m: such long springs pull along the belt whatever the block's height


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are the source's tables 3.1 and 3.2. Coefficients in N apply at the weight of the
    block.
    """

    law: str = parameter("lugre", "", "friction law, several joined by +, or all")
    mass: float = parameter(1.0, "kg", "of the block")
    stiffness: float = parameter(2.0, "N/m", "of the spring")
    belt_speed: float = parameter(0.1, "m/s", "speed of the belt")
    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(2e-3, "s", "largest step")
    contact_stiffness: float = parameter(
        1e6, "N/m", "of the contact with the belt, assumed; it carries the weight"
    )
    x_stick: float = parameter(
        1e-8, "m", "deflection of the bond that holds a block at rest, for static laws with stiction; assumed"
    )
    mu_s: float = parameter(0.15, "", "static coefficient of friction")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    viscosity: float = parameter(0.1, "N s/m", "F_v of static, sigma_2 of dynamic laws")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    shape: float = parameter(2.0, "", "exponent of the Stribeck curve")
    v_0: float = parameter(1e-3, "m/s", "tolerance velocity; for Ambrósio's law the upper one")
    ambrosio_v_0: float = parameter(1e-4, "m/s", "lower tolerance velocity of Ambrósio's law")
    xi: float = parameter(50.0, "s/m", "shape of Bengisu and Akay's law")
    stiction: float = parameter(0.5, "", "a of the reset integrator")
    sigma_0: float = parameter(1e5, "N/m", "bristle stiffness")
    sigma_1: float = parameter(sqrt(1e5), "N s/m", "bristle damping")
    dwell: float = parameter(2.0, "s", "dwell-time constant of Gonthier's law")
    bristle_stiffness: float = parameter(5e4, "N/m", "k_b of Liang's law")
    bristle_damping: float = parameter(80.0, "N s/m", "c_b of Liang's law")
    v_d: float = parameter(1e-3, "m/s", "threshold velocity of Liang's law")

    def __post_init__(self) -> None:
        check_positive(
            self, "belt_block", "mass stiffness belt_speed end_time dt contact_stiffness v_0 x_stick"
        )

    @property
    def weight(self) -> float:
        """N."""
        return self.mass * GRAVITY

    @property
    def omega(self) -> float:
        """Frequency of block and spring, rad/s."""
        return sqrt(self.stiffness / self.mass)

    def per_weight(self, value: float) -> float:
        """A coefficient of the source, in N or similar, per unit normal force."""
        return value / self.weight


@dataclass(frozen=True)
class Entry:
    """A law of the study: title, group in the figures, whether its force has a viscous part."""

    title: str
    group: str
    make: Callable[[Parameters], FrictionLaw]
    viscous: bool = False


LAWS: dict[str, Entry] = {
    "coulomb": Entry("Coulomb", GROUPS[0], lambda p: friction.DryCoulomb(p.mu_k)),
    "viscous": Entry(
        "Coulomb, viscous", GROUPS[0], lambda p: friction.CoulombViscous(p.mu_k, p.per_weight(p.viscosity)), True
    ),
    "threlfall": Entry("Threlfall", GROUPS[0], lambda p: friction.Threlfall(p.mu_k, p.v_0)),
    "ambrosio": Entry("Ambrósio", GROUPS[0], lambda p: friction.Ambrosio(p.mu_k, p.ambrosio_v_0, p.v_0)),
    "exponential": Entry("exponential", GROUPS[0], lambda p: friction.Coulomb(p.mu_k, p.v_0)),
    "stiction": Entry("Coulomb, stiction", GROUPS[1], lambda p: friction.CoulombStiction(p.mu_s, p.mu_k, p.x_stick)),
    "stribeck": Entry(
        "Stribeck", GROUPS[1],
        lambda p: friction.BoPavelescu(
            p.mu_s, p.mu_k, p.v_s, p.shape, p.per_weight(p.viscosity), p.x_stick
        ), True,
    ),
    "karnopp": Entry("Karnopp", GROUPS[1], lambda p: friction.Karnopp(p.mu_s, p.mu_k, p.v_0, x_stick=p.x_stick)),
    "bengisu_akay": Entry(
        "Bengisu–Akay", GROUPS[1], lambda p: friction.BengisuAkay(p.mu_s, p.mu_k, p.v_0, p.xi)
    ),
    "awrejcewicz": Entry("Awrejcewicz", GROUPS[1], lambda p: friction.Awrejcewicz(p.mu_s, p.mu_k, p.v_0, p.x_stick)),
    "dahl": Entry("Dahl", GROUPS[2], lambda p: friction.Dahl(p.mu_k, p.per_weight(p.sigma_0))),
    "lugre": Entry(
        "LuGre", GROUPS[2],
        lambda p: friction.LuGre(
            sigma_0=p.per_weight(p.sigma_0), sigma_1=p.per_weight(p.sigma_1), sigma_2=p.per_weight(p.viscosity),
            mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s, gamma=p.shape,
        ), True,
    ),
    "elasto_plastic": Entry(
        "elasto-plastic", GROUPS[2],
        lambda p: friction.ElastoPlastic(
            p.per_weight(p.sigma_0), p.per_weight(p.sigma_1), p.per_weight(p.viscosity),
            p.mu_s, p.mu_k, p.v_s, p.shape,
        ), True,
    ),
    "gonthier": Entry(
        "Gonthier", GROUPS[2],
        lambda p: friction.Gonthier(
            p.per_weight(p.sigma_0), p.per_weight(p.sigma_1), p.per_weight(p.viscosity),
            p.mu_s, p.mu_k, p.v_s, p.dwell,
        ), True,
    ),
    "reset_integrator": Entry(
        "reset integrator", GROUPS[2],
        lambda p: friction.ResetIntegrator(
            p.mu_k, p.stiction, p.per_weight(p.sigma_0), p.per_weight(p.sigma_1)
        ),
    ),
    "liang": Entry(
        "Liang", GROUPS[2],
        lambda p: friction.Liang(
            p.mu_s, p.mu_k, p.per_weight(p.bristle_stiffness), p.per_weight(p.bristle_damping), p.v_d
        ),
    ),
}  # fmt: skip


class SlipChange(StepRule):
    """Keeps the change of slip velocity per step of each of ``count`` contacts at about share (|slip| + v_ref).

    v_ref in m/s: the speed range in which the laws change from rest to sliding. A step is repeated when the change is
    more than twice that, but not below ``shortest`` (s): slip that jumps when a bond breaks jumps in any step. The last
    step before break-away is thus short, and with it the error of laws whose state depends on it.
    """

    name: ClassVar[str] = "slip change"

    def __init__(self, count: int, share: float, v_ref: float, shortest: float) -> None:
        self.count, self.share, self.v_ref, self.shortest = count, share, v_ref, shortest
        self._slip: Array = np.zeros((count, 3))

    def for_run(self) -> SlipChange:
        return SlipChange(self.count, self.share, self.v_ref, self.shortest)

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        excess = self._excess(record)
        self._slip = np.array(record.contacts["slip_velocity"])
        return max(record.dt / excess, self.shortest) if excess > 0.0 else np.inf

    def reject(self, record: StepRecord) -> float:
        excess = self._excess(record)
        if excess <= 2.0:
            return 0.0
        step = max(record.dt * max(1.0 / excess, LEAST_REDUCTION), self.shortest)
        return step if step < record.dt else 0.0

    def state(self) -> dict[str, float]:
        return {f"slip {k}": v for k, v in enumerate(self._slip.ravel().tolist())}

    def restore(self, state: Mapping[str, float]) -> None:
        for k in range(self._slip.size):
            self._slip.flat[k] = state[f"slip {k}"]

    def _excess(self, record: StepRecord) -> float:
        """Largest change of slip velocity over the desired change."""
        slip = record.contacts["slip_velocity"]
        change = np.linalg.norm(slip - self._slip, axis=1)
        speed = np.minimum(np.linalg.norm(slip, axis=1), np.linalg.norm(self._slip, axis=1))
        return float(np.max(change / (self.share * (speed + self.v_ref)), initial=0.0))


def chosen(p: Parameters) -> list[str]:
    """Names of the selected laws, in the order of `LAWS`. Raises InputError for an unknown law."""
    if p.law == "all":
        return list(LAWS)
    names = p.law.split("+")
    for name in names:
        if name not in LAWS:
            raise InputError(f"belt_block: there is no law {name!r}; {nearest(name, tuple(LAWS))}")
    return [name for name in LAWS if name in names]


def build(p: Parameters) -> Simulation:
    """The run: the blocks rest on the belt at the start, pressed in by their weight, and move with it."""
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="belt_block")
    belt = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0), name="belt"))
    motion = Polynomial(((0.0, 0.0, 0.0), (p.belt_speed, 0.0, 0.0)))
    model.add(PrescribedMotion(belt.node, motion, name="drive"))
    sag = p.weight / p.contact_stiffness
    for number, name in enumerate(chosen(p)):
        position = (0.0, SPACING * number, -sag)
        block = model.add(PointMass(p.mass, position=position, name=name))
        model.set_velocity(block.node, (p.belt_speed, 0.0, 0.0))
        anchor = model.ground.at((-ANCHOR, *position[1:]))
        model.add(SpringDamper(anchor, block.node, p.stiffness, name=f"{name}.spring"))
        law = LAWS[name].make(p)
        model.add(
            PointOnPlane(belt.node, block.node, Linear(p.contact_stiffness), law, name=f"{name}.contact")
        )
    rule = SlipChange(len(chosen(p)), SLIP_CHANGE_RATIO, p.v_0, SHORTEST * p.dt)
    control = StepControl(rule, dt_initial=p.dt, dt_max=p.dt, dt_min=MIN_STEP_RATIO * p.dt, growth=2.0)
    return Simulation(model, p.end_time, control, newton=NewtonOptions())
