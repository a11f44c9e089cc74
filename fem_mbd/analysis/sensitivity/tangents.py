"""Derivatives of a run's recorded outputs by parameters, propagated step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.events import end_rates
from fem_mbd.analysis.sensitivity.forward import Forward
from fem_mbd.analysis.sensitivity.growth import LARGEST, Growth
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.setup import Build, SetUp
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.errors import SolverFailure

PARAMETERS_PER_SCHEME = DIRECTIONS - 1  # parameters of a scheme; the last direction is that of `Growth`
SCHEMES = 4  # that are taken along the path together


@dataclass(frozen=True, eq=False)
class Tangents:
    """Derivatives of outputs by one parameter.

    Attributes
    ----------
    initial : by the output's name those before the first step
    history : those after each step, with the steps as first axis
    ends : (steps,) those of the ends of the steps, where events and impacts move them; None: zero
    """

    initial: dict[str, Array]
    history: dict[str, Array]
    ends: Array | None = None


def tangents(
    build: Build,
    path: Path,
    columns: Sequence[str],
    values: Mapping[str, float],
    scales: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> dict[str, Tangents]:
    """Derivatives of outputs along a run, by each of the parameters.

    Parameters
    ----------
    build : makes the simulation from the values of the parameters
    path : of its run at ``values``; its steps are kept
    columns : names of outputs, as results have them
    values : of the parameters by name
    scales : size of a parameter by name where its value is zero
    largest_growth : of a small change of the start, beyond which derivatives are refused

    Raises
    ------
    InputError
        For runs, parameters and outputs without derivatives.
    BeyondHorizon
        Where a chaotic motion has made them useless.
    SolverFailure
        Where those of a step are not found.
    """
    setup = SetUp(build, values, scales or {})
    found: dict[str, Tangents] = {}
    names = list(values)
    for first in range(0, len(names), PARAMETERS_PER_SCHEME * SCHEMES):
        some = names[first : first + PARAMETERS_PER_SCHEME * SCHEMES]
        groups = [some[k : k + PARAMETERS_PER_SCHEME] for k in range(0, len(some), PARAMETERS_PER_SCHEME)]
        schemes = [DualScheme(own, columns) for own in setup.simulations(len(groups))]
        for scheme, own in zip(schemes, groups, strict=True):
            setup.seed(scheme, own)
        growth = Growth(schemes[0], largest_growth)
        ends = [end_rates(path, setup.breakpoints, setup.breakpoint_rates, own) for own in groups]
        initial = [scheme.watch() for scheme in schemes]
        forward = Forward(schemes, path, build(values), growth.calls, ends)
        parts = _along(forward, path, growth)
        for own, before, after, moved in zip(groups, initial, parts, forward.ends, strict=True):
            for component, name in enumerate(own):
                found[name] = Tangents(
                    {key: one[..., component] for key, one in before.items()},
                    {key: one[..., component] for key, one in after.items()},
                    moved[:, component] if moved[:, component].any() else None,
                )
    return found


def _along(forward: Forward, path: Path, growth: Growth) -> list[dict[str, Array]]:
    """Derivatives (steps, …, DIRECTIONS) of the outputs after each step, of each scheme by column."""
    parts: list[list[dict[str, Array]]] = [[] for _ in forward.directions]
    first, behind, ends = 0, 0, path.ends
    try:
        for first, behind in forward.steps():
            growth.check(ends[first:behind])
            for own, directions in zip(parts, forward.directions, strict=True):
                own.append(directions.outputs(behind - first))
    except SolverFailure:
        growth.check(ends[behind : behind + int(forward.stretch.number[0])])
        raise
    return [{key: np.concatenate([one[key] for one in own]) for key in own[0]} for own in parts]
