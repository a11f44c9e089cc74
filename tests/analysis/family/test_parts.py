"""Every kind of part: small motions of a run against the linear model, its modes, static gain, start and gradient.

``python -m tests.analysis.family`` prints the table of differences.
"""

import dataclasses

import numpy as np
import pytest

from fem_mbd import elements, joints
from tests.analysis.family.measures import Differences, differences
from tests.analysis.family.parts import ELSEWHERE, PARTS

# Relative, from what each comparison can resolve: runs 1e-4, as asked of frequencies and damping (second-order friction
# in 400 steps leaves 1e-5); eigenvalues 1e-9, of the same matrices; static gains 1e-7, from differences of equilibria
# that are moved by 1e-6 m and solved to 1e-13; reactions 1e-9; gradients 1e-5, of differences over changes of 1e-7 m
# with places rounded to 1e-16 m, after which (1e-7)^2 of the motion's curvature is left.
ALLOWED = Differences(response=1e-4, modes=1e-9, gain=1e-7, first_row=1e-9, gradient=1e-5)


def kinds() -> list[str]:
    """Names of all parts that users can add to a model."""
    return [
        name
        for package in (elements, joints)
        for name in package.__all__
        if isinstance(getattr(package, name), type) and hasattr(getattr(package, name), "build")
    ]


@pytest.mark.parametrize("name", PARTS)
def test_analyses_see_what_runs_see(name: str) -> None:
    found = dataclasses.asdict(differences(PARTS[name]))
    allowed = dataclasses.asdict(ALLOWED)
    assert not {what: value for what, value in found.items() if value > allowed[what]}
    compared = [what for what, value in found.items() if not np.isnan(value)]
    assert {"response", "modes", "gain", "first_row"} <= set(compared)
    assert PARTS[name].gradients == ("gradient" in compared)


def test_every_part_is_compared() -> None:
    assert sorted([*PARTS, *ELSEWHERE]) == sorted(kinds())
