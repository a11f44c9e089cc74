"""Dynamic laws against closed forms and their authors' published behaviour."""

import re
from collections.abc import Callable
from dataclasses import replace
from math import exp
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, friction as laws
from fem_mbd.friction.probes.slip_path import drive_path
from tests.friction.library import DYNAMIC_LAWS, LIBRARY, fresh, slide_at, step


def push(law: Any, slip: float, steps: int, z: Any = None, dt: float = 1e-3) -> tuple[np.ndarray, Any]:
    """Coefficients (steps,) and last state along axis 1."""
    z, mus = fresh(law) if z is None else z, []
    for _ in range(steps):
        mu, z, _ = step(law, [slip, 0.0, 0.0], z, dt=dt)
        mus.append(mu[0])
    return np.array(mus), z


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0])
def test_dahl_curve(alpha: float) -> None:
    """du/dy = (1 - u)**alpha from rest, u = mu/mu_k, y = sigma_0 x/mu_k: solved in closed form."""
    law, slip, n = laws.Dahl(0.1, 1e5, alpha), 2e-8, 60
    _, z = push(law, slip, n)
    y = slip * n * 1e5 / 0.1
    u = 1 - exp(-y) if alpha == 1 else 1 - max(1 - (1 - alpha) * y, 0.0) ** (1 / (1 - alpha))
    assert 1e5 * z[0, 0] / 0.1 == pytest.approx(u, rel=2e-4)


def test_valanis_curve() -> None:
    """du/dy = (1 - u)/(1 - kappa u): y = -(1 - kappa) ln(1 - u) + kappa u."""
    _, z = push(laws.Valanis(0.1, 1e5, 0.6), 2e-8, 60)
    u = 1e5 * z[0, 0] / 0.1
    assert -0.4 * np.log(1 - u) + 0.6 * u == pytest.approx(2e-8 * 60 * 1e6, rel=2e-4)


def test_bliman_sorine_over_the_path() -> None:
    """mu(s) = f_1 (1 - exp(-s/(eta eps))) - f_2 (1 - exp(-s/eps)), whatever the speed; a peak, then f_1 - f_2."""
    law = laws.BlimanSorine(0.2, 1e-5, 0.1, 0.3)
    for dt in (1e-5, 1.0):
        mus, _ = push(law, 1e-7, 1500, dt=dt)
        s = 1e-7 * (np.arange(1500) + 0.5)
        exact = 0.2 * (1 - np.exp(-s / 3e-6)) - 0.1 * (1 - np.exp(-s / 1e-5))
        assert mus == pytest.approx(exact, rel=1e-3, abs=1e-5)
        assert mus.max() > 1.2 * mus[-1] and mus[-1] == pytest.approx(0.1, rel=1e-4)
    first, _ = push(laws.BlimanSorine(0.1, 1e-6), 1e-8, 100)
    dahl, _ = push(laws.Dahl(0.1, 1e5), 1e-8, 100)
    assert first == pytest.approx(dahl, rel=1e-13)


@pytest.mark.parametrize("name", ["elasto plastic", "gms", "leuven", "gonthier"])
@pytest.mark.parametrize("speed", [1e-4, 5e-4, 2e-3, 0.1])
def test_steady_sliding_is_the_stribeck_curve(name: str, speed: float) -> None:
    """Gonthier's bristles are stretched beyond it and cut to mu_max, whose s_dw rests at s after some tau_dw."""
    g, steps = 0.1 + 0.05 * exp(-((speed / 1e-3) ** 2)), 20_000 if name == "gonthier" else 4000
    found = slide_at(LIBRARY[name], speed, steps, dt=1e-3)
    assert found == pytest.approx(g + 0.1 * speed, rel=1e-4 if name == "gonthier" else 1e-6)


def test_iwan_first_loading_and_masing() -> None:
    """Many springs: mu = k x (1 - k x/(4 mu_k)); unloading follows twice the curve (Masing)."""
    law = laws.Iwan(0.1, 1e5, 12)
    mus, z = push(law, 1e-8, 100)
    x = 1e-8 * (np.arange(100) + 0.5)
    curve = 1e5 * x * (1 - 1e5 * x / 0.4)
    assert mus == pytest.approx(curve, abs=0.1 / 12**2)
    back, _ = push(law, -1e-8, 100, z)
    top = 1e5 * 1e-6 * (1 - 1e5 * 1e-6 / 0.4)
    assert back == pytest.approx(top - 2 * 1e5 * x / 2 * (1 - 1e5 * x / 2 / 0.4), abs=0.1 / 12**2 * 2)


@pytest.mark.parametrize("name", ["iwan", "gms", "leuven"])
def test_nonlocal_memory(name: str) -> None:
    """A small loop inside a large one closes: the force afterwards is the same as without it."""
    law = LIBRARY[name]
    law = (
        replace(law, exponent=20.0) if name == "leuven" else law
    )  # far below g the state then does not slide
    _, z = push(law, 1e-8, 60, dt=1.0)
    with_loop = push(law, 1e-8, 20, push(law, -1e-8, 20, z, dt=1.0)[1], dt=1.0)[1]
    limit = 1e-6 if name == "leuven" else 1e-12
    after, before = (push(law, 1e-8, 5, state, dt=1.0)[0] for state in (with_loop, z))
    assert after == pytest.approx(before, rel=limit)


