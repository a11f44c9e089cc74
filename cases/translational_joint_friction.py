"""Case: friction in the translational joint of a spatial slider-crank, computed from the joint's own reactions.

The mechanism of `constraint_methods`; an inner cube of 0.01 m slides in its guide without friction or by Coulomb's,
Stribeck's (Bo and Pavelescu), Dahl's or the LuGre law. Each component of the reaction is the normal force of one pair
of faces, where friction acts; the reactions are those of the same step (the source uses their signs of the previous
step, eq. 4.5). Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), section 4.1.

**Assumed**: the damping of LuGre's bristles decreases with speed (v_d = 0.02 m/s, the source's eq. 3.49, which its
table 4.1 does not use). A constant damping causes, at speeds of 0.1 m/s, forces of 30 N from a normal force that passes
through zero, which jam the mechanism: docs/studies/translational_joint_friction.md. Moments of the reaction contribute
no normal force.

Checks: dissipation, moments of friction, peaks with half the step, and the reversal of the slider, where the friction
laws differ (figs. 4.3c and 4.3d).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case, RunHistories
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError
from fem_mbd.friction import (
    ActiveLawWarning,
    BoPavelescu,
    ClassicalDahl,
    ClassicalLuGre,
    Dahl,
    DryCoulomb,
    FrictionLaw,
    LuGre,
)
from fem_mbd.joints import JointFriction
from fem_mbd.output.figures.plots import Panel, Series, draw_panels
from fem_mbd.runs.results.checks import SCHEME, Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

Friction = Literal["none", "coulomb", "stribeck", "dahl", "lugre"]
BOND = 1e-9  # m, deflection of the bond that represents Coulomb's force at rest: passed in less than a step


@dataclass(frozen=True)
class Parameters:
    """Times and table of the source; other data are marked."""

    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "lugre", "", "law in the guide; stribeck is that of Bo and Pavelescu"
    )
    slider: Literal["inner", "outer"] = parameter("inner", "", "inside its guide or around it")
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "in_newtons",
        "",
        "units of stiffness and damping of Dahl's and LuGre's bristles: see the case's page",
    )
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(5e-4, "s", "constant step; a tenth of it where the slider first reverses")
    side: float = parameter(0.01, "m", "of the cube that slides")
    mu_s: float = parameter(0.2, "", "static coefficient")
    mu_k: float = parameter(0.1, "", "kinetic coefficient")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    gamma: float = parameter(2.0, "", "exponent of the Stribeck curve")
    sigma_0: float = parameter(1e5, "N/m", "stiffness of the bristles; 1/m with bristles=per_normal_force")
    sigma_1: float = parameter(
        1e5**0.5, "N s/m", "damping of the bristles at rest; s/m with bristles=per_normal_force"
    )
    v_d: float = parameter(
        0.02, "m/s", "speed at which this damping decreases (eq. 3.49), assumed; 0: constant, as in table 4.1"
    )

    def __post_init__(self) -> None:
        check_positive(self, "translational_joint_friction", "end_time dt side mu_s mu_k v_s gamma sigma_0")
        if self.v_d < 0:
            raise InputError(f"translational_joint_friction: v_d is {self.v_d}: give 0 for constant damping")
        if not self.dt < self.end_time:
            raise InputError(
                f"translational_joint_friction: dt is {self.dt} s: it must be less than the end time, "
                f"{self.end_time} s"
            )


def law(p: Parameters) -> FrictionLaw | None:
    """The friction law selected by the parameters."""
    in_newtons = p.bristles == "in_newtons"
    laws = {
        "none": lambda: None,
        "coulomb": lambda: DryCoulomb(p.mu_k, x_stick=BOND),
        "stribeck": lambda: BoPavelescu(p.mu_s, p.mu_k, p.v_s, p.gamma, x_stick=BOND),
        "dahl": lambda: (ClassicalDahl if in_newtons else Dahl)(p.mu_k, p.sigma_0),
        "lugre": lambda: (ClassicalLuGre if in_newtons else LuGre)(
            sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s, gamma=p.gamma,
            v_d=p.v_d or None,
        ),
    }  # fmt: skip
    return laws[p.friction]()


def joint_friction(p: Parameters) -> JointFriction | None:
    """Both components of the reaction are normal forces of the cube's faces, where friction acts (fig. 4.1)."""
    friction_law = law(p)
    if friction_law is None:
        return None
    half = 0.5 * p.side
    return JointFriction(law=friction_law, loads=("reaction_force",), faces=(half, half), slider=p.slider)


