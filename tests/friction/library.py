"""One law of every kind in the package with typical parameters, and calls with states of the right size."""

from typing import Any, NamedTuple

import numpy as np

from fem_mbd import friction
from fem_mbd.friction.tangential import friction_force, state_count, stored_energy
from tests.friction.law_calls import FRICTION

VELOCITY_LAWS: dict[str, Any] = {
    "linear": friction.LinearRegularised(0.1, 1e3),
    "tanh": friction.TanhRegularised(0.1, 1e3),
    "threlfall": friction.Threlfall(0.1, 1e-3),
    "linear stiction": friction.LinearStiction(0.15, 0.1, 1e-3, 2e-3),
    "bengisu akay": friction.BengisuAkay(0.15, 0.1, 1e-3, 50.0),
    "ambrosio": friction.Ambrosio(0.1, 1e-4, 1e-3),
    "gkf": friction.GeneralKinetic(0.15, 0.1, 1e-3, 3e-3, 2.0, 0.1),
    "makkar": friction.Makkar(0.05, 1e4, 1e3, 0.1, 1e4, 0.1),
}
POINTS = ((0.0, 0.15), (1e-3, 0.12), (3e-3, 0.1), (0.1, 0.105), (1.0, 0.2))  # m/s, F/N
BOND_LAWS: dict[str, Any] = {
    "coulomb": friction.DryCoulomb(0.1),
    "stiction": friction.CoulombStiction(0.15, 0.1),
    "viscous": friction.CoulombViscous(0.1, 0.1, 1.5),
    "hess soom": friction.HessSoom(0.15, 0.1, 1e-3, 0.1),
    "bo pavelescu": friction.BoPavelescu(0.15, 0.1, 1e-3, 2.0, 0.1),
    "tustin": friction.Tustin(0.15, 0.1, 1e-3, 0.1),
    "popp stelter": friction.PoppStelter(0.15, 0.1, 1e3, 1.0),
    "given": friction.GivenCurve(POINTS),
    "karnopp given": friction.Karnopp.with_curve(POINTS, 0.15, 1e-3),
    "karnopp": friction.Karnopp(0.15, 0.1, 1e-3),
    "switch": friction.Switch(0.15, 0.1, 1e-3, 10.0),
    "awrejcewicz given": friction.Awrejcewicz.with_curve(POINTS, 0.15, 1e-3),
    "awrejcewicz": friction.Awrejcewicz(0.15, 0.1, 1e-3),
    "armstrong": friction.SevenParameter(1e5, 0.1, 0.1, 0.15, 1e-3, 0.01, 1.0),
    "armstrong delay": friction.SevenParameter(1e5, 0.1, 0.1, 0.15, 1e-3, 0.01, 1.0, memory="delay"),
    "wojewoda": friction.Wojewoda(0.15, 0.1, 1e-3, 1e5, f_R=0.1, delta_mu_s=0.02),
    "reset integrator": friction.ResetIntegrator(0.1, 0.5, 1e5, 10.0),
    "liang": friction.Liang(0.15, 0.1, 5e4, 8.0, 1e-3),
}
K_4, SHARES_4 = (4e4, 3e4, 2e4, 1e4), (0.1, 0.2, 0.3, 0.4)
DYNAMIC_LAWS: dict[str, Any] = {
    "dahl": friction.Dahl(0.1, 1e5),
    "dahl half": friction.Dahl(0.1, 1e5, 0.5),
    "dahl 2": friction.Dahl(0.1, 1e5, 2.0),
    "valanis": friction.Valanis(0.1, 1e5, 0.6),
    "elasto plastic": friction.ElastoPlastic(1e5, 10.0, 0.1, 0.15, 0.1, 1e-3),
    "bliman sorine 1": friction.BlimanSorine(0.1, 1e-5),
    "bliman sorine 2": friction.BlimanSorine(0.2, 1e-5, 0.1, 0.3),
    "gonthier": friction.Gonthier(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3, 2.0),
    "iwan": friction.Iwan(0.1, 1e5),
    "gms": friction.GeneralisedMaxwellSlip(0.15, 0.1, 1e-3, K_4, SHARES_4, 100.0, 0.1),
    "leuven": friction.Leuven(0.15, 0.1, 1e-3, K_4, SHARES_4, 0.0, 0.1, 2.0),
    "bristles": friction.Bristles(1e4, 1e-6),
    "harnoy friedland": friction.HarnoyFriedland(1.0, 0.05, 20.0, 0.9, 50.0, 1e-5),
}
CLASSICAL_LAWS: dict[str, Any] = {
    "classical lugre": friction.ClassicalLuGre(
        sigma_0=1e6, sigma_1=100.0, sigma_2=50.0, mu_s=0.15, mu_k=0.1, v_s=1e-3
    ),
    "classical lugre fading": friction.ClassicalLuGre(
        sigma_0=1e6, sigma_1=20.0, mu_s=0.1, mu_k=0.1, v_s=1e-3, v_d=2e-3
    ),
    "classical dahl": friction.ClassicalDahl(0.1, 1e6),
    "classical dahl 2": friction.ClassicalDahl(0.1, 1e6, 2.0),
    "classical elasto plastic": friction.ClassicalElastoPlastic(1e6, 100.0, 50.0, 0.15, 0.1, 1e-3),
    "classical bliman sorine 1": friction.ClassicalBlimanSorine(0.1, 1e5),
    "classical bliman sorine 2": friction.ClassicalBlimanSorine(0.2, 1e5, 0.1, 0.3),
}
LUGRE = friction.LuGre(sigma_0=1e5, sigma_1=10.0, sigma_2=10.0, mu_s=0.15, mu_k=0.1, v_s=1e-3)
DIRECTED_LAWS: dict[str, Any] = {
    "anisotropic coulomb": friction.Anisotropic(friction.DryCoulomb(0.1), 0.5, (1.0, 2.0, 0.0)),
    "anisotropic lugre": friction.Anisotropic(LUGRE, 1.5, (2.0, -1.0, 0.0), 0.3),
    "asymmetric lugre": friction.Anisotropic(LUGRE, 1.0, (0.0, 1.0, 0.0), 0.4),
}
LIBRARY: dict[str, Any] = {**VELOCITY_LAWS, **BOND_LAWS, **DYNAMIC_LAWS, **CLASSICAL_LAWS, **DIRECTED_LAWS}
LAWS = LIBRARY | FRICTION