@pytest.mark.parametrize("name", ["elasto plastic", "iwan", "reset integrator", "coulomb", "liang", "gms"])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_no_creep_below_break_away(name: str, angle: float) -> None:
    """A load that pulses from zero to half of break-away for 300 s: the body returns to its position, any direction."""
    law, e = LIBRARY[name], np.array([np.cos(angle), np.sin(angle), 0.0])
    z, x, places = fresh(law), 0.0, []
    ramp = 0.05 * (np.arange(10) + 0.5) / 10
    for _ in range(30):
        for level in (*ramp, *ramp[::-1]):
            low, high = -1e-6, 1e-6
            for _ in range(45):
                slip = 0.5 * (low + high)
                low, high = (slip, high) if step(law, slip * e, z, dt=0.5).mu @ e < level else (low, slip)
            z, x = step(law, slip * e, z, dt=0.5).z_f, x + slip
        places.append(x)
    assert abs(places[-1] - places[2]) < 1e-9


@pytest.mark.parametrize("rest", [0.1, 2.0, 6.0])
def test_break_away_of_gonthier_rises_with_rest(rest: float) -> None:
    """Largest coefficient after a rest: mu_k + (mu_s - mu_k)(1 - exp(-rest/tau_dw)), Gonthier et al. 2004."""
    law = DYNAMIC_LAWS["gonthier"]
    z = drive_path(law, np.full(400, 0.05 * 1e-3), 1e-3).z  # fast sliding has reduced s_dw to zero
    z = drive_path(law, np.full(2000, 1e-15), rest / 2000, z=z).z
    mus = drive_path(law, np.full(600, 2e-9), 4e-5, z=z).mus  # at 0.05 v_s, which still counts as rest
    rested = 1.0 - exp(-(rest + 600 * 4e-5) / 2.0)
    assert mus.max() == pytest.approx(0.1 + 0.05 * rested, rel=3e-3)


def work_of_a_rest_between(law: Any) -> float:
    """J per N and m of slip: forward in a time far below tau_dw, a long rest, slowly back."""
    way, fast = 1e-4, np.full(300, 1e-4)  # faster than v_s: bristles go back to mu_k and s_dw to zero
    slips = np.concatenate([np.full(400, way / 400), np.full(50, 1e-16), np.full(4000, -way / 4000)])
    dts = np.concatenate([np.full(400, way / 400 / 1e-4), np.full(50, 2.0), np.full(4000, way / 4000 / 1e-5)])
    run = drive_path(law, slips, dts, z=drive_path(law, fast, 1e-3).z)
    return float(run.mus @ slips) / way


def test_gonthier_is_passive_with_equal_coefficients_only() -> None:
    equal = laws.Gonthier(1e5, 100.0, 0.1, 0.1, 0.1, 1e-3, 2.0)
    assert equal.passivity_limit() == np.inf
    assert replace(equal, sigma_1=49.9).passivity_limit() == 0.0 == DYNAMIC_LAWS["gonthier"].passivity_limit()
    rng = np.random.default_rng(4)
    for _ in range(40):
        speeds = 10.0 ** rng.uniform(-6.0, -1.0, 60) * rng.choice([-1.0, 1.0], 60)
        slips = np.repeat(10.0 ** rng.uniform(-8.0, -4.5, 60) * np.sign(speeds), 200) / 200
        dts = np.abs(slips) / np.repeat(np.abs(speeds), 200)
        done = drive_path(equal, slips, dts)
        # in any time from rest: the recovered energy is never above the stored one
        assert np.cumsum(done.mus * slips).min() > -1e-12
    sluggish = laws.Gonthier(1e5, 1e4, 0.0, 0.15, 0.1, 1e-3, 20.0)
    assert work_of_a_rest_between(sluggish) < -0.02
    assert work_of_a_rest_between(replace(sluggish, mu_s=0.1)) > 0.0


def test_mean_of_bristles_and_their_seed() -> None:
    law = laws.Bristles(1e4, 1e-6, 50)
    mus, _ = push(law, 2e-7, 4000)
    assert mus[200:].mean() == pytest.approx(1e4 * 50 * 1e-6 * 2 / 3, rel=5e-3)
    assert mus[0] == pytest.approx(1e4 * 50 * 1e-7, rel=1e-12)
    again, _ = push(law, 2e-7, 300)
    other, _ = push(replace(law, seed=7), 2e-7, 300)
    assert (again == mus[:300]).all() and (other != again).any()


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: replace(DYNAMIC_LAWS["gms"], alpha=(0.5, 0.5)), "4 k and 2 alpha"),
        (lambda: replace(DYNAMIC_LAWS["gms"], alpha=(0.5,) * 4), "alpha adds up to 2: it must be 1"),
    ],
)
def test_bad_parameters(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        build()
