"""Oil film of a short journal bearing: pressure force (Reynolds' equation, half film), couple, tangent (compiled).

Pressure force. Reynolds' equation where the bearing is short, so that the fluid leaves along the axis z only (Ocvirk;
DuBois and Ocvirk, NACA report 1157, 1953), with the film's thickness h = c - e.n in the direction n from the bearing's
centre:

    h**3 d2p/dz2 = 12 mu dh/dt,       p = 6 mu (v.n) (L**2/4 - z**2)/h**3,       p = 0 where v.n < 0.

v is the velocity of the journal's centre relative to the bearing's, in axes that rotate with the mean speed of both
surfaces; e is its position, L the length. Rotation and squeeze have the same form there. The film has pressure on the
half of the circumference towards which the journal moves (Guembel's condition, about the direction of v; Booker, J.
Basic Engineering 87 (1965) 537) and none on the other. The force on the journal is, with R its radius,

    F = -mu R L**3/c**3 integral of n (v.n)/(1 - e.n/c)**3 over that half = -mu R L**3/c**3 (A v + B a x v)

with a the unit axis. Its power is -p v.n at every point: such a film never generates energy.

In a step (`film_forces`) the film acts in the plane normal to the bearing's axis at mid-step. With e the mean position
of the journal's centre relative to that of the bearing, the relative displacement is

    v dt = De - DR_K eta_K + DR_L eta_L,       Rbar_K eta_K = e/2,   Rbar_L eta_L = -e/2,

that of the two material points midway between the centres: the motion of the centre in axes that rotate with the mean
speed of both bodies. The pressure force acts at these points, the couple

    T = 2 pi mu R**3 L/(c sqrt(1 - (e/c)**2)) times the difference of the speeds about the axis,

the shear of a film that wets all of the circumference (Petroff; Pinkus and Sternlicht, Theory of Hydrodynamic
Lubrication, 1961), on the rows b of both nodes. So forces and moments balance, a rigid motion of both bodies, however
large, causes no film force, and F.v dt + T Dphi is the energy dissipated by the film: never below zero. The point of a
journal that rotates by phi in a step moves by 2 tan(phi/2): forces are too large by phi**2/12.

The kernels are generic in the type of the unknowns: the tangent is a complex step, exact to round-off.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, array4, float64, matrix, record, slots, vector, void
from fem_mbd.core.compiled.vectors import cross, dot, length
from fem_mbd.core.scheme.nodes.node_map import node_configuration
from fem_mbd.joints.contact.contact_kinematics import (
    TINY,
    Body,
    mean_axis,
    remove_along,
    set_distance,
)
from fem_mbd.joints.contact.slip_and_bristles import add_to_nodes, material_point

THIN = 0.3  # ratio W/|x| below which cancelling differences are replaced by series
TERMS = 40


@kernel
def half_film(x: complex, y: complex) -> tuple[complex, complex]:
    """A and B, the integrals of cos**2 t and sin t cos t over (1 - x cos t - y sin t)**3 from -pi/2 to pi/2.

    x, y : eccentricity ratio along v and across it (a x v), x**2 + y**2 < 1.
    """
    w = np.sqrt(1.0 - x * x - y * y)
    if x.real < 0.0 and w.real < -THIN * x.real:
        return _moving_away(x, y, w)
    angle = 0.5 * np.pi + np.arctan(x / w)
    w2 = w * w
    w4 = w2 * w2
    along = angle * (w2 + 3.0 * x * x) / (w4 * w) + 3.0 * x / w4
    across = 3.0 * x * y * angle / (w4 * w) + y / w4 * (2.0 + x * x / (w2 + x * x))
    return along, across


@kernel
def _moving_away(x: complex, y: complex, w: complex) -> tuple[complex, complex]:
    """`half_film` of a journal that moves away from the wall, w = sqrt(1 - x**2 - y**2) small against -x."""
    ratio2 = (w / x) ** 2
    # atan r = r - r**3/3 + r**5 rest
    rest, power = 0.0 * ratio2, 1.0 + 0.0 * ratio2
    for n in range(TERMS):
        rest = rest + power / (2.0 * n + 5.0)
        power = -power * ratio2
    x2 = x * x
    along = rest * (3.0 * x2 + w * w) / (-x * x2 * x2) - 1.0 / (-3.0 * x * x2)
    return along, y / (x2 * x2) * (1.0 / (1.0 + ratio2) - 3.0 * rest)


H = 1e-40  # of the complex step
FILM = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # the two centres from the mass centres, node axes
        ("axis", "f8", (3,)),  # of the bearing, in the axes of node K
        ("clearance", "f8"),  # m, of the radii
        ("squeeze", "f8"),  # N s/m, mu R L**3/c**3
        ("shear", "f8"),  # N m s, 2 pi mu R**3 L/c
        ("largest", "f8"),  # eccentricity ratio above which forces do not grow
        # results of the last evaluation
        ("eccentricity", "f8", (3,)),  # m, of L's centre at t_f
        ("force", "f8", (3,)),  # N, on L
        ("torque", "f8"),  # N m, on L about the axis
        ("loss", "f8"),  # J, in the step
    ],
    align=True,
)


@kernel
def _find_axis(film, k, axis):
    """Fill axis (3,) with the bearing's unit axis at mid-step."""
    mean_axis(film["axis"], k.r_i, k.r_f, axis)
    size = length(axis)
    for i in range(3):
        axis[i] /= size


