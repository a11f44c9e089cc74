"""Forces, energies and tangent of parts of drivelines (compiled).

Every part has one coordinate x (rad or m), whose rate is linear in the velocities of up to three nodes,

    x' = sum_n along_n . (v_n, Omega_n)        (v global, Omega node axes),

such as the sum r_1 phi_1 + r_2 phi_2 of a pair of gears, each rotation relative to the housing. With the unknowns of a
step, Delta x = sum along . (a, b) and dt x'_f = sum along . (a + c, b + e), exactly: a rotation of all bodies together
leaves x as it is, and the forces Q_m on (a, b), Q_f on (a + c, b + e) do the work Q_m Delta x + Q_f dt x'_f. On x act

    a spring and damper           s_g, s_d of the discrete rule, or of a Maxwell element (belts): third order
    an ideal ratio                multipliers s_g, s_d with x_f = 0 and x'_f = 0
    two flanks                    any contact law, gaps upper - x and x - lower: mean force f_upper - f_lower
    friction                      any law, on a slip s of the same kind, normal force N(t) + share |force on x|

Friction and flanks are constant over the step. A belt's spring has the strain e, e' = x' - e/tau with tau = L/(2 |v|):
the belt leaves each pulley with another tension than it has come with, and creeps by the difference of the strains.
Source: discrete_rule; elements/springs/bushing_kernels (Maxwell element); contact and friction: theory.md, section 8.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, record, slots, vector, void
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.scheme.discrete_rule import half_jump, jump, mean
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.elements.springs.bushing_kernels import relaxed
from fem_mbd.elements.springs.parallel import note_nearer_stop, note_stops, stops_energy, stops_force
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW
from fem_mbd.friction.tangential import friction_force, stored_energy

H = 1e-40  # of the complex step
NODES, BODIES = 3, 2
PAST = 7 + BODIES  # numbers of the history but for the states of friction
DRIVE = np.dtype(
    [
        ("nodes", "i8", (NODES,)),  # -1 where it has fewer
        ("along", "f8", (NODES, 6)),  # of x, on (v, Omega)
        ("slip", "f8", (NODES, 6)),  # of the slip of friction; of a belt, of its travel
        ("ideal", "i8"),
        ("flanks", "i8"),
        ("rubs", "i8"),
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("upper", "f8"),
        ("lower", "f8"),
        ("creep", "f8"),  # 1/m, 2/L of a belt; 0 without
        ("bodies", "i8"),  # number of leading nodes that turn against the last one, or against the ground
        ("radius", "f8", (BODIES,)),  # of their shares in x
        (
            "triads",
            "f8",
            (BODIES, 2, 3, 3),
        ),  # columns, 3 the axis, in the axes of the body and of what it turns against
        ("rack", "i8"),  # whether the last node slides
        ("slide", "f8", (3,)),  # of a rack, global, and its position in the reference configuration
        ("place", "f8", (3,)),
        ("placed", "i8"),  # whether x is that of the configuration instead of the sum of the steps
        ("share", "f8"),  # of the force on x in the normal force of friction
        ("load", "f8"),  # N, the other part, mean of this step
        ("rate", "f8"),  # 1/s, 1/tau in this step
        # results of the last evaluation
        ("psi", "f8"),
        ("psi_p", "f8"),
        ("e_j", "f8"),
        ("e_f", "f8"),
        ("force", "f8"),  # on x, mean of the step
        ("friction", "f8"),  # on the slip
        ("sliding", "f8"),  # the slip
        ("normal_force", "f8"),
        ("loss_contact", "f8"),
        ("loss_friction", "f8"),
        ("impact_speed", "f8", (2,)),
        ("deepest", "f8", (2,)),
    ],
    align=True,
)


class Drives(NamedTuple):
    """All parts: records, laws, and their history: x, e, of flanks, normal force, states of friction."""

    records: Annotated[Any, record(DRIVE)[::1]]
    normal_laws: Annotated[Any, record(NORMAL_LAW)[::1]]
    friction_laws: Annotated[Any, record(FRICTION_LAW)[::1]]
    # (n, PAST): x, e, impact speeds of both flanks, deepest of both, normal force, angles of the bodies
    past: Annotated[Any, matrix]
    bristles: Annotated[Any, array3]  # (n, states, 3)


class Local(NamedTuple):
    """Arguments and results of a part in a step, all of one type."""

    variables: Any  # (5,) Delta x, dt x'_f, slip, two multipliers over dt^2
    results: Any  # (3,) Q_m, Q_f on x, friction on the slip
    s_m: Any  # (3,)
    z_i: Any  # (states, 3)
    z_f: Any
    mu: Any  # (3,)


@kernel
def forces(all_of_them, n, dt, local):
    """Fill ``local.results``; returns e_j, e_f, mean force on x, normal force and loss of friction, loss of flanks."""
    records, normal_laws, friction_laws, past, _ = all_of_them
    variables, results, s_m, z_i, z_f, mu = local
    drive, x_i = records[n], past[n, 0]
    psi, psi_p = variables[0], variables[1]
    e_j, e_f = 0.0 * psi, 0.0 * psi
    s_g, s_d = 0.0 * psi, 0.0 * psi
    if drive.ideal:
        s_g, s_d = s_g + variables[3], s_d + variables[4]
    elif drive.creep > 0.0:
        step = -jump(0.0, -psi, -psi_p)
        e_j, e_f = relaxed(dt * drive.rate, past[n, 1], step, psi)
        s_g, s_d = drive.stiffness * 0.5 * (e_j + e_f), drive.stiffness * 0.5 * (e_f - e_j)
    else:
        s_g = drive.stiffness * mean(x_i, x_i + psi, psi_p)
        s_d = drive.stiffness * half_jump(x_i, x_i + psi, psi_p)
    s_g, s_d = s_g + drive.damping / dt * psi, s_d + drive.damping / dt * (psi_p - psi)
    loss_contact = 0.0 * psi
    if drive.flanks:
        on_flanks, loss_contact = stops_force(normal_laws[n], drive, x_i, psi, dt, past[n])
        s_g = s_g + on_flanks
    results[0], results[1], results[2] = s_g - s_d / 3, s_d / 3, 0.0 * psi
    f_n, loss = 0.0 * psi, 0.0 * psi
    if drive.rubs:
        f_n = drive.load + drive.share * (s_g if s_g.real >= 0.0 else -s_g)
        s_m[0], s_m[1], s_m[2] = variables[2], 0.0 * psi, 0.0 * psi
        loss = friction_force(friction_laws[n], s_m, z_i, f_n, past[n, 6] + 0.0 * psi, dt, mu, z_f)
        results[2] = f_n * mu[0]
    return e_j, e_f, s_g, f_n, loss, loss_contact


@kernel
def _coordinates(drive, x):
    """Delta x, dt x'_f and the slip of a step; x (N, 12)."""
    psi, psi_p, slip = 0.0, 0.0, 0.0
    for k in range(NODES):
        n = drive["nodes"][k]
        if n >= 0:
            for i in range(6):
                along = drive["along"][k, i]
                psi += along * x[n, i]
                psi_p += along * (x[n, i] + x[n, 6 + i])
                slip += drive["slip"][k, i] * x[n, i]
    return psi, psi_p, slip


