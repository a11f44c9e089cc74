"""LuGre against the model's own publication: steady sliding, and a mass on a spring that is pulled slowly (stick-slip).

Canudas de Wit, Olsson, Astrom, Lischinsky 1995, A new model for control of systems with friction, IEEE Trans.
Automatic Control 40, section III: m = 1 kg, spring 2 N/m pulled at 0.1 m/s, sigma0 = 1e5 N/m, sigma1 =
sqrt(1e5) N s/m, sigma2 = 0.4 N s/m, Fc = 1 N, Fs = 1.5 N, vs = 1e-3 m/s. The digits below come from
high-order adaptive integration of the differential equations, without any regularisation. The law counts per
unit normal force, so f_n = 1 N here.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from fem_mbd.friction import LuGre
from tests.friction.law_calls import Array, friction
from tests.friction.one_mass import drag

LAW = LuGre(sigma0=1e5, sigma1=np.sqrt(1e5), sigma2=0.4, mu_s=1.5, mu_k=1.0, v_s=1e-3)
SPEED, SPRING = 0.1, 2.0
POSITIONS = {10.0: 0.627583129, 15.0: 0.918279706, 20.0: 1.272596412, 25.0: 1.908839199}


def stick_slip(dt: float, end: float) -> Array:
    """History of ``drag`` with the published numbers."""
    steps = round(end / dt)
    history = np.zeros((steps, 5))
    _, failures = drag(LAW.record()[()], 1.0, SPRING, np.full(steps, SPEED), 1.0, dt, steps, history)
    assert failures == 0
    return history


@pytest.fixture(scope="module")
def fine() -> Array:
    """25 s with steps of 2e-4 s."""
    return stick_slip(2e-4, 25.0)


@pytest.mark.parametrize(
    "speed, force", [(1e-4, 1.4950649169), (1e-3, 1.1843397206), (1e-2, 1.004), (0.1, 1.04)]
)
@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1.0])
@pytest.mark.parametrize("form", ["vector", "scalar"])
def test_steady_sliding(speed: float, force: float, dt: float, form: Literal["vector", "scalar"]) -> None:
    """The recursion settles on g(V) + sigma2 V for any step size; rounding |V| costs (v_eps/V)**2 <= 1e-10 here."""
    law = LuGre(
        sigma0=1e5, sigma1=np.sqrt(1e5), sigma2=0.4, mu_s=1.5, mu_k=1.0, v_s=1e-3, v_eps=1e-9, form=form
    )
    slip, z = np.array([0.0, speed * dt, 0.0]), np.zeros((1, 3))
    for _ in range(20000):
        before = z
        mu, z, _ = friction(law, slip, z, 1.0, dt)
        if np.abs(z - before).max() <= 1e-16 * np.abs(z).max():
            break
    assert mu == pytest.approx([0.0, force, 0.0], rel=2e-10)


def test_stick_slip_states(fine: Array) -> None:
    """Second order in dt: at 2e-4 s the position is off by 3e-6 m at most (see the next test), most in fast sliding."""
    for time, position in POSITIONS.items():
        assert fine[round(time / 2e-4) - 1, 0] == pytest.approx(position, rel=0, abs=3e-6)
    assert fine[round(15.0 / 2e-4) - 1, 1] == pytest.approx(0.3695920, rel=0, abs=5e-7)
    # In the stick phase speed and bristle depend on how long ago the mass stopped, hence on the same 3e-6.
    assert fine[-1, 1] == pytest.approx(9.424155e-6, rel=2e-4)
    assert fine[-1, 2] == pytest.approx(1.181679546e-5, rel=5e-6)


def test_stick_slip_converges_at_second_order() -> None:
    """Friction constant over a step makes the third-order scheme one of second order."""
    sizes = np.array([2e-3, 1e-3, 5e-4])
    errors = [abs(stick_slip(dt, 10.0)[-1, 0] - POSITIONS[10.0]) for dt in sizes]
    order = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert order == pytest.approx(2.0, abs=0.2)
    assert errors[-1] < 2.5e-6


def test_limit_cycle(fine: Array) -> None:
    """Period, range of the spring force and largest speed of the published cycle, over the last full cycles."""
    times = 2e-4 * np.arange(1, len(fine) + 1)
    rising = np.flatnonzero((fine[:-1, 1] < 0.05) & (fine[1:, 1] >= 0.05))
    assert np.diff(times[rising])[1:] == pytest.approx(6.3627, abs=4e-4)
    settled = fine[times > 12.0]
    assert settled[:, 3].min() == pytest.approx(0.741239, abs=3e-6)
    assert settled[:, 3].max() == pytest.approx(1.507988, abs=3e-6)
    assert settled[:, 1].max() == pytest.approx(0.369816, abs=2e-6)


def test_stick_slip_loses_energy_in_every_step(fine: Array) -> None:
    """Below the passivity limit (0.0127 m/s) that is assured; the fast phase dissipates all the same."""
    assert LAW.passivity_limit() == pytest.approx(4 * (LAW.sigma1 + 0.4) / 1e5, rel=1e-3)
    assert fine[:, 4].min() >= 0.0
