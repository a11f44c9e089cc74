"""Every friction law: exact energy balance, no generation of energy, frame invariance, open contact, absurd steps."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fem_mbd.friction import Anisotropic
from fem_mbd.friction.tangential import turned_states
from tests.friction.library import LAWS, fresh, step, stored


def random_slips(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    slips = 10.0 ** rng.uniform(-8, -4, (count, 1)) * rng.normal(size=(count, 3))
    slips[:, 2] = 0.0
    return slips


@pytest.mark.parametrize("name", LAWS)
def test_exact_energy_balance_without_generation(name: str) -> None:
    """f_n mu.s = change of the stored energy + loss, also for changing normal force; loss >= 0 at constant force."""
    law, rng = LAWS[name], np.random.default_rng(3)
    z = fresh(law)
    for s in random_slips(5, 300):
        f_n, before = rng.uniform(1.0, 20.0, 2)
        changed = step(law, s, z, f_n, 10.0 ** rng.uniform(-9.0, -1.0), before)
        gap = f_n * changed.mu @ s - stored(law, changed.z_f, f_n) + stored(law, z, before) - changed.loss
        most = f_n + before
        largest = f_n * np.abs(changed.mu) @ np.abs(s) + stored(law, z, most) + stored(law, changed.z_f, most)
        assert abs(gap) <= 1e-14 * largest
        z_i, (_, z, loss) = z, step(law, s, z)
        if name != "gonthier":  # not passive by construction, as its file says
            assert loss >= -1e-14 * (largest + stored(law, z_i, 10.0))


@pytest.mark.parametrize("name", LAWS)
def test_derivative_by_complex_step(name: str) -> None:
    """Along a path, so that bristles are stretched beyond what they can hold after a step where that was more."""
    law = LAWS[name]
    z = fresh(law)
    for s in random_slips(8, 60):
        length = np.linalg.norm(s)
        for k in range(2):
            e = np.eye(3)[k]
            stepped = step(law, s + 1e-40j * e, z).mu.imag / 1e-40
            h = 1e-6 * length
            central = (step(law, s + h * e, z).mu - step(law, s - h * e, z).mu) / (2 * h)
            scale = np.abs(central).max() + np.abs(step(law, s, z).mu).max() / length
            assert stepped == pytest.approx(central, rel=0, abs=1e-6 * scale)
        z = step(law, s, z).z_f


@pytest.mark.parametrize("name", LAWS)
def test_frame_invariance(name: str) -> None:
    """Rotating the path, and a law's axis, rotates the force; scalar states do not change."""
    law = law_turned = LAWS[name]
    turn = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    if isinstance(law, Anisotropic):
        law_turned = replace(law, axis=tuple(turn @ law.axis))
    rows = int(turned_states(law.record()[()]))
    z = z_turned = fresh(law)
    for s in random_slips(9, 60):
        one, two = step(law, s, z), step(law_turned, turn @ s, z_turned)
        assert two.mu == pytest.approx(turn @ one.mu, rel=0, abs=1e-9)
        z, z_turned = one.z_f, two.z_f
        assert z_turned[:rows] == pytest.approx(z[:rows] @ turn.T, rel=0, abs=1e-14)


@pytest.mark.parametrize("name", LAWS)
def test_rest_open_contact_and_absurd_steps(name: str) -> None:
    law = LAWS[name]
    z = step(law, [1e-6, 0.0, 0.0], fresh(law)).z_f
    at_rest = step(law, np.array([1e-40j, 0.0, 0.0]), z)
    assert np.isfinite(at_rest.mu.real).all() and np.isfinite(at_rest.mu.imag).all()
    opened = step(law, [1e-6, 0.0, 0.0], z, f_n=0.0, before=8.0)
    assert not opened.mu.any() and not opened.z_f.any()
    assert opened.loss == pytest.approx(stored(law, z, 8.0), rel=1e-14, abs=0.0)
    for slip, dt in ((1e3, 1e-9), (1e-300, 1.0), (0.0, 1e-12), (1e3, 1e3)):
        for kind in (float, complex):
            answer = step(law, np.array([slip, 0.0, 0.0], kind), z, dt=dt)
            assert np.isfinite(answer.mu).all() and np.isfinite(answer.z_f).all() and np.isfinite(answer.loss)
