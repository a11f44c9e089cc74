"""Elastica: cantilever under a dead tip force, by elliptic integrals; a heavy cantilever that hangs nearly vertical.

Euler's elastica is inextensible and does not shear, so EA and GA are made large; what they leave, P/EA and P/GA, is
below the tolerance. The heavy cantilever (EI 100, EA = GA 1e4, L 10, 9.806 N/m) is a converged solution of its
boundary-value problem.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.elements import LineLoad
from fem_mbd.relaxation import relax
from tests.validation.beams import LONG, cantilever, grown, section, tip_under

# P L^2/EI: deflection/L, shortening/L, tip angle in rad
REFERENCE = {
    1.0: (0.3017207738, 0.0564332363, 0.4613519497),
    4.0: (0.6699641813, 0.3289412422, 1.1212393475),
    10.0: (0.8106090249, 0.5549955978, 1.4302855388),
}


@pytest.mark.parametrize("load", list(REFERENCE))
def test_dead_tip_force(load: float) -> None:
    model, beam = cantilever(1.0, section(1e8, 1e8, 1.0, 1.0, 1.0), 12)
    place, quaternion = tip_under(model, beam, 10, force=grown([0, 0, 1], load))
    deflection, shortening, angle = REFERENCE[load]
    assert place[2] == pytest.approx(deflection, abs=1e-6)
    assert 1.0 - place[0] == pytest.approx(shortening, abs=1e-6)
    assert 2 * np.arccos(quaternion[0]) == pytest.approx(angle, abs=2e-6)


def test_heavy_cantilever() -> None:
    """The line load is lumped to the nodes: error 6e-5 with 16 elements, below 2e-5 with 32."""
    model, beam = cantilever(10.0, section(1e4, 1e4, 200.0, 100.0, 100.0), 32)
    model.add(LineLoad(beam, grown([0, 0, -1], 9.806)))
    found = relax(model, LONG, steps=10, hold=250).outputs()
    place, quaternion = found["position"][beam.end.index], found["quaternion"][beam.end.index]
    assert -place[2] == pytest.approx(9.41761498, abs=2e-5)
    assert 10.0 - place[0] == pytest.approx(8.38915149, abs=2e-5)
    assert 2 * np.arccos(quaternion[0]) == pytest.approx(1.5636704630, abs=2e-5)
