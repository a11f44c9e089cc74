"""Differences between analyses and runs of small motions about an equilibrium, each over the largest number compared.

A run of the force begins at the equilibrium without it. Two step sizes h and h/2 are extrapolated by the scheme's third
order, so that what is left is of order (w h)^4, far below 1e-4 with the steps of `Kind`.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from tests.analysis.family.frame import DIRECTION, DURATION, Kind, framed, motion

PUSH = 1e-4  # N: moves the body by some 1e-7 m; places of order one are rounded to 1e-16 m
STATIC_PUSH = 1e-3  # N, of central differences of equilibria
PARTS = 4  # of the duration, at whose ends motions are compared
INPUTS = [f"body.force[{axis}]" for axis in "xyz"]
OUTPUTS = [f"body.{what}[{axis}]" for what in ("displacement", "rotation") for axis in "xyz"]


@dataclass(frozen=True)
class Differences:
    """Relative differences, nan where there is nothing to compare.

    Attributes
    ----------
    response : of the linear model's response to a step of the force, from a run's
    modes : of the eigenvalues of `fem_mbd.modes`, from those of the state space
    gain : of the static gain, from differences of equilibria
    first_row : of reactions, supports and contact forces at the start of a run, from those of statics
    gradient : of the derivative of a run's end by the force, from a difference on the same steps
    """

    response: float
    modes: float
    gain: float
    first_row: float
    gradient: float


def differences(kind: Kind) -> Differences:
    """All of them for a kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.FemMbdWarning)
        model = framed(kind)
        equilibrium = fm.find_equilibrium(model, friction=kind.friction)
        space = fm.state_space(model, INPUTS, OUTPUTS, at=equilibrium)
        return Differences(
            _response(kind, equilibrium, space),
            _modes(model, equilibrium, space),
            _gain(kind, equilibrium, space),
            _first_row(kind, equilibrium),
            _gradient(kind, equilibrium) if kind.gradients else np.nan,
        )


def _over(found: Array, expected: Array) -> float:
    """Largest difference (…, 6), displacements and rotations each over the largest one."""
    return max(
        float(np.abs(found - expected)[..., part].max() / np.abs(expected)[..., part].max())
        for part in (slice(0, 3), slice(3, 6))
        if np.abs(expected)[..., part].max() > 1e-3 * np.abs(expected).max()
    )


def _run(kind: Kind, equilibrium: Any, push: float, steps: int) -> Any:
    """The result of a run from the equilibrium under the force."""
    control = fm.StepControl.fixed(DURATION / steps)
    return fm.simulate(framed(kind, push), DURATION, control, initial=equilibrium.state, progress=False)


def _response(kind: Kind, equilibrium: Any, space: Any) -> float:
    times, start = DURATION * np.arange(1, PARTS + 1) / PARTS, equilibrium.of("body")
    coarse, fine = (
        motion(_run(kind, equilibrium, PUSH, steps), start, times) for steps in (kind.steps, 2 * kind.steps)
    )
    n = len(space.A)
    column = space.B @ (PUSH * DIRECTION)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = space.A, column
    expected = []
    for t in times:
        state = scipy.linalg.expm(whole * t)[:n, n]
        expected.append(space.C @ state + space.D @ (PUSH * DIRECTION))
    return _over(fine + (fine - coarse) / 7.0, np.array(expected))


def _modes(model: fm.Model, equilibrium: Any, space: Any) -> float:
    own = np.linalg.eigvals(space.A)
    found = fm.modes(model, min(6, len(own) // 2), at=equilibrium).eigenvalues
    return max(
        float(np.abs(own - value).min() / max(abs(value), 1e-3 * np.abs(found).max())) for value in found
    )


def _gain(kind: Kind, equilibrium: Any, space: Any) -> float:
    # what rolls and what friction holds depends on the way: it begins at the equilibrium
    ends = [
        fm.find_equilibrium(framed(kind, push), friction=kind.friction, start=equilibrium).of("body")
        for push in (STATIC_PUSH, -STATIC_PUSH)
    ]
    turn = ends[0].rotation_matrix @ ends[1].rotation_matrix.T
    small = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    found = np.concatenate([ends[0].position - ends[1].position, small]) / (2 * STATIC_PUSH)
    return _over(space.transfer(0).real @ DIRECTION, found)


def _first_row(kind: Kind, equilibrium: Any) -> float:
    run = _run(kind, equilibrium, 0.0, kind.steps)
    found = []
    for name, field in (("reaction", ""), ("support", ""), ("spring", ""), ("contact", "normal_force")):
        if name not in equilibrium.outputs or name not in run.initial:
            continue
        here, there = (
            np.ravel(of[name][field] if field else of[name]) for of in (run.initial, equilibrium.outputs)
        )
        if len(there) and here.shape == there.shape and np.abs(there).max() > 1e-6:
            found.append(float(np.abs(here - there).max() / np.abs(there).max()))
    return max(found, default=np.nan)


def _gradient(kind: Kind, equilibrium: Any) -> float:
    steps, step = 20, DURATION / 100

    def build(values: Any) -> fm.Simulation:
        model = framed(kind, values["push"])
        return fm.Simulation(model, steps * step, fm.StepControl.fixed(step), initial=equilibrium.state)

    of = {axis: f"final(body.position[{i}])" for i, axis in enumerate("xyz")}
    found = fm.gradient(build, of, {"push": PUSH}).jacobian[:, 0]
    ends = [
        fm.run(build({"push": p}), progress=False).of("body").position[-1] for p in (1.5 * PUSH, 0.5 * PUSH)
    ]
    difference = (ends[0] - ends[1]) / PUSH
    return float(np.abs(found - difference).max() / np.abs(difference).max())
