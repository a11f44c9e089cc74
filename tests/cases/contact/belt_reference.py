"""Reference integration of the block on a belt: the laws as printed by their authors, forces in N, by Runge and Kutta.

Source: thesis on frictional contacts, section 3.4 and the equations of sections 3.2 and 3.3; its integrator and step.
Independent of the package except for the numbers of the case.
"""

from collections.abc import Callable
from math import copysign, exp, pi, sin

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.belt_block import Parameters

Law = Callable[[float, float, list[float]], tuple[float, list[float]]]
Limiter = Callable[[float, float, list[float]], float]
STEP = 5e-5  # s, the source's


def sgn(x: float) -> float:
    return 0.0 if x == 0.0 else copysign(1.0, x)


def integrate(
    p: Parameters, law: Law, states: int = 1, limit: Limiter | None = None, step: float = STEP
) -> tuple[Array, Array, Array, Array]:
    """Time, position, slip and friction on the block, (k,) each.

    ``law(r, f_e, y)``: friction opposed to the slip r = v - v_b, and the rates of the states y; f_e is the external
    force on the block, F_e in the thesis. ``limit(r, f_e, y)`` changes states after a step and returns r.
    """
    n = round(p.end_time / step)
    x, v, y = 0.0, p.belt_speed, [0.0] * states
    rows = np.empty((n + 1, 3))

    def rates(x: float, v: float, y: list[float]) -> tuple[float, float, list[float]]:
        friction, dy = law(v - p.belt_speed, -p.stiffness * x, y)
        return friction, (-p.stiffness * x - friction) / p.mass, dy

    for i in range(n + 1):
        f1, a1, d1 = rates(x, v, y)
        rows[i] = x, v - p.belt_speed, -f1
        h = 0.5 * step
        v2 = v + h * a1
        _, a2, d2 = rates(x + h * v, v2, [s + h * d for s, d in zip(y, d1, strict=True)])
        v3 = v + h * a2
        _, a3, d3 = rates(x + h * v2, v3, [s + h * d for s, d in zip(y, d2, strict=True)])
        v4 = v + step * a3
        _, a4, d4 = rates(x + step * v3, v4, [s + step * d for s, d in zip(y, d3, strict=True)])
        x += step / 6.0 * (v + 2.0 * (v2 + v3) + v4)
        v += step / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
        y = [
            s + step / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
            for s, k1, k2, k3, k4 in zip(y, d1, d2, d3, d4, strict=True)
        ]
        if limit is not None:
            v = p.belt_speed + limit(v - p.belt_speed, -p.stiffness * x, y)
    return np.arange(n + 1) * step, *rows.T


