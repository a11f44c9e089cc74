"""LuGre's law and regularised Coulomb friction: eq. 32 as printed, derivatives at rest, bristles that relax."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fem_mbd.friction import Coulomb, LuGre
from fem_mbd.friction.tangential import state_count, time_constants, turned_states
from tests.friction.law_calls import FRICTION, SIZES, state_for
from tests.friction.library import step

powers = st.floats(-9.0, -1.0).map(lambda p: 10.0**p)
seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=300)
@given(seed=seeds, slip=powers, dt=powers, sigma_1=st.floats(0.0, 10.0), sigma_2=st.floats(0.0, 1.0))
def test_vector_equation_32(seed: int, slip: float, dt: float, sigma_1: float, sigma_2: float) -> None:
    """Eqs. 29 and 32 as printed, for vectors, with z_j and with the division by beta."""
    law = LuGre(**SIZES, sigma_1=sigma_1, sigma_2=sigma_2)
    rng = np.random.default_rng(seed)
    s, z_i = np.append(slip * rng.normal(size=2), 0.0), np.append(2e-6 * rng.normal(size=2), 0.0)
    mu, z_f, loss = step(law, s, z_i, 1.0, dt)
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
    # the loss is the work minus the change of the stored energy: round-off of both energies
    round_off += np.finfo(float).eps * law.sigma_0 / 2 * (z_i @ z_i + z_f[0] @ z_f[0])
    assert loss == pytest.approx(parts.sum(), rel=0, abs=1e-14 * largest * np.abs(s).max() + 4 * round_off)


@pytest.mark.parametrize("name", FRICTION)
def test_derivative_at_rest(name: str) -> None:
    """No slip at all: finite, and the derivative is that of one side and of the other within the rounding speed."""
    law, z, dt = FRICTION[name], state_for(FRICTION[name], np.random.default_rng(5), 1e-6), 1e-4
    h = 1e-4 * (1e-3 if isinstance(law, Coulomb) else 1e-9) * dt
    for k in range(2):
        e = np.eye(3)[k]
        stepped = step(law, 1e-30j * e, z, 10.0 + 0j, dt).mu.imag / 1e-30
        for side in (-1.0, 1.0):
            change = step(law, side * h * e, z, 10.0, dt).mu - step(law, 0.0 * e, z, 10.0, dt).mu
            # One-sided: the second derivative counts, h/(rounding slip) = 1e-4; differences of mu have
            # 1e-16/h.
            assert change / (side * h) == pytest.approx(
                stepped, rel=1e-3, abs=1e-15 / h + 1e-3 * np.abs(stepped).max()
            )


def test_without_slip_bristles_and_force_are_constant() -> None:
    """Sticking with memory: the state fades at sigma_0 v_eps/g = 3e-4 per second only, the force is sigma_0 z."""
    law = FRICTION["vector"]
    z = np.array([2e-6, -1e-6, 0.0])
    mu, z_f, _ = step(law, np.zeros(3), z, 10.0, 1e-3)
    assert z_f[0] == pytest.approx(z, rel=1e-6)
    assert mu == pytest.approx(1e5 * z, rel=1e-6)


def test_fresh_bristles_are_unloaded() -> None:
    """At zero slip the coefficient decreases as the normal force increases, so that the force is constant."""
    law, z = LuGre(**SIZES, unload_fresh_bristles=True), np.array([2e-6, 0.0, 0.0])
    mu, z_f, _ = step(law, np.zeros(3), z, 20.0, 1e-6, 5.0)
    assert 20.0 * mu[0] == pytest.approx(5.0 * 1e5 * z[0], rel=1e-6)
    assert z_f[0, 0] == pytest.approx(z[0] / 4, rel=1e-6)
    assert step(law, np.zeros(3), z, 5.0, 1e-6, 20.0).z_f[0, 0] == pytest.approx(z[0], rel=1e-6)


@settings(deadline=None, max_examples=100)
@given(seed=seeds, slip=powers, dt=powers)
def test_over_stretched_bristles_relax(seed: int, slip: float, dt: float) -> None:
    """Paper, section 5.1: while sigma_0 |z_g| (mu here) exceeds g the energy of the bristles falls."""
    law = LuGre(**SIZES)
    rng = np.random.default_rng(seed)
    s, z = np.append(slip * rng.normal(size=2), 0.0), np.append(8e-6 * rng.normal(size=2), 0.0)
    mu, z_f, _ = step(law, s, z, 1.0, dt)
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
    vector = step(forms["vector"], slip * e, size * e, 5.0, dt)
    scalar = step(forms["scalar"], slip * e, [size, 0.0, 0.0], 5.0, dt)
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


def test_stribeck_curve_far_above_its_speed_is_the_kinetic_coefficient() -> None:
    """(V/v_s)**gamma overflows here; in complex arithmetic that alone would end in nan."""
    law = LuGre(sigma_0=1e5, mu_s=0.45, mu_k=0.3, v_s=1e-6, gamma=60.0)
    mu, _, _ = step(law, np.array([10.0 + 1e-30j, 0.0, 0.0]), np.zeros((1, 3)), 1.0, 1.0)
    # One step of 3e6 bristle time constants from z = 0 ends that close to steady sliding.
    assert mu[0] == pytest.approx(0.3, rel=1e-6)
