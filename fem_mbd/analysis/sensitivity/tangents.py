"""Derivatives of a run's recorded outputs by parameters, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.forward import Forward
from fem_mbd.analysis.sensitivity.growth import LARGEST, Growth
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.setup import Build, SetUp, made
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.number import DIRECTIONS

AT_ONCE = DIRECTIONS - 1  # parameters; the last direction is that of `Growth`


@dataclass(frozen=True, eq=False)
class Tangents:
    """Derivatives of outputs by one parameter.

    Attributes
    ----------
    initial : by the output's name those before the first step
    history : those after each step, with the steps as first axis
    """

    initial: dict[str, Array]
    history: dict[str, Array]


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
    for first in range(0, len(names), AT_ONCE):
        own = names[first : first + AT_ONCE]
        scheme = DualScheme(made(build, values), columns)
        setup.seed(scheme, own)
        growth = Growth(scheme, largest_growth)
        rows = [scheme.watch()]
        for time in Forward(scheme, path).steps():
            growth.look(time)
            rows.append(scheme.watch())
        for lane, name in enumerate(own):
            history = {key: np.array([row[key][..., lane] for row in rows]) for key in columns}
            found[name] = Tangents(
                {key: all_[0] for key, all_ in history.items()},
                {key: all_[1:] for key, all_ in history.items()},
            )
    return found
