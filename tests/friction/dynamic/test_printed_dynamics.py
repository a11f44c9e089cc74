"""Dynamic laws against their equations as printed, solved independently in one dimension.

Numbers of equations: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015.
"""

from collections.abc import Callable
from math import exp, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from fem_mbd import friction as laws
from tests.friction.library import K_4, SHARES_4, fresh, step

pytestmark = pytest.mark.slow

MU_S, MU_K, V_S = 0.15, 0.1, 1e-3
Speed = Callable[[float], float]


def stribeck(v: float) -> float:
    """Eq. 3.47 with the exponent 2."""
    return MU_K + (MU_S - MU_K) * exp(-((v / V_S) ** 2))


def drive(law: Any, speed: Speed, dt: float, steps: int, z: Any = None) -> tuple[Any, Any]:
    """Coefficients (steps,) at the middles of steps along a path of this speed, and the last state."""
    z, mus = fresh(law) if z is None else z, np.zeros(steps)
    for i in range(steps):
        mu, z, _ = step(law, [speed(dt * (i + 0.5)) * dt, 0.0, 0.0], z, dt=dt)
        mus[i] = mu[0]
    return mus, z


# -- seven parameters ------------------------------------------------------------------------------------------


def test_seven_parameters_at_constant_acceleration() -> None:
    """Eq. 3.20 with its pure delay v(t - tau_L): a lag of first order is the same once it has settled."""
    tau, gamma, mu_stribeck, f_v, rest, a = 0.01, 2.0, 0.05, 0.3, 6.0, 0.02
    law = laws.SevenParameter(1e6, MU_K, f_v, MU_K + mu_stribeck, V_S, tau, gamma)
    z = step(law, np.zeros(3), fresh(law), dt=rest).z_f
    dt, steps = 2e-4, 1500
    mus, _ = drive(law, lambda t: a * t, dt, steps, z)
    times = dt * (np.arange(steps) + 0.5)
    s = mu_stribeck * rest / (rest + gamma)
    printed = MU_K + f_v * a * times + s / (1 + (a * (times - tau) / V_S) ** 2)
    settled = times > 12 * tau
    # the dwell time continues until the slip begins: 1e-3 s of 6 s
    assert mus[settled] == pytest.approx(printed[settled], rel=2e-5)


def test_seven_parameters_second_slide_starts_from_the_end_of_the_first() -> None:
    """Eq. 3.21: F_S = F_S,a + (F_S,inf - F_S,a) t_d/(t_d + gamma), F_S,a being what the slide before ended with."""
    gamma, top, v = 2.0, 0.05, 1.5e-3
    law = laws.SevenParameter(1e6, MU_K, 0.0, MU_K + top, V_S, 0.0, gamma)
    z = step(law, np.zeros(3), fresh(law), dt=4.0).z_f
    first = top * 4.0 / (4.0 + gamma)
    mus, z = drive(law, lambda t: v, 1e-4, 50, z)
    end = first / (1 + (v / V_S) ** 2)
    assert mus[-1] == pytest.approx(MU_K + end, rel=1e-4)
    for rest in (0.5, 2.0, 30.0):
        stuck = step(law, np.zeros(3), z, dt=rest).z_f
        stuck[0] *= 0.0
        mus, _ = drive(law, lambda t: 1e-4, 1e-6, 4000, stuck)
        assert mus.max() == pytest.approx(MU_K + end + (top - end) * rest / (rest + gamma), rel=2e-3)


# -- Wojewoda --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a_s", [np.inf, 0.5])
@pytest.mark.parametrize("rise", [0.0, 0.02])
def test_wojewoda_speeding_up_and_slowing_down(a_s: float, rise: float) -> None:
    """Eqs. 3.25 to 3.27 at constant acceleration: g = exp(-a_1 v/(|v'| + a_2)) in the form that depends on it."""
    law = laws.Wojewoda(MU_S, MU_K, V_S, 1e7, delta_mu_s=rise, a_S=a_s)
    a, top, dt = 0.3, 6e-3, 1e-5
    n = round(top / a / dt)
    up, z = drive(law, lambda t: a * t, dt, n)
    down, _ = drive(law, lambda t: top - a * t, dt, n, z)
    v = a * dt * (np.arange(n) + 0.5)
    g = np.exp(-v / V_S) if a_s == np.inf else np.exp(-(a_s / V_S) * v / (a + a_s))
    static = MU_S + rise * np.exp(-v / V_S)
    assert up[400:] == pytest.approx((MU_K + (static - MU_K) * g)[400:], rel=1e-9)
    assert down[2:-400] == pytest.approx((MU_K - (MU_S - MU_K) * g)[::-1][2:-400], rel=1e-9)


