"""45-degree bend under an out-of-plane tip force.

K. J. Bathe and S. Bolourchi, Large displacement analysis of three-dimensional beam structures, Int. J. Numer.
Meth. Eng. 14 (1979) 961-986: radius 100, 1 x 1 section, E = 1e7, nu = 0. Published displacement at 600:
(-13.4, -23.5, 53.4). The digits below are converged solutions of the boundary-value problem of the geometrically exact
beam, computed without beam elements.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.elements import Arc, Beam
from tests.validation.beams import grown, section, tip_under

CROSS = section(1e7, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12)
REFERENCE = {300: (22.24478095, 58.77912249, 40.19189167), 600: (15.68480053, 47.15043857, 53.47485879)}


@pytest.mark.parametrize("force", [300, 600])
def test_tip_position(force: int) -> None:
    """Eight four-node elements: 1e-5 of about 80, the discretisation error at 600."""
    model = Model()
    arc = Arc((0, 0, 0), tangent=(0, 1, 0), normal=(1, 0, 0), radius=100.0, angle=np.pi / 4)
    beam = model.add(Beam(CROSS, line=arc, elements=8))
    model.fix(beam.start)
    place, _ = tip_under(model, beam, 6, force=grown([0, 0, 1], force))
    assert place == pytest.approx(REFERENCE[force], abs=2e-5)
    if force == 600:
        published = np.array([-13.4, -23.5, 53.4])
        moved = place - beam.end.position
        assert np.abs(np.sort(np.abs(moved)) - np.sort(np.abs(published))).max() < 0.25