@kernel
def _axis(triad, directors, column):
    """A column of a triad in global axes."""
    return (
        triad[0, column] * directors[0, 0]
        + triad[1, column] * directors[1, 0]
        + triad[2, column] * directors[2, 0],
        triad[0, column] * directors[0, 1]
        + triad[1, column] * directors[1, 1]
        + triad[2, column] * directors[2, 1],
        triad[0, column] * directors[0, 2]
        + triad[1, column] * directors[1, 2]
        + triad[2, column] * directors[2, 2],
    )


@kernel
def _column(triad, column):
    return triad[0, column], triad[1, column], triad[2, column]


@kernel
def _angle(drive, m, q, near):
    """Rotation of body m about its axis against the housing, the value nearest to ``near``; q (N, 4, 3)."""
    body, base = q[drive["nodes"][m], 1:], q[drive["nodes"][drive.bodies], 1:]
    l1 = _axis(drive["triads"][m, 0], body, 0)
    l2 = _axis(drive["triads"][m, 0], body, 1)
    k1 = _axis(drive["triads"][m, 1], base, 0)
    k2 = _axis(drive["triads"][m, 1], base, 1)
    if drive["rack"]:  # its pinion turns against the ground
        k1, k2 = _column(drive["triads"][m, 1], 0), _column(drive["triads"][m, 1], 1)
    cosine, sine = dot(k1, l1) + dot(k2, l2), dot(k2, l1) - dot(k1, l2)
    angle = np.arctan2(sine.real, cosine.real)
    angle += 2.0 * np.pi * np.rint((near.real - angle) / (2.0 * np.pi))
    # zero up to round-off, with the derivative of the angle
    c, s = np.cos(angle), np.sin(angle)
    return angle + (sine * c - cosine * s) / (cosine * c + sine * s)


