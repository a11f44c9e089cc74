"""Spin-up manoeuvre of a flexible beam.

J. C. Simo and L. Vu-Quoc, On the dynamics of flexible beams under large overall motions, part II, J. Appl. Mech. 53
(1986) 855-863: L 10, EA 2.8e7, GA 1e7, EI 1.4e4, rho A 1.2, rho I 6e-4, hub angle
(6/15)[t^2/2 + (15/2pi)^2 (cos(2pi t/15) - 1)] until 15 s, then 6t - 45. Tip displacements in the rotating frame below:
converged solutions of the beam's equations by a high-order solver; the steady stretch is that of the boundary-value
problem.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model, PrescribedMotion, Simulation, StepControl
from fem_mbd.elements import Beam, Section
from fem_mbd.time_functions import FromCallable

TABLE = {
    2.5: (-0.00132268, -0.15128356),
    5.0: (-0.01265463, -0.46847617),
    7.5: (-0.01774185, -0.55908322),
    10.0: (-0.00707231, -0.36281374),
}
LARGEST, AT = -0.5738346, 6.762
STRETCH = 5.143174551e-4


def angle(t: float) -> float:
    if t >= 15.0:
        return 6.0 * t - 45.0
    return 0.4 * (0.5 * t * t + (7.5 / np.pi) ** 2 * (np.cos(2 * np.pi * t / 15.0) - 1.0))


def rate(t: float) -> float:
    return 6.0 if t >= 15.0 else 0.4 * (t - 7.5 / np.pi * np.sin(2 * np.pi * t / 15.0))


def test_tip_in_the_rotating_frame() -> None:
    """Four elements, dt 0.01 s; the stretch settles by the scheme's damping of axial waves."""
    model = Model()
    section = Section(np.diag([2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4]), 1.2, np.diag([1.2e-3, 6e-4, 6e-4]))
    beam = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=4))
    model.add(PrescribedMotion(beam.start, axis=(0, 0, 1), angle=FromCallable(angle, rate, kinks=(15.0,))))
    sim = Simulation(model, StepControl.fixed(0.01, output_times=tuple(TABLE)), 20.0)
    history = []
    for record in sim.steps():
        c, s = np.cos(angle(record.time)), np.sin(angle(record.time))
        x, y, _ = sim.state.u[beam.end.index]
        history.append((record.time, c * x + s * y - 10.0, c * y - s * x))
        assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
    t, axial, across = np.array(history).T
    for instant, (u, v) in TABLE.items():
        row = int(np.argmin(np.abs(t - instant)))
        assert t[row] == pytest.approx(instant, abs=1e-12)
        assert (axial[row], across[row]) == pytest.approx((u, v), abs=3e-5)
    lowest = int(np.argmin(across))
    assert across[lowest] == pytest.approx(LARGEST, abs=3e-5)
    assert t[lowest] == pytest.approx(AT, abs=0.01)
    assert axial[t > 19.0].mean() == pytest.approx(STRETCH, rel=2e-3)
