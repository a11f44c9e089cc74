"""Friction force and stored energy of any law (compiled), made from the kernels of the laws of the package.

Friction is constant over a step. The force on body L is -f_n mu and on body K +f_n mu, mu (3,) being a
coefficient vector in the tangent plane; with the slip s_m = (slip of L relative to K during the step) the
contact takes the energy f_n mu.s_m from the bodies (Bauchau and Ju, eqs. 7 and 18). Every state is a set of
``nz`` vectors z, (nz, 3) in m.

``law`` is one element of an array of dtype ``FRICTION_LAW``. All arguments but the law and ``dt``
may be complex, so that a derivative can be taken by a complex step. Functions raise ``ValueError`` for
a record of unknown kind and for states of the wrong shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import call_entry, is_complex
from fem_mbd.core.compiled.signatures import complex128, float64, matrix, record, vector
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import rounded_norm, stretch
from fem_mbd.friction.records import (
    ALONG_SLIP,
    BOND,
    FRICTION_LAW,
    BondKernels,
    CurveKernels,
    FrictionKernels,
    spring_energy,
)
from fem_mbd.friction.static.anisotropic import FRICTIONLESS
from fem_mbd.friction.static.dry import bond_step

FRICTIONLESS_KIND = FRICTIONLESS.number


class FrictionStep(NamedTuple):
    """Arguments and results of a friction law in a step: see `friction_force`."""

    along: Any  # (3,) axis of a directed law, a unit vector of the tangent plane
    s_m: Any
    z_i: Any
    f_n: Any
    f_n_prev: Any
    dt: Any
    mu: Any
    z_f: Any


@kernel
def _user_friction(law, p, s_m, z_i, f_n, dt, mu, z_f):
    """Fill mu and z_f by a user-defined kernel."""
    if law["entries"][0] == 0:
        raise ValueError("friction law: record of unknown kind; build it with a law's record()")
    call_entry(law["entries"][is_complex(f_n)], (p, s_m, z_i, f_n, dt, mu, z_f))


@kernel
def _unknown(p, v):
    """In the place of the curve or of the bond of a record that no law has made."""
    if p.shape[0] > 0:
        raise ValueError("friction law: record of unknown kind; build it with a law's record()")
    return 0.0 * v


_curve = CurveKernels.forces(_unknown)
_cap = BondKernels.forces(_unknown)
_fill = FrictionKernels.forces(_user_friction)
_spring_energy = FrictionKernels.energies(spring_energy)

LAW = record(FRICTION_LAW)
complex_vector, complex_matrix = complex128[::1], complex128[:, ::1]


@kernel(
    float64(LAW, vector, matrix, float64, float64, float64, vector, matrix), complex128(LAW, complex_vector,
    complex_matrix, complex128, complex128, float64, complex_vector, complex_matrix),
)  # fmt: skip
def friction_force(
    law: np.void,
    s_m: np.ndarray,
    z_i: np.ndarray,
    f_n: complex,
    f_n_prev: complex,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> complex:
    """Fill ``mu`` (3,) and ``z_f`` (nz, 3); return the energy in J dissipated in this step.

    s_m (3,): slip in m in the tangent plane. z_i (nz, 3): state at t_i, already rotated to the tangent plane of this
    step. f_n, f_n_prev: normal force in N of this step and of the last accepted one. dt: step in s.

    E(z, f_n) = ``stored_energy`` is the stored energy; the result D closes the balance to round-off:

        f_n mu.s_m = E(z_f, f_n) - E(z_i, f_n_prev) + D.

    D >= 0 for constant f_n and passive parameters. Where E is proportional to f_n, the change of E by a change of f_n
    at fixed z is part of D: D may be negative while f_n grows, unless the law unloads fresh bristles. E of a classical
    law does not depend on f_n. An open contact (f_n = 0) dissipates the stored energy; z_f = mu = 0. A directed law
    measures the direction of slip from its own axis.
    """
    along = np.empty_like(s_m)
    for k in range(3):
        along[k] = law["axis"][k]
    return directed_force(law, along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f)


@kernel(
    float64(LAW, vector, vector, matrix, float64, float64, float64, vector, matrix), complex128(LAW,
    complex_vector, complex_vector, complex_matrix, complex128, complex128, float64, complex_vector,
    complex_matrix),
)  # fmt: skip
def directed_force(
    law: np.void,
    along: np.ndarray,
    s_m: np.ndarray,
    z_i: np.ndarray,
    f_n: complex,
    f_n_prev: complex,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> complex:
    """As ``friction_force``; ``along`` (3,) is the axis of a directed law, which may have rotated with the contact."""
    needed = law["states"]
    if z_i.shape[0] < needed or z_f.shape[0] < needed or z_i.shape[1] != 3 or z_f.shape[1] != 3:
        raise ValueError("friction law: z_i and z_f need state_count(law) rows of three numbers")
    for k in range(3):
        mu[k] = 0.0
    for j in range(z_f.shape[0]):
        for k in range(3):
            z_f[j, k] = 0.0
    if f_n.real <= 0.0:
        return stored_energy(law, z_i, f_n_prev)
    step = FrictionStep(along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f)
    return _stretched_force(law, step) if law["directed"] else _force(law, step)


@kernel
def _stretched_force(law: np.void, step: FrictionStep) -> complex:
    """As ``friction_force``, for a closed contact and a directed law: the law in stretched coordinates."""
    along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f = step
    slip = np.empty_like(s_m)
    stretch(law["ratio"], along, s_m, slip)
    loss = _force(law, FrictionStep(along, slip, z_i, f_n, f_n_prev, dt, mu, z_f))
    stretch(law["ratio"], along, mu, mu)
    return loss


@kernel
def _force(law: np.void, step: FrictionStep) -> complex:
    """As ``friction_force``, for a closed contact and an isotropic law."""
    along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f = step
    kind, p = law["kind"], law["p"]
    if law["family"] == ALONG_SLIP:
        weight = _curve(kind, p, rounded_norm(s_m) / dt) / dt
        for k in range(3):
            mu[k] = weight * s_m[k]
    elif law["family"] == BOND:
        v = rounded_norm(s_m) / dt
        bond_step(p, law["theta"], _cap(kind, p, z_i, v), v, s_m, z_i, dt, mu, z_f)
    else:
        _fill(kind, law, p, law["classical"], law["theta"], along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f)
    before, after = stored_energy(law, z_i, f_n_prev), stored_energy(law, z_f, f_n)
    return f_n * dot(mu, s_m) - after + before


@kernel(float64(LAW, matrix, float64))
def stored_energy(law: np.void, z: np.ndarray, f_n: complex) -> complex:
    """Stored energy in J of the state ``z`` (nz, 3) under the normal force ``f_n`` in N."""
    return _spring_energy(law["kind"], law, law["p"], z) * (1.0 + 0.0 * f_n if law["classical"] else f_n)


def take_mean_deflection(laws: NDArray[Any]) -> None:
    """Let bonds act by their mean deflection of a step; at its end, as in runs, they damp it numerically.

    laws : (n,) of dtype ``FRICTION_LAW``, changed in place
    """
    laws["theta"] = 0.5


@kernel
def has_friction(law: np.void) -> bool:
    """Whether the law has any friction."""
    return law["kind"] != FRICTIONLESS_KIND


@kernel
def state_count(law: np.void) -> int:
    """Number nz of state vectors; arrays have at least one row even if it is zero."""
    return law["states"]


@kernel
def turned_states(law: np.void) -> int:
    """Number of leading states that are vectors of the tangent plane, which rotate with it."""
    return law["turned"]


@kernel
def time_constants(law: np.void) -> tuple[float, float]:
    """(omega in 1/s, Stribeck speed in m/s) for step control (eqs. 27 and 33); zeros when there are none.

    omega of a classical law is its value under 1 N.
    """
    return law["omega"], law["v_s"]