@kernel(void(record(DRIVE)[::1], matrix, array3, float64))
def place(records, history, q, tolerance):
    """Set x and the angles in the history (n, PAST + …) to those of the configuration q (N, 4, 3).

    Where ``placed`` is set, and where x differs by more than ``tolerance``: the sum of the steps is exact for rotations
    about axes fixed in space, of third order for others.
    """
    for n in range(records.shape[0]):
        drive = records[n]
        first, second = _angle(drive, 0, q, history[n, 7]), 0.0 * q[0, 0, 0]
        if drive.bodies == BODIES:
            second = _angle(drive, 1, q, history[n, 8])
        x = drive["radius"][0] * first + drive["radius"][1] * second
        for i in range(3):
            x += drive["slide"][i] * (q[drive["nodes"][drive.bodies], 0, i] - drive["place"][i])
        if drive.placed or abs(x - history[n, 0]) > tolerance:
            history[n, 0], history[n, 7], history[n, 8] = x, first, second


@kernel(void(record(DRIVE)[::1], indices, array3, matrix, float64))
def begin_step(records, which, loads, x_i, dt):
    """Normal forces of the step, means of functions' values (3, functions, 3), and creep by the belt's speed at t_i."""
    for n in range(records.shape[0]):
        drive = records[n]
        if which[n] >= 0:
            drive.load = max(0.5 * (loads[0, which[n], 0] + loads[1, which[n], 0]), 0.0)
        if drive.creep > 0.0:
            speed = 0.0
            for k in range(NODES if dt > 0.0 else 0):  # a state at rest has no step
                for i in range(6):
                    speed += drive["slip"][k, i] * x_i[drive["nodes"][k], i] / dt
            drive.rate = drive.creep * abs(speed)


@kernel
def _add(drive, coefficients, force_m, force_f, rows):
    for k in range(NODES):
        n = drive["nodes"][k]
        if n >= 0:
            for i in range(6):
                rows[n, i] += coefficients[k, i] * (force_m + force_f)
                rows[n, 6 + i] += coefficients[k, i] * force_f


@kernel(void(Drives, indices, matrix, matrix, float64, matrix, matrix, array3))
def residual(all_of_them, first_row, x, multipliers, dt, rows, constraints, z_f):
    """Add the parts' forces times dt^2 to rows (N, 12), set the equations of ideal ones; fill records and z_f."""
    records, normal_laws, _, past, bristles = all_of_them
    variables, results, s_m, mu = np.zeros(5), np.zeros(3), np.zeros(3), np.zeros(3)
    for n in range(records.shape[0]):
        drive = records[n]
        drive.psi, drive.psi_p, drive.sliding = _coordinates(drive, x)
        variables[0], variables[1], variables[2] = drive.psi, drive.psi_p, drive.sliding
        if drive.ideal:
            row = first_row[n]
            variables[3], variables[4] = multipliers[row, 0] / dt**2, multipliers[row, 1] / dt**2
            constraints[row, 0], constraints[row, 1] = past[n, 0] + drive.psi, drive.psi_p
        local = Local(variables, results, s_m, bristles[n], z_f[n], mu)
        e_j, e_f, force, f_n, loss, loss_contact = forces(all_of_them, n, dt, local)
        drive.e_j, drive.e_f, drive.force, drive.normal_force = e_j, e_f, force, f_n
        drive.friction, drive.loss_friction, drive.loss_contact = results[2], loss, loss_contact
        if drive.flanks:
            note_stops(normal_laws[n], drive, past[n, 0], drive.psi, dt, past[n])
        _add(drive, drive["along"], dt**2 * results[0], dt**2 * results[1], rows)
        if drive.rubs:
            _add(drive, drive["slip"], dt**2 * results[2], 0.0, rows)


