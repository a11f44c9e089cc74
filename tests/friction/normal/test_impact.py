"""Impacts of a mass on a wall against closed forms.

Hertz: depth (5 m v**2/4K)**(2/5), contact time 2.9432752 depth/v (Johnson, Contact Mechanics, section 11.4).
Hunt-Crossley: the restitution e of K d**n (1 + c d') obeys chi (1 + e) = ln[(1 + chi)/(1 - chi e)], chi = c
v0, for every n, which also gives the actual restitution of the usual formulas for c (Hunt and Crossley 1975, Lankarani
and Nikravesh 1990, Flores et al. 2011).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from fem_mbd.friction import ExactRestitution, Hertz, HuntCrossley, KelvinVoigt, LawRangeWarning, Linear
from fem_mbd.friction.normal.damping.damped import actual_restitution
from fem_mbd.friction.records import NormalLaw
from tests.friction.law_calls import CYLINDERS, RESTITUTION, Array
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
    """Depth, largest force and contact time; the mass is free after it has left the wall."""
    gap, velocity = history[-1, :2]
    return {
        "depth": -history[:, 0].min(),
        "force": history[:, 2].max(),
        "time": len(history) * dt - gap / velocity,
    }


def test_hertz_impact() -> None:
    """4000 steps; the forces are means over steps, hence off by (pi/4000)**2/2 or so, depth is met by energy alone."""
    dt = HERTZ["time"] / 4000
    history = hit(Hertz(1e9), dt)
    found = measured(history, dt)
    assert found["depth"] == pytest.approx(HERTZ["depth"], rel=1e-9)
    assert found["force"] == pytest.approx(HERTZ["force"], rel=1e-6)
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
@pytest.mark.parametrize(
    "law",
    [Linear(1e9), Hertz(1e9), HuntCrossley(Hertz(1e9), 0.5), ExactRestitution(Hertz(1e9), 0.4)],
    ids=repr,
)
def test_energy_balance_for_coarse_steps(law: NormalLaw, steps: float) -> None:
    """For any step size the energy lost by the mass is the loss of the law."""
    history = hit(law, HERTZ["time"] / steps)
    lost = 0.5 * MASS * (SPEED**2 - history[-1, 1] ** 2)
    assert history[:, 3].sum() == pytest.approx(lost, rel=1e-12, abs=1e-13)


COMES_OUT = [
    ("HuntCrossleyImpact", 0.5, 0.66296220),
    ("HuntCrossleyImpact", 0.9, 0.90901574),
    ("LankaraniNikravesh", 0.5, 0.72524111),
    ("LankaraniNikravesh", 0.9, 0.91317668),
    ("Flores", 0.5, 0.47044478),
    ("Flores", 0.9, 0.89392069),
]


def exact_relation(chi: float) -> float:
    """e of chi (1 + e) = ln[(1 + chi)/(1 - chi e)] by bisection, written down a second time."""
    low, high = 1e-9, min(1.0, 1 / chi) * (1 - 1e-15)
    for _ in range(200):
        e = 0.5 * (low + high)
        if np.log((1 + chi) / (1 - chi * e)) > chi * (1 + e):
            high = e
        else:
            low = e
    return 0.5 * (low + high)


def quiet(name: str, elastic: NormalLaw, restitution: float, **more: float) -> Any:
    """A law of restitution, without its warning where its formula is off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LawRangeWarning)
        return RESTITUTION[name](elastic, restitution, **more)


def small_step(elastic: Linear | Hertz, speed: float) -> float:
    """A few thousandths of the contact time: the depth of the elastic impact over the speed, over 2000."""
    n = elastic.exponent if isinstance(elastic, Hertz) else 1.0
    return float(((n + 1) * MASS * speed**2 / (2 * elastic.stiffness)) ** (1 / (n + 1)) / speed / 2000)


