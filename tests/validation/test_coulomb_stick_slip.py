"""Coulomb friction against closed forms: a decaying oscillator, and stick-slip.

A block of mass m, pressed down with N, on a spring k, of frequency w = sqrt(k/m). Released at rest from the elongation
x, it oscillates in half periods of pi/w, each of which reduces the amplitude by 2 mu N/k, and stops where k |x| < mu N
(J. P. Den Hartog, Mechanical Vibrations, section 8.2). Pulled by the other end of the spring at the speed v, it slips
for 2 (pi - atan(D w/v))/w, D = (mu_s - mu_k) N/k, and sticks for 2 D/v.

Regularised laws tend to Coulomb friction with a small parameter: the speed of their rise, or the elastic displacement
of their bristles. Steps end where the block stops and where it breaks away, so that the remaining errors are those of
these parameters and of the scheme.
"""

from collections.abc import Callable
from math import atan, pi, sqrt
from typing import Any

import numpy as np
import pytest

from fem_mbd import friction as laws
from tests.friction.located import F_N, MASS, SPRING, Block, Event
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

MU_S, MU_K, PULL, START = 0.15, 0.1, 0.1, 2.3
OMEGA = sqrt(SPRING / MASS)
HALF = pi / OMEGA
DROP = 2.0 * MU_K * F_N / SPRING
D = (MU_S - MU_K) * F_N / SPRING
SLIP, STICK = 2.0 * (pi - atan(D * OMEGA / PULL)) / OMEGA, 2.0 * D / PULL
ALWAYS = 2.0  # laws of speed always slide
# at the two turns of a block that starts at 2.3 m; at 0.3 m the spring is too weak to move it on
TURNS = [START, -(START - DROP), START - 2.0 * DROP]

BY_SPEED: dict[str, Callable[[float], Any]] = {
    "exponential": lambda v: laws.Coulomb(MU_K, v),
    "linear": lambda v: laws.LinearRegularised(MU_K, 1.0 / v),
    "tanh": lambda v: laws.TanhRegularised(MU_K, 1.0 / v),
    "Threlfall": lambda v: laws.Threlfall(MU_K, v),
    "Ambrosio": lambda v: laws.Ambrosio(MU_K, 0.1 * v, v),
    "linear with stiction": lambda v: laws.LinearStiction(MU_K, MU_K, v, 2.0 * v),
    "Bengisu, Akay": lambda v: laws.BengisuAkay(MU_K, MU_K, v, 50.0),
    "general kinetic": lambda v: laws.GeneralKinetic(MU_K, MU_K, v, 1.0),
}
BY_LENGTH: dict[str, Callable[[float], Any]] = {
    "Coulomb": lambda x: laws.DryCoulomb(MU_K, x_stick=x),
    "stiction": lambda x: laws.CoulombStiction(MU_K, MU_K, x_stick=x),
    "Bo, Pavelescu": lambda x: laws.BoPavelescu(MU_K, MU_K, 1e-3, x_stick=x),
    "Hess, Soom": lambda x: laws.HessSoom(MU_K, MU_K, 1e-3, x_stick=x),
    "Karnopp": lambda x: laws.Karnopp(MU_K, MU_K, 1e-6, x_stick=x),
    "switch": lambda x: laws.Switch(MU_K, MU_K, 1e-6, 1.0, x_stick=x),
    "Awrejcewicz": lambda x: laws.Awrejcewicz(MU_K, MU_K, 1e-6, x_stick=x),
    "seven parameters": lambda x: laws.SevenParameter(MU_K / x, MU_K, 0.0, MU_K, 1e-3, 0.01, 1.0),
    "Wojewoda": lambda x: laws.Wojewoda(MU_K, MU_K, 1e-3, MU_K / x),
    "reset integrator": lambda x: laws.ResetIntegrator(MU_K, 0.0, MU_K / x),
    "Liang": lambda x: laws.Liang(MU_K, MU_K, MU_K / x, 0.0, 1e-3),
    "Iwan": lambda x: laws.Iwan(MU_K, MU_K / x),
}


def brought_to_rest(law: Any, largest: float, at_cap: float = 1e-10, stops: int = 2) -> Block:
    """A block released from 2.3 m; its stops are the turns. No more than three half periods, or ``stops``."""
    block = Block(law, MU_K, MU_K, elongation=START, at_cap=at_cap)
    block.run(3.0 * HALF, largest, stops)
    return block


def turns(block: Block) -> list[Event]:
    return [event for event in block.events if event.stop][:2]