@kernel
def _turned(body, axis, sign):
    """sign times the rotation of a body in the step about the unit ``axis``, conjugate to its rows b."""
    turn = 0.0 * body.x[3]
    for i in range(3):
        for j in range(3):
            turn += 0.5 * sign * axis[i] * (body.r_i[i, j] + body.r_f[i, j]) * body.x[3 + j]
    return turn


@kernel
def _pressure_force(film, axis, e, v, force):
    """Fill force (3,), that of the film on K, from position e (m) and velocity v (m/s); returns sqrt(1 - eps**2)."""
    size, speed = length(e), length(v) + TINY
    scale = 1.0 / film.clearance + 0.0 * size
    if size.real > film.largest * film.clearance:
        scale = film.largest / size
    across = cross(axis, v)
    x, y = scale * dot(e, v) / speed, scale * dot(e, across) / speed
    along, aside = half_film(x, y)
    for i in range(3):
        force[i] = film.squeeze * (along * v[i] + aside * across[i])
    return np.sqrt(1.0 - x * x - y * y)


@kernel
def _put(body, sign, force, eta, torque, axis, out):
    """Fill out (5, 3): internal forces on a node, sign times ``force`` at its material point eta and ``torque``."""
    for i in range(3):
        out[0, i], out[4, i] = sign * force[i], 0.0
        for a in range(3):
            out[1 + a, i] = sign * (body.arm[a] + eta[a]) * force[i]
    for j in range(3):
        for i in range(3):
            out[4, j] += 0.5 * sign * (body.r_i[i, j] + body.r_f[i, j]) * torque * axis[i]


@kernel
def _velocity(k, l, dt, ends, axis, e, v):
    """Fill e and v (3,); returns the points of the bodies midway between the centres, in their axes."""
    for i in range(3):
        e[i], v[i] = 0.5 * (ends[0, i] + ends[1, i]), ends[1, i] - ends[0, i]
    # e includes its component along the mean axis, which a rotation may cause: a rigid motion then gives v = 0
    eta_k = material_point(k, (0.5 * e[0], 0.5 * e[1], 0.5 * e[2]))
    eta_l = material_point(l, (-0.5 * e[0], -0.5 * e[1], -0.5 * e[2]))
    remove_along(axis, e)
    for i in range(3):
        for a in range(3):
            v[i] += (l.r_f[i, a] - l.r_i[i, a]) * eta_l[a] - (k.r_f[i, a] - k.r_i[i, a]) * eta_k[a]
    remove_along(axis, v)
    for i in range(3):
        v[i] /= dt
    return eta_k, eta_l


@kernel
def film_forces(film, k, l, dt, ends, forces):
    """Fill forces (2, 5, 3) on K and L, internal ones; returns torque on K (N m) and loss (J).

    ends (2, 3): filled with the positions of L's centre from K's at t_i and t_f.
    """
    kind = forces.dtype
    axis, e, v, force = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    _find_axis(film, k, axis)
    set_distance(k.q_i, k.arm, l.q_i, l.arm, ends[0])
    set_distance(k.q_f, k.arm, l.q_f, l.arm, ends[1])
    eta_k, eta_l = _velocity(k, l, dt, ends, axis, e, v)
    thin = _pressure_force(film, axis, e, v, force)
    turn = _turned(l, axis, 1.0) + _turned(k, axis, -1.0)
    torque = film.shear / thin * turn / dt
    _put(k, -1.0, force, eta_k, torque, axis, forces[0])
    _put(l, 1.0, force, eta_l, torque, axis, forces[1])
    return torque, torque * turn + dot(force, v) * dt


