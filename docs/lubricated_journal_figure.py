"""Figure of lubricated_journal.md: coefficient of friction and eccentricity of the page's bearing over its speed.

From the root of the repository: `python -m docs.lubricated_journal_figure`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fem_mbd as fm
from fem_mbd.friction import Coulomb
from tests.joints.lubricated.journal_models import RADIUS, rotor
from tests.joints.lubricated.test_lubricated_journal import steady

LOAD, STIFFNESS, TRANSITION, MU = 60.0, 2e8, 0.9, 0.1


def measured(speed: float, dt: float) -> tuple[float, float]:
    """Coefficient of friction and eccentricity ratio at the end of a run."""
    place, _ = steady(speed, LOAD, STIFFNESS, TRANSITION, MU)
    model, bearing = rotor(
        0.05,
        speed,
        0.98 * place,
        LOAD,
        stiffness=STIFFNESS,
        transition=TRANSITION,
        friction=Coulomb(MU, 1e-5),
    )
    result = fm.simulate(model, 400 * dt, fm.StepControl.fixed(dt))
    film, peaks = result.of(bearing), result.of(bearing.asperities)
    torque = RADIUS * np.linalg.norm(peaks.friction_force[-1]) - film.film_torque[-1]
    return torque / (LOAD * RADIUS), film.eccentricity_ratio[-1]


speeds = np.geomspace(0.3, 1000.0, 200)
curve = [steady(s, LOAD, STIFFNESS, TRANSITION, MU) for s in speeds]
marks = [(1.0, 5e-4), (3.0, 5e-4), (10.0, 5e-4), (30.0, 3e-4), (100.0, 2e-4), (300.0, 2e-4), (900.0, 5e-5)]
found = np.array([measured(*mark) for mark in marks])
figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.0), layout="constrained")
upper.semilogx(speeds, [c for _, c in curve], label="balance of forces")
upper.semilogx([s for s, _ in marks], found[:, 0], "o", label="runs")
upper.set_ylabel("coefficient of friction")
upper.legend(frameon=False)
lower.semilogx(speeds, [np.hypot(*p) for p, _ in curve])
lower.semilogx([s for s, _ in marks], found[:, 1], "o")
lower.axhline(TRANSITION, color="grey", linewidth=0.8, linestyle=":")
lower.set(xlabel="speed [rad/s]", ylabel="eccentricity ratio")
figure.savefig(Path(__file__).parent / "figures" / "lubricated_journal.png", dpi=110)
