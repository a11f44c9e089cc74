"""Step rules, compiled: one kernel proposes the next step size, one rejects steps. `step_rules` describes the rules.

A rule is a record of dtype `RULE`. contacts (n,) of dtype `CONTACT_RECORD`. Of several contacts the one with the
smallest step size counts; NaN always counts, so that it is reported.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import record, vector, void
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.stepping.step_record import CONTACT_RECORD

FIXED, PENETRATION, PRINTED_PENETRATION, STRIBECK, PRINTED_STRIBECK, ERROR, EFFORT, ROTATION = range(8)
RULE = np.dtype(
    [
        ("code", "i8"),
        ("a", "f8"),  # the rule's parameters in their order
        ("b", "f8"),
        ("c", "f8"),
        ("d", "f8"),
        ("e", "f8"),
        ("scale", "f8"),  # J, largest energy of the run so far: the state of a rule
    ],
    align=True,
)
# numbers of a step that rules read besides its contacts and energies
DT, PREVIOUS_DT, ITERATIONS, LARGEST_ROTATION = range(4)
MIN_FACTOR, MAX_FACTOR = 0.1, 0.5  # new size over that of a rejected step
SLOWEST = 1e-30  # v_s: a slip speed above zero
LONGEST_REST = 1e6  # largest factor by which steps at rest may be longer
WOKEN = 4.0  # multiple of the size for the slip at its end above which a step from rest is repeated
MAX_FACTOR_ERROR = 0.8  # the same where the error estimate rejects it
_KINETIC, _ELASTIC, _CONTACT = (LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
_SCHEME_DISSIPATION = LEDGER.index("dissipation_scheme")


@kernel
def allowed_change(gap, eps_p, q_min, alpha, deep):
    """Allowed change of the gap (m) in a step (Bauchau and Ju 2006, eq. 19); in contact at least ``deep`` gap."""
    return max(eps_p * max(gap / (eps_p * q_min), 1.0) ** alpha, -deep * gap)


@kernel
def _allowed_size(contacts, duration, eps_p, q_min, alpha, deep):
    """Time (s) in which the first gap changes by the allowed amount; inf where none changes (eq. 20).

    The gaps are assumed to change at the rate of the last step, whose changes took ``duration`` (s).
    """
    smallest = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        if not change <= 0.0:
            size = duration * allowed_change(contact.gap_f, eps_p, q_min, alpha, deep) / change
            if not size >= smallest:
                smallest = size
    return smallest


@kernel
def _allowed_fraction(contacts, eps_p, q_min, alpha, tolerance, deep):
    """Fraction of the step in which gaps that changed too much would change by the allowed amount; inf for none.

    Too much is a penetration of more than tolerance eps_p from an open gap, or a change of more than tolerance times
    the larger of the changes allowed at the two ends.
    """
    smallest = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        allowed = max(
            allowed_change(contact.gap_i, eps_p, q_min, alpha, deep),
            allowed_change(contact.gap_f, eps_p, q_min, alpha, deep),
        )
        too_deep = contact.gap_i > 0.0 and contact.gap_f < -tolerance * eps_p
        if too_deep or change > tolerance * allowed:
            smallest = min(smallest, allowed / change)
    return smallest


@kernel
def _friction_size(contacts, closed_only, tau_min, v_min, alpha, rest):
    """Step size (s) by the friction laws of the contacts; inf for laws without a time constant (eq. 33).

    Below the slip speed ``rest`` v_s the size grows with the bristles' time constant, inversely to the slip speed.
    """
    smallest = np.inf
    for contact in contacts:
        if closed_only and not contact.normal_force > 0.0:
            continue
        if contact.omega > 0.0 and contact.stribeck_velocity > 0.0:
            v = contact.slip_velocity
            speed = np.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) / contact.stribeck_velocity
            size = tau_min * max(speed / v_min, 1.0) ** alpha / contact.omega
            if speed < rest:
                size *= min(rest / max(speed, SLOWEST), LONGEST_REST)
            if not size >= smallest:
                smallest = size
    return smallest


@kernel
def _energy_scale(rule, row):
    """Largest energy (J) so far, including that of a step with this row of the ledger; at least the rule's floor."""
    return max(rule.scale, abs(row[_KINETIC] + row[_ELASTIC] + row[_CONTACT]), rule.b)


@kernel
def _error(rule, row):
    """The error estimate of a step."""
    scale = _energy_scale(rule, row)
    return np.sqrt(max(row[_SCHEME_DISSIPATION], 0.0) / scale) if scale > 0.0 else 0.0


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def propose(rules, contacts, row, step, out):
    """out[0] = size (s) that a rule proposes for the step after this one; inf for no limit.

    rules (1,) of dtype RULE; row (len(LEDGER),) of the ledger; step (4,): DT, PREVIOUS_DT, ITERATIONS, LARGEST_ROTATION
    (rad, of a node).
    """
    rule, dt = rules[0], step[DT]
    size = np.inf
    if rule.code == FIXED:
        size = rule.a
    elif rule.code == PENETRATION:
        # the mean velocity over the step itself: the mean over two steps, as printed, is inaccurate where their sizes
        # differ, as after an output time or a rejection
        size = _allowed_size(contacts, dt, rule.a, rule.b, rule.c, rule.e)
    elif rule.code == PRINTED_PENETRATION:
        size = _allowed_size(contacts, 0.5 * (step[PREVIOUS_DT] + dt), rule.a, rule.b, rule.c, rule.e)
    elif rule.code == STRIBECK or rule.code == PRINTED_STRIBECK:
        size = _friction_size(contacts, rule.code == STRIBECK, rule.a, rule.b, rule.c, rule.d)
    elif rule.code == ERROR:
        error = _error(rule, row)
        rule.scale = _energy_scale(rule, row)
        if error > 0.0:
            size = dt * 0.9 * np.sqrt(rule.a / error)
    elif rule.code == EFFORT and step[ITERATIONS] >= rule.a:
        size = dt * max(rule.a / step[ITERATIONS], 0.5)
    elif rule.code == ROTATION and step[LARGEST_ROTATION] > 0.0:
        size = dt * rule.a / step[LARGEST_ROTATION]
    out[0] = size


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def reject(rules, contacts, row, step, out):
    """out[0] = smaller size (s) with which to repeat a step, 0.0 to accept it; arguments as those of `propose`."""
    rule, dt = rules[0], step[DT]
    size = 0.0
    if rule.code == PENETRATION:
        fraction = _allowed_fraction(contacts, rule.a, rule.b, rule.c, rule.d, rule.e)
        if fraction != np.inf:
            size = dt * min(max(fraction, MIN_FACTOR), MAX_FACTOR)
    elif rule.code == STRIBECK and rule.d > 0.0:
        allowed = _friction_size(contacts, True, rule.a, rule.b, rule.c, rule.d)
        if dt > WOKEN * allowed:
            size = dt * min(max(allowed / dt, MIN_FACTOR), MAX_FACTOR)
    elif rule.code == ERROR:
        error = _error(rule, row)
        if not error <= rule.c * rule.a:
            size = dt * min(max(0.9 * np.sqrt(rule.a / error), MIN_FACTOR), MAX_FACTOR_ERROR)
    elif rule.code == ROTATION and step[LARGEST_ROTATION] > rule.b * rule.a:
        size = dt * min(max(rule.a / step[LARGEST_ROTATION], MIN_FACTOR), MAX_FACTOR_ERROR)
    out[0] = size
