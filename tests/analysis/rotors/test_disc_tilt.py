"""Test of the gyroscopic terms in the rotating frame: tilting whirl of a disc in the middle of a light shaft.

The disc (polar moment Jp, diametral Jt) tilts against k = 12 EI/L, the stiffness of a simply supported beam against a
moment at mid-span. In the inertial frame Jt w^2 - Jp speed w - k = 0; the rotating frame has |w - speed|.
G. Genta, Dynamics of Rotating Systems, Springer 2005, chapter 4.
"""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, RigidBody, Section

EI, SPAN = 2e3, 1.0
DIAMETRAL, SPEED = 0.3, 120.0  # kg m^2, rad/s
STIFFNESS = 12 * EI / SPAN


@pytest.mark.out_of_range("does not resolve its mode")
@pytest.mark.parametrize("polar", [0.15, 0.55])
def test_tilting_whirl_has_its_closed_form(polar: float) -> None:
    model = fm.Model()
    section = Section(np.diag([1e9, 1e9, 1e9, 1e8, EI, EI]), 1e-6, np.diag([2e-9, 1e-9, 1e-9]))
    shaft = model.add(Beam(section, (0, 0, 0), (SPAN, 0, 0), elements=2, order=4))
    model.add(RigidBody(1e3, (polar, DIAMETRAL, DIAMETRAL), node=shaft.node_nearest(0.5)))
    model.fix(shaft.start, rotation=(True, False, False))
    model.fix(shaft.end, translation=(False, True, True), rotation=False)
    found = fm.modes(model, 8, spin=fm.Spin((0, 0, 0), (1, 0, 0), SPEED))
    frequencies = 2 * np.pi * found.damped_frequencies_hz
    root = np.sqrt((polar * SPEED) ** 2 + 4 * DIAMETRAL * STIFFNESS)
    for inertial in ((polar * SPEED + root) / (2 * DIAMETRAL), (polar * SPEED - root) / (2 * DIAMETRAL)):
        assert np.abs(frequencies - abs(inertial - SPEED)).min() < 1e-4 * abs(inertial - SPEED)
