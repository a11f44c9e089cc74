"""Test that states without mass are eliminated exactly: transfer functions of M y'' + C y' + K y = F u."""

import numpy as np
import pytest

from fem_mbd.analysis.control.motion import motion_of

MASS = np.diag([2.0, 0.0])
STIFFNESS = np.array([[50.0, -20.0], [-20.0, 30.0]])
FORCES = np.array([[1.0, 0.4], [0.3, 1.0]])


@pytest.mark.parametrize("coupling", [0.0, -1.5], ids=["undamped massless motion", "damped and coupled"])
@pytest.mark.parametrize("s", [0.0, 2.0j, 1.0 + 5.0j])
def test_transfer_functions_are_those_of_the_equations(coupling: float, s: complex) -> None:
    rates = np.array([[1.0, coupling], [coupling, 3.0 if coupling else 0.0]])
    motion = motion_of(MASS, rates, STIFFNESS, FORCES)
    by_state = np.linalg.solve(s * np.eye(len(motion.a)) - motion.a, motion.b)
    wanted = np.linalg.solve(s**2 * MASS + s * rates + STIFFNESS, FORCES)
    assert motion.states[0] @ by_state + motion.inputs[0] == pytest.approx(wanted, rel=1e-12)
