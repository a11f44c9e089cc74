"""What step rules say, in compiled code: one kernel asks, one refuses; `step_rules` says what the numbers mean.

A rule is a record of dtype `RULE`. contacts (n,) of dtype `CONTACT_RECORD`. Of several contacts the one that wants the
smallest step wins; a number that is none wins always, so that it is seen.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import record, vector, void
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.stepping.step_record import CONTACT_RECORD

FIXED, PENETRATION, PRINTED_PENETRATION, STRIBECK, PRINTED_STRIBECK, ERROR, EFFORT = range(7)
RULE = np.dtype(
    [
        ("code", "i8"),
        ("a", "f8"),  # its numbers, in the order of the rule's parameters
        ("b", "f8"),
        ("c", "f8"),
        ("d", "f8"),
        ("scale", "f8"),  # J, largest energy of the run so far: what a rule remembers
    ],
    align=True,
)
DT, PREVIOUS_DT, ITERATIONS = range(3)  # what rules are told of a step besides its contacts and energies
SHRINK_MOST, SHRINK_LEAST = 0.1, 0.5  # of a step that contact rejects
SHRINK_LEAST_ERROR = 0.8  # of one that the error estimate rejects
_KINETIC, _ELASTIC, _CONTACT = (LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
_SCHEME_DISSIPATION = LEDGER.index("dissipation_scheme")


@kernel
def allowed_change(gap, eps_p, q_min, alpha):
    """Change of the gap (m) that a step may bring (Bauchau and Ju 2006, eq. 19)."""
    return eps_p * max(gap / (eps_p * q_min), 1.0) ** alpha


@kernel
def _size_allowed(contacts, duration, eps_p, q_min, alpha):
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
def _share_allowed(contacts, eps_p, q_min, alpha, tolerance):
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
def _friction_step(contacts, closed_only, tau_min, v_min, alpha):
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


@kernel
def _scale_with(rule, row):
    """Largest energy (J) so far, with a step of this row of the ledger; at least the rule's floor."""
    return max(rule.scale, abs(row[_KINETIC] + row[_ELASTIC] + row[_CONTACT]), rule.b)


@kernel
def _error(rule, row):
    """The error estimate of a step."""
    scale = _scale_with(rule, row)
    return np.sqrt(max(row[_SCHEME_DISSIPATION], 0.0) / scale) if scale > 0.0 else 0.0


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def propose(rules, contacts, row, step, out):
    """out[0] = size (s) that a rule wants after a step; inf for no opinion.

    rules (1,) of dtype RULE; row (len(LEDGER),) of the ledger; step (3,): DT, PREVIOUS_DT, ITERATIONS.
    """
    rule, dt = rules[0], step[DT]
    size = np.inf
    if rule.code == FIXED:
        size = rule.a
    elif rule.code == PENETRATION:
        # the mean over the step itself: that over two steps, as printed, is far off where their sizes differ, as they
        # do after an output time or a rejection
        size = _size_allowed(contacts, dt, rule.a, rule.b, rule.c)
    elif rule.code == PRINTED_PENETRATION:
        size = _size_allowed(contacts, 0.5 * (step[PREVIOUS_DT] + dt), rule.a, rule.b, rule.c)
    elif rule.code == STRIBECK or rule.code == PRINTED_STRIBECK:
        size = _friction_step(contacts, rule.code == STRIBECK, rule.a, rule.b, rule.c)
    elif rule.code == ERROR:
        error = _error(rule, row)
        rule.scale = _scale_with(rule, row)
        if error > 0.0:
            size = dt * 0.9 * np.sqrt(rule.a / error)
    elif rule.code == EFFORT and step[ITERATIONS] >= rule.a:
        size = dt * max(rule.a / step[ITERATIONS], 0.5)
    out[0] = size


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def reject(rules, contacts, row, step, out):
    """out[0] = the smaller size (s) to try a step again with, 0.0 to accept it; arguments as those of `propose`."""
    rule, dt = rules[0], step[DT]
    size = 0.0
    if rule.code == PENETRATION:
        share = _share_allowed(contacts, rule.a, rule.b, rule.c, rule.d)
        if share != np.inf:
            size = dt * min(max(share, SHRINK_MOST), SHRINK_LEAST)
    elif rule.code == ERROR:
        error = _error(rule, row)
        if not error <= rule.c * rule.a:
            size = dt * min(max(0.9 * np.sqrt(rule.a / error), SHRINK_MOST), SHRINK_LEAST_ERROR)
    out[0] = size
