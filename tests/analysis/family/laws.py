"""Every law of the package, with its examples: a mass on a plane, pushed slightly along the normal or across it.

Registered laws are found by themselves: a new one is compared as soon as it has examples.
"""

import warnings
from typing import Any

import numpy as np
import scipy.linalg

import fem_mbd as fm
from fem_mbd.elements import Force, PointMass
from fem_mbd.friction import Frictionless, Linear
from fem_mbd.friction.probes.gallery import entries_of
from fem_mbd.joints import PointOnPlane

MASS, WEIGHT = 2.0, 20.0  # kg, N
PRESSED = 1e5  # N/m, of the plane below friction laws
SMALL = 1e-9  # of the weight, across, far below what moves bristles to their ends: some 1e-12 m
NORMAL_SMALL = 1e-6  # of the weight, along the normal
STEPS = 400
DEPTH = 1e-6  # m, from which laws along the normal go to their equilibrium
FRICTION_LAWS = {entry.name: entry.law for entry in entries_of(("static", "dynamic"))}
NORMAL_LAWS = {entry.name: entry.law for entry in entries_of(("normal",))}
LAWS = FRICTION_LAWS | NORMAL_LAWS
# why a law has no linear behaviour about rest under load
WITHOUT_TANGENT = {
    "HarnoyFriedland": "dry friction of asperities jumps with the sign of the slip, and no bristle holds it",
    "LuGre scalar": "bristles have the direction of the present slip, which rest does not have",
}


def on_plane(law: Any, depth: float, push: float = 0.0) -> fm.Model:
    """The mass on a plane, with the law across or along the normal, and the push in its direction."""
    across = law in FRICTION_LAWS.values()
    model = fm.Model(gravity=(0, 0, -WEIGHT / MASS))
    mass = model.add(PointMass(MASS, (0, 0, -depth), name="mass"))
    model.fix(mass, translation=(not across, True, False), rotation=True)
    normal, friction = (Linear(PRESSED), law) if across else (law, Frictionless())
    model.add(PointOnPlane(model.ground, mass, normal, friction))
    model.add(Force(mass, (push, 0, 0) if across else (0, 0, push)))
    return model


def law_difference(law: Any) -> float:
    """Of the response to the push, a run's from the linear model's, over the largest motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.FemMbdWarning)
        across = law in FRICTION_LAWS.values()
        axis, push = ("x", SMALL * WEIGHT) if across else ("z", NORMAL_SMALL * WEIGHT)
        depth = WEIGHT / PRESSED if across else DEPTH
        # bristles are unloaded where friction laws begin; the normal's law has met its equilibrium
        at = None if across else fm.find_equilibrium(on_plane(law, depth))
        space = fm.state_space(
            on_plane(law, depth), [f"mass.force[{axis}]"], [f"mass.displacement[{axis}]"], at=at
        )
        size = float(np.abs(np.linalg.eigvals(space.A)).max())
        times = 2 * np.pi / size * np.arange(1, 5) / 4
        start = None if at is None else at.state
        coarse, fine = (_run(law, depth, push, axis, times, steps, start) for steps in (STEPS, 2 * STEPS))
        expected = _exact(space, push, times)
        return float(np.abs(2 * fine - coarse - expected).max() / np.abs(expected).max())


def _exact(space: Any, push: float, times: Any) -> Any:
    n = len(space.A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = space.A, push * space.B[:, 0]
    return np.array(
        [(space.C @ scipy.linalg.expm(whole * t)[:n, n])[0] + space.D[0, 0] * push for t in times]
    )


def _run(law: Any, depth: float, push: float, axis: str, times: Any, steps: int, start: Any) -> Any:
    places = []
    for force in (push, 0.0):
        control = fm.StepControl.fixed(float(times[-1]) / steps)
        result = fm.simulate(
            on_plane(law, depth, force), float(times[-1]), control, initial=start, progress=False
        )
        places.append(result.of("mass").at(times).position[:, "xyz".index(axis)])
    return places[0] - places[1]
