"""Time step of the laws that stick: a tangential spring (bond) of stiffness k that slips at the deflection cap/k.

The multivalued force at rest is that of the bond; while sliding, its force is the law's coefficient ``cap`` along the
slip. The path of the bond over a straight slip is exact (``blocks.slide``), so the energy balance closes and no cap can
generate energy. Caps that are continuous functions of speed use the speed of the step. Caps that jump (static to
kinetic, Karnopp's window, accelerating or braking) use the state of the last accepted step: within a step nothing
jumps, and the force is monotonic for Newton's method. Laws: ``dry.py``, ``seven_parameter.py``, ``wojewoda.py``,
``reset_integrator.py``.

State: row 0 deflection of the bond; row 1 (slid, speed, speed before); row 2 (dwell time in s, two numbers of the law).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import slide
from fem_mbd.friction.records import friction_record

# LAW_PARAMETERS: index of the law's first parameter
K, STUCK, DAMPING, THETA, F_V, DELTA_V, LAW_PARAMETERS = range(7)


def bond_record(
    kind: int,
    k: float,
    parameters: Sequence[float],
    *,
    stuck: float | None = None,
    damping: float = 0.0,
    theta: float = 0.5,
    sigma_2: float = 0.0,
    delta_v: float = 1.0,
    memory: int = 0,
) -> NDArray[Any]:
    """Record of a law with a bond.

    Parameters
    ----------
    kind : int
        ``KIND`` of the law's file.
    k, stuck : float
        Stiffness of the bond [1/m] while sliding and while stuck; equal when not given.
    parameters : sequence of float
        The law's parameters, from ``LAW_PARAMETERS`` on.
    damping : float
        Damping of the bond while it sticks [s/m].
    theta : float
        1/2: mean deflection of the step; 1: deflection at its end, which adds damping, for bonds that are numerical.
    sigma_2, delta_v : float
        Viscous part sigma_2 v**delta_v.
    memory : int
        Rows of state of the law itself, after those of the bond.
    """
    k_stuck = k if stuck is None else stuck
    numbers = (k, k_stuck, damping, theta, sigma_2, delta_v, *parameters)
    return friction_record(kind, numbers, states=3 + memory, turned=1, springs=(k_stuck,))


@kernel
def bond_step(
    p: np.ndarray,
    cap: complex,
    v: complex,
    s_m: np.ndarray,
    z_i: np.ndarray,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> bool:
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i``; whether it slid.

    cap: largest coefficient of this step. v: its mean speed in m/s.
    """
    elastic, plastic = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    tau = slide(z_i[0], s_m, cap / p[K], p[THETA], z_f[0], elastic, plastic)
    viscous = 0.0 * v
    if p[F_V] > 0.0:
        viscous = p[F_V] * (v ** (p[DELTA_V] - 1.0) if p[DELTA_V] != 1.0 else 1.0 + 0.0 * v)
    for k in range(3):
        mu[k] = p[STUCK] * elastic[k] + p[K] * plastic[k] + (p[DAMPING] * tau + viscous) * s_m[k] / dt
    slid = tau.real < 1.0
    z_f[1, 0], z_f[1, 1], z_f[1, 2] = (1.0 if slid else 0.0), v, z_i[1, 1]
    z_f[2, 0] = 0.0 if slid else z_i[2, 0] + dt
    z_f[2, 1], z_f[2, 2] = z_i[2, 1], z_i[2, 2]
    return slid
