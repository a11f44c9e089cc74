"""What the rules for contacts and friction ask of every contact, in compiled code: some microseconds a step in Python.

contacts (n,) of dtype `CONTACT_RECORD`. Of several contacts the one that wants the smallest step wins; a number that is
none wins always, so that it is seen.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel


@kernel
def allowed_change(gap, eps_p, q_min, alpha):
    """Change of the gap (m) that a step may bring (Bauchau and Ju 2006, eq. 19)."""
    return eps_p * max(gap / (eps_p * q_min), 1.0) ** alpha


@kernel
def size_allowed(contacts, duration, eps_p, q_min, alpha):
    """Time (s) after which a gap will have changed by what is allowed; inf where none changes (eq. 20).

    The gaps go on as they did in the last step, whose changes took ``duration`` (s).
    """
    least = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        if not change <= 0.0:
            size = duration * allowed_change(contact.gap_f, eps_p, q_min, alpha) / change
            if not size >= least:
                least = size
    return least


@kernel
def share_allowed(contacts, eps_p, q_min, alpha, tolerance):
    """Share of the step after which the contacts that it brings too far would have gone as far as they may; else inf.

    Too far is deeper than tolerance eps_p from an open gap, or more than tolerance times the larger change allowed at
    the two ends.
    """
    least = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        allowed = max(
            allowed_change(contact.gap_i, eps_p, q_min, alpha),
            allowed_change(contact.gap_f, eps_p, q_min, alpha),
        )
        too_deep = contact.gap_i > 0.0 and contact.gap_f < -tolerance * eps_p
        if too_deep or change > tolerance * allowed:
            least = min(least, allowed / change)
    return least


@kernel
def friction_step(contacts, closed_only, tau_min, v_min, alpha):
    """Step size (s) that the friction laws of the contacts want; inf for laws without a time constant (eq. 33)."""
    least = np.inf
    for contact in contacts:
        if closed_only and not contact.normal_force > 0.0:
            continue
        if contact.omega > 0.0 and contact.stribeck_velocity > 0.0:
            v = contact.slip_velocity
            nu = np.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) / (contact.stribeck_velocity * v_min)
            size = tau_min * max(nu, 1.0) ** alpha / contact.omega
            if not size >= least:
                least = size
    return least