# -- Harnoy and Friedland --------------------------------------------------------------------------------------

K_1, K_2, KAPPA, EPS_TR, K_H, K_SQUEEZE = 1.0, 0.05, 20.0, 0.9, 50.0, 0.02


def short_bearing(eps: float, v: float, eps_rate: float) -> tuple[float, float]:
    """Load along and across the line of centres from the pressure of a short bearing over the converging half.

    Reynolds: p(theta) is proportional to (slip sin(theta) eps/2 - eps' cos(theta))/(1 + eps cos(theta))**3, angles from
    the widest gap (Harnoy 2003, chapter 15).
    """

    def pressure(theta: float) -> float:
        wedge = 0.5 * K_H * v * eps * np.sin(theta) - K_SQUEEZE * eps_rate * np.cos(theta)
        return float(wedge / (1 + eps * np.cos(theta)) ** 3)

    along = quad(lambda t: -pressure(t) * np.cos(t), 0.0, pi, epsabs=1e-13, limit=400)[0]
    across = quad(lambda t: pressure(t) * np.sin(t), 0.0, pi, epsabs=1e-13, limit=400)[0]
    return along, across


@pytest.mark.parametrize("v", [1e-4, 1e-3, 4e-3, 0.02, 0.3])
def test_lubricated_contact_in_steady_sliding(v: float) -> None:
    """Eq. 3.43 at the eccentricity at which asperities and film together carry the load."""

    def carried(eps: float) -> float:
        along, across = short_bearing(eps, v, 0.0)
        return float(np.hypot(along + KAPPA * max(eps - EPS_TR, 0.0), across) - 1.0)

    eps = brentq(carried, 1e-9, 1 - 1e-6, xtol=1e-14)
    law = laws.HarnoyFriedland(K_1, K_2, KAPPA, EPS_TR, K_H, K_SQUEEZE)
    mus, z = drive(law, lambda t: v, 1.0, 400)
    assert z[0, 0] == pytest.approx(eps, rel=1e-7)
    printed = K_1 * max(eps - EPS_TR, 0.0) + K_2 * v / sqrt(1 - eps**2)
    assert mus[-1] == pytest.approx(printed, rel=1e-6)


def test_lubricated_contact_settles_as_the_film_is_squeezed_out() -> None:
    """At rest: K_a (eps - eps_tr)+ + K_s J_22 eps' = 1, with J_22 from the pressure of pure squeezing."""
    law = laws.HarnoyFriedland(K_1, K_2, KAPPA, EPS_TR, K_H, K_SQUEEZE)

    def rate(t: float, eps: Any) -> list[float]:
        film = short_bearing(eps[0], 0.0, 1.0)[0]
        return [(1.0 - KAPPA * max(eps[0] - EPS_TR, 0.0)) / film]

    end = 4.0
    exact = solve_ivp(rate, (0.0, end), [0.0], rtol=1e-9, atol=1e-11).y[0, -1]
    errors = []
    for steps in (400, 800, 1600):
        _, z = drive(law, lambda t: 0.0, end / steps, steps)
        errors.append(abs(float(z[0, 0]) - exact))
    assert errors[-1] < 2e-3 * exact
    assert np.polyfit(np.log([4.0, 2.0, 1.0]), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.2)


# -- generalised Maxwell slip and Leuven ----------------------------------------------------------------------


def there_and_back(t: float) -> float:
    """m/s: slow, up to four times v_s, then back through zero to the opposite direction."""
    return 2.5e-3 * np.sin(2 * pi * t) + 1.5e-3 * np.sin(6 * pi * t)


def maxwell_slip(speed: Speed, attraction: float, sigma_2: float, dt: float, steps: int) -> Any:
    """Eqs. 3.60 to 3.62 as printed, by small explicit steps: F_i = k_i z_i, C_i = alpha_i C, g_i = alpha_i g/k_i."""
    k, alpha = np.array(K_4), np.array(SHARES_4)
    z, sliding, mus = np.zeros(4), np.zeros(4, bool), np.zeros(steps)
    last = 0.0
    for i in range(steps):
        v = speed(dt * (i + 0.5))
        if v * last < 0.0:
            sliding[:] = False
        last = v
        g = alpha * stribeck(v) / k
        rate = np.where(sliding, np.sign(v) * alpha * attraction / k * (1 - z * np.sign(v) / g), v)
        mus[i] = k @ (z + 0.5 * dt * rate) + sigma_2 * v
        z = z + dt * rate
        sliding |= ~sliding & (z * np.sign(v) >= g)
    return mus