@kernel
def _derivatives(all_of_them, n, dt, variables, slopes, local):
    """Fill slopes (3, 5): of Q_m, Q_f and friction by ``variables``; ``local`` complex."""
    moved, results = local.variables, local.results
    for i in range(5):
        moved[i] = variables[i]
    for j in range(5):
        moved[j] += 1j * H
        forces(all_of_them, n, dt, local)
        moved[j] = moved[j].real
        for i in range(3):
            slopes[i, j] = results[i].imag / H


@kernel(void(Drives, indices, matrix, matrix, float64, slots, vector))
def tangent(all_of_them, first_row, x, multipliers, dt, places, data):
    """Add the parts' tangents to the matrix values; places (n, 36 + 2 multipliers, …)."""
    records, _, _, _, bristles = all_of_them
    variables, slopes, lines = np.zeros(5), np.zeros((3, 5)), np.zeros((3, 36))
    kind, states = np.complex128, bristles.shape[1]
    z_i, z_f = np.zeros((states, 3), kind), np.zeros((states, 3), kind)
    local = Local(np.zeros(5, kind), np.zeros(3, kind), np.zeros(3, kind), z_i, z_f, np.zeros(3, kind))
    used = np.zeros(36, np.int64)
    for n in range(records.shape[0]):
        drive = records[n]
        variables[0], variables[1], variables[2] = drive.psi, drive.psi_p, drive.sliding
        variables[3], variables[4] = 0.0, 0.0
        if drive.ideal:
            variables[3] = multipliers[first_row[n], 0] / dt**2
            variables[4] = multipliers[first_row[n], 1] / dt**2
        for s in range(z_i.shape[0]):
            for i in range(3):
                z_i[s, i] = bristles[n, s, i]
        _derivatives(all_of_them, n, dt, variables, slopes, local)
        count = _lines(drive, lines, used)
        for p in range(count):
            i = used[p]
            for q in range(count):
                j, value = used[q], 0.0
                for f in range(3):
                    for g in range(3):
                        value += lines[f, i] * slopes[f, g] * lines[g, j]
                data[places[n, i, j]] += dt**2 * value
            if drive.ideal:
                for m in range(2):
                    # multipliers are times dt^2
                    value = lines[0, i] * slopes[0, 3 + m] + lines[1, i] * slopes[1, 3 + m]
                    data[places[n, i, 36 + m]] += value + lines[2, i] * slopes[2, 3 + m]
                    data[places[n, 36 + m, i]] += lines[m, i]


@kernel
def _lines(drive, lines, used):
    """Fill lines (3, 36), derivatives of Delta x, dt x'_f and slip by the unknowns, and the used ones; their number."""
    count = 0
    for k in range(NODES):
        if drive["nodes"][k] < 0:
            continue
        for i in range(6):
            along, slip, at = drive["along"][k, i], drive["slip"][k, i], 12 * k + i
            if along == 0.0 and slip == 0.0:
                continue
            lines[0, at], lines[1, at], lines[2, at] = along, along, slip
            lines[0, at + 6], lines[1, at + 6], lines[2, at + 6] = 0.0, along, 0.0
            used[count], used[count + 1] = at, at + 6
            count += 2
    return count