def laws(p: Parameters) -> dict[str, tuple[Law, int, Limiter | None]]:
    """Law, number of states, and the conditions at the end of a step, by the names of the case."""
    F_C, F_S = p.mu_k * p.weight, p.mu_s * p.weight

    def stribeck(r: float) -> float:
        return F_C + (F_S - F_C) * exp(-((abs(r) / p.v_s) ** p.shape))

    def at_rest(f_e: float, most: float) -> float:
        return sgn(f_e) * min(abs(f_e), most)

    def coulomb_stiction(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        return (F_C * sgn(r) if r != 0.0 else at_rest(f_e, F_S)), [0.0]

    def bo_pavelescu(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        return (stribeck(r) * sgn(r) + p.viscosity * r if r != 0.0 else at_rest(f_e, F_S)), [0.0]

    def karnopp(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        return (F_C * sgn(r) if abs(r) > p.v_0 else at_rest(f_e, F_S)), [0.0]

    def karnopp_rest(r: float, f_e: float, y: list[float]) -> float:
        return 0.0 if abs(r) <= p.v_0 and abs(f_e) <= F_S else r

    def awrejcewicz(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        if abs(r) > p.v_0:
            return F_C * sgn(r), [0.0]
        blend = (r / p.v_0) ** 2 * (3.0 - 2.0 * abs(r) / p.v_0)
        static = at_rest(f_e, F_S)
        return static + blend * (F_C * sgn(r) - static), [0.0]

    def threlfall(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        share = 1.0 - exp(-3.0 * abs(r) / p.v_0) if abs(r) <= p.v_0 else 1.0
        return share * F_C * sgn(r), [0.0]

    def ambrosio(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        share = (abs(r) - p.ambrosio_v_0) / (p.v_0 - p.ambrosio_v_0)
        return min(max(share, 0.0), 1.0) * F_C * sgn(r), [0.0]

    def bengisu_akay(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        a = abs(r)
        if a < p.v_0:
            return (F_S - F_S / p.v_0**2 * (a - p.v_0) ** 2) * sgn(r), [0.0]
        return (F_C + (F_S - F_C) * exp(-p.xi * (a - p.v_0))) * sgn(r), [0.0]

    def dahl(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        return p.sigma_0 * y[0], [r * (1.0 - p.sigma_0 * y[0] / F_C * sgn(r))]

    def lugre(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        dz = r - p.sigma_0 * abs(r) / stribeck(r) * y[0]
        return p.sigma_0 * y[0] + p.sigma_1 * dz + p.viscosity * r, [dz]

    def elasto_plastic(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        z, z_ba, z_max = abs(y[0]), 0.7 * F_C / p.sigma_0, stribeck(r) / p.sigma_0
        alpha = 0.0
        if sgn(y[0]) == sgn(r) and z > z_ba:
            alpha = 1.0 if z >= z_max else 0.5 * sin(pi * (z - 0.5 * (z_max + z_ba)) / (z_max - z_ba)) + 0.5
        dz = r * (1.0 - alpha * p.sigma_0 / stribeck(r) * sgn(r) * y[0])
        return p.sigma_0 * y[0] + p.sigma_1 * dz + p.viscosity * r, [dz]

    def gonthier(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        s, x = exp(-((r / p.v_s) ** 2)), r / (0.01 * p.v_s)
        direction = sgn(r) if abs(x) >= 1.0 else 1.5 * x - 0.5 * x**3
        dz = s * r + (1.0 - s) * (F_C * direction - p.sigma_0 * y[0]) / p.sigma_1
        tau = p.dwell if s >= y[1] else p.sigma_1 / p.sigma_0
        most = F_C + (F_S - F_C) * y[1]
        bristles = min(max(p.sigma_0 * y[0] + p.sigma_1 * dz, -most), most)
        return bristles + p.viscosity * r, [dz, (s - y[1]) / tau]

    def reset_integrator(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        z_0 = F_C / p.sigma_0
        if abs(y[0]) >= z_0 and r * y[0] > 0.0:
            return p.sigma_0 * y[0], [0.0]
        return (1.0 + p.stiction) * p.sigma_0 * y[0] + p.sigma_1 * r, [r]

    def reset_limit(r: float, f_e: float, y: list[float]) -> float:
        y[0] = max(-F_C / p.sigma_0, min(y[0], F_C / p.sigma_0))
        return r

    def liang(r: float, f_e: float, y: list[float]) -> tuple[float, list[float]]:
        z_max = (F_S if abs(r) <= p.v_d else F_C) / p.bristle_stiffness
        z = max(-z_max, min(y[0], z_max))
        dz = 0.0 if abs(z) >= z_max and r * z > 0.0 else r
        return p.bristle_stiffness * z + p.bristle_damping * dz, [dz]

    def liang_limit(r: float, f_e: float, y: list[float]) -> float:
        z_max = (F_S if abs(r) <= p.v_d else F_C) / p.bristle_stiffness
        y[0] = max(-z_max, min(y[0], z_max))
        return r

    return {
        "stiction": (coulomb_stiction, 1, None), "stribeck": (bo_pavelescu, 1, None),
        "karnopp": (karnopp, 1, karnopp_rest), "awrejcewicz": (awrejcewicz, 1, None),
        "threlfall": (threlfall, 1, None), "ambrosio": (ambrosio, 1, None),
        "bengisu_akay": (bengisu_akay, 1, None), "dahl": (dahl, 1, None), "lugre": (lugre, 1, None),
        "elasto_plastic": (elasto_plastic, 1, None), "gonthier": (gonthier, 2, None),
        "reset_integrator": (reset_integrator, 1, reset_limit), "liang": (liang, 1, liang_limit),
    }  # fmt: skip
