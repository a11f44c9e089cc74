"""Compiled entry points of the normal contact laws: the only place that tells one law from another.

Gap q in m, negative when the bodies overlap; forces in N, never below zero (a contact pushes, it does not
pull). The force is constant over the step (Bauchau and Ju, eqs. 4 and 15). All arguments but the law and
``dt`` may be complex, so that a derivative can be taken by a complex step; cases are told apart by real
parts.

``law`` is one element of an array of dtype ``NORMAL_LAW``. Both functions raise ``ValueError`` for a record
of unknown kind.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.hertz import hertz_mean_force, hertz_potential
from fem_mbd.friction.hunt_crossley import damped_force
from fem_mbd.friction.kinds import HERTZ, LINEAR
from fem_mbd.friction.linear import linear_mean_force, linear_potential


@kernel
def normal_potential(law: np.void, q: complex) -> complex:
    """Elastic potential V(q) in J at gap ``q``."""
    kind = law["kind"]
    if kind == LINEAR:
        return linear_potential(law["stiffness"], q)
    if kind == HERTZ:
        return hertz_potential(law["stiffness"], law["exponent"], q)
    raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")


@kernel
def normal_force(law: np.void, q_i: complex, q_f: complex, dt: float) -> tuple[complex, complex]:
    """Normal force and its elastic part, (f_n, f_elastic) in N, of a step from gap ``q_i`` to ``q_f``.

    f_elastic (q_i - q_f) = V(q_f) - V(q_i) to round-off; (f_n - f_elastic)(q_i - q_f) >= 0 is what the step
    loses.
    """
    kind = law["kind"]
    if kind == LINEAR:
        f_e = linear_mean_force(law["stiffness"], q_i, q_f)
    elif kind == HERTZ:
        f_e = hertz_mean_force(law["stiffness"], law["exponent"], q_i, q_f)
    else:
        raise ValueError("normal contact law: record of unknown kind; build it with a law's record()")
    return damped_force(law["damping"], f_e, q_i, q_f, dt), f_e
