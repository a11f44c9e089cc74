"""Every kind of part: small motions of a run against the linear model, its modes, static gain, start and gradient.

``python -m tests.analysis.family`` prints the table of differences.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest

from fem_mbd import elements
from tests.analysis.family.measures import Differences, differences
from tests.analysis.family.parts import ELSEWHERE, PARTS
from tests.analysis.family.unasked import COMPARED, kind_of, kinds

# Relative, from what each comparison can resolve: runs 1e-4, as asked of frequencies and damping (second-order friction
# in 400 steps leaves 1e-5); eigenvalues 1e-9, of the same matrices; static gains 1e-7, from differences of equilibria
# that are moved by 1e-6 m and solved to 1e-13; reactions 1e-9; gradients 1e-5, of differences over changes of 1e-7 m
# with places rounded to 1e-16 m, after which (1e-7)^2 of the motion's curvature is left.
ALLOWED = Differences(response=1e-4, modes=1e-9, gain=1e-7, first_row=1e-9, gradient=1e-5)


@pytest.mark.parametrize("name", COMPARED)
def test_analyses_see_what_runs_see(name: str) -> None:
    kind = kind_of(name)
    found = dataclasses.asdict(differences(kind))
    allowed = dataclasses.asdict(ALLOWED)
    assert not {what: value for what, value in found.items() if value > allowed[what]}
    compared = [what for what, value in found.items() if not np.isnan(value)]
    assert {"response", "modes", "gain", "first_row"} <= set(compared)
    assert kind.gradients == ("gradient" in compared)


def test_every_part_is_compared_or_has_a_reason() -> None:
    assert set(PARTS) | set(ELSEWHERE) <= set(kinds())


def test_a_new_part_is_compared_without_being_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose parameters have usual names; one with others says what it needs."""

    class Pull(elements.Force):
        pass

    class Puller(elements.SpringDamper):
        def __init__(self, k: Any, l: Any, magic: float):
            super().__init__(k, l, magic)

    for part in (Pull, Puller):
        monkeypatch.setitem(elements.__dict__, part.__name__, part)
    monkeypatch.setattr(elements, "__all__", [*vars(elements)["__all__"], "Pull", "Puller"])
    assert {"Pull", "Puller"} <= set(kinds())
    assert differences(kind_of("Pull")).response < ALLOWED.response
    with pytest.raises(LookupError, match=r"Puller: the parameters \['magic'\]"):
        kind_of("Puller")
