"""Histories of a run, and what is held against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.cases.pendulum_friction.model import BOB, HINGE, build
from fem_mbd.cases.pendulum_friction.parameters import Parameters
from fem_mbd.cases.pendulum_friction.reference import angle_at
from fem_mbd.results.checks import Check, at_least, at_most
from fem_mbd.results.result import Result
from fem_mbd.running.runs import run

FORMULAS = "Force_JointFriction, comment 9"
LEDGER = "energy balance of the scheme"


def angle(result: Result) -> Array:
    """(k,) rad off the downward vertical, positive towards -x."""
    place = result.of(BOB).position
    return np.asarray(np.unwrap(np.arctan2(-place[:, 0], -place[:, 2])))


def amplitude(result: Result) -> float:
    """Largest angle of the last swing, rad: an end between two steps lies on the parabola through three."""
    phi, time = np.abs(angle(result)), result.output_time
    peaks = [k for k in range(1, len(phi) - 1) if phi[k] >= phi[k - 1] and phi[k] > phi[k + 1]]
    if not peaks:
        return float("nan")
    k = peaks[-1]
    curve = np.polyfit(time[k - 1 : k + 2] - time[k], phi[k - 1 : k + 2], 2)
    return float(curve[2] - curve[1] ** 2 / (4 * curve[0]))


def checks(result: Result, p: Parameters) -> list[Check]:
    """The ledger, dissipation, statics of the hinge; in the source's setting finer steps and SciPy."""
    energy = result.energy
    lost = energy["dissipation_friction"].cumsum() + energy["bristle"]
    found = [
        at_most("energy residual / scale", result.summary["energy"]["relative"], 1e-11, LEDGER),
        at_least("energy lost to friction [J]", float(lost[-1]), 0.0, "second law"),
        at_least("least of it so far [J]", float(lost.min()), -1e-12, "second law"),
    ]
    if "1" in p.inputs[:2]:
        found.append(_torques(result, p))
    if p.end_time >= 1.0:
        found += _finer(result, p)
    return found


def _torques(result: Result, p: Parameters) -> Check:
    """The hinge's torque is the sum of Tz1 to Tz4, each a force at its arm."""
    friction = result.of(HINGE).friction
    names = {
        "reaction_force": (p.pin_radius, p.friction_arm),
        "bending_moment": (p.pin_radius,),
        "preload": (p.pin_radius,),
    }
    order = ("reaction_force", "bending_moment", "preload")
    arms = np.array([arm for load in order if load in p.loads for arm in names[load]])
    total = np.einsum("kn,n->k", friction.friction_force[:, :, 0], arms)
    worst = float(np.abs(total - friction.torque[:, 2]).max() / np.abs(friction.torque[:, 2]).max())
    return at_most("torque less Tz1 + Tz2 + Tz3 + Tz4 / largest", worst, 1e-10, FORMULAS)


def _finer(result: Result, p: Parameters) -> list[Check]:
    """Half and a quarter of the step: the amplitude at the end, and the way towards the differential equation."""
    runs = [result]
    for part in (2, 4):
        finer = build(replace(p, dt=p.dt / part))
        runs.append(run(finer, progress=False, quantities=("position",)))
    sizes = [amplitude(one) for one in runs]
    found = [
        at_most(
            "amplitude at the end less that with a quarter of the step / amplitude",
            abs(sizes[2] - sizes[0]) / sizes[2],
            0.01,
            "convergence",
        )
    ]
    if p.effect == "all" and p.inputs == "1111" and p.torque_preload == 0.0:
        times = [one.output_time for one in runs]
        away = [float(np.abs(angle(one) - angle_at(p, t)).max()) for one, t in zip(runs, times, strict=True)]
        source = "differential equation by SciPy, Radau"
        found += [
            at_most("angle less that of the differential equation [rad]", away[0], 0.01, source),
            at_least(
                "order of the angle's convergence", 0.5 * float(np.log2(away[0] / away[2])), 1.0, source
            ),
        ]
    return found