@kernel(void(record(FILM)[::1], float64, matrix, array3, array3, array3, array3, array3, matrix))
def residual(films, dt, x, r_i, q_i, r_f, q_f, force_m, rows):
    """Add all films' forces times dt^2 to the ambient ones, force_m (n, 4, 3), and rows (n, 12); fills the records.

    x (n, 12), r_i, r_f (n, 3, 3) and q_i, q_f (n, 4, 3) are the motion of the nodes.
    """
    forces, ends, axis = np.empty((2, 5, 3)), np.empty((2, 3)), np.empty(3)
    for n in range(films.shape[0]):
        film = films[n]
        k, l = film.nodes[0], film.nodes[1]
        body_k = Body(x[k], film["arm"][0], q_i[k], q_f[k], r_i[k], r_f[k])
        body_l = Body(x[l], film["arm"][1], q_i[l], q_f[l], r_i[l], r_f[l])
        torque, loss = film_forces(film, body_k, body_l, dt, ends, forces)
        film.torque, film.loss = -torque, loss
        _find_axis(film, body_k, axis)
        remove_along(axis, ends[1])
        for i in range(3):
            film["eccentricity"][i], film["force"][i] = ends[1, i], -forces[1, 0, i]
        add_to_nodes(forces, film.nodes, dt * dt, force_m, rows)


@kernel
def _add_column(forces, scale, w_m, entries, data):
    """Add the contribution of the imaginary part of forces (5, 3) on a node to data at ``entries`` (12,).

    w_m (3, 3, 6) is the map of the directors; its own derivative is added by the node (`lin_m`).
    """
    for j in range(3):
        on_b, on_e = forces[4, j].imag, 0.0
        for a in range(3):
            for i in range(3):
                f = forces[1 + a, i].imag
                on_b += w_m[a, i, j] * f
                on_e += w_m[a, i, 3 + j] * f
        data[entries[j]] += scale * forces[0, j].imag
        data[entries[3 + j]] += scale * on_b
        data[entries[9 + j]] += scale * on_e


@kernel(void(record(FILM)[::1], float64, matrix, array3, array3, array4, array3, slots, vector))
def tangent(films, dt, x, r_i, q_i, w_m, lin_m, slots, data):
    """Add the films' tangents to the matrix values, and their ambient forces to lin_m (n, 4, 3).

    w_m (n, 3, 3, 6), slots (films, 24, 24).
    """
    dump = data.shape[0] - 1
    y, forces, ends = (
        np.empty((2, 12), np.complex128),
        np.zeros((2, 5, 3), np.complex128),
        np.empty((2, 3), np.complex128),
    )
    q_f, r_f, p = (
        np.empty((2, 4, 3), np.complex128),
        np.empty((2, 3, 3), np.complex128),
        np.empty((4, 3), np.complex128),
    )
    for n in range(films.shape[0]):
        film = films[n]
        k, l = film.nodes[0], film.nodes[1]
        for i in range(12):
            y[0, i], y[1, i] = x[k, i], x[l, i]
        body_k = Body(y[0], film["arm"][0], q_i[k], q_f[0], r_i[k], r_f[0])
        body_l = Body(y[1], film["arm"][1], q_i[l], q_f[1], r_i[l], r_f[1])
        for j in range(24):
            side, unknown = j // 12, j % 12
            # forces do not depend on c (unknowns 6 to 8); fixed unknowns have no column
            if (6 <= unknown < 9) or slots[n, j, j] == dump:
                continue
            y[side, unknown] += 1j * H
            node_configuration(y[0], r_i[k], q_i[k], q_f[0], p, r_f[0])
            node_configuration(y[1], r_i[l], q_i[l], q_f[1], p, r_f[1])
            film_forces(film, body_k, body_l, dt, ends, forces)
            y[side, unknown] = y[side, unknown].real
            for on in range(2):
                entries = slots[n, 12 * on : 12 * on + 12, j]
                _add_column(forces[on], dt * dt / H, w_m[film.nodes[on]], entries, data)
        for on in range(2):
            for a in range(4):
                for i in range(3):
                    lin_m[film.nodes[on], a, i] += dt * dt * forces[on, a, i].real


@kernel(void(record(FILM)[::1], vector))
def energies(films, out):
    """Set out (1,) to the energy dissipated by all films in the step."""
    out[0] = 0.0
    for n in range(films.shape[0]):
        out[0] += films[n].loss


@kernel(void(record(FILM)[::1], matrix))
def store_history(films, results):
    """Fill results (n, 7) of the converged step: eccentricity, force, torque."""
    for n in range(films.shape[0]):
        for i in range(3):
            results[n, i], results[n, 3 + i] = films[n]["eccentricity"][i], films[n]["force"][i]
        results[n, 6] = films[n].torque


@kernel(void(record(FILM)[::1], matrix, matrix))
def outputs(films, results, out):
    """Fill out (n, 8): eccentricity, its ratio, force, torque, from the results of the last step (n, 7)."""
    for n in range(films.shape[0]):
        square = 0.0
        for i in range(3):
            out[n, i], out[n, 4 + i] = results[n, i], results[n, 3 + i]
            square += results[n, i] * results[n, i]
        out[n, 3], out[n, 7] = np.sqrt(square) / films[n].clearance, results[n, 6]
