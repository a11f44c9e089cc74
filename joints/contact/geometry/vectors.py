"""What contacts of every shape share: their record, vectors in space, bristles that are carried along, what is booked.

Functions are compiled and generic in type: unknowns may be complex for a derivative by complex step.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.normal.dispatch import impact_speed, normal_potential
from fem_mbd.friction.tangential import bristle_energy

# One type for all shapes: numba takes records that only begin alike for one another.
CONTACT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # the two points from the mass centres, node axes
        ("radius_k", "f8"),
        ("radius_l", "f8"),
        # contact_kernels.py
        ("form", "i8"),
        ("plane", "f8", (3,)),  # normal of the plane in the axes of node K
        # spatial_clearance_kernels.py
        ("axes_k", "f8", (3, 3)),  # columns: cylinder's axes e1, e2, e3 in the axes of node K
        ("axis_l", "f8", (3,)),  # the disk's axis in the axes of node L
        ("place_i", "f8", (2,)),  # cos and sin of phi at t_i
        # what the last evaluation found
        ("gap_i", "f8"),
        ("gap_f", "f8"),
        ("normal_force", "f8"),
        ("impact_speed", "f8"),  # of the contact that is closed at t_f
        ("mu", "f8", (3,)),
        ("slip", "f8", (3,)),
        ("normal", "f8", (3,)),  # nhat of the step
        ("normal_f", "f8", (3,)),  # at t_f
        ("loss_contact", "f8"),
        ("loss_friction", "f8"),
    ],
    align=True,
)
TINY = 1e-300  # keeps 0/0 away where two points coincide


@kernel
def add_point(q, arm, x, sign):
    """x (3,) += sign times the position of the point at ``arm`` of a node with ambient vectors q (4, 3)."""
    for i in range(3):
        x[i] += sign * (q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i])


@kernel
def cross(a, b, out):
    """out (3,) = a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def length(a):
    """Length of a (3,), without conjugation."""
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def remove_along(n, a):
    """Take from a (3,) its part along the unit vector n (3,)."""
    along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
    for i in range(3):
        a[i] -= along * n[i]


@kernel
def carry(z, n_from, n_to):
    """Turn the tangent vectors z (nz, 3) by the smallest rotation that takes the unit normal n_from to n_to."""
    cosine = 0.0 * n_to[0]
    for i in range(3):
        cosine += n_from[i] * n_to[i]
    for k in range(z.shape[0]):
        along = 0.0 * n_to[0]
        for i in range(3):
            along += n_to[i] * z[k, i]
        for i in range(3):
            # 1e-14: opposite normals occur only when the contact re-opened in between, with z = 0
            z[k, i] -= along / (1.0 + cosine + 1e-14) * (n_to[i] + n_from[i])


@kernel
def read_bristles(history, z_i):
    """Fill z_i (nz, 3) from the start of the contact's history."""
    for k in range(z_i.shape[0]):
        for i in range(3):
            z_i[k, i] = history[3 * k + i]


@kernel
def add_lever_slip(x, r_i, r_f, lever, sign, slip):
    """slip (3,) += sign (Rbar b) x lever, the path of a body's contact point about the point where it is held."""
    turn, moved = np.empty(3, slip.dtype), np.empty(3, slip.dtype)
    for i in range(3):
        turn[i] = 0.0 * x[3]
        for j in range(3):
            turn[i] += 0.5 * (r_i[i, j] + r_f[i, j]) * x[3 + j]
    cross(turn, lever, moved)
    for i in range(3):
        slip[i] += sign * moved[i]


@kernel
def add_lever_moment(r_i, r_f, lever, friction, own):
    """Add to the rows own (12,) of a node the moment of ``friction`` (3,) at ``lever``: that of `add_lever_slip`."""
    moment = np.empty(3, own.dtype)
    cross(lever, friction, moment)
    for j in range(3):
        for i in range(3):
            own[3 + j] += 0.5 * (r_i[i, j] + r_f[i, j]) * moment[i]


@kernel
def store_forces(contact, before, dt, gap_i, gap_f, f_n, f_e, loss):
    """Put gaps, forces and losses of the step into the record; ``before``: speed at which a running contact began."""
    contact.gap_i, contact.gap_f = gap_i, gap_f.real
    contact.normal_force = f_n.real
    contact.impact_speed = impact_speed(before, gap_i, gap_f.real, dt)
    contact.loss_contact = ((f_n - f_e) * (gap_i - gap_f)).real
    contact.loss_friction = loss.real


@kernel
def store_directions(contact, mu, slip, normal, normal_f):
    """Put coefficients, slip and normals (3,) of the step into the record."""
    for i in range(3):
        contact["mu"][i], contact["slip"][i] = mu[i].real, slip[i].real
        contact["normal"][i], contact["normal_f"][i] = normal[i].real, normal_f[i].real


@kernel
def energies(contacts, normal_laws, friction_laws, z_f, out):
    """Add contact potential, bristle energy, contact loss and friction loss of the step to out (4,)."""
    for c in range(contacts.shape[0]):
        out[0] += normal_potential(normal_laws[c], contacts[c].gap_f)
        out[1] += contacts[c].normal_force * bristle_energy(friction_laws[c], z_f[c])
        out[2] += contacts[c].loss_contact
        out[3] += contacts[c].loss_friction
