"""Parameters (data of the paper, and assumptions for data it omits), model and simulation of the slider-crank.

Crank, coupler and slider are rigid and move in one plane; the caller chooses one of the joints.

Coefficients of friction for the slip of a run: eqs. 27 and 28 solved exactly, and laws while the slip passes zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import pi
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import BodyHandle, Material, RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Ambrosio, Coulomb, FrictionLaw, Frictionless, Hertz, LankaraniNikravesh, LuGre
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute, SphericalClearance
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

# 1 % of the largest tangential velocity of runs at 2500 rev/min with the default data; increases with the speed
ONE_PERCENT = {"crank": 0.03, "slider": 0.0175}  # m/s
Location = Literal["crank", "slider"]
ClearanceJoint = Callable[[Attachment, Attachment], SphericalClearance]  # of bearing and journal
CRANK, COUPLER = 0.05, 0.3  # m
CRANK_MASS, CRANK_INERTIA, COUPLER_MASS, COUPLER_INERTIA = 17.9, 0.460327, 1.13, 0.0153
SLIDER_MASS, SLIDER_INERTIA = 1.013, 1e-4  # the slider does not rotate


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    clearance_at: Literal["crank", "slider"] = parameter(
        "crank", "", "joint with clearance: crank-coupler or slider-coupler"
    )
    friction: Literal["lugre", "ambrosio", "coulomb", "none"] = parameter(
        "lugre",
        "",
        "friction law; ambrosio: eqs. 4 and 5; coulomb: regularised by an exponential; both with mu_k only",
    )
    revolutions: float = parameter(2.0, "", "of the crank; the paper shows the second")
    crank_speed: float = parameter(2500.0, "rev/min", "constant speed of the crank")
    radius_bearing: float = parameter(5e-3, "m", "nominal bearing diameter 10 mm")
    clearance: float = parameter(0.5e-3, "m", "radial clearance")
    young: float = parameter(207e9, "Pa", "of journal and bearing")
    poisson: float = parameter(0.3, "", "of both")
    density: float = parameter(7800.0, "kg/m^3", "of both, assumed (steel); for the law's range only")
    restitution: float = parameter(0.9, "", "coefficient of restitution")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    mu_s: float = parameter(0.2, "", "static coefficient of friction")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(0.0, "s/m", "bristle damping per unit normal force; see the case's text")
    stribeck_velocity: float = parameter(
        0.0, "m/s", "v_s; 0: 1 % of the largest tangential velocity of the run, as in the paper"
    )
    friction_point: Literal["common", "printed"] = parameter(
        "common", "", "friction acts at one point, or at the surfaces of journal and bearing"
    )
    ambrosio_v0: float = parameter(1e-4, "m/s", "v_0 of the ambrosio law, assumed")
    ambrosio_v1: float = parameter(1e-3, "m/s", "v_1 of the ambrosio law, assumed")
    coulomb_velocity: float = parameter(1e-3, "m/s", "regularisation of the coulomb law, assumed")
    dt_max: float = parameter(2e-5, "s", "largest step")
    penetration: float = parameter(4e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")

    def __post_init__(self) -> None:
        check_positive(self, "slider_crank_clearance", "revolutions crank_speed dt_max penetration tau_min")
        check_not_negative(self, "slider_crank_clearance", "stribeck_velocity")
        if not 0 < self.clearance < self.radius_bearing:
            raise InputError(
                f"slider_crank_clearance: clearance is {self.clearance}: it must be between zero and the "
                f"bearing's radius {self.radius_bearing}"
            )

    @property
    def v_s(self) -> float:
        """Stribeck velocity in m/s, given or from runs."""
        return self.stribeck_velocity or ONE_PERCENT[self.clearance_at] * self.crank_speed / 2500.0

    @property
    def omega(self) -> float:
        """Speed of the crank, rad/s."""
        return self.crank_speed * 2 * pi / 60

    @property
    def end_time(self) -> float:
        """Seconds for the revolutions."""
        return self.revolutions * 2 * pi / self.omega


@dataclass(frozen=True)
class Mechanism:
    """The model and its bodies; crank and coupler start in line along i1."""

    model: Model
    crank: BodyHandle
    coupler: BodyHandle
    slider: BodyHandle


def assemble(location: Location, omega: float, joint: ClearanceJoint, aside: float = 0.0) -> Mechanism:
    """The mechanism turning with ``omega`` (rad/s), with the velocities of the ideal mechanism.

    ``joint(bearing, journal)`` returns the joint at ``location``: bearing on the crank and journal on the coupler, or
    bearing on the slider. ``aside``: m, initial displacement of the slider towards the crank from its ideal position.
    """
    model = Model(name="slider-crank with clearance")
    middle = 0.5 * CRANK, CRANK + 0.5 * COUPLER, CRANK + COUPLER - aside
    crank, coupler, slider = (
        model.add(RigidBody(mass, (inertia,) * 3, position=(x, 0.0, 0.0), name=name))
        for name, mass, inertia, x in (
            ("crank", CRANK_MASS, CRANK_INERTIA, middle[0]),
            ("coupler", COUPLER_MASS, COUPLER_INERTIA, middle[1]),
            ("slider", SLIDER_MASS, SLIDER_INERTIA, middle[2]),
        )
    )
    model.add(
        DrivenRevolute(
            model.ground, crank.node, at=(0, 0, 0), axis=(0, 0, 1), angle=Polynomial((0.0, omega)), name="O"
        )
    )
    model.add(Prismatic(model.ground, slider.node, axis=(1, 0, 0), name="guide"))
    a, b = (CRANK, 0.0, 0.0), (CRANK + COUPLER, 0.0, 0.0)
    if location == "crank":
        model.add(Revolute(coupler.node, slider.node, at=b, axis=(0, 0, 1), name="B"))
        model.add(joint(crank.node.at((0.5 * CRANK, 0, 0)), coupler.node.at((-0.5 * COUPLER, 0, 0))))
    else:
        model.add(Revolute(crank.node, coupler.node, at=a, axis=(0, 0, 1), name="A"))
        model.add(joint(slider.node, coupler.node.at((0.5 * COUPLER, 0, 0))))
    model.set_velocity(crank.node, omega=(0, 0, omega), about=(0, 0, 0))
    model.set_velocity(coupler.node, (0, omega * CRANK, 0), (0, 0, -omega * CRANK / COUPLER), about=a)
    return Mechanism(model, crank, coupler, slider)


def hertz(p: Parameters) -> Hertz:
    """Equation 19: journal in its bearing."""
    steel = Material(young=p.young, poisson=p.poisson, density=p.density)
    return Hertz.inside(p.radius_bearing, p.radius_bearing - p.clearance, steel, steel)


def friction_law(p: Parameters) -> FrictionLaw:
    """The friction law selected by the parameters."""
    if p.friction == "none":
        return Frictionless()
    if p.friction == "ambrosio":
        return Ambrosio(p.mu_k, p.ambrosio_v0, p.ambrosio_v1)
    if p.friction == "coulomb":
        return Coulomb(p.mu_k, p.coulomb_velocity)
    return LuGre(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s)


def build_mechanism(p: Parameters) -> Mechanism:
    """The mechanism of the parameters."""

    def joint(bearing: Attachment, journal: Attachment) -> SphericalClearance:
        radii = p.radius_bearing, p.radius_bearing - p.clearance
        normal = LankaraniNikravesh(hertz(p), p.restitution)
        return SphericalClearance(
            bearing,
            journal,
            *radii,
            normal,
            friction_law(p),
            friction_point=p.friction_point,
            name="clearance",
        )

    return assemble(p.clearance_at, p.omega, joint)


def build(parameters: Parameters) -> Simulation:
    """Steps by the change of the gap and by the time constant of the bristles, on a geometric grid of sizes."""
    p = parameters
    rules = Penetration(p.penetration), Stribeck(p.tau_min)
    control = StepControl(*rules, dt_initial=1e-7, dt_min=1e-12, dt_max=p.dt_max, quantise=True)
    # bristle damping makes friction so stiff that a reused factorisation leaves an energy residual of 1e-9
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    return Simulation(build_mechanism(p).model, p.end_time, control, newton=newton)


QUANTITIES = ("position", "velocity", "contact")
TIME_TOLERANCE = 1e-6  # s
STEADY = 0.1  # relative change of the slip velocity up to which the bristles follow
# multiple of the deflection at mu_s that has to be slipped after the joint has closed or the slip has reversed
SETTLING_RATIO = 10.0
SPEEDS = (0.5, 1.0, 1.5, 2.0, 3.0, 6.0)  # limits of the groups of slip speeds, times v_s
MIN_STEPS = 5  # smallest number of steps of a group
BEFORE, AFTER, FINE_STEP = 2e-4, 2e-5, 1e-7  # s, around zero slip; step


@dataclass(frozen=True)
class Histories:
    """Histories over the second revolution of the crank, or over the available part. One row per step, (k,) or (k,
    3).
    """

    result: Result
    parameters: Parameters

    @cached_property
    def rows(self) -> slice:
        turn = self.result.time * self.parameters.omega / (2 * np.pi)
        first = int(np.searchsorted(turn, 1.0 + 1e-9)) if turn[-1] > 1.5 else 1
        return slice(first, len(turn))

    @cached_property
    def time(self) -> Array:
        return self.result.time[self.rows]

    @cached_property
    def dt(self) -> Array:
        return self.result.step["dt"][self.rows]

    @cached_property
    def acceleration(self) -> Array:
        """Acceleration of the slider along i1, mean of each step, m/s^2."""
        return self._rate(self.result.of("slider").velocity[:, 0])

    @cached_property
    def force_on_guide(self) -> Array:
        """Rate of the momentum along i1 of the bodies beyond the joint with clearance, N: zero in free flight."""
        momentum = SLIDER_MASS * self.result.of("slider").velocity[:, 0]
        if self.parameters.clearance_at == "crank":
            momentum = momentum + COUPLER_MASS * self.result.of("coupler").velocity[:, 0]
        return self._rate(momentum)

    def _rate(self, values: Array) -> Array:
        first = self.rows.start
        return np.diff(values[first - 1 : self.rows.stop]) / self.dt

    @cached_property
    def ideal_acceleration(self) -> Array:
        """Acceleration of the slider of the ideal mechanism at the middle of each step, m/s^2."""
        w, t = self.parameters.omega, self.time - 0.5 * self.dt
        ratio = CRANK / COUPLER
        s, c = np.sin(w * t), np.cos(w * t)
        root = np.sqrt(1.0 - (ratio * s) ** 2)
        bend = (c * c - s * s) / root + (ratio * s * c) ** 2 / root**3
        return -(w**2) * CRANK * (c + ratio * bend)

    @cached_property
    def normal_force(self) -> Array:
        return self.result.of("clearance").normal_force[self.rows]

    @cached_property
    def closed(self) -> Flags:
        return self.normal_force > 0.0

    @cached_property
    def tangent(self) -> Array:
        """Direction in which slip and friction are positive: outwards, rotated by +90 degrees about i3."""
        normal = -self.result.of("clearance").normal[self.rows]  # towards the bearing's wall
        return np.stack([-normal[:, 1], normal[:, 0], 0.0 * normal[:, 0]], axis=1)

    @cached_property
    def slip(self) -> Array:
        """Tangential velocity of the journal on the bearing, m/s."""
        slip = self.result.of("clearance").slip_velocity[self.rows]
        return np.einsum("ki,ki->k", slip, self.tangent)

    @cached_property
    def friction(self) -> Array:
        """Friction force on the journal, N."""
        friction = self.result.of("clearance").friction_force[self.rows]
        return np.einsum("ki,ki->k", friction, self.tangent)

    @cached_property
    def coefficient(self) -> Array:
        """-friction / normal force; nan in free flight."""
        return np.where(self.closed, -self.friction / np.where(self.closed, self.normal_force, 1.0), np.nan)

    def reversals(self) -> list[int]:
        """Rows k at which the slip of the closed contact changes its sign between k and k + 1."""
        both = self.closed[:-1] & self.closed[1:]
        return [int(k) for k in np.flatnonzero(both & (np.sign(self.slip[:-1]) != np.sign(self.slip[1:])))]

    def impacts(self) -> int:
        """Number of contact closures of the joint."""
        return int(np.count_nonzero(~self.closed[:-1] & self.closed[1:]))


@lru_cache(maxsize=4)
def companion(parameters: Parameters, friction: str) -> Histories:
    """The same run with another friction law, in memory; takes a few seconds."""
    other = replace(parameters, friction=friction)  # type: ignore[arg-type]
    return Histories(run(build(other), progress=False, quantities=QUANTITIES), other)


def stribeck(h: Histories, speed: Array) -> Array:
    """Steady coefficient of the law at ``speed`` in m/s."""
    p = h.parameters
    return p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((speed / p.v_s) ** 2))


def exact_coefficient(h: Histories) -> Array:
    """Mean coefficient of each step by eqs. 27 and 28, whose solution is an exponential while slip is constant.

    Bristles start undeflected where the joint closes, saturated where the histories start with a closed joint.
    """
    p, mu, z = h.parameters, np.full(len(h.slip), np.nan), np.nan
    curve = stribeck(h, np.abs(h.slip))
    decays = p.sigma_0 * np.abs(h.slip) * h.dt / curve
    columns = h.dt, np.sign(h.slip) * curve / p.sigma_0, decays, -np.expm1(-decays), h.closed
    before = True
    for k, (dt, end, decay, share, closed) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        if closed:
            z = end if k == 0 else (z if before else 0.0)
            decrease = share * (z - end)
            mean = end + (decrease / decay if decay > 0.0 else z - end)
            mu[k] = p.sigma_0 * mean - p.sigma_1 * decrease / dt
            z = z - decrease
        before = closed
    return mu


def bristles_follow(h: Histories) -> Flags:
    """Steps of the closed joint in which bristles have reached steady deflection and slip changes slowly."""
    speed, rate = np.abs(h.slip), np.abs(np.gradient(h.slip, h.time - 0.5 * h.dt))
    start = ~h.closed | (np.roll(np.sign(h.slip), 1) != np.sign(h.slip))
    start[0] = True
    path = np.cumsum(speed * h.dt)
    slipped = path - np.maximum.accumulate(np.where(start, path, 0.0))
    lag = rate * stribeck(h, speed) / (h.parameters.sigma_0 * np.maximum(speed, 1e-12) ** 2)
    settled = slipped > SETTLING_RATIO * h.parameters.mu_s / h.parameters.sigma_0
    return h.closed & settled & (lag < STEADY)


def steady_means(h: Histories) -> list[tuple[float, float, float]]:
    """(mean speed in m/s, mean coefficient, that of the law) of the steps of `bristles_follow`, by groups of speed."""
    speed, along, means = np.abs(h.slip), h.coefficient * np.sign(h.slip), []
    for low, high in zip(SPEEDS, SPEEDS[1:], strict=False):
        rows = bristles_follow(h) & (speed >= low * h.parameters.v_s) & (speed < high * h.parameters.v_s)
        if np.count_nonzero(rows) >= MIN_STEPS:
            mean = float(along[rows].mean()), float(stribeck(h, speed[rows]).mean())
            means.append((float(speed[rows].mean()), *mean))
    return means


def contact_lasts(h: Histories, k: int) -> bool:
    """Whether the joint stays closed around row ``k``, over the time range of `law_along_slip`."""
    start, end = h.time[k] - BEFORE, h.time[k] + AFTER
    rows = (h.time >= start) & (h.time - h.dt <= end)
    return bool(h.time[0] <= start and end <= h.time[-1] and h.closed[rows].all())


def reversal_rows(h: Histories, k: int) -> tuple[int, int] | None:
    """Rows about a reversal at row ``k`` between which friction changes from mu_k in one direction to mu_k in the
    other.

    None where the joint opens, or the slip reverses again, before that.
    """
    size, sign = h.coefficient * np.sign(h.slip[k + 1]), h.parameters.mu_k
    before = np.flatnonzero(~(size[: k + 1] > -sign))
    after = np.flatnonzero(~(size[k + 1 :] < sign))
    if not len(before) or not len(after):
        return None
    first, last = int(before[-1]), int(k + 1 + after[0])
    same_sign = (np.sign(h.slip[k + 1 : last]) == np.sign(h.slip[k + 1])).all()
    return (first, last) if h.closed[first : last + 1].all() and same_sign else None


def law_along_slip(h: Histories, k: int, law: FrictionLaw) -> tuple[Array, Array, Array]:
    """(time from zero slip in s, slip velocity in m/s, coefficient) of ``law`` on the run's slip about row ``k``."""
    middle = h.time - 0.5 * h.dt
    share = h.slip[k] / (h.slip[k] - h.slip[k + 1])
    zero = middle[k] + share * (middle[k + 1] - middle[k])
    time = np.arange(-BEFORE, AFTER, FINE_STEP)
    slip = np.interp(zero + time, middle, h.slip)
    return time, slip, drive_path(law, slip * FINE_STEP, FINE_STEP).mus


def fastest_change(time: Array, coefficient: Array) -> float:
    """Largest change of the coefficient within a microsecond around zero slip."""
    values = coefficient[np.abs(time) < AFTER]
    n = round(TIME_TOLERANCE / FINE_STEP)
    return float(np.abs(values[n:] - values[:-n]).max())