@pytest.mark.parametrize("elastic", [Linear(1e8), Hertz(1e9), Hertz(1e12, 2.5)], ids=repr)
@pytest.mark.parametrize("formula, design, restitution", COMES_OUT)
def test_actual_restitution(elastic: Linear | Hertz, formula: str, design: float, restitution: float) -> None:
    speed = 2.5
    law = quiet(formula, elastic, design)
    history = hit(law, small_step(elastic, speed), speed)
    assert history[-1, 1] / speed == pytest.approx(restitution, abs=1e-6)
    assert actual_restitution(law.chi) == pytest.approx(restitution, abs=1e-8)


@pytest.mark.parametrize("name", RESTITUTION)
@pytest.mark.parametrize("design", [0.2, 0.55, 0.95])
@pytest.mark.parametrize("known", [True, False], ids=["speed given", "speed met"])
def test_every_law_of_restitution_obeys_the_exact_relation(name: str, design: float, known: bool) -> None:
    speed = 0.4
    law = quiet(name, Hertz(1e9), design, **({"impact_speed": speed} if known else {}))
    assert hit(law, small_step(Hertz(1e9), speed), speed)[-1, 1] / speed == pytest.approx(
        exact_relation(law.chi), abs=1e-6
    )
    assert actual_restitution(law.chi) == pytest.approx(exact_relation(law.chi), abs=1e-12)


@pytest.mark.parametrize("name", CYLINDERS)
def test_cylinders_obey_the_exact_relation_too(name: str) -> None:
    """The relation holds for any elastic force; the step is a two-thousandth of the contact time or less."""
    law = quiet("LankaraniNikravesh", CYLINDERS[name], 0.8)
    history = hit(law, 2e-8, 0.5)
    assert len(history) > 2000
    assert history[-1, 1] / 0.5 == pytest.approx(exact_relation(0.75 * (1 - 0.8**2)), abs=1e-6)


@pytest.mark.parametrize("zeta", [0.05, 0.2, 0.6])
def test_kelvin_voigt_impact_ends_when_the_force_does(zeta: float) -> None:
    """Restitution exp(-zeta (pi - atan(2 zeta w/(1 - 2 zeta**2)))/w), w = sqrt(1 - zeta**2), as the dash-pot does not
    pull (Schwager and Poeschel 2007, Granular Matter 9, eq. 21)."""
    k = 1e6
    law = KelvinVoigt(k, 2 * zeta * np.sqrt(k * MASS))
    history = hit(law, 2e-7)
    w = np.sqrt(1 - zeta**2)
    expected = np.exp(-zeta / w * (np.pi - np.arctan2(2 * zeta * w, 1 - 2 * zeta**2)))
    assert history[-1, 1] == pytest.approx(expected, abs=1e-6)
    assert history[:, 2].min() >= 0.0


def test_slow_impacts_are_damped_as_the_slowest() -> None:
    """A tenth of the slowest speed: chi falls to a tenth."""
    law = ExactRestitution(Hertz(1e9), 0.5, slowest=1e-2)
    history = hit(law, small_step(Hertz(1e9), 1e-3), 1e-3)
    assert history[-1, 1] / 1e-3 == pytest.approx(exact_relation(law.chi / 10), abs=1e-6)


@pytest.mark.parametrize("restitution", [1e-3, 0.05, 0.3, 0.7, 0.95, 0.999, 1 - 1e-7])
def test_damping_from_restitution_solves_the_closed_form(restitution: float) -> None:
    chi = HuntCrossley.from_restitution(Hertz(1e9), restitution, 4.0).damping * 4.0
    difference = np.log1p(chi) - np.log1p(-chi * restitution) - chi * (1 + restitution)
    # Near e = 1 both sides agree to third order in chi, near 0 chi e is 1 to the last digit: measured by its
    # slope.
    slope = 1 / (1 + chi) + restitution / max(1 - chi * restitution, 1e-16) - 1 - restitution
    assert abs(difference / slope) < 1e-9 * chi


def test_damping_from_restitution_reproduces_it() -> None:
    law = HuntCrossley.from_restitution(Hertz(1e9), 0.6, 0.3)
    history = hit(law, small_step(Hertz(1e9), 0.3), 0.3)
    assert history[-1, 1] / 0.3 == pytest.approx(0.6, abs=1e-6)
