"""The compiled drivers: the same as calls of ``friction_force``."""

import numpy as np
import pytest

from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.friction.probes.slip_path import drive_path, fresh_state
from tests.friction.library import LIBRARY, step

LUGRE = LuGre(sigma_0=1e5, sigma_1=100.0, sigma_2=0.1, mu_s=0.15, mu_k=0.1, v_s=1e-3)


@pytest.mark.parametrize("name", ["tanh", "stiction", "gms", "bristles", "leuven"])
def test_a_path_is_its_steps(name: str) -> None:
    """Identical numbers to one call per step with a varying normal force; a path can be continued from its end."""
    law, slips = LIBRARY[name], 4e-6 * np.sin(np.linspace(0.0, 9.0, 60))
    dts, normals = np.linspace(1e-3, 2e-3, 60), np.linspace(20.0, 10.0, 60)
    z, before, expected = fresh_state(law), 20.0, []
    for slip, dt, f_n in zip(slips, dts, normals, strict=True):
        one = step(law, [slip, 0.0, 0.0], z, f_n, dt, before)
        z, before = one.z_f, f_n
        expected.append((one.mu[0], one.loss))
    whole = drive_path(law, slips, dts, normals)
    assert np.array_equal(np.c_[whole.mus, whole.losses], expected) and np.array_equal(whole.z, z)
    start = drive_path(law, slips[:30], dts[:30], 20.0)
    kept = start.z.copy()
    rest = drive_path(law, slips[30:], dts[30:], 20.0, start.z).mus
    assert np.array_equal(rest, drive_path(law, slips, dts, 20.0).mus[30:])
    assert np.array_equal(start.z, kept)


def test_bad_input_of_paths() -> None:
    with pytest.raises(InputError, match="dts: every step needs a duration above zero"):
        drive_path(LUGRE, [1e-6, 1e-6], [1e-3, 0.0])
    with pytest.raises(InputError, match=r"LuGre: the state has shape \(2, 3\): give \(1, 3\)"):
        drive_path(LUGRE, [1e-6], 1e-3, z=np.zeros((2, 3)))
