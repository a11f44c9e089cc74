"""Static laws against their published formulas: sliding, break-away, random part."""

from collections.abc import Callable
from math import exp, tanh

import numpy as np
import pytest

from fem_mbd import InputError, friction as laws
from tests.friction.library import BOND_LAWS, LIBRARY, fresh, slide_at, step

V_0, MU_S, MU_K = 1e-3, 0.15, 0.1
CURVES: dict[str, Callable[[float], float]] = {
    "linear": lambda v: MU_K * min(1e3 * v, 1.0),
    "tanh": lambda v: MU_K * tanh(1e3 * v),
    "threlfall": lambda v: MU_K * (1 - exp(-3 * v / V_0)) if v <= V_0 else MU_K,
    "linear stiction": lambda v: float(np.interp(v, [0, V_0, 2e-3], [0, MU_S, MU_K])),
    "bengisu akay": lambda v: (
        MU_S - MU_S / V_0**2 * (v - V_0) ** 2 if v < V_0 else MU_K + (MU_S - MU_K) * exp(-50 * (v - V_0))
    ),
    "ambrosio": lambda v: float(np.interp(v, [1e-4, V_0], [0, MU_K])),
    "gkf": lambda v: (
        MU_K + (MU_S - MU_K) * exp(-((max(v, V_0) / 3e-3) ** 2))
    ) * min(v / V_0, 1.0) + 0.1 * v,
    "coulomb": lambda v: MU_K,
    "stiction": lambda v: MU_K,
    "viscous": lambda v: MU_K + 0.1 * v**1.5,
    "hess soom": lambda v: MU_K + (MU_S - MU_K) / (1 + (v / V_0) ** 2) + 0.1 * v,
    "bo pavelescu": lambda v: MU_K + (MU_S - MU_K) * exp(-((v / V_0) ** 2)) + 0.1 * v,
    "tustin": lambda v: MU_K + (MU_S - MU_K) * exp(-v / V_0) + 0.1 * v,
    "popp stelter": lambda v: MU_K + (MU_S - MU_K) / (1 + 1e3 * v) + v * v,
    "makkar": lambda v: 0.05 * (tanh(1e4 * v) - tanh(1e3 * v)) + MU_K * tanh(1e4 * v) + 0.1 * v,
    "karnopp": lambda v: MU_S if v < V_0 else MU_K,
    "awrejcewicz": lambda v: MU_S + (MU_K - MU_S) * (3 - 2 * min(v / V_0, 1)) * min(v / V_0, 1) ** 2,
    "reset integrator": lambda v: MU_K,
    "liang": lambda v: MU_K if v > V_0 else MU_S,
}  # fmt: skip


@pytest.mark.parametrize("name", CURVES)
def test_steady_sliding(name: str) -> None:
    for speed in (5e-5, 4e-4, 9e-4, 1.7e-3, 1.2e-2, 0.3):
        expected = pytest.approx(CURVES[name](speed), rel=1e-9, abs=1e-15)
        assert slide_at(LIBRARY[name], speed) == expected, f"{speed} m/s"


@pytest.mark.parametrize(
    "name",
    [n for n in BOND_LAWS if n not in ("armstrong", "armstrong delay", "wojewoda", "reset integrator")],
)
def test_a_stuck_contact_is_a_spring_up_to_break_away(name: str) -> None:
    """Slow loading reaches the largest coefficient of the law, and unloading below it leaves no offset."""
    law = LIBRARY[name]
    top = MU_K if name in ("coulomb", "viscous") else MU_S
    z, slip = fresh(law), 1e-9
    for _ in range(4000):
        mu, z, _ = step(law, [slip, 0.0, 0.0], z, dt=1e-3)
        if mu[0] > 0.5 * top:
            break
    offset = z[0, 0]
    back = step(law, [-offset, 0.0, 0.0], z, dt=1e6).z_f
    assert back[0, 0] == pytest.approx(0.0, abs=1e-18)
    largest = 0.0
    for _ in range(4000):
        mu, z, _ = step(law, [slip, 0.0, 0.0], z, dt=1e-3)
        largest = max(largest, mu[0])
    assert largest == pytest.approx(top, rel=2e-3)


def test_random_part_is_reproducible_and_bounded() -> None:
    def run(seed: int) -> np.ndarray:
        law = laws.Wojewoda(0.15, 0.1, 1e-3, 1e6, f_R=0.2, seed=seed)
        z, mus = fresh(law), []
        for _ in range(400):
            mu, z, _ = step(law, [2e-5, 0.0, 0.0], z)
            mus.append(mu[0])
        return np.array(mus[20:])

    assert (run(1) == run(1)).all() and (run(1) != run(2)).any()
    assert np.abs(run(1) / 0.1 - 1.0).max() <= 0.2 and np.ptp(run(1)) > 0.01


def test_wojewoda_has_no_curve_above_twice_the_kinetic_coefficient() -> None:
    with pytest.raises(InputError, match=r"Wojewoda mu_s is 0\.3: above 2 mu_k"):
        laws.Wojewoda(0.3, 0.1, 1e-3, 1e5)