def build(p: Parameters) -> Simulation:
    """Constant steps; full Newton iterations, because friction with its own reaction as normal force is stiff."""
    model = build_mechanism(joint_friction(p)).model
    return Simulation(model, p.end_time, StepControl.fixed(p.dt), newton=NewtonOptions(reuse=False))


LAWS: tuple[Friction, ...] = ("none", "coulomb", "stribeck", "dahl", "lugre")
FRICTION_LAWS = LAWS[1:]
MOTION = ("position", "velocity", "omega", "reaction")
FRICTION = ("joint_friction", "joint_friction_contribution")
FINER = 10  # step refinement of a detail: with the default 5e-5 s, as in the source
SHORTEST = 1.0  # s of motion, in which the crank reverses
DETAIL_WINDOW = 0.05  # s, before and after the reversal shown in a detail


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run; k steps; the slider moves along y."""

    @cached_property
    def position(self) -> Array:
        """(k,) m."""
        return np.asarray(self.result.of("slider").position[:, 1])

    @cached_property
    def speed(self) -> Array:
        """(k,) m/s."""
        return np.asarray(self.result.of("slider").velocity[:, 1])

    @cached_property
    def acceleration(self) -> Array:
        """(k,) m/s^2, mean of each step."""
        start = np.concatenate([[0.0], self.speed[:-1]])  # the slider starts from rest
        return (self.speed - start) / self.dt

    @cached_property
    def force(self) -> Array:
        """(k,) N, friction on the slider."""
        if self.parameters.friction == "none":
            return np.zeros_like(self.time)
        return np.asarray(self.result.of("guide").friction.force[:, 2])

    @cached_property
    def normal_force(self) -> Array:
        """(k,) N, on both pairs of faces."""
        return np.asarray(self.result.of("guide").friction.normal_force.sum(axis=1))

    @cached_property
    def reversal(self) -> int:
        """The step in which the crank, and with it the slider, first reverses.

        At a dead centre, where the slider reverses too, friction has no lever arm: its acceleration depends on the
        crank's speed alone.

        Raises
        ------
        ValueError
            When the crank does not reverse within the run.
        """
        crank = self.result.of("crank").omega[:, 1]
        turned = np.flatnonzero((crank[1:] * crank[:-1] < 0.0) & (self.speed[1:] * self.speed[:-1] < 0.0))
        if not len(turned):
            raise ValueError("the crank does not reverse")
        return int(turned[0]) + 1

    @cached_property
    def since(self) -> Array:
        """(k,) s, relative to the time at which the slider's speed passes zero in its reversal."""
        k = self.reversal
        before, after = self.speed[k - 1 : k + 1]
        zero = self.time[k - 1] - before * (self.time[k] - self.time[k - 1]) / (after - before)
        return np.asarray(self.time - zero)

    @property
    def fastest_late(self) -> float:
        """Largest speed of the last fifth of the run, m/s."""
        return float(np.abs(self.speed[self.time > 0.8 * self.time[-1]]).max())

    @property
    def peak_acceleration(self) -> float:
        """Largest of the run, m/s^2."""
        return float(np.abs(self.acceleration).max())

    @property
    def lost(self) -> Array:
        """(k,) J, energy dissipated by friction so far, including the energy stored in bristles."""
        energy = self.result.energy
        return np.asarray(energy["dissipation_friction"].cumsum() + energy["bristle"])


@lru_cache(maxsize=16)  # all runs of the checks: the figures use them again
def companion(p: Parameters) -> Histories:
    """A run in memory; some ten seconds for 5 s of motion."""
    quantities = MOTION if p.friction == "none" else MOTION + FRICTION
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ActiveLawWarning)  # issued once, by the run of the case
        return Histories(run(build(p), progress=False, quantities=quantities), p)


def runs_of_all_laws(h: Histories) -> dict[Friction, Histories]:
    """Runs with all laws on the same mechanism, including the run itself."""
    p = h.parameters
    return {name: h if name == p.friction else companion(replace(p, friction=name)) for name in LAWS}


def details(h: Histories, finer: int = FINER) -> dict[Friction, Histories]:
    """Runs of the laws with friction, with steps ``finer`` times as small, up to shortly after the reversal of
    ``h``.
    """
    p = h.parameters
    end = min(float(h.time[h.reversal]) + 2 * DETAIL_WINDOW, p.end_time)
    return {
        name: companion(replace(p, friction=name, end_time=end, dt=p.dt / finer)) for name in FRICTION_LAWS
    }


