"""Dispatch of the normal contact laws by kind: mean force, potential, impact speed (compiled).

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
from fem_mbd.friction.normal import adhesion, cylinder, damping, elastic, maugis
from fem_mbd.friction.normal.adhesion import adheres_after, adhesion_path
from fem_mbd.friction.records import NORMAL_LAW, USER_LAW

LAW = record(NORMAL_LAW)
SLOWEST = 1e-300  # m/s, impact speed of a contact that was closed when the run began


@kernel(float64(LAW, float64, float64, float64))
def normal_potential(law: np.void, q: complex, v_0: complex = 0.0, deepest: complex = 0.0) -> complex:
    """Elastic potential V(q) in J at gap ``q``."""
    kind = law["kind"]
    if kind == elastic.LINEAR_KIND:
        return elastic.linear_potential(law["stiffness"], q)
    if kind == elastic.HERTZ_KIND:
        return elastic.hertz_potential(law["stiffness"], law["exponent"], q)
    if kind == elastic.ASPERITIES_KIND:
        return elastic.asperity_potential(law["stiffness"], law["scale"], q)
    if kind == cylinder.KIND:
        return cylinder.cylinder_potential(law["compliance"], law["scale"], q)
    if kind == adhesion.DMT_KIND:
        return adhesion.dmt_potential(law["stiffness"], law["scale"], law["reach"], q)
    if kind == adhesion.HAMAKER_KIND:
        return adhesion.hamaker_potential(law["stiffness"], law["scale"], law["reach"], q)
    if _snaps_in(law):
        return _branch_energy(law, q) if _adheres(law, q.real, v_0.real) else 0.0 * q
    if kind == damping.KIND:
        return damping.permanent_potential(
            law["stiffness"], law["exponent"], law["scale"], q, deepest + 0.0 * q
        )
    if kind == USER_LAW and law["entries"][0] != 0:
        return _user_potential(law, q.real) + 0.0 * q
    raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")


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
    kind = law["kind"]
    if kind == adhesion.DMT_KIND:
        f_e = adhesion.dmt_mean_force(law["stiffness"], law["scale"], law["reach"], q_i, q_f)
        return f_e, f_e
    if kind == adhesion.HAMAKER_KIND:
        f_e = adhesion.hamaker_mean_force(law["stiffness"], law["scale"], law["reach"], q_i, q_f)
        return f_e, f_e
    if _snaps_in(law):
        return _snap_in_forces(law, _adheres(law, q_i.real, v_0.real), q_i, q_f)
    if kind == damping.KIND:
        return damping.permanent_forces(law["stiffness"], law["exponent"], law["scale"], deepest, q_i, q_f)
    if kind == elastic.LINEAR_KIND:
        f_e = elastic.linear_mean_force(law["stiffness"], q_i, q_f)
    elif kind == elastic.HERTZ_KIND:
        f_e = elastic.hertz_mean_force(law["stiffness"], law["exponent"], q_i, q_f)
    elif kind == elastic.ASPERITIES_KIND:
        f_e = elastic.asperity_mean_force(law["stiffness"], law["scale"], q_i, q_f)
    elif kind == cylinder.KIND:
        f_e = cylinder.cylinder_mean_force(law["compliance"], law["scale"], q_i, q_f)
    elif kind == USER_LAW and law["entries"][0] != 0:
        f_e = _user_force(law, q_i, q_f)
    else:
        raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")
    rate = (q_i - q_f) / dt
    f_n = f_e + f_e * law["damping"] * rate
    if law["chi"] > 0.0:
        speed = v_0 + 0.0 * rate
        if q_i.real >= 0.0:
            speed = rate
        if speed.real < law["slowest"]:
            speed = law["slowest"] + 0.0 * rate
        f_n = f_n + f_e * law["chi"] * rate / speed
    if law["viscosity"] > 0.0:
        f_n = f_n + elastic.hertz_mean_force(law["viscosity"], law["viscous_exponent"], q_i, q_f) * rate
    if f_n.real < 0.0:
        return 0.0 * f_n, f_e
    return f_n, f_e


@kernel(float64(LAW, float64, float64, float64, float64))
def impact_speed(law: np.void, v_0: float, q_i: float, q_f: float, dt: float) -> float:
    """Impact speed in m/s of a contact that is closed at the end of a step; 0 when it is open.

    v_0: the same at the start of the step, 0 for a contact that was closed when the run began. A contact that adheres
    across a gap counts as closed.
    """
    if _snaps_in(law):
        held = _adheres(law, q_i, v_0)
        if not adheres_after(held, law["touch"], law["reach"], q_f):
            return 0.0
        if not held:
            return (q_i - q_f) / dt
        return max(v_0, SLOWEST)
    if q_f >= 0.0:
        return 0.0
    return (q_i - q_f) / dt if q_i >= 0.0 else v_0


@kernel
def _user_potential(law: np.void, q: float) -> float:
    """Potential (J) of a user-defined law at gap ``q``; real, as it is not differentiated."""
    out = np.zeros(1)
    call_entry(law["entries"][0], (law["p"], q, out))
    return out[0]


@kernel
def _user_force(law: np.void, q_i: complex, q_f: complex) -> complex:
    """Mean force (N) of a user-defined law between two gaps."""
    out = np.full(1, 0.0 * (q_i + q_f))
    both = q_i + 0.0 * q_f, q_f + 0.0 * q_i  # of one type
    call_entry(law["entries"][1 + is_complex(both[0])], (law["p"], both[0], both[1], out))
    return out[0]


@kernel
def _snaps_in(law: np.void) -> bool:
    """Whether bodies with this law snap into contact and separate at different gaps (`adhesion`)."""
    return law["kind"] == adhesion.JKR_KIND or law["kind"] == maugis.KIND


@kernel
def _adheres(law: np.void, q: float, v_0: float) -> bool:
    """Whether bodies that snap in adhere at the gap ``q``."""
    return adheres_after(v_0 > 0.0, law["touch"], law["reach"], q)


@kernel
def _branch_energy(law: np.void, q: complex) -> complex:
    """Energy (J) of adhering bodies at gap ``q``."""
    if law["kind"] == adhesion.JKR_KIND:
        return adhesion.jkr_potential(law["stiffness"], law["scale"], law["compliance"], q)
    return maugis.maugis_potential(law["stiffness"], law["scale"], law["transition"], law["last_angle"], q)


@kernel
def _branch_force(law: np.void, q_i: complex, q_f: complex) -> complex:
    """Mean force (N) between two gaps at which the bodies adhere."""
    if law["kind"] == adhesion.JKR_KIND:
        return adhesion.jkr_mean_force(law["stiffness"], law["scale"], law["compliance"], q_i, q_f)
    return maugis.maugis_mean_force(
        law["stiffness"], law["scale"], law["transition"], law["last_angle"], q_i, q_f
    )


@kernel
def _snap_in_forces(law: np.void, held: bool, q_i: complex, q_f: complex) -> tuple[complex, complex]:
    """Force of the step and its elastic part; ``held``: whether the bodies adhere at ``q_i``."""
    stays = adheres_after(held, law["touch"], law["reach"], q_f.real)
    if not (held or stays):
        return 0.0 * (q_i + q_f), 0.0 * (q_i + q_f)
    start, end, share = adhesion_path(held, law["touch"], law["reach"], q_i, q_f)
    force = _branch_force(law, start, end) * share
    if held and stays:
        return force, force
    if held:
        return force, _branch_energy(law, q_i) / (q_f - q_i)
    return force, _branch_energy(law, q_f) / (q_i - q_f)