def stick_slip(x_stick: float, largest: float) -> tuple[list[float], list[float]]:
    """Times of slip and of stick (s) of two cycles."""
    block = Block(laws.CoulombStiction(MU_S, MU_K, x_stick=x_stick), MU_S, MU_K, pull=PULL)
    events = block.run(24.0, largest)
    spans = [
        (last.stop, following.time - last.time) for last, following in zip(events, events[1:], strict=False)
    ]
    return [t for stopped, t in spans if not stopped], [t for stopped, t in spans if stopped]


def solve() -> Solution:
    """Steps of 0.7 % of a radian at most, a give of 1e-13 m; times and places hold to 1e-6 of their size."""
    block = brought_to_rest(laws.DryCoulomb(MU_K, x_stick=1e-13), 5e-3, stops=100)
    found: list[Number] = []
    for n, turn in enumerate(turns(block), start=1):
        found += numbers(f"turn {n}, ", "s", {"time": n * HALF}, [turn.time], 1e-6 * n * HALF)
        found += numbers(f"turn {n}, ", "m", {"elongation": TURNS[n]}, [START - turn.place], 1e-6 * START)
    found += numbers("at the end, ", "m", {"elongation": TURNS[2]}, [START - block.now[2]], 1e-6 * START)
    slips, sticks = stick_slip(1e-8, 5e-3)
    for n, (slip, stick) in enumerate(zip(slips, sticks, strict=False), start=1):
        found += numbers(f"cycle {n}, ", "s", {"slip": SLIP}, [slip], 1e-6 * SLIP)
        found += numbers(f"cycle {n}, ", "s", {"stick": STICK}, [stick], 1e-6 * STICK)
    return Solution(found, [regularised()])


def regularised() -> Picture:
    """How far the time of the second turn is off, over the laws' small parameter."""
    lengths, speeds = np.logspace(-12, -5, 8), np.logspace(-8, -3, 6)
    bond = [late(BY_LENGTH["Coulomb"](x), 1e-10) for x in lengths]
    tanh = [late(BY_SPEED["tanh"](v), ALWAYS) for v in speeds]
    curves = [
        ours(lengths, bond, "give of the bond in m"),
        ours(speeds, tanh, "speed of the hyperbolic tangent in m/s"),
        reference([1e-12, 1e-5], [1e-6, 1e-6], "one millionth"),
    ]
    return Picture(
        "small parameter of the law", "error of the second turn's time", curves, log_x=True, log_y=True
    )


def late(law: Any, at_cap: float) -> float:
    """Relative error of the time of the second turn."""
    return abs(turns(brought_to_rest(law, 1e-2, at_cap))[1].time / (2.0 * HALF) - 1.0)


PROBLEM = Problem(
    name="coulomb_stick_slip",
    title="Coulomb friction: an oscillator brought to rest, and stick-slip",
    group="Friction and contact",
    source="Den Hartog 1956",
    reference="closed forms",
    solve=solve,
)


@pytest.mark.parametrize("name", BY_SPEED)
def test_laws_of_speed_tend_to_coulomb(name: str) -> None:
    """Both turns to 1e-6 in time and amplitude where the law has risen at 1e-9 m/s."""
    for n, turn in enumerate(turns(brought_to_rest(BY_SPEED[name](1e-9), 1e-2, ALWAYS)), start=1):
        assert turn.time == pytest.approx(n * HALF, rel=1e-6)
        assert START - turn.place == pytest.approx(TURNS[n], abs=1e-6 * START)
    wide, narrow = (late(BY_SPEED[name](v), ALWAYS) for v in (1e-3, 1e-6))
    assert wide > 5e-6 and narrow < 0.01 * wide


@pytest.mark.parametrize("name", BY_LENGTH)
def test_laws_that_stick_tend_to_coulomb(name: str) -> None:
    """The bond takes sqrt(length) of time to turn over: 1e-6 of the times below 1e-11 m."""
    for n, turn in enumerate(turns(brought_to_rest(BY_LENGTH[name](5e-12), 1e-2)), start=1):
        assert turn.time == pytest.approx(n * HALF, rel=1e-6)
        assert START - turn.place == pytest.approx(TURNS[n], abs=1e-6 * START)
    soft, stiff = (late(BY_LENGTH[name](x), 1e-10) for x in (5e-8, 5e-12))
    assert soft > 1e-5 and stiff < 0.02 * soft


def test_stick_slip_times_with_smaller_steps_and_stiffer_bonds() -> None:
    """Third order in the step until the give is seen, then in proportion to the give."""
    coarse, fine = (max(abs(t - STICK) for t in stick_slip(1e-8, dt)[1]) for dt in (4e-2, 1e-2))
    assert fine < coarse / 20.0
    soft, stiff = (max(abs(t - STICK) for t in stick_slip(x, 4e-3)[1]) for x in (1e-5, 1e-7))
    assert soft > 1e-6 and stiff < soft / 10.0
