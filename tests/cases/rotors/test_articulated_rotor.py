"""Tests of the articulated rotor: closed forms of flap, lag, coning and cyclic flap; bad input."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Spin, modes, run
from fem_mbd.cases import articulated_rotor
from fem_mbd.cases.articulated_rotor import Parameters


@pytest.mark.slow
def test_flap_follows_a_force_by_ninety_degrees_without_offset(tmp_path: Path) -> None:
    p = Parameters(number=2, flap_offset=0.01, steps=40, revolutions=5.0)
    result = run(articulated_rotor.build(p))
    made = articulated_rotor.checks(result, p)
    assert len(made) == 6 and all(check.passed for check in made), made
    assert np.degrees(np.angle(articulated_rotor.last_turn(result, p)[1])) == pytest.approx(-90.0, abs=0.5)
    assert [path.name for path in articulated_rotor.plot(result, p, tmp_path)] == ["flap.png"]


@pytest.mark.parametrize("speed", [10.0, 40.0, 69.0])
def test_flap_and_lag_frequencies(speed: float) -> None:
    p = Parameters(speed=speed, number=2, lag_offset=0.35, bending=2e7)
    found = modes(articulated_rotor.model(p), 8, spin=Spin((0, 0, 0), (0, 0, 1), speed))
    per_turn = np.abs(found.eigenvalues.imag) / speed
    for wanted in (p.flap, p.lag):
        assert np.abs(per_turn / wanted - 1.0).min() < 1e-3


def test_the_closed_forms_are_those_of_blades_uniform_from_the_hinge_on() -> None:
    """nu^2 = 1 + 3 e/(2 (R - e)) and 3 e/(2 (R - e)): W. Johnson, Helicopter Theory."""
    ratio = 1.5 * 0.3 / (6.5 - 0.3)
    assert Parameters(root=0.3 + 1e-9).flap == pytest.approx(np.sqrt(1 + ratio), rel=1e-8)
    assert Parameters(lag_offset=0.3, root=0.3 + 1e-9).lag == pytest.approx(np.sqrt(ratio), rel=1e-8)
