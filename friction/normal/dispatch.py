"""Force, potential and impact speed of any contact law (compiled), made from the kernels of the laws of the package.

Gap q in m, negative when the bodies overlap; forces in N, negative only for laws with adhesion. The force is constant
over the step (Bauchau and Ju, eqs. 4 and 15). All arguments but the law and dt may be complex for complex-step
derivatives; branches depend on real parts.

``law`` is one element of an array of dtype ``NORMAL_LAW``. The history of a contact is v_0, the speed of approach in
m/s at which it closed (``impact_speed``, zero for an open contact), and deepest, the largest approach so far in m.
Functions raise ``ValueError`` for a record of unknown kind.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import call_entry, is_complex
from fem_mbd.core.compiled.signatures import complex128, float64, record, several
from fem_mbd.friction.normal.adhesion import adheres_after, adhesion_path
from fem_mbd.friction.normal.damping import damped_force, permanent_forces, permanent_potential
from fem_mbd.friction.records import NORMAL_LAW, SNAPS_IN, ContactKernels

LAW = record(NORMAL_LAW)
SLOWEST = 1e-300  # m/s, impact speed of a contact that was closed when the run began


@kernel
def _user_potential(law: np.void, p: np.ndarray, q: complex) -> complex:
    """Potential (J) of a user-defined law at gap ``q``; real, as it is not differentiated."""
    if law["entries"][0] == 0:
        raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")
    out = np.zeros(1)
    call_entry(law["entries"][0], (p, q.real, out))
    return out[0] + 0.0 * q


@kernel
def _user_force(law: np.void, p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Mean force (N) of a user-defined law between two gaps."""
    if law["entries"][0] == 0:
        raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")
    out = np.full(1, 0.0 * (q_i + q_f))
    both = q_i + 0.0 * q_f, q_f + 0.0 * q_i  # of one type
    call_entry(law["entries"][1 + is_complex(both[0])], (p, both[0], both[1], out))
    return out[0]


_potential = ContactKernels.energies(_user_potential)
_mean_force = ContactKernels.forces(_user_force)


@kernel(float64(LAW, float64, float64, float64))
def normal_potential(law: np.void, q: complex, v_0: complex = 0.0, deepest: complex = 0.0) -> complex:
    """Elastic potential V(q) in J at gap ``q``."""
    if law["permanent"] > 0.0:
        return permanent_potential(law, q, deepest + 0.0 * q)
    if law["adhesion"] == SNAPS_IN and not _adheres(law, q.real, v_0.real):
        return 0.0 * q
    return _potential(law["kind"], law, law["p"], q)


@kernel(
    several(float64, float64)(LAW, float64, float64, float64, float64, float64), several(complex128,
    complex128)(LAW, complex128, complex128, float64, complex128, complex128),
)  # fmt: skip
def normal_force(
    law: np.void, q_i: complex, q_f: complex, dt: float, v_0: complex = 0.0, deepest: complex = 0.0
) -> tuple[complex, complex]:
    """Normal force and its elastic part, (f_n, f_elastic) in N, of a step from gap ``q_i`` to ``q_f``.

    f_elastic (q_i - q_f) = V(q_f) - V(q_i) to round-off; (f_n - f_elastic)(q_i - q_f) >= 0 is the energy dissipated in
    the step.
    """
    if law["adhesion"] == SNAPS_IN:
        return _snap_in_forces(law, _adheres(law, q_i.real, v_0.real), q_i, q_f)
    if law["permanent"] > 0.0:
        return permanent_forces(law, deepest, q_i, q_f)
    f_e = _mean_force(law["kind"], law, law["p"], q_i, q_f)
    return damped_force(law, f_e, q_i, q_f, dt, v_0), f_e


@kernel(float64(LAW, float64, float64, float64, float64))
def impact_speed(law: np.void, v_0: float, q_i: float, q_f: float, dt: float) -> float:
    """Impact speed in m/s of a contact that is closed at the end of a step; 0 when it is open.

    v_0: the same at the start of the step, 0 for a contact that was closed when the run began. A contact that adheres
    across a gap counts as closed.
    """
    if law["adhesion"] == SNAPS_IN:
        adheres = _adheres(law, q_i, v_0)
        if not adheres_after(adheres, law["touch"], law["reach"], q_f):
            return 0.0
        if not adheres:
            return (q_i - q_f) / dt
        return max(v_0, SLOWEST)
    if q_f >= 0.0:
        return 0.0
    return (q_i - q_f) / dt if q_i >= 0.0 else v_0


@kernel
def _adheres(law: np.void, q: float, v_0: float) -> bool:
    """Whether bodies that snap in adhere at the gap ``q``."""
    return adheres_after(v_0 > 0.0, law["touch"], law["reach"], q)


@kernel
def _snap_in_forces(law: np.void, adheres: bool, q_i: complex, q_f: complex) -> tuple[complex, complex]:
    """Force of the step and its elastic part; ``adheres``: whether the bodies adhere at ``q_i``."""
    stays = adheres_after(adheres, law["touch"], law["reach"], q_f.real)
    if not (adheres or stays):
        return 0.0 * (q_i + q_f), 0.0 * (q_i + q_f)
    start, end, share = adhesion_path(adheres, law["touch"], law["reach"], q_i, q_f)
    force = _mean_force(law["kind"], law, law["p"], start, end) * share
    if adheres and stays:
        return force, force
    if adheres:
        return force, _potential(law["kind"], law, law["p"], q_i) / (q_f - q_i)
    return force, _potential(law["kind"], law, law["p"], q_f) / (q_i - q_f)
