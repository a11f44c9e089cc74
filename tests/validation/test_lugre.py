"""LuGre against its original publication: steady sliding, and a mass on a spring that is pulled slowly (stick-slip).

Canudas de Wit, Olsson, Astrom, Lischinsky 1995, A new model for control of systems with friction, IEEE Trans. Automatic
Control 40, section III: m = 1 kg, spring 2 N/m pulled at 0.1 m/s, sigma_0 = 1e5 N/m, sigma_1 = sqrt(1e5) N s/m, sigma_2
= 0.4 N s/m, Fc = 1 N, Fs = 1.5 N, vs = 1e-3 m/s. The digits below come from high-order adaptive integration of the
differential equations, without regularisation. The law is per unit normal force, so f_n = 1 N here.
"""

from typing import Literal

import numpy as np
import pytest

from fem_mbd.friction import LuGre
from tests.friction.law_calls import Array
from tests.friction.library import step
from tests.friction.one_mass import run_mass
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

LAW = LuGre(sigma_0=1e5, sigma_1=np.sqrt(1e5), sigma_2=0.4, mu_s=1.5, mu_k=1.0, v_s=1e-3)
SPEED, SPRING = 0.1, 2.0
STEADY = {1e-4: 1.4950649169, 1e-3: 1.1843397206, 1e-2: 1.004, 0.1: 1.04}  # m/s: N
POSITIONS = {10.0: 0.627583129, 15.0: 0.918279706, 20.0: 1.272596412, 25.0: 1.908839199}


def stick_slip(dt: float, end: float) -> Array:
    """History of ``run_mass`` with the published numbers."""
    steps = round(end / dt)
    history = np.zeros((steps, 5))
    _, failures = run_mass(LAW.record()[()], 1.0, SPRING, np.full(steps, SPEED), 1.0, dt, steps, history)
    assert failures == 0
    return history


@pytest.fixture(scope="module")
def fine() -> Array:
    """25 s with steps of 2e-4 s."""
    return stick_slip(2e-4, 25.0)


def steady(speed: float, dt: float, form: Literal["vector", "scalar"]) -> Array:
    """The recursion settles on g(V) + sigma_2 V for any step size; rounding |V| costs (v_eps/V)**2 <= 1e-10 here."""
    law = LuGre(
        sigma_0=1e5, sigma_1=np.sqrt(1e5), sigma_2=0.4, mu_s=1.5, mu_k=1.0, v_s=1e-3, v_eps=1e-9, form=form
    )
    slip, z = np.array([0.0, speed * dt, 0.0]), np.zeros((1, 3))
    for _ in range(20000):
        before = z
        mu, z, _ = step(law, slip, z, 1.0, dt)
        if np.abs(z - before).max() <= 1e-16 * np.abs(z).max():
            break
    return np.asarray(mu)


@pytest.mark.parametrize("speed, force", STEADY.items())
@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1.0])
@pytest.mark.parametrize("form", ["vector", "scalar"])
def test_steady_sliding(speed: float, force: float, dt: float, form: Literal["vector", "scalar"]) -> None:
    assert steady(speed, dt, form) == pytest.approx([0.0, force, 0.0], rel=2e-10)


def solve() -> Solution:
    """Second order in dt: at 2e-4 s the position is off by 3e-6 m at most, most in fast sliding.

    In the stick phase speed and bristle depend on how long ago the mass stopped, hence on the same 3e-6.
    """
    found: list[Number] = []
    for speed, force in STEADY.items():
        found += numbers(
            f"steady sliding at {speed:g} m/s, ",
            "N",
            {"force": force},
            [steady(speed, 1e-2, "vector")[1]],
            2e-10 * force,
        )
    run = stick_slip(2e-4, 25.0)
    for time, position in POSITIONS.items():
        found += numbers(
            f"t = {time:g} s, ", "m", {"place": position}, [run[round(time / 2e-4) - 1, 0]], 3e-6
        )
    found += numbers("t = 15 s, ", "m/s", {"speed": 0.3695920}, [run[round(15.0 / 2e-4) - 1, 1]], 5e-7)
    found += numbers("t = 25 s, ", "m/s", {"speed": 9.424155e-6}, [run[-1, 1]], 2e-4 * 9.424155e-6)
    found += numbers("t = 25 s, ", "m", {"bristle": 1.181679546e-5}, [run[-1, 2]], 5e-6 * 1.181679546e-5)
    return Solution(found + limit_cycle(run), pictures(run))


def limit_cycle(run: Array) -> list[Number]:
    """Period, range of the spring force and largest speed, over the last full cycles."""
    times = 2e-4 * np.arange(1, len(run) + 1)
    rising = np.flatnonzero((run[:-1, 1] < 0.05) & (run[1:, 1] >= 0.05))
    periods = np.diff(times[rising])[1:]
    both = {"shortest": 6.3627, "longest": 6.3627}
    found = numbers("period of the cycle, ", "s", both, [periods.min(), periods.max()], 4e-4)
    settled = run[times > 12.0]
    force = {"smallest": 0.741239, "largest": 1.507988}
    found += numbers("spring force, ", "N", force, [settled[:, 3].min(), settled[:, 3].max()], 3e-6)
    return found + numbers("", "m/s", {"largest speed": 0.369816}, [settled[:, 1].max()], 2e-6)


def pictures(run: Array) -> list[Picture]:
    times = 2e-4 * np.arange(1, len(run) + 1)
    place = [ours(times[::50], run[::50, 0]), reference(list(POSITIONS), list(POSITIONS.values()))]
    return [
        Picture("time [s]", "place [m]", place),
        Picture("time [s]", "spring force [N]", [ours(times[::50], run[::50, 3])]),
    ]


PROBLEM = Problem(
    name="lugre",
    title="LuGre friction: steady sliding and stick-slip",
    group="Friction and contact",
    source="Canudas de Wit et al. 1995",
    reference="closed form; differential equations, high order",
    solve=solve,
)


def test_stick_slip_converges_at_second_order() -> None:
    """Friction constant over a step makes the third-order scheme one of second order."""
    sizes = np.array([2e-3, 1e-3, 5e-4])
    errors = [abs(stick_slip(dt, 10.0)[-1, 0] - POSITIONS[10.0]) for dt in sizes]
    order = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert order == pytest.approx(2.0, abs=0.2)
    assert errors[-1] < 2.5e-6


def test_stick_slip_loses_energy_in_every_step(fine: Array) -> None:
    """Below the passivity limit (0.0143 m/s) that is assured; the fast phase dissipates all the same.

    Bristles stretched to Fs, g = Fc: the loss Fs**2/Fc - V (sigma_1 (Fs/Fc - 1) - sigma_2) changes its sign there.
    """
    assert LAW.passivity_limit() == pytest.approx(1.5**2 / (0.5 * LAW.sigma_1 - 0.4), rel=1e-6)
    assert fine[:, 4].min() >= 0.0
