"""One law of every kind in the package with typical parameters, and calls with states of the right size."""

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.friction import (
    Ambrosio,
    Anisotropic,
    Awrejcewicz,
    BengisuAkay,
    BlimanSorine,
    BoPavelescu,
    Bristles,
    ClassicalBlimanSorine,
    ClassicalDahl,
    ClassicalElastoPlastic,
    ClassicalLuGre,
    CoulombStiction,
    CoulombViscous,
    Dahl,
    DryCoulomb,
    ElastoPlastic,
    GeneralisedMaxwellSlip,
    GeneralKinetic,
    GivenCurve,
    Gonthier,
    HarnoyFriedland,
    HessSoom,
    Iwan,
    Karnopp,
    Leuven,
    Liang,
    LinearRegularised,
    LinearStiction,
    LuGre,
    Makkar,
    PoppStelter,
    ResetIntegrator,
    SevenParameter,
    Switch,
    TanhRegularised,
    Threlfall,
    Tustin,
    Valanis,
    Wojewoda,
)
from fem_mbd.friction.tangential import friction_force, state_count, stored_energy
from tests.friction.law_calls import FRICTION

VELOCITY_LAWS: dict[str, Any] = {
    "linear": LinearRegularised(0.1, 1e3),
    "tanh": TanhRegularised(0.1, 1e3),
    "threlfall": Threlfall(0.1, 1e-3),
    "linear stiction": LinearStiction(0.15, 0.1, 1e-3, 2e-3),
    "bengisu akay": BengisuAkay(0.15, 0.1, 1e-3, 50.0),
    "ambrosio": Ambrosio(0.1, 1e-4, 1e-3),
    "gkf": GeneralKinetic(0.15, 0.1, 1e-3, 3e-3, 2.0, 0.1),
    "makkar": Makkar(0.05, 1e4, 1e3, 0.1, 1e4, 0.1),
}
POINTS = ((0.0, 0.15), (1e-3, 0.12), (3e-3, 0.1), (0.1, 0.105), (1.0, 0.2))  # m/s, F/N
BOND_LAWS: dict[str, Any] = {
    "coulomb": DryCoulomb(0.1),
    "stiction": CoulombStiction(0.15, 0.1),
    "viscous": CoulombViscous(0.1, 0.1, 1.5),
    "hess soom": HessSoom(0.15, 0.1, 1e-3, 0.1),
    "bo pavelescu": BoPavelescu(0.15, 0.1, 1e-3, 2.0, 0.1),
    "tustin": Tustin(0.15, 0.1, 1e-3, 0.1),
    "popp stelter": PoppStelter(0.15, 0.1, 1e3, 1.0),
    "given": GivenCurve(POINTS),
    "karnopp given": Karnopp.with_curve(POINTS, 0.15, 1e-3),
    "karnopp": Karnopp(0.15, 0.1, 1e-3),
    "switch": Switch(0.15, 0.1, 1e-3, 10.0),
    "awrejcewicz given": Awrejcewicz.with_curve(POINTS, 0.15, 1e-3),
    "awrejcewicz": Awrejcewicz(0.15, 0.1, 1e-3),
    "armstrong": SevenParameter(1e5, 0.1, 0.1, 0.15, 1e-3, 0.01, 1.0),
    "armstrong delay": SevenParameter(1e5, 0.1, 0.1, 0.15, 1e-3, 0.01, 1.0, memory="delay"),
    "wojewoda": Wojewoda(0.15, 0.1, 1e-3, 1e5, f_R=0.1, delta_mu_s=0.02),
    "reset integrator": ResetIntegrator(0.1, 0.5, 1e5, 10.0),
    "liang": Liang(0.15, 0.1, 5e4, 8.0, 1e-3),
}
K_4, SHARES_4 = (4e4, 3e4, 2e4, 1e4), (0.1, 0.2, 0.3, 0.4)
DYNAMIC_LAWS: dict[str, Any] = {
    "dahl": Dahl(0.1, 1e5),
    "dahl half": Dahl(0.1, 1e5, 0.5),
    "dahl 2": Dahl(0.1, 1e5, 2.0),
    "valanis": Valanis(0.1, 1e5, 0.6),
    "elasto plastic": ElastoPlastic(1e5, 10.0, 0.1, 0.15, 0.1, 1e-3),
    "bliman sorine 1": BlimanSorine(0.1, 1e-5),
    "bliman sorine 2": BlimanSorine(0.2, 1e-5, 0.1, 0.3),
    "gonthier": Gonthier(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3, 2.0),
    "iwan": Iwan(0.1, 1e5),
    "gms": GeneralisedMaxwellSlip(0.15, 0.1, 1e-3, K_4, SHARES_4, 100.0, 0.1),
    "leuven": Leuven(0.15, 0.1, 1e-3, K_4, SHARES_4, 0.0, 0.1, 2.0),
    "bristles": Bristles(1e4, 1e-6),
    "harnoy friedland": HarnoyFriedland(1.0, 0.05, 20.0, 0.9, 50.0, 1e-5),
}
CLASSICAL_LAWS: dict[str, Any] = {
    "classical lugre": ClassicalLuGre(
        sigma_0=1e6, sigma_1=100.0, sigma_2=50.0, mu_s=0.15, mu_k=0.1, v_s=1e-3
    ),
    "classical lugre fading": ClassicalLuGre(
        sigma_0=1e6, sigma_1=20.0, mu_s=0.1, mu_k=0.1, v_s=1e-3, v_d=2e-3
    ),
    "classical dahl": ClassicalDahl(0.1, 1e6),
    "classical dahl 2": ClassicalDahl(0.1, 1e6, 2.0),
    "classical elasto plastic": ClassicalElastoPlastic(1e6, 100.0, 50.0, 0.15, 0.1, 1e-3),
    "classical bliman sorine 1": ClassicalBlimanSorine(0.1, 1e5),
    "classical bliman sorine 2": ClassicalBlimanSorine(0.2, 1e5, 0.1, 0.3),
}
LUGRE = LuGre(sigma_0=1e5, sigma_1=10.0, sigma_2=10.0, mu_s=0.15, mu_k=0.1, v_s=1e-3)
DIRECTED_LAWS: dict[str, Any] = {
    "anisotropic coulomb": Anisotropic(DryCoulomb(0.1), 0.5, (1.0, 2.0, 0.0)),
    "anisotropic lugre": Anisotropic(LUGRE, 1.5, (2.0, -1.0, 0.0), 0.3),
    "asymmetric lugre": Anisotropic(LUGRE, 1.0, (0.0, 1.0, 0.0), 0.4),
}
LIBRARY: dict[str, Any] = {
    **VELOCITY_LAWS,
    **BOND_LAWS,
    **DYNAMIC_LAWS,
    **CLASSICAL_LAWS,
    **DIRECTED_LAWS,
}
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
