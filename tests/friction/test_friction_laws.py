"""Properties of every friction law: exact energy balance, no generation of energy, symmetry, derivatives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from fem_mbd.friction import Coulomb, LuGre
from fem_mbd.friction.tangential import state_count, time_constants, turned_states
from tests.friction.law_calls import FRICTION, SIZES, Array, friction, state_for, stored

powers = st.floats(-9.0, -1.0).map(lambda p: 10.0**p)
seeds = st.integers(0, 2**32 - 1)


def random_step(name: str, seed: int, slip: float) -> tuple[Array, Array, np.random.Generator]:
    rng = np.random.default_rng(seed)
    s = np.append(slip * rng.normal(size=2), 0.0)
    return s, state_for(FRICTION[name], rng, 2e-6), rng


@pytest.mark.parametrize("name", FRICTION)
@settings(deadline=None, max_examples=150)
@given(seed=seeds, slip=powers, dt=powers)
def test_energy_balance_closes(name: str, seed: int, slip: float, dt: float) -> None:
    """Work taken = change of stored energy + loss, to round-off of its largest part, also for a changing force."""
    law = FRICTION[name]
    s, z, rng = random_step(name, seed, slip)
    f_n, before = rng.uniform(0.1, 100.0, size=2)
    mu, z_f, loss = friction(law, s, z, f_n, dt, before)
    balance = f_n * mu @ s - (f_n * stored(law, z_f) - before * stored(law, z) + loss)
    assert abs(balance) <= 1e-14 * largest_term(name, s, z, f_n, before, dt)


def largest_term(name: str, s: Array, z: Array, f_n: float, before: float, dt: float) -> float:
    """Sum of the absolute terms of the energy balance (J), a scale for round-off."""
    law = FRICTION[name]
    mu, z_f, _ = friction(law, s, z, f_n, dt, before)
    terms = f_n * np.abs(mu) @ np.abs(s) + f_n * stored(law, z_f) + max(before, f_n) * stored(law, z)
    if isinstance(law, LuGre):
        slip, dz = np.linalg.norm(s), np.linalg.norm(z_f) + np.linalg.norm(z)
        terms += f_n * slip * (law.sigma_0 * dz + (law.sigma_1 * dz + law.sigma_2 * slip) / dt)
    return float(terms)


@settings(deadline=None, max_examples=300)
@given(seed=seeds, slip=powers, dt=powers, sigma_1=st.floats(0.0, 10.0), sigma_2=st.floats(0.0, 1.0))
def test_vector_equation_32(seed: int, slip: float, dt: float, sigma_1: float, sigma_2: float) -> None:
    """Eqs. 29 and 32 as printed, for vectors, with z_j and with the division by beta."""
    law = LuGre(**SIZES, sigma_1=sigma_1, sigma_2=sigma_2)
    rng = np.random.default_rng(seed)
    s, z_i = np.append(slip * rng.normal(size=2), 0.0), np.append(2e-6 * rng.normal(size=2), 0.0)
    mu, z_f, loss = friction(law, s, z_i, 1.0, dt)
    v = s / dt
    speed = np.sqrt(v @ v + law.rounding_speed**2)
    b = dt * law.sigma_0 * speed / (law.mu_k + (law.mu_s - law.mu_k) * np.exp(-((speed / law.v_s) ** 2)))
    z_j = (z_i + b / 6 * z_f[0]) / (1 + b / 6)
    z_g = (z_f[0] + z_j) / 2
    rate = (s - b * z_g) / dt
    size = np.abs(z_f).max() + np.abs(z_i).max() + np.abs(s).max()
    assert z_f[0] - z_i + b * z_g == pytest.approx(s, rel=0, abs=1e-14 * (size + b * np.abs(z_g).max()))
    coefficient = law.sigma_0 * z_g + sigma_1 * rate + sigma_2 * v
    largest = (law.sigma_0 + sigma_1 * b / dt) * size + (sigma_1 + sigma_2) * np.abs(v).max()
    assert mu == pytest.approx(coefficient, rel=0, abs=1e-14 * largest)
    jump = z_j - z_i
    parts = np.array(
        [
            law.sigma_0 * b * z_g @ z_g,
            law.sigma_0 / 2 * (1 + 6 / b) * jump @ jump,
            dt * sigma_1 * rate @ v,
            dt * sigma_2 * v @ v,
        ]
    )
    # z_j - z_i of eq. 32 is a difference of nearby numbers: its round-off, squared over b, is allowed for.
    round_off = law.sigma_0 * (1 + 6 / b) * (4e-16 * np.abs(z_i).max()) * (np.abs(jump).max() + 1e-22)
    assert loss == pytest.approx(parts.sum(), rel=0, abs=1e-14 * largest * np.abs(s).max() + 4 * round_off)


@pytest.mark.parametrize("name", FRICTION)
@settings(deadline=None, max_examples=150)
@given(seed=seeds, slip=powers, dt=powers)
def test_passive_friction_never_generates_energy(name: str, seed: int, slip: float, dt: float) -> None:
    law = FRICTION[name]
    s, z, rng = random_step(name, seed, slip)
    limit = law.passivity_limit() if isinstance(law, LuGre) else np.inf
    speed = np.linalg.norm(s) / dt
    if speed > limit:
        s *= limit / speed
    if isinstance(law, LuGre):
        z *= min(1.0, law.mu_s / (law.sigma_0 * np.linalg.norm(z)))  # what bristles can be stretched to
    f_n = rng.uniform(0.1, 100.0)
    _, _, loss = friction(law, s, z, f_n, dt)
    assert loss >= -1e-15 * f_n * stored(law, z)
    if isinstance(law, LuGre) and law.unload_fresh_bristles:
        before = rng.uniform(0.0, 100.0)
        assert friction(law, s, z, f_n, dt, before).loss >= -1e-15 * max(f_n, before) * stored(law, z)


@pytest.mark.parametrize("name", FRICTION)
@settings(deadline=None, max_examples=40)
@given(seed=seeds, slip=powers)
def test_frame_invariance(name: str, seed: int, slip: float) -> None:
    law, dt = FRICTION[name], 1e-4
    s, z, rng = random_step(name, seed, slip)
    turn = Rotation.random(random_state=rng.integers(2**31)).as_matrix()
    mu, z_f, loss = friction(law, s, z, 7.0, dt)
    turned = bool(turned_states(law.record()[()]))
    mu_2, z_f_2, loss_2 = friction(law, turn @ s, z @ turn.T if turned else z, 7.0, dt)
    size = np.abs(mu).max() + 1.0
    assert mu_2 == pytest.approx(turn @ mu, rel=0, abs=1e-13 * size)
    assert z_f_2 == pytest.approx(z_f @ turn.T if turned else z_f, rel=0, abs=1e-13 * size / 1e5)
    assert loss_2 == pytest.approx(loss, rel=1e-12, abs=1e-30)


def outputs(name: str, x: Array, before: float) -> Array:
    """All results of a step as one vector; x = slip (3), state (3), normal force."""
    mu, z_f, loss = friction(FRICTION[name], x[:3], x[3:6], x[6], 1e-4, before)
    return np.concatenate([mu, 1e5 * z_f[0], [1e5 * loss]])


@pytest.mark.parametrize("name", FRICTION)
@pytest.mark.parametrize("slip", [3e-10, 1e-7, 3e-6, 1e-4])
def test_complex_step_agrees_with_central_differences(name: str, slip: float) -> None:
    s, z, _ = random_step(name, 11, slip)
    x, scale = np.concatenate([s, z[0], [10.0]]), np.array([slip] * 3 + [1e-6] * 3 + [10.0])
    for before, k in itertools.product((5.0, 12.0), range(7)):
        h = np.zeros(7)
        h[k] = 1e-5 * scale[k]
        central = (outputs(name, x + h, before) - outputs(name, x - h, before)) / (2 * h[k])
        stepped = outputs(name, x + 1e-20j * h / h[k] * scale[k], before).imag / (1e-20 * scale[k])
        largest = np.abs(outputs(name, x, before)).max() / scale[k] + np.abs(central).max()
        assert stepped == pytest.approx(central, rel=0, abs=1e-7 * largest), (before, k)


@pytest.mark.parametrize("name", FRICTION)
def test_derivative_at_rest(name: str) -> None:
    """No slip at all: finite, and the derivative is that of one side and of the other within the rounding speed."""
    law, z, dt = FRICTION[name], state_for(FRICTION[name], np.random.default_rng(5), 1e-6), 1e-4
    h = 1e-4 * (1e-3 if isinstance(law, Coulomb) else 1e-9) * dt
    for k in range(2):
        e = np.eye(3)[k]
        stepped = friction(law, 1e-30j * e, z, 10.0 + 0j, dt).mu.imag / 1e-30
        for side in (-1.0, 1.0):
            change = friction(law, side * h * e, z, 10.0, dt).mu - friction(law, 0.0 * e, z, 10.0, dt).mu
            # One-sided: the second derivative counts, h/(rounding slip) = 1e-4; differences of mu have
            # 1e-16/h.
            assert change / (side * h) == pytest.approx(
                stepped, rel=1e-3, abs=1e-15 / h + 1e-3 * np.abs(stepped).max()
            )


def test_without_slip_bristles_and_force_are_constant() -> None:
    """Sticking with memory: the state fades at sigma_0 v_eps/g = 3e-4 per second only, the force is sigma_0 z."""
    law = FRICTION["vector"]
    z = np.array([2e-6, -1e-6, 0.0])
    mu, z_f, _ = friction(law, np.zeros(3), z, 10.0, 1e-3)
    assert z_f[0] == pytest.approx(z, rel=1e-6)
    assert mu == pytest.approx(1e5 * z, rel=1e-6)


@pytest.mark.parametrize("name", FRICTION)
def test_open_contact_resets_states_and_dissipates_their_energy(name: str) -> None:
    law = FRICTION[name]
    s, z, _ = random_step(name, 3, 1e-6)
    for f_n in (0.0, 0j):
        mu, z_f, loss = friction(law, s, z, f_n, 1e-4, 8.0)
        assert not mu.any() and not z_f.any()
        assert loss == pytest.approx(8.0 * stored(law, z), rel=1e-15)


def test_fresh_bristles_are_unloaded() -> None:
    """At zero slip the coefficient decreases as the normal force increases, so that the force is constant."""
    law, z = LuGre(**SIZES, unload_fresh_bristles=True), np.array([2e-6, 0.0, 0.0])
    mu, z_f, _ = friction(law, np.zeros(3), z, 20.0, 1e-6, 5.0)
    assert 20.0 * mu[0] == pytest.approx(5.0 * 1e5 * z[0], rel=1e-6)
    assert z_f[0, 0] == pytest.approx(z[0] / 4, rel=1e-6)
    assert friction(law, np.zeros(3), z, 5.0, 1e-6, 20.0).z_f[0, 0] == pytest.approx(z[0], rel=1e-6)


@settings(deadline=None, max_examples=100)
@given(seed=seeds, slip=powers, dt=powers)
def test_over_stretched_bristles_relax(seed: int, slip: float, dt: float) -> None:
    """Paper, section 5.1: while sigma_0 |z_g| (mu here) exceeds g the energy of the bristles falls."""
    law = LuGre(**SIZES)
    rng = np.random.default_rng(seed)
    s, z = np.append(slip * rng.normal(size=2), 0.0), np.append(8e-6 * rng.normal(size=2), 0.0)
    mu, z_f, _ = friction(law, s, z, 1.0, dt)
    speed = np.linalg.norm(s) / dt
    g = law.mu_k + (law.mu_s - law.mu_k) * np.exp(-((speed / law.v_s) ** 2))
    if np.linalg.norm(mu) > g * (1 + 1e-12):
        assert np.linalg.norm(z_f) <= np.linalg.norm(z) * (1 + 1e-15)


@settings(deadline=None, max_examples=60)
@given(seed=seeds, slip=powers)
def test_scalar_and_vector_agree_in_a_fixed_direction(seed: int, slip: float) -> None:
    """Slip along z without reversal is the case that both forms describe."""
    rng = np.random.default_rng(seed)
    e = np.append(rng.normal(size=2), 0.0)
    e /= np.linalg.norm(e)
    size, dt = abs(rng.normal()) * 2e-6, 1e-4
    forms = {f: LuGre(**SIZES, sigma_1=1.5, sigma_2=0.2, v_eps=1e-12, form=f) for f in ("vector", "scalar")}
    vector = friction(forms["vector"], slip * e, size * e, 5.0, dt)
    scalar = friction(forms["scalar"], slip * e, [size, 0.0, 0.0], 5.0, dt)
    # The two differ by (v_eps/V)**2 at most.
    assert scalar.mu == pytest.approx(vector.mu, rel=1e-10, abs=1e-12)
    assert scalar.z_f[0, 0] == pytest.approx(vector.z_f[0] @ e, rel=1e-10, abs=1e-18)
    assert scalar.loss == pytest.approx(vector.loss, rel=1e-9, abs=1e-22)


def test_properties_of_laws() -> None:
    told = {
        name: (
            state_count(law.record()[()]),
            bool(turned_states(law.record()[()])),
            *time_constants(law.record()[()]),
        )
        for name, law in FRICTION.items()
    }
    assert told["frictionless"] == told["coulomb"] == (0, False, 0.0, 0.0)
    assert told["vector"] == (1, True, pytest.approx(1e5 * 1e-3 / 0.3), 1e-3)
    assert told["scalar"] == (1, False, pytest.approx(1e5 * 1e-3 / 0.3), 1e-3)


@pytest.mark.parametrize("name", FRICTION)
@pytest.mark.parametrize("slip, dt", [(1e3, 1e-9), (1e-300, 1.0), (0.0, 1e-12), (1e3, 1e3)])
def test_absurd_steps_stay_finite(name: str, slip: float, dt: float) -> None:
    law = FRICTION[name]
    for kind in (float, complex):
        mu, z_f, loss = friction(
            law, np.array([slip, 0.0, 0.0], kind), state_for(law, np.random.default_rng(1), 1e-6), 3.0, dt
        )
        assert np.isfinite(mu).all() and np.isfinite(z_f).all() and np.isfinite(loss)


def test_stribeck_curve_far_above_its_speed_is_the_kinetic_coefficient() -> None:
    """(V/v_s)**gamma overflows here; in complex arithmetic that alone would end in nan."""
    law = LuGre(sigma_0=1e5, mu_s=0.45, mu_k=0.3, v_s=1e-6, gamma=60.0)
    mu, _, _ = friction(law, np.array([10.0 + 1e-30j, 0.0, 0.0]), np.zeros((1, 3)), 1.0, 1.0)
    # One step of 3e6 bristle time constants from z = 0 ends that close to steady sliding.
    assert mu[0] == pytest.approx(0.3, rel=1e-6)