@pytest.mark.parametrize("attraction", [2.0, 10.0])
def test_generalised_maxwell_slip(attraction: float) -> None:
    law = laws.GeneralisedMaxwellSlip(MU_S, MU_K, V_S, K_4, SHARES_4, attraction, 0.1)
    fine = 8
    steps, dt = 8000, 1e-4
    printed = maxwell_slip(there_and_back, attraction, 0.1, dt / fine, steps * fine)
    printed = printed.reshape(steps, fine).mean(axis=1)
    found, _ = drive(law, there_and_back, dt, steps)
    assert np.abs(found - printed).max() < 6e-3 * MU_S
    assert np.abs(found - printed).mean() < 3e-4 * MU_S


def hysteresis(z: float, path: Any) -> float:
    """F_h of springs and sliders: ``path`` (4,) contains their positions and changes with z."""
    k, limit = np.array(K_4), np.array(SHARES_4) * MU_S
    path[:] = np.clip(path, z - limit / k, z + limit / k)
    return float(k @ (z - path))


def leuven(
    speed: Speed, n: float, sigma_1: float, sigma_2: float, original: bool, dt: float, steps: int
) -> Any:
    """Eqs. 3.55 to 3.58, or with 3.59 in place of 3.55, as printed, by small explicit steps."""
    z, path, mus, last, base = 0.0, np.zeros(4), np.zeros(steps), 0.0, 0.0
    for i in range(steps):
        v = speed(dt * (i + 0.5))
        force = hysteresis(z, path)
        if v * last < 0.0:
            base = force
        last = v
        s = np.sign(v) * stribeck(v)
        r = (force - base) / (s - base) if original else force / s
        rate = v * (1 - np.sign(r) * abs(r) ** n)
        mus[i] = hysteresis(z + 0.5 * dt * rate, path.copy()) + sigma_1 * rate + sigma_2 * v
        z += dt * rate
    return mus


@pytest.mark.parametrize("n", [1.0, 3.0])
@pytest.mark.parametrize("form", ["modified", "original"])
def test_leuven(form: Any, n: float) -> None:
    law = laws.Leuven(MU_S, MU_K, V_S, K_4, SHARES_4, 5.0, 0.1, n, form=form)
    fine, steps, dt = 8, 8000, 1e-4
    printed = leuven(there_and_back, n, 5.0, 0.1, form == "original", dt / fine, steps * fine)
    printed = printed.reshape(steps, fine).mean(axis=1)
    found, _ = drive(law, there_and_back, dt, steps)
    assert np.abs(found - printed).mean() < 1e-3 * MU_S
    assert np.abs(found - printed).max() < 2e-2 * MU_S


# -- reset integrator and Liang --------------------------------------------------------------------------------


def test_reset_integrator_with_damping() -> None:
    """Eqs. 3.34 and 3.35: (1 + a) sigma_0 z + sigma_1 z' while it stretches, sigma_0 z_0 while it slides."""
    a, sigma_0, sigma_1, v, dt = 0.5, 1e5, 20.0, 1e-4, 1e-6
    law = laws.ResetIntegrator(MU_K, a, sigma_0, sigma_1)
    mus, _ = drive(law, lambda t: v, dt, 20_000)
    z = v * dt * (np.arange(20_000) + 0.5)
    stretching = z + 0.5 * v * dt < MU_K / sigma_0
    assert mus[stretching] == pytest.approx(((1 + a) * sigma_0 * z + sigma_1 * v)[stretching], rel=1e-12)
    assert mus[~stretching][1:] == pytest.approx(MU_K, rel=1e-12)


def test_liang_in_the_plane() -> None:
    """Eqs. 3.73 to 3.75: k_b z + c_b z', z being the slip as far as z_max.

    After a turn of the slip by a right angle the end of z is dragged on a tractrix, tan(theta/2) = exp(-s/z_max).
    """
    k_b, c_b, dt, half = 5e4, 8.0, 1e-6, 8000
    law = laws.Liang(MU_S, MU_K, k_b, c_b, 1e-3)
    for v, mu, steps in ((5e-4, MU_S, 20_000), (5e-3, MU_K, 2_000)):
        x = np.array([v * dt, 0.0, 0.0])
        z = fresh(law)
        for i in range(half):
            found, z, _ = step(law, x, z, dt=dt)
            if v * dt * (i + 1) < MU_K / k_b and i > 2:
                assert found[0] == pytest.approx(k_b * v * dt * (i + 0.5) + c_b * v, rel=1e-9)
        for _ in range(steps):
            found, z, _ = step(law, x[[1, 0, 2]], z, dt=dt)
        theta = 2 * np.arctan(exp(-v * dt * steps * k_b / mu))
        assert k_b * z[0] == pytest.approx(
            [mu * np.sin(theta), mu * np.cos(theta), 0.0], rel=2e-3, abs=1e-4 * mu
        )
