"""Material and geometric stiffness of a beam element, the latter from extrapolated stresses (compiled).

With B(z) the derivative of the strains, the changes of strains and of their rates at t_f, and the motions that
stresses act on, are the rows

    E_f = B(z_f) D_q        E_p = B(z_p) D_q + B(z_f) D_p
    A_g = B(zbar - z_p/6) W_m + B(Dz/6) W_f        A_d = B(-zbar/3) W_m + B(z_f/3) W_f

(W_m, W_f, D_q, D_p as in `node_map`, u' on the reference line), and a Gauss point of stiffness C and viscosity D adds,
with mean and half-jump of the rows as of any quantity (`discrete_rule`),

    K = dt^2 w [A_g^T (C mean + D E_f/dt) + A_d^T (C half_jump + D (E_p - E_f)/dt)] + geometric.

The rows need no maps of single directors (`strain_rows`). The columns of E_f and E_p are those of (a, phi, c, domega)
until the block of a node is whole, see `form_tangent`.

In the geometric part a stress couples the vectors of two nodes component by component, as a quadratic form does, so
four by four numbers per pair of nodes hold all of it. It uses the linearly extrapolated stresses of the previous
iterate: with the current ones, Newton diverges for stiff axial or shear strains. Source: theory.md, section 6.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross
from fem_mbd.core.scheme.constraints.form_tangent import NodeTurn, add_form
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, half_jump, mean, rates
from fem_mbd.elements.beam.gauss_point import add_forces, interpolate, store_point, stored_point
from fem_mbd.elements.beam.strain_rows import add_aside, add_turn_of_rate, plus, seen, set_place, set_turn


@kernel
def _is_aside(element, m):
    """Whether the reference line runs beside the mass centre of the m-th node."""
    off = element["offset"][m]
    return off[0] != 0.0 or off[1] != 0.0 or off[2] != 0.0


@kernel
def _set_places(at_m, at_f, slope, rows, first, col):
    """Columns of a and c of a node at ``col``: its place moves by a, with at_m (3, 7), and by a + c, with at_f."""
    set_place(at_f, slope, rows, first, col + 6)
    for a in range(3):
        for i in range(3):
            rows[first + a, col + i] = rows[first + a, col + 6 + i] + slope * at_m[i, 1 + a]


@kernel
def set_rows(element, g, m, node, z, y, tested, row, moving):
    """Columns of the m-th node in the rows of Gauss point g.

    tested : from ``row`` on A_g and A_d; moving : (12, 12 nn) E_f and E_p; node : its `NodeTurn`; z (3, 3, 7)
    and y (4, 3, 7) as of `begin_gauss`.
    """
    s, on_e, r_f, x = node
    shape, slope, col = element["shape"][g, m], element["slope"][g, m], 12 * m
    omega = x[3] + x[9], x[4] + x[10], x[5] + x[11]
    at_end, changed = seen(z[1], r_f, shape, slope), seen(y[1], r_f, shape, slope)
    set_place(z[1], slope, moving, 0, col)
    _set_places(z[2], z[1], slope, moving, 6, col)
    set_turn(at_end, moving, 0, col + 3)
    set_turn(seen(z[2], r_f, shape, slope), moving, 6, col + 3)
    add_turn_of_rate(at_end, omega, moving, 6, col + 3)
    set_turn(at_end, moving, 6, col + 9)
    _set_places(y[0], y[1], slope, tested, row, col)
    _set_places(y[2], y[3], slope, tested, row + 6, col)
    set_turn(plus(seen(y[0], s, shape, slope), 1.0, changed), tested, row, col + 3)
    set_turn(plus(seen(y[0], on_e, shape, slope), 1.0, changed), tested, row, col + 9)
    # y[3] is a third of z_f
    set_turn(plus(seen(y[2], s, shape, slope), 1.0 / 3.0, at_end), tested, row + 6, col + 3)
    set_turn(plus(seen(y[2], on_e, shape, slope), 1.0 / 3.0, at_end), tested, row + 6, col + 9)
    if _is_aside(element, m):
        _add_aside(element["offset"][m], slope, node, omega, z, y, tested, row, moving, col)


@kernel
def _add_aside(off, slope, node, omega, z, y, tested, row, moving, col):
    """What `set_rows` leaves out where the reference line runs beside the mass centre, at ``off`` (3,)."""
    s, on_e, r_f, _ = node
    turned = cross(omega, off)
    own = off[0], off[1], off[2]
    add_aside(z[1], r_f, slope, own, moving, 0, col + 3)
    add_aside(z[2], r_f, slope, own, moving, 6, col + 3)
    add_aside(z[1], r_f, slope, turned, moving, 6, col + 3)
    add_aside(z[1], r_f, slope, own, moving, 6, col + 9)
    for stress in range(2):
        first, at_m, at_f = row + 6 * stress, y[2 * stress], y[2 * stress + 1]
        add_aside(at_m, s, slope, own, tested, first, col + 3)
        add_aside(at_f, r_f, slope, own, tested, first, col + 3)
        add_aside(at_m, on_e, slope, own, tested, first, col + 9)
        add_aside(at_f, r_f, slope, own, tested, first, col + 9)


@kernel
def _arguments(z, y):
    """Fill y (4, 3, 7), where B is taken: Q_m = B(y[0])^T s_g + B(y[2])^T s_d, Q_f = B(y[1])^T s_g + B(y[3])^T s_d.

    z (3, 3, 7) : z_i, z_f, z_p
    """
    for i in range(3):
        for v in range(7):
            z_i, z_f, z_p = z[0, i, v], z[1, i, v], z[2, i, v]
            y[0, i, v], y[1, i, v] = Q_m(0.5 * (z_i + z_f), z_p, 1.0, 0.0), Q_f(z_f, z_f - z_i, 1.0, 0.0)
            y[2, i, v], y[3, i, v] = Q_m(0.5 * (z_i + z_f), z_p, 0.0, 1.0), Q_f(z_f, z_f - z_i, 0.0, 1.0)


@kernel
def _six(s):
    """Six numbers from an array (6,)."""
    return s[0], s[1], s[2], s[3], s[4], s[5]


@kernel
def begin_gauss(element, g, scale, q_f, p, z, y, lin_m, lin_f):
    """Fill z (3, 3, 7) = z_i, z_f, z_p and y of `_arguments`; add the forces of the extrapolated stresses.

    q_f, p and the forces' sums lin_m, lin_f are (n, 4, 3), y (4, 3, 7).
    """
    z_i, z_f, z_p = stored_point(element, g), interpolate(q_f, element, g), interpolate(p, element, g)
    s_g, s_d = _six(element["lin_g"][g]), _six(element["lin_d"][g])
    add_forces(element, g, z_i, z_f, z_p, s_g, s_d, scale, lin_m, lin_f)
    store_point(z_i, z[0])
    store_point(z_f, z[1])
    store_point(z_p, z[2])
    _arguments(z, y)


@kernel
def set_law(element, g, dt, scale, law):
    """Fill law (12, 12), transposed: scale times the changes of (s_g, s_d) by (E_f, E_p).

    mean, half-jump and rates are those of a change from zero: nothing changes at t_i.
    """
    for r in range(6):
        for k in range(6):
            c = scale * element["stiffness"][g, r, k]
            law[k, r], law[6 + k, r] = mean(0.0, c, 0.0), mean(0.0, 0.0, c)
            law[k, 6 + r], law[6 + k, 6 + r] = half_jump(0.0, c, 0.0), half_jump(0.0, 0.0, c)
            if element.viscous:
                d = scale / dt * element["viscosity"][g, r, k]
                of_f, of_p = rates(0.0, 1.0, 0.0, d), rates(0.0, 0.0, 1.0, d)
                law[k, r] += of_f[0]
                law[k, 6 + r] += of_f[1]
                law[6 + k, r] += of_p[0]
                law[6 + k, 6 + r] += of_p[1]


@kernel
def sum_stresses(element, g, weight, h):
    """h (2, nn, nn, 4, 4) += stresses s_g and s_d between vectors (u', d_1..3) of a tested and of a moving node."""
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            dn = weight * element["slope"][g, n] * element["shape"][g, m]
            nd = weight * element["shape"][g, n] * element["slope"][g, m]
            for a in range(3):
                b, c = 1 + (a + 1) % 3, 1 + (a + 2) % 3
                for x in range(2):
                    stress = element["lin_d"][g] if x else element["lin_g"][g]
                    h[x, n, m, 0, 1 + a] += dn * stress[a]
                    h[x, n, m, 1 + a, 0] += nd * stress[a]
                    h[x, n, m, b, c] += 0.5 * (dn - nd) * stress[3 + a]
                    h[x, n, m, c, b] -= 0.5 * (dn - nd) * stress[3 + a]


@kernel
def _put_aside(h, off_n, off_m):
    """Forces on the reference line and its motion by the directors of both nodes, at off_n and off_m (3,); h (4, 4)."""
    for a in range(3):
        for b in range(4):
            h[1 + a, b] += off_n[a] * h[0, b]
    for b in range(3):
        for a in range(4):
            h[a, 1 + b] += off_m[b] * h[a, 0]


@kernel
def add_geometric(element, h, s, on_e, r_f, x, k, form, products):
    """k (12 nn, 12 nn) += geometric part; s, on_e, r_f (nn, 3, 3) of its nodes, x (n, 12) of all.

    form and products are scratch as in `add_form`.
    """
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            if _is_aside(element, n) or _is_aside(element, m):
                for stress in range(2):
                    _put_aside(h[stress, n, m], element["offset"][n], element["offset"][m])
            still = NodeTurn(s[n], on_e[n], r_f[n], x[element.nodes[n]])
            moved = NodeTurn(s[m], on_e[m], r_f[m], x[element.nodes[m]])
            add_form(h[0, n, m], h[1, n, m], still, moved, k, 12 * n, 12 * m, form, products)