REVERSAL = "Marques 2015, section 4.1, fig. 4.3"
STATIC: tuple[Friction, ...] = ("coulomb", "stribeck")
DYNAMIC: tuple[Friction, ...] = ("dahl", "lugre")
TURNING = 0.01  # s, before and after a reversal, within which friction changes its sign
MUCH_HIGHER_RATIO = 1.2  # smallest ratio for "a much higher friction force"
# m/s, five Stribeck velocities: slip at which friction is compared between decreasing and increasing slip
SLIP = 5e-3
SOURCE = "Marques 2015, section 4.1"
START = 0.05  # s, end time of two runs that compare inner and outer slider
FACES = SOURCE + ", fig. 4.1"


def reversal_checks(fine: dict[Friction, Histories], coarse: dict[Friction, Histories]) -> list[Check]:
    """Checks with the same laws at two step sizes, of which the coarse one is twice the fine one.

    A jump of friction is as large in half a step, a smooth change half as large: three quarters separates the two.
    """
    name = "{}: change of friction in half a step / in a step"
    change = {law: _change(fine[law]) / _change(coarse[law]) for law in fine}
    inside, outside = spread(fine)
    return [
        *(at_least(name.format(law), change[law], 0.75, REVERSAL) for law in STATIC),
        *(at_most(name.format(law), change[law], 0.75, REVERSAL) for law in DYNAMIC),
        at_least(
            "accelerations of the laws differ at the reversal / beside it", inside / outside, 3.0, REVERSAL
        ),
        at_least(
            "LuGre: coefficient of growing slip / of falling slip",
            lag(fine["lugre"]),
            MUCH_HIGHER_RATIO,
            REVERSAL,
        ),
        near(
            "Stribeck: coefficient of growing slip / of falling slip",
            lag(fine["stribeck"]),
            1.0,
            0.01,
            REVERSAL,
        ),
        *(
            near(
                f"{law}: peak friction / that with half the step",
                _peak(coarse[law]) / _peak(fine[law]),
                1.0,
                0.02,
                SCHEME,
            )
            for law in DYNAMIC
        ),
    ]


def _change(h: Histories) -> float:
    """Largest change of friction per step during the reversal of the slider, N."""
    return float(np.abs(np.diff(h.force[np.abs(h.since) < TURNING])).max())


def _peak(h: Histories) -> float:
    return float(np.abs(h.force).max())


def spread(runs: dict[Friction, Histories]) -> tuple[float, float]:
    """Largest difference of the laws' accelerations within `TURNING` of their reversals, and from there to
    `DETAIL_WINDOW`."""
    inside = np.linspace(-TURNING, TURNING, 801)
    outside = np.concatenate(
        [np.linspace(-DETAIL_WINDOW, -TURNING, 401), np.linspace(TURNING, DETAIL_WINDOW, 401)]
    )

    def largest(instants: Array) -> float:
        values = [np.interp(instants, h.since, h.acceleration) for h in runs.values()]
        return float(np.ptp(values, axis=0).max())

    return largest(inside), largest(outside)


def lag(h: Histories) -> float:
    """Coefficient of friction at the slip `SLIP` after the reversal over that at the same slip before it."""
    rows = np.flatnonzero(np.abs(h.since) < TURNING)
    before, after = rows[h.since[rows] < 0.0], rows[h.since[rows] >= 0.0]
    coefficient = np.abs(h.force / h.normal_force)
    nearest = [part[np.argmin(np.abs(np.abs(h.speed[part]) - SLIP))] for part in (before, after)]
    return float(coefficient[nearest[1]] / coefficient[nearest[0]])


