"""Checks: dissipation, moments of friction, peaks with half the step, and the reversal of the slider.

At the reversal the friction laws differ (figs. 4.3c and 4.3d).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.translational_joint_friction.histories import (
    DETAIL_WINDOW,
    FINER,
    FRICTION_LAWS,
    SHORTEST,
    Histories,
    companion,
    details,
    runs_of_all_laws,
)
from fem_mbd.cases.translational_joint_friction.model import Friction, Parameters
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.runs.results.checks import SCHEME, Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result

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
