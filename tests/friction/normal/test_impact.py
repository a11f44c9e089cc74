"""Impacts of a mass on a wall against closed forms.

Hertz: depth (5 m v**2/4K)**(2/5), contact time 2.9432752 depth/v (Johnson, Contact Mechanics, section 11.4).
Hunt-Crossley: the restitution e of K d**n (1 + c d') obeys chi (1 + e) = ln[(1 + chi)/(1 - chi e)], chi = c
v0, for every n, which also gives the actual restitution of the usual formulas for c (Hunt and Crossley 1975, Lankarani
and Nikravesh 1990, Flores et al. 2011).
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fem_mbd.friction import ExactRestitution, Hertz, HuntCrossley, KelvinVoigt, LawRangeWarning, Linear
from fem_mbd.friction.normal.damping import actual_restitution
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force
from fem_mbd.friction.probes.impact import end_velocity, impact
from fem_mbd.friction.records import NormalLaw
from tests.friction.law_calls import CYLINDERS, RESTITUTION, Array

MASS, SPEED = 1.0, 1.0
HERTZ = {"depth": 2.74640135827e-4, "force": 4551.41050757, "time": 8.08341496398e-4}


def hit(law: NormalLaw, dt: float, speed: float = SPEED) -> Array:
    """Gap, velocity at t_f, normal force and loss of every step (steps, 4), until the mass is free."""
    record: Any = law.record()[()]
    q, v, v_0, rows = 0.0, -speed, 0.0, []
    while q < 0.0 or v <= 0.0:
        v_f = end_velocity(record, MASS, q, v, v_0, 0.0, dt)
        q_f = q + 0.5 * dt * (v + v_f)
        f_n, f_e = normal_force(record, q, q_f, dt, v_0)
        rows.append((q_f, v_f, f_n, (f_n - f_e) * (q - q_f)))
        v_0 = impact_speed(record, v_0, q, q_f, dt)
        q, v = q_f, v_f
    return np.array(rows)


def measured(history: Array, dt: float) -> dict[str, float]:
    """Depth, largest force and contact time; the mass is free after it has left the wall."""
    gap, velocity = history[-1, :2]
    return {
        "depth": -history[:, 0].min(),
        "force": history[:, 2].max(),
        "time": len(history) * dt - gap / velocity,
    }


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


# table 1 of Machado et al. 2012, Mechanism and Machine Theory 53: chi of a design restitution e
DAMPING: dict[str, Callable[[float], float]] = {
    "HuntCrossleyImpact": lambda e: 3 * (1 - e) / 2,
    "HerbertMcWhannell": lambda e: 6 * (1 - e) / ((2 * e - 1) ** 2 + 3),
    "LeeWang": lambda e: 3 * (1 - e) / 4,
    "LankaraniNikravesh": lambda e: 3 * (1 - e**2) / 4,
    "GonthierImpact": lambda e: (1 - e**2) / e,
    "ZhiyingQishao": lambda e: 3 * (1 - e**2) * np.exp(2 * (1 - e)) / 4,
    "Flores": lambda e: 8 * (1 - e) / (5 * e),
}
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


@pytest.mark.parametrize("elastic", [Linear(1e8), Hertz(1e9), Hertz(1e12, 2.5)], ids=repr)
@pytest.mark.parametrize("formula, design, restitution", COMES_OUT)
def test_actual_restitution(elastic: Linear | Hertz, formula: str, design: float, restitution: float) -> None:
    speed = 2.5
    law = quiet(formula, elastic, design)
    assert impact(law, speed, MASS).restitution == pytest.approx(restitution, abs=1e-6)
    assert actual_restitution(law.chi) == pytest.approx(restitution, abs=1e-8)


@pytest.mark.parametrize("name", RESTITUTION)
@pytest.mark.parametrize("design", [0.2, 0.55, 0.95])
@pytest.mark.parametrize("known", [True, False], ids=["speed given", "speed met"])
def test_every_law_of_restitution_obeys_the_exact_relation(name: str, design: float, known: bool) -> None:
    speed = 0.4
    law = quiet(name, Hertz(1e9), design, **({"impact_speed": speed} if known else {}))
    expected = exact_relation(DAMPING[name](design)) if name in DAMPING else design
    assert impact(law, speed, MASS).restitution == pytest.approx(expected, abs=1e-6)
    assert actual_restitution(law.chi) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", CYLINDERS)
def test_cylinders_obey_the_exact_relation_too(name: str) -> None:
    """The relation holds for any elastic force."""
    law = quiet("LankaraniNikravesh", CYLINDERS[name], 0.8)
    expected = exact_relation(0.75 * (1 - 0.8**2))
    assert impact(law, 0.5, MASS).restitution == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.6, 0.9, 1.5, 3.0])
def test_kelvin_voigt_impact_ends_when_the_force_does(zeta: float) -> None:
    """Below and above critical damping, as the dash-pot does not pull (Schwager and Poeschel 2007, eqs. 21)."""
    k = 1e6
    w = np.sqrt(abs(1 - zeta**2))
    turn = np.arctan2(2 * zeta * w, 2 * zeta**2 - 1) if zeta < 1.0 else np.log((zeta + w) / (zeta - w))
    found = impact(KelvinVoigt(k, 2 * zeta * np.sqrt(k * MASS)), SPEED, MASS)
    assert found.restitution == pytest.approx(np.exp(-zeta / w * turn), abs=1e-6) and found.least >= 0.0


def test_slow_impacts_are_damped_as_the_slowest() -> None:
    """A tenth of the slowest speed: chi falls to a tenth."""
    law = ExactRestitution(Hertz(1e9), 0.5, slowest=1e-2)
    assert impact(law, 1e-3, MASS).restitution == pytest.approx(exact_relation(law.chi / 10), abs=1e-6)


@pytest.mark.parametrize("restitution", [1e-3, 0.05, 0.3, 0.7, 0.95, 0.999, 1 - 1e-7])
def test_damping_from_restitution_solves_the_closed_form(restitution: float) -> None:
    chi = HuntCrossley.from_restitution(Hertz(1e9), restitution, 4.0).damping * 4.0
    difference = np.log1p(chi) - np.log1p(-chi * restitution) - chi * (1 + restitution)
    # Near e = 1 both sides agree to third order in chi, near 0 chi e is 1 to the last digit: measured by its
    # slope.
    slope = 1 / (1 + chi) + restitution / max(1 - chi * restitution, 1e-16) - 1 - restitution
    assert abs(difference / slope) < 1e-9 * chi
