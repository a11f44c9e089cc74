"""Stiffness from geometry and material, and the warnings when a law is used outside its range."""

import warnings
from typing import Any

import numpy as np
import pytest

from fem_mbd.elements import Material
from fem_mbd.errors import InputError
from fem_mbd.friction import (
    ExactRestitution,
    Hertz,
    HuntCrossley,
    Johnson,
    LankaraniNikravesh,
    LawRangeWarning,
)
from fem_mbd.friction.records import NormalLaw
from fem_mbd.friction.validity import RangeMonitor
from tests.friction.law_calls import BEARING, RESTITUTION, STEEL

ALUMINIUM = Material(young=70e9, poisson=0.33, density=2700.0)


def test_hertz_stiffness_of_spheres_and_sockets() -> None:
    """4/(3 (s1 + s2)) sqrt(R1 R2/(R1 + R2)), s = (1 - nu^2)/E, a socket's radius negative."""
    s = (1 - 0.3**2) / 207e9 + (1 - 0.33**2) / 70e9
    factor = 4 / (3 * s)
    spheres = Hertz.spheres(0.02, 0.03, STEEL, ALUMINIUM)
    assert spheres.stiffness == pytest.approx(factor * np.sqrt(0.02 * 0.03 / 0.05), rel=1e-14)
    assert Hertz.sphere_on_plane(0.02, STEEL, ALUMINIUM).stiffness == pytest.approx(
        factor * np.sqrt(0.02), rel=1e-14
    )
    inside = Hertz.inside(0.03, 0.02, STEEL, ALUMINIUM)
    assert inside.stiffness == pytest.approx(factor * np.sqrt(-0.03 * 0.02 / (0.02 - 0.03)), rel=1e-14)
    assert spheres.speed_limit == pytest.approx(1e-5 * np.sqrt(70e9 / 2700))


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: Hertz.spheres(0.0, 0.1, STEEL, STEEL), "Hertz radius_k is 0: it must be above zero"),
        (lambda: Hertz.sphere_on_plane(-1.0, STEEL, STEEL), "Hertz radius is -1"),
        (lambda: Hertz.inside(0.1, 0.1, STEEL, STEEL), "radius_l = 0.1 m does not fit"),
        (lambda: LankaraniNikravesh(1e6, 0.9), "LankaraniNikravesh elastic is 1000000.0: give a Linear"),  # type: ignore[arg-type]
        (lambda: LankaraniNikravesh(Hertz(1e9), 1.1), "restitution is 1.1: it must not be above 1"),
        (
            lambda: LankaraniNikravesh(Hertz(1e9), 0.0),
            "LankaraniNikravesh restitution is 0: it must be above",
        ),
        (lambda: LankaraniNikravesh(Hertz(1e9), 0.9, -1.0), "impact_speed is -1"),
        (lambda: LankaraniNikravesh(Hertz(1e9), 0.9, slowest=0.0), "slowest is 0"),
    ],
)
def test_bad_input(build: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build()


@pytest.mark.parametrize("name", RESTITUTION)
def test_restitution_below_the_authors_range_is_reported(name: str) -> None:
    full_range = name in ("GonthierImpact", "Flores", "ExactRestitution")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RESTITUTION[name](Hertz(1e9), 0.71)
        assert not caught
        RESTITUTION[name](Hertz(1e9), 0.5)
    assert len(caught) == (0 if full_range else 1)
    if not full_range:
        assert f"{name} restitution is 0.5, below 0.7" in str(caught[0].message)
        assert caught[0].category is LawRangeWarning and caught[0].filename == __file__


def test_the_warning_states_the_actual_restitution() -> None:
    with pytest.warns(LawRangeWarning, match="rebound with 0.7252 instead"):
        LankaraniNikravesh(Hertz(1e9), 0.5)


def test_fast_impact_is_reported_when_the_law_is_built() -> None:
    elastic = Hertz.inside(5e-3, 4.5e-3, STEEL, STEEL)
    with pytest.warns(LawRangeWarning, match=r"ExactRestitution: impact at 0.2 m/s, above the 0.05135 m/s"):
        ExactRestitution(elastic, 0.9, impact_speed=0.2)
    ExactRestitution(elastic, 0.9, impact_speed=0.05)


def test_watch_reports_each_contact_once() -> None:
    laws: list[NormalLaw] = [
        Hertz.inside(5e-3, 4.5e-3, STEEL, STEEL),
        Hertz(1e9),
        HuntCrossley(Johnson(*BEARING), 0.1),
    ]
    watch = RangeMonitor(laws, ["pin", "stop", "bush"])
    slow, shallow = np.full(3, 0.05), np.full(3, -1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.check(slow, shallow)
    with pytest.warns(LawRangeWarning) as caught:
        watch.check(np.full(3, 0.3), np.full(3, -1e-3))
        watch.check(np.full(3, 0.3), np.full(3, -1e-3))
    assert [str(w.message).split(":")[0] for w in caught] == [
        "Hertz of contact 'pin'",
        "HuntCrossley of contact 'bush'",
        "HuntCrossley of contact 'bush'",
    ]
