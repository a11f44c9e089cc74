"""Checks of friction laws at the reversal of the slider, where they differ (figs. 4.3c and 4.3d)."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.translational_joint_friction.histories import AROUND, Histories
from fem_mbd.cases.translational_joint_friction.parameters import Friction
from fem_mbd.runs.results.checks import Check, at_least, at_most, near
from fem_mbd.runs.results.energy_checks import SCHEME

SOURCE = "Marques 2015, section 4.1, fig. 4.3"
STATIC: tuple[Friction, ...] = ("coulomb", "stribeck")
DYNAMIC: tuple[Friction, ...] = ("dahl", "lugre")
TURNING = 0.01  # s, before and after a reversal, within which friction changes its sign
MUCH = 1.2  # smallest ratio for "a much higher friction force"
SLIP = 5e-3  # m/s, five Stribeck velocities: slip at which friction is compared between decreasing and increasing slip


def reversal_checks(fine: dict[Friction, Histories], coarse: dict[Friction, Histories]) -> list[Check]:
    """Checks with the same laws at two step sizes, of which the coarse one is twice the fine one.

    A jump of friction is as large in half a step, a smooth change half as large: three quarters separates the two.
    """
    name = "{}: change of friction in half a step / in a step"
    change = {law: _change(fine[law]) / _change(coarse[law]) for law in fine}
    near_it, apart = spread(fine)
    return [
        *(at_least(name.format(law), change[law], 0.75, SOURCE) for law in STATIC),
        *(at_most(name.format(law), change[law], 0.75, SOURCE) for law in DYNAMIC),
        at_least(
            "accelerations of the laws differ at the reversal / beside it", near_it / apart, 3.0, SOURCE
        ),
        at_least("LuGre: coefficient of growing slip / of falling slip", lag(fine["lugre"]), MUCH, SOURCE),
        near(
            "Stribeck: coefficient of growing slip / of falling slip",
            lag(fine["stribeck"]),
            1.0,
            0.01,
            SOURCE,
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
    """Largest difference of the laws' accelerations within `TURNING` of their reversals, and from there to `AROUND`."""
    near_it = np.linspace(-TURNING, TURNING, 801)
    apart = np.concatenate([np.linspace(-AROUND, -TURNING, 401), np.linspace(TURNING, AROUND, 401)])

    def largest(instants: Array) -> float:
        values = [np.interp(instants, h.since, h.acceleration) for h in runs.values()]
        return float(np.ptp(values, axis=0).max())

    return largest(near_it), largest(apart)


def lag(h: Histories) -> float:
    """Coefficient of friction at the slip `SLIP` after the reversal over that at the same slip before it."""
    around = np.flatnonzero(np.abs(h.since) < TURNING)
    before, after = around[h.since[around] < 0.0], around[h.since[around] >= 0.0]
    coefficient = np.abs(h.force / h.normal_force)
    at = [part[np.argmin(np.abs(np.abs(h.speed[part]) - SLIP))] for part in (before, after)]
    return float(coefficient[at[1]] / coefficient[at[0]])