class Step(NamedTuple):
    """Coefficient (3,), state (nz, 3), loss in J."""

    mu: Any
    z_f: Any
    loss: Any


def fresh(law: Any) -> Any:
    """State of a contact that has just closed."""
    return np.zeros((max(1, int(state_count(law.record()[()]))), 3))


def step(
    law: Any, s: Any, z: Any, f_n: complex = 10.0, dt: float = 1e-3, before: complex | None = None
) -> Step:
    """One step; complex where any of its arguments is."""
    s, z = np.asarray(s), np.atleast_2d(z)
    s = s.astype(np.result_type(s, z, np.asarray(f_n), np.asarray(before or 0.0), float))
    mu, z_f = np.zeros(3, s.dtype), np.zeros(z.shape, s.dtype)
    loss = friction_force(
        law.record()[()],
        s,
        z.astype(s.dtype),
        s.dtype.type(f_n),
        f_n if before is None else before,
        dt,
        mu,
        z_f,
    )
    return Step(mu, z_f, loss)


def stored(law: Any, z: Any, f_n: float = 1.0) -> float:
    """Energy in J."""
    return float(stored_energy(law.record()[()], np.atleast_2d(z), f_n))


def slide_at(law: Any, speed: float, steps: int = 400, dt: float = 1e-3) -> float:
    """Coefficient after ``steps`` steps along axis 1 at constant speed (m/s)."""
    z, mu = fresh(law), np.zeros(3)
    for _ in range(steps):
        mu, z, _ = step(law, [speed * dt, 0.0, 0.0], z, dt=dt)
    return float(mu[0])
