"""Laws in newtons: those per unit normal force under a constant one; effect of a variable normal force."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd.errors import InputError
from fem_mbd.friction import ClassicalLuGre, LuGre
from fem_mbd.friction.probes.slip_path import drive_path
from tests.friction.library import CLASSICAL_LAWS, fresh, step, stored
from tests.friction.test_library import random_slips

LUGRE: Any = CLASSICAL_LAWS["classical lugre"]
N = 37.0


@pytest.mark.parametrize("name", CLASSICAL_LAWS)
def test_under_a_constant_normal_force_it_is_the_other_family(name: str) -> None:
    """sigma/N instead of sigma (Colantonio et al., eq. 14): same coefficient, bristles and loss, step by step."""
    law = CLASSICAL_LAWS[name]
    twin, z = law.per_unit_normal_force(N), fresh(law)
    for s in random_slips(4, 80):
        one, other = step(law, s, z, N), step(twin, s, z, N)
        size = np.abs(other.mu).max()
        assert one.mu == pytest.approx(other.mu, rel=0, abs=1e-12 * size)
        assert one.loss == pytest.approx(other.loss, rel=1e-10, abs=1e-12 * N * size * np.abs(s).max())
        z = one.z_f
        assert z == pytest.approx(other.z_f, rel=0, abs=1e-12 * np.abs(z).max())
        assert stored(law, z, N) == pytest.approx(stored(twin, z, N), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("name", CLASSICAL_LAWS)
def test_at_rest_neither_force_nor_energy_follow_the_normal_force(name: str) -> None:
    law = CLASSICAL_LAWS[name]
    z = step(law, [1e-7, 0.0, 0.0], fresh(law), N).z_f
    force = N * step(law, np.zeros(3), z, N, dt=1e-9).mu
    for f_n in (1e-3 * N, 0.5 * N, 20.0 * N):
        answer = step(law, np.zeros(3), z, f_n, dt=1e-9, before=N)
        # the rest is sigma_1 times the creep at the rounding speed, which increases as N decreases
        assert f_n * answer.mu == pytest.approx(force, rel=1e-4)
        assert stored(law, answer.z_f, f_n) == pytest.approx(stored(law, z, N), rel=1e-6, abs=0.0)
        assert abs(answer.loss) < 1e-6 * stored(law, z, N)


def test_equations_as_printed() -> None:
    """F and z of dz/dt = V - sigma_0 |V| z/(N g(V)) with N(t) and V(t) that vary, against SciPy; second order."""
    law = LUGRE
    normal = lambda t: 20.0 + 15.0 * np.sin(40.0 * t)  # noqa: E731
    speed = lambda t: 2e-3 * np.sin(23.0 * t)  # noqa: E731

    def rate(t: float, z: Any) -> Any:
        v = np.hypot(speed(t), law.per_unit_normal_force(1.0).rounding_speed)
        g = law.mu_k + (law.mu_s - law.mu_k) * np.exp(-((v / law.v_s) ** 2))
        return speed(t) - law.sigma_0 * v / (normal(t) * g) * z

    end = 0.2
    exact = solve_ivp(rate, (0.0, end), [0.0], method="LSODA", rtol=1e-12, atol=1e-18).y[0, -1]
    errors = []
    for count in (2000, 4000, 8000):
        t = np.linspace(0.0, end, count + 1)
        middle = 0.5 * (t[1:] + t[:-1])
        z = drive_path(law, np.diff(t) * speed(middle), end / count, normal(middle)).z[0, 0]
        errors.append(abs(z - exact))
    assert errors[-1] < 1e-4 * abs(exact)
    assert np.log2(errors[0] / errors[1]) > 1.7 and np.log2(errors[1] / errors[2]) > 1.7


def test_passivity() -> None:
    """sigma_1 (mu_s/mu_k - 1) <= sigma_2 for all speeds and loads; else a speed that falls with the load."""
    assert LUGRE.passivity_limit() == np.inf
    active = ClassicalLuGre(sigma_0=1e5, sigma_1=400.0, mu_s=0.45, mu_k=0.3, v_s=5e-3)
    assert active.passivity_limit() == 0.0
    for n in (1.0, 100.0):
        twin = LuGre(sigma_0=1e5 / n, sigma_1=400.0 / n, mu_s=0.45, mu_k=0.3, v_s=5e-3)
        assert active.passivity_limit(n) == pytest.approx(twin.passivity_limit())
    assert active.passivity_limit(1e4) > 10.0 * active.passivity_limit(1.0)


@pytest.mark.parametrize("n", [0.0, -1.0, float("nan")])
def test_refused(n: float) -> None:
    with pytest.raises(InputError, match="ClassicalLuGre normal_force is"):
        LUGRE.per_unit_normal_force(n)