@kernel(void(Drives, float64, array3, vector))
def energies(all_of_them, dt, z_f, out):
    """Add elastic, contact, bristle energy at t_f; losses of scheme, dampers, contact, friction to out (7,), J."""
    records, normal_laws, friction_laws, past, _ = all_of_them
    for n in range(records.shape[0]):
        drive = records[n]
        x_f, rest = past[n, 0] + drive.psi, drive.psi_p - drive.psi
        if drive.creep > 0.0:
            middle, half, h = 0.5 * (drive.e_j + drive.e_f), 0.5 * (drive.e_f - drive.e_j), dt * drive.rate
            out[0] += 0.5 * drive.stiffness * drive.e_f**2
            out[3] += 0.5 * drive.stiffness * (drive.e_j - past[n, 1]) ** 2
            out[4] += drive.stiffness * h * (middle**2 + half**2 / 3)
        elif not drive.ideal:
            out[0] += 0.5 * drive.stiffness * x_f**2
            out[3] += 0.5 * drive.stiffness * (rest / 3) ** 2
        out[4] += drive.damping * (drive.psi**2 + rest**2 / 3) / dt
        if drive.flanks:
            out[1] += stops_energy(normal_laws[n], drive, x_f)
        out[5] += drive.loss_contact
        if drive.rubs:
            out[2] += stored_energy(friction_laws[n], z_f[n], drive.normal_force)
            out[6] += drive.loss_friction


@kernel
def _turned(drive, m, x):
    """Rotation of body m against the housing in the step; x (N, 12)."""
    turned, last = 0.0 * x[0, 0], drive["nodes"][drive.bodies]
    for i in range(3):
        turned += drive["triads"][m, 0, i, 2] * x[drive["nodes"][m], 3 + i]
        if not drive["rack"]:
            turned -= drive["triads"][m, 1, i, 2] * x[last, 3 + i]
    return turned


@kernel(void(Drives, array3, float64, matrix, matrix))
def store_history(all_of_them, z_f, dt, x, out):
    """Store the history of the converged step; fill out (n, 5): x, its rate, force, friction, power lost."""
    records, _, _, past, bristles = all_of_them
    for n in range(records.shape[0]):
        drive = records[n]
        past[n, 0] += drive.psi
        for m in range(drive.bodies):
            past[n, 7 + m] += _turned(drive, m, x)
        past[n, 1] = drive.e_f
        for side in range(2):
            past[n, 2 + side], past[n, 4 + side] = drive["impact_speed"][side], drive["deepest"][side]
        past[n, 6] = drive.normal_force
        for s in range(bristles.shape[1]):
            for i in range(3):
                bristles[n, s, i] = z_f[n, s, i]
        rest = drive.psi_p - drive.psi
        lost = drive.loss_contact + drive.loss_friction + drive.damping * (drive.psi**2 + rest**2 / 3) / dt
        if drive.creep > 0.0:
            middle, half = 0.5 * (drive.e_j + drive.e_f), 0.5 * (drive.e_f - drive.e_j)
            lost += drive.stiffness * dt * drive.rate * (middle**2 + half**2 / 3)
        out[n, 0], out[n, 1], out[n, 2] = past[n, 0], drive.psi_p / dt, drive.force
        out[n, 3], out[n, 4] = drive.friction, lost / dt


@kernel(void(Drives, float64, record(CONTACT_RECORD)[::1]))
def fill_records(all_of_them, dt, out):
    """Fill out (n,) with the nearer flank of each part, for the rules of step control."""
    records, _, _, past, _ = all_of_them
    for n in range(records.shape[0]):
        drive, row = records[n], out[n]
        note_nearer_stop(drive, past[n, 0], drive.psi, row)
        row.normal_force = abs(drive.force)
        row["slip_velocity"][0] = drive.sliding / dt if dt > 0.0 else 0.0


@kernel(void(matrix, matrix, array3))
def unpack(history, past, bristles):
    """Copy the history (n, PAST + 3 states) of the accepted state into past (n, PAST) and bristles (n, states, 3)."""
    for n in range(history.shape[0]):
        for i in range(PAST):
            past[n, i] = history[n, i]
        for s in range(bristles.shape[1]):
            for i in range(3):
                bristles[n, s, i] = history[n, PAST + 3 * s + i]


@kernel(void(matrix, matrix, array3))
def pack(history, past, bristles):
    """Copy past and bristles back."""
    for n in range(history.shape[0]):
        for i in range(PAST):
            history[n, i] = past[n, i]
        for s in range(bristles.shape[1]):
            for i in range(3):
                history[n, PAST + 3 * s + i] = bristles[n, s, i]


@kernel(void(record(DRIVE)[::1], matrix))
def sizes_of_forces(records, out):
    """Fill out (1, n) with the sizes of the forces, mean of the step."""
    for n in range(records.shape[0]):
        out[0, n] = abs(records[n].force)
