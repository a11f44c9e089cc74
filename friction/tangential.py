"""Compiled entry points of the friction laws: the only place that tells one law from another.

Friction is constant over a step. The force on body L is -f_n mu and on body K +f_n mu, mu (3,) being a
coefficient vector in the tangent plane; with the slip s_m = (slip of L relative to K during the step) the
contact takes the energy f_n mu.s_m from the bodies (Bauchau and Ju, eqs. 7 and 18). Every state is a set of
``nz`` vectors z, (nz, 3) in m.

``law`` is one element of an array of dtype ``FRICTION_LAW``. All arguments but the law, ``f_n_prev`` and
``dt`` may be complex, so that a derivative can be taken by a complex step. Functions raise ``ValueError`` for
a record of unknown kind and for states of the wrong shape.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.blocks import dot
from fem_mbd.friction.dynamic.bliman_sorine import bliman_sorine_energy, bliman_sorine_friction
from fem_mbd.friction.dynamic.bristles import bristles_energy, bristles_friction
from fem_mbd.friction.dynamic.gonthier import gonthier_energy, gonthier_friction
from fem_mbd.friction.dynamic.hardening import hardening_energy, hardening_friction
from fem_mbd.friction.dynamic.leuven import leuven_energy, leuven_friction
from fem_mbd.friction.dynamic.lubricated import lubricated_friction
from fem_mbd.friction.dynamic.lugre_kernels import V_S, lugre_energy, lugre_rate, lugre_scalar, lugre_vector
from fem_mbd.friction.dynamic.maxwell_slip import elements_energy, elements_friction
from fem_mbd.friction.kinds import (
    BLIMAN_SORINE,
    BOND,
    BRISTLES,
    COULOMB,
    ELEMENTS,
    FRICTIONLESS,
    GONTHIER,
    HARDENING,
    LEUVEN,
    LUBRICATED,
    LUGRE_SCALAR,
    LUGRE_VECTOR,
    VELOCITY,
)
from fem_mbd.friction.static.bond import BOND_STATES, bond_energy, bond_friction
from fem_mbd.friction.static.coulomb import coulomb_friction
from fem_mbd.friction.static.velocity_laws import velocity_friction


@kernel
def friction_force(
    law: np.void,
    s_m: np.ndarray,
    z_i: np.ndarray,
    f_n: complex,
    f_n_prev: float,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> complex:
    """Fill ``mu`` (3,) and ``z_f`` (nz, 3); return the energy in J that this step loses for good.

    s_m (3,): slip in m in the tangent plane. z_i (nz, 3): state at t_i, already carried to the plane of this
    step. f_n, f_n_prev: normal force in N of this step and of the last accepted one. dt: step in s.

    The energy f_n E(z), E = ``bristle_energy``, is stored; the result D closes the balance to round-off:

        f_n mu.s_m = f_n E(z_f) - f_n_prev E(z_i) + D.

    D >= 0 for constant f_n and passive parameters. A change of f_n at fixed z is part of D: it may be
    negative while f_n grows, unless the law unloads fresh bristles. An open contact (f_n = 0) loses what was
    stored; z_f = mu = 0.
    """
    needed = state_count(law)
    if z_i.shape[0] < needed or z_f.shape[0] < needed or z_i.shape[1] != 3 or z_f.shape[1] != 3:
        raise ValueError("friction law: z_i and z_f need state_count(law) rows of three numbers")
    for k in range(3):
        mu[k] = 0.0
    for j in range(z_f.shape[0]):
        for k in range(3):
            z_f[j, k] = 0.0
    if f_n.real <= 0.0:
        return f_n_prev * bristle_energy(law, z_i)
    kind = law["kind"]
    if kind == LUGRE_VECTOR:
        return lugre_vector(law["p"], s_m, z_i, f_n, f_n_prev, dt, mu, z_f)
    if kind == LUGRE_SCALAR:
        return lugre_scalar(law["p"], s_m, z_i, f_n, f_n_prev, dt, mu, z_f)
    if kind == COULOMB:
        return coulomb_friction(law["p"], s_m, f_n, dt, mu)
    if kind == FRICTIONLESS:
        return 0.0 * f_n
    _coefficient(law, s_m, z_i, dt, mu, z_f)
    return f_n * dot(mu, s_m) - f_n * bristle_energy(law, z_f) + f_n_prev * bristle_energy(law, z_i)


@kernel
def _coefficient(
    law: np.void, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` and ``z_f`` for the laws that leave their loss to the balance in ``friction_force``."""
    kind = law["kind"]
    if kind == VELOCITY:
        velocity_friction(law["p"], s_m, dt, mu)
    elif kind == BOND:
        bond_friction(law["p"], s_m, z_i, dt, mu, z_f)
    elif kind == HARDENING:
        hardening_friction(law["p"], s_m, z_i, dt, mu, z_f)
    elif kind == BLIMAN_SORINE:
        bliman_sorine_friction(law["p"], s_m, z_i, mu, z_f)
    elif kind == GONTHIER:
        gonthier_friction(law["p"], s_m, z_i, dt, mu, z_f)
    elif kind == ELEMENTS:
        elements_friction(law["p"], s_m, z_i, dt, mu, z_f)
    elif kind == LEUVEN:
        leuven_friction(law["p"], s_m, z_i, dt, mu, z_f)
    elif kind == BRISTLES:
        bristles_friction(law["p"], s_m, z_i, mu, z_f)
    elif kind == LUBRICATED:
        lubricated_friction(law["p"], s_m, z_i, dt, mu, z_f)
    else:
        raise ValueError("friction law: record of unknown kind; build it with a law's record()")


