"""Impacts of a mass on a wall against closed forms.

Hertz: depth (5 m v**2/4K)**(2/5), contact time 2.9432752 depth/v (Johnson, Contact Mechanics, section 11.4).
Hunt-Crossley: the restitution e of K d**n (1 + c d') obeys chi (1 + e) = ln[(1 + chi)/(1 - chi e)], chi = c
v0, for every n, which also tells what the usual formulas for c really give (Hunt and Crossley 1975, Lankarani
and Nikravesh 1990, Flores et al. 2011).
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.friction import Hertz, HuntCrossley, Linear
from fem_mbd.friction.records import NormalLaw
from tests.friction.law_calls import Array
from tests.friction.one_mass import impact

MASS, SPEED = 1.0, 1.0
HERTZ = {"depth": 2.74640135827e-4, "force": 4551.41050757, "time": 8.08341496398e-4}


def hit(law: NormalLaw, dt: float, speed: float = SPEED) -> Array:
    """History of ``impact`` until the mass is free."""
    history = np.zeros((200_000, 4))
    done = impact(law.record()[()], MASS, speed, dt, len(history), history)
    assert done > 0
    return history[:done]


def measured(history: Array, dt: float) -> dict[str, float]:
    """Depth, largest force and contact time; the mass flies freely once it has left the wall."""
    gap, velocity = history[-1, :2]
    return {
        "depth": -history[:, 0].min(),
        "force": history[:, 2].max(),
        "time": len(history) * dt - gap / velocity,
    }


def test_hertz_impact() -> None:
    """1600 steps; the forces are means over steps, hence off by (pi/1600)**2/2 or so, depth is met by energy alone."""
    dt = HERTZ["time"] / 1600
    history = hit(Hertz(1e9), dt)
    found = measured(history, dt)
    assert found["depth"] == pytest.approx(HERTZ["depth"], rel=1e-9)
    assert found["force"] == pytest.approx(HERTZ["force"], rel=3e-6)
    assert found["time"] == pytest.approx(HERTZ["time"], rel=1e-6)
    assert history[-1, 1] == pytest.approx(SPEED, rel=1e-13)


def test_hertz_impact_converges_at_second_order() -> None:
    steps = np.array([100, 200, 400, 800])
    for quantity in ("force", "time"):
        errors = []
        for n in steps:
            dt = HERTZ["time"] / n
            errors.append(abs(measured(hit(Hertz(1e9), dt), dt)[quantity] / HERTZ[quantity] - 1))
        assert np.polyfit(np.log(1 / steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.2)


def test_linear_impact() -> None:
    """Half a period of the oscillator: depth v sqrt(m/k), time pi sqrt(m/k)."""
    root = np.sqrt(MASS / 4e6)
    dt = np.pi * root / 2000
    found = measured(hit(Linear(4e6), dt), dt)
    assert found["depth"] == pytest.approx(SPEED * root, rel=1e-9)
    assert found["time"] == pytest.approx(np.pi * root, rel=1e-6)


@pytest.mark.parametrize("steps", [3, 1, 0.2])
@pytest.mark.parametrize("law", [Linear(1e9), Hertz(1e9), HuntCrossley(Hertz(1e9), 0.5)], ids=repr)
def test_energy_books_for_coarse_steps(law: NormalLaw, steps: float) -> None:
    """However large the step is, what the mass has lost is what the law says it lost."""
    history = hit(law, HERTZ["time"] / steps)
    lost = 0.5 * MASS * (SPEED**2 - history[-1, 1] ** 2)
    assert history[:, 3].sum() == pytest.approx(lost, rel=1e-12, abs=1e-13)


CHI = {
    "Hunt-Crossley": lambda e: 1.5 * (1 - e),
    "Lankarani-Nikravesh": lambda e: 0.75 * (1 - e**2),
    "Flores": lambda e: 8 * (1 - e) / (5 * e),
}
COMES_OUT = [
    ("Hunt-Crossley", 0.5, 0.66296220),
    ("Hunt-Crossley", 0.9, 0.90901574),
    ("Lankarani-Nikravesh", 0.5, 0.72524111),
    ("Lankarani-Nikravesh", 0.9, 0.91317668),
    ("Flores", 0.5, 0.47044478),
    ("Flores", 0.9, 0.89392069),
]


def small_step(elastic: Linear | Hertz, speed: float) -> float:
    """A few thousandths of the contact time: the depth of the elastic impact over the speed, over 2000."""
    n = elastic.exponent if isinstance(elastic, Hertz) else 1.0
    return float(((n + 1) * MASS * speed**2 / (2 * elastic.stiffness)) ** (1 / (n + 1)) / speed / 2000)


@pytest.mark.parametrize("elastic", [Linear(1e8), Hertz(1e9), Hertz(1e12, 2.5)], ids=repr)
@pytest.mark.parametrize("formula, design, restitution", COMES_OUT)
def test_restitution_that_comes_out(
    elastic: Linear | Hertz, formula: str, design: float, restitution: float
) -> None:
    speed = 2.5
    law = HuntCrossley(elastic, CHI[formula](design) / speed)
    history = hit(law, small_step(elastic, speed), speed)
    assert history[-1, 1] / speed == pytest.approx(restitution, abs=1e-6)


@pytest.mark.parametrize("restitution", [1e-3, 0.05, 0.3, 0.7, 0.95, 0.999, 1 - 1e-7])
def test_damping_from_restitution_solves_the_closed_form(restitution: float) -> None:
    chi = HuntCrossley.from_restitution(Hertz(1e9), restitution, 4.0).damping * 4.0
    difference = np.log1p(chi) - np.log1p(-chi * restitution) - chi * (1 + restitution)
    # Near e = 1 both sides agree to third order in chi, near 0 chi e is 1 to the last digit: measured by its
    # slope.
    slope = 1 / (1 + chi) + restitution / max(1 - chi * restitution, 1e-16) - 1 - restitution
    assert abs(difference / slope) < 1e-9 * chi


def test_damping_from_restitution_gives_that_restitution() -> None:
    law = HuntCrossley.from_restitution(Hertz(1e9), 0.6, 0.3)
    history = hit(law, small_step(Hertz(1e9), 0.3), 0.3)
    assert history[-1, 1] / 0.3 == pytest.approx(0.6, abs=1e-6)