def checks(result: Result, p: Parameters) -> list[Check]:
    """Checks of the scheme and of the moments of friction; with a reversal in the run also the source's statements."""
    h = Histories(result, p)
    checks = balance(result.summary)
    if p.friction != "none":
        checks.append(
            near("moments of outer minus inner slider / 2 force times arm", moments(p), 1.0, 0.02, FACES)
        )
    if p.end_time >= SHORTEST:
        checks += dissipation_checks(runs_of_all_laws(h))
        checks += reversal_checks(details(h), details(h, FINER // 2)) + _half_the_step(h)
    return checks


def moments(p: Parameters) -> float:
    """Difference of the guide's moments on an inner and an outer slider, relative to the moment of friction at the
    faces.

    The guide's force along an axis of the joint acts on the rear of an inner slider and on the front of an outer one:
    friction acts at -half the side for the inner, at +half for the outer, times the sign of the force. As the slider
    does not rotate, the guide's moment balances that of friction; everything else in the two runs is the same.
    """
    start = replace(p, end_time=min(p.end_time, START))
    inner, outer = (companion(replace(start, slider=s)).result.of("guide") for s in ("inner", "outer"))
    triad = triad_with_third((0.0, 1.0, 0.0), first=(1.0, 0.0, 0.0))
    push = outer.reaction.force @ triad
    difference = (inner.reaction.moment - outer.reaction.moment) @ triad
    # r x F: a force along axis 3 at a point of axis 1 turns about -axis 2, at one of axis 2 about +axis 1
    at_face = np.sign(push[:, :2]) * outer.friction.friction_force[:, :, 0]
    expected = p.side * np.column_stack([at_face[:, 1], -at_face[:, 0]])
    return float(np.vdot(difference[:, :2], expected) / np.vdot(expected, expected))


def dissipation_checks(runs: dict[Friction, Histories]) -> list[Check]:
    """Check that friction dissipates much energy with every law; without it, only the scheme does."""
    frictionless = runs["none"]
    kinetic = float(frictionless.result.energy["kinetic"].max())  # J, exchanged between weight and motion
    scheme = float(frictionless.result.energy["dissipation_scheme"].sum())
    checks = [at_most("none: energy lost / largest kinetic", scheme / kinetic, 1e-2, SOURCE)]
    for name in FRICTION_LAWS:
        lost = runs[name].lost
        fastest = runs[name].fastest_late / frictionless.fastest_late
        checks += [
            at_least(f"{name}: energy lost / largest kinetic", float(lost[-1]) / kinetic, 0.1, SOURCE),
            at_least(f"{name}: smallest cumulative loss [J]", float(lost.min()), 0.0, "second law"),
            at_most(f"{name}: speed of the last fifth / that without friction", fastest, 0.9, SOURCE),
        ]
    return checks


def _half_the_step(h: Histories) -> list[Check]:
    """Peaks of the run and of one with half the step."""
    finer = companion(replace(h.parameters, dt=0.5 * h.parameters.dt))
    checks = [
        near(
            "peak acceleration / that with half the step",
            h.peak_acceleration / finer.peak_acceleration,
            1.0,
            0.02,
            SCHEME,
        )
    ]
    if h.parameters.friction != "none":
        ratio = float(h.normal_force.max() / finer.normal_force.max())
        checks.append(near("peak normal force / that with half the step", ratio, 1.0, 0.02, SCHEME))
    return checks


NAMES: dict[Friction, str] = {
    "none": "none",
    "coulomb": "Coulomb",
    "stribeck": "Stribeck",
    "dahl": "Dahl",
    "lugre": "LuGre",
}


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Position, speed and acceleration of the slider by all laws, and its first reversal in detail, where the
    run has one: the source's figure 4.3.
    """
    h = Histories(result, p)
    runs = runs_of_all_laws(h)
    panels = [
        Panel("position [m]", _curves(runs, "position")),
        Panel("speed [m/s]", _curves(runs, "speed")),
        Panel("acceleration [m/s²]", _curves(runs, "acceleration")),
    ]
    path = folder / "translational_joint_friction.png"
    drawn = [draw_panels(path, h.time, panels, title="Slider with friction in its translational joint")]
    if p.friction != "none" and p.end_time >= SHORTEST:
        drawn.append(_detail(details(h), folder / "slider_reversal.png"))
    return drawn


def _curves(runs: dict[Friction, Histories], name: str) -> dict[str, Series]:
    return {NAMES[law]: (run.time, getattr(run, name)) for law, run in runs.items()}


def _detail(runs: dict[Friction, Histories], path: Path) -> Path:
    """Detail of every law about its own reversal."""
    ms = 1e3
    acceleration: dict[str, Series] = {
        NAMES[law]: (ms * run.since, run.acceleration) for law, run in runs.items()
    }
    force: dict[str, Series] = {NAMES[law]: (ms * run.since, run.force) for law, run in runs.items()}
    panels = [Panel("acceleration [m/s²]", acceleration), Panel("friction on the slider [N]", force)]
    return draw_panels(
        path,
        ms * next(iter(runs.values())).since,
        panels,
        limits=(-ms * TURNING, ms * TURNING),
        xlabel="time from the reversal [ms]",
        title="Reversal of the slider with that of the crank",
    )


CASE = Case(
    "translational_joint_friction",
    "a spatial slider-crank with friction in its guide, by five laws",
    Parameters,
    build,
    checks,
    plot,
)