@kernel
def bristle_energy(law: np.void, z: np.ndarray) -> complex:
    """Energy stored per unit normal force, in m (times N gives J), of the state ``z`` (nz, 3)."""
    kind = law["kind"]
    if kind == LUGRE_VECTOR or kind == LUGRE_SCALAR:
        return lugre_energy(law["p"], z)
    if kind == BOND:
        return bond_energy(law["p"], z)
    if kind == HARDENING:
        return hardening_energy(law["p"], z)
    if kind == BLIMAN_SORINE:
        return bliman_sorine_energy(law["p"], z)
    if kind == GONTHIER:
        return gonthier_energy(law["p"], z)
    if kind == ELEMENTS:
        return elements_energy(law["p"], z)
    if kind == LEUVEN:
        return leuven_energy(law["p"], z)
    if kind == BRISTLES:
        return bristles_energy(law["p"], z)
    return 0.0 * z[0, 0]


@kernel
def state_count(law: np.void) -> int:
    """Number nz of state vectors; arrays have at least one row all the same."""
    kind = law["kind"]
    if kind == LUGRE_VECTOR or kind == LUGRE_SCALAR:
        return 1
    if kind == BOND:
        return BOND_STATES
    if kind == BLIMAN_SORINE or kind == GONTHIER:
        return 2
    if kind == HARDENING or kind == LUBRICATED:
        return 1
    if kind == ELEMENTS or kind == BRISTLES:
        return int(law["p"][0]) + (int(law["p"][0]) + 2) // 3
    if kind == LEUVEN:
        return int(law["p"][0]) + 2
    return 0


@kernel
def turned_states(law: np.void) -> int:
    """How many of the states, the first ones, are vectors of the tangent plane, which have to be turned with it."""
    kind = law["kind"]
    if kind == LUGRE_VECTOR or kind == BOND or kind == HARDENING or kind == GONTHIER:
        return 1
    if kind == BLIMAN_SORINE:
        return 2
    if kind == ELEMENTS or kind == BRISTLES:
        return int(law["p"][0])
    if kind == LEUVEN:
        return int(law["p"][0]) + 2
    return 0


@kernel
def carries_direction(law: np.void) -> bool:
    """Whether any state is a vector of the tangent plane."""
    return turned_states(law) > 0


@kernel
def time_constants(law: np.void) -> tuple[float, float]:
    """(omega in 1/s, Stribeck speed in m/s) for step control (eqs. 27 and 33); zeros when there are none."""
    kind = law["kind"]
    if kind == LUGRE_VECTOR or kind == LUGRE_SCALAR:
        return lugre_rate(law["p"]), law["p"][V_S]
    return 0.0, 0.0
