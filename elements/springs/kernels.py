"""Strain measures, forces and energies of springs with viscous dampers: lengths, relative angles, cables (compiled).

Strain measures f of the vectors u.
Length: u = x_L - x_K (3 components), f = |u|. Square, of cables: the same u, f = u.u/2.
Angle: u = (A, B), A = e1K.e1L + e2K.e2L, B = e2K.e1L - e1K.e2L, so that
f = atan2(B, A) is the rotation angle of L about axis 3 relative to K (the twist angle if the axes are not quite
parallel); whole revolutions are counted by choosing the value nearest to a given one.

The force of a stress s on u is s grad f. The rule (docs/explanation/theory.md, 2) needs over a step

    G   a discrete gradient, G.Du = f_f - f_i exactly, equal to the mean of grad f along the chord up to O(dt^4)
    S   the Hessian of f in the middle of the step, up to O(dt^2), symmetric

With sigma = |u_i| + |u_f| and rho2 = |Du|^2/sigma^2 the mean of grad |u| along the chord is

    [2 ubar (1 + rho2/3 + ...) - Du Df/sigma (1/3 + ...)]/sigma;

truncated after the terms shown it is still an exact discrete gradient. That of the angle is, with phi_m the mean angle
and rbar the mean of |u|, (Df/2)/sin(Df/2) (-sin phi_m, cos phi_m)/rbar: exact for any |Df| < 2 pi.
That of the square is the mean of u, its Hessian the identity.

Vectors are three numbers each, those of an angle end with a zero; u may be an array (3,). Functions are generic in the
type of u_f, for complex steps.

Stresses. With f_p = grad f(u_f).u_p, u_p = dt u'_f, the strain enters the scheme as beam strains do (`discrete_rule`):

    s_g = k [(f_j + f_f)/2 - f_0] + c Df/dt        s_d = k (f_f - f_j)/2 + c (f_p - Df)/dt

with, for a cubic term c (f - f_0)^3, e = f - f_0: its mean along the strain from e_j to e_f, and that less its value at
e_j; so the potential grows by their work less c (e_j - e_i)^2 (3 e_j^2 + 2 e_j e_i + e_i^2)/4, which is never negative.
A spring that only pulls has the potential V = k max(e, 0)^2/2: its force enters likewise, as the mean of V' from e_j to
e_f, and that less V'(e_j). V is convex, so that the loss V_i - V_j - V'_j (e_i - e_j) is not negative either. Its
damper acts in the steps that begin with e > 0.

Forces. f is not quadratic: its forces on u are, with G and S,

    Q_m = G (s_g - s_d/3) - S u_p s_g/6        Q_f = grad f(u_f) s_d/3 + S Du s_g/6

which is the rule with G in place of B(qbar), and S u_p and S Du in place of B(p) and the change of B. S is symmetric,
so Q_m.Du + Q_f.u_p = (s_g - s_d/3) Df + s_d/3 f_p = V_f - V_i + k (f_j - f_i)^2/2 + viscous loss exactly. The mean
force Q_m + Q_f is of third order: along a path with u_p - Du = dt^2 u''/2 the mean of grad f is its mean along the
chord less dt^2/12 S u'', which is G - S (u_p - Du)/6; for quadratic f it equals the rule of beams. u of a length is
linear in the vectors, so Q_m and Q_f act at its points as they are. u of an angle are quadratic forms: s_g' = Q_m + Q_f
and s_d' = 3 Q_f act on them by the rule. Source: theory.md, section 2 (composition). Forces leave these kernels
times dt^2.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.compiled.vectors import dot, length
from fem_mbd.core.model.workspace import Forces, Motion
from fem_mbd.core.scheme.constraints.forms import (
    add_forces,
    changes,
    form_fields,
    gather,
    value_and_rate,
)
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, composed, half_jump, jump, mean

LENGTH, ANGLE, SQUARE = 0, 1, 2
FULL_TURN = 2 * np.pi


@kernel
def radius(u):
    """|u| of an angle's two components."""
    return np.sqrt(u[0] * u[0] + u[1] * u[1])


@kernel
def strain(kind, u, near):
    """f(u), for angles the value nearest to ``near``, and its gradient."""
    if kind == LENGTH:
        value = length(u)
        return value, (u[0] / value, u[1] / value, u[2] / value)
    if kind == SQUARE:
        return 0.5 * dot(u, u), (u[0] + 0.0, u[1] + 0.0, u[2] + 0.0)
    a, b = u[0], u[1]
    principal = np.arctan2(b.real, a.real)
    principal += FULL_TURN * np.rint((near - principal) / FULL_TURN)
    c, s = np.cos(principal), np.sin(principal)
    size = a * a + b * b
    # the correction is zero up to round-off for real numbers and adds the complex-step derivative
    return principal + (b * c - a * s) / (a * c + b * s), (-b / size, a / size, 0.0 * a)


@kernel
def half_over_sine(d):
    """(d/2)/sin(d/2), regular at zero."""
    if np.abs(d.real) < 1e-3:
        return 1 + d * d / 24 + 7 * d * d * d * d / 5760
    return 0.5 * d / np.sin(0.5 * d)


@kernel
def discrete_gradient(kind, u_i, f_i, u_f, f_f):
    """G between u_i (strain f_i) and u_f (strain f_f)."""
    change = f_f - f_i
    if kind == LENGTH:
        sigma = f_i + f_f
        d = u_f[0] - u_i[0], u_f[1] - u_i[1], u_f[2] - u_i[2]
        along, back = (1 + dot(d, d) / (3 * sigma * sigma)) / sigma, change / (3 * sigma * sigma)
        return (
            (u_i[0] + u_f[0]) * along - d[0] * back,
            (u_i[1] + u_f[1]) * along - d[1] * back,
            (u_i[2] + u_f[2]) * along - d[2] * back,
        )
    if kind == SQUARE:
        return 0.5 * (u_i[0] + u_f[0]), 0.5 * (u_i[1] + u_f[1]), 0.5 * (u_i[2] + u_f[2])
    middle = 0.5 * (f_i + f_f)
    scale = 2 * half_over_sine(change) / (radius(u_i) + radius(u_f))
    return -scale * np.sin(middle), scale * np.cos(middle), 0.0 * scale


@kernel
def hessian_times(kind, u_i, f_i, u_f, f_f, v):
    """S v; with equal ends it is the Hessian of f there. f_i and f_f are the strains at both ends of the step."""
    if kind == LENGTH:
        # (1 - n n^T)/|u| with n = (u_i + u_f)/sigma, |u| = sigma/2: regular also where the mid-point is zero
        r = 1 / (f_i + f_f)
        n = r * (u_i[0] + u_f[0]), r * (u_i[1] + u_f[1]), r * (u_i[2] + u_f[2])
        along = dot(n, v)
        return 2 * r * (v[0] - n[0] * along), 2 * r * (v[1] - n[1] * along), 2 * r * (v[2] - n[2] * along)
    if kind == SQUARE:
        unit = 1.0 + 0.0 * f_f  # of the type of f_f
        return unit * v[0], unit * v[1], unit * v[2]
    rbar = 0.5 * (radius(u_i) + radius(u_f))
    c, s = np.cos(f_i + f_f) / (rbar * rbar), np.sin(f_i + f_f) / (rbar * rbar)
    return s * v[0] - c * v[1], -c * v[0] - s * v[1], 0.0 * c


FORMS = 2  # of an angle
TINY = 1e-300  # avoids 0/0 where two points coincide

SPRING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("kind", "i8"),  # LENGTH, ANGLE or SQUARE
        ("arm", "f8", (2, 3)),  # of a length: its points from the mass centres, node axes
        *form_fields(FORMS),  # of an angle
        ("axis", "f8", (2, 3)),  # of an angle: axis 3 in the axes of K and of L
        ("stiffness", "f8"),
        ("cubic", "f8"),  # c of c (f - f_0)^3
        ("damping", "f8"),
        ("rest", "f8"),  # f_0, strain without force
        ("pulls", "i8"),  # 1: no force while f < f_0
        ("u_i", "f8", (3,)),
        ("f_i", "f8"),
        ("viscous", "f8"),  # N s/m, of this step
        ("beside", "f8"),  # force of what acts beside it at the strain beside_at, and its slope (`parallel`)
        ("beside_at", "f8"),
        ("beside_slope", "f8"),
        # results of the last evaluation
        ("near", "f8"),  # estimate of f_f that selects the number of whole revolutions
        ("f_f", "f8"),
        ("f_p", "f8"),  # dt times the rate at t_f
        ("lin_g", "f8"),  # extrapolated stresses for the geometric stiffness
        ("lin_d", "f8"),
    ],
    align=True,
)


@kernel
def strains(spring, f_f, f_p):
    """e_j and e_f."""
    middle, half = mean(spring.f_i, f_f, f_p) - spring.rest, half_jump(spring.f_i, f_f, f_p)
    return middle - half, middle + half


@kernel
def mean_pull(e_j, e_f):
    """Mean of max(e, 0) from e_j to e_f, less its value at e_j as second number."""
    a, b = e_j.real > 0.0, e_f.real > 0.0
    if a and b:
        return 0.5 * (e_j + e_f), 0.5 * (e_f - e_j)
    if a:
        pull = 0.5 * e_j * e_j / (e_j - e_f)
        return pull, pull - e_j
    if b:
        pull = 0.5 * e_f * e_f / (e_f - e_j)
        return pull, pull
    return 0.0 * e_f, 0.0 * e_f


@kernel
def stress(spring, dt, f_f, f_p):
    """s_g and s_d for the strain at t_f and dt times its rate there."""
    f_i, change, viscosity = spring.f_i, f_f - spring.f_i, spring.viscous / dt
    e_j, e_f = strains(spring, f_f, f_p)
    if spring.pulls:
        pull, less = mean_pull(e_j, e_f)
        return (
            spring.stiffness * pull + viscosity * change,
            spring.stiffness * less + viscosity * (f_p - change),
        )
    cubic = 0.25 * spring.cubic * (e_j + e_f) * (e_j * e_j + e_f * e_f)
    s_g = spring.stiffness * (mean(f_i, f_f, f_p) - spring.rest) + viscosity * change
    s_d = spring.stiffness * half_jump(f_i, f_f, f_p) + viscosity * (f_p - change)
    s_g += spring.beside + spring.beside_slope * (f_f - spring.beside_at)
    return s_g + cubic, s_d + cubic - spring.cubic * e_j * e_j * e_j


@kernel
def gradients(spring, u_f, u_p, f_f):
    """G, S u_p and S Du, three numbers each."""
    kind, u_i, f_i = spring.kind, spring["u_i"], spring.f_i
    change = u_f[0] - u_i[0], u_f[1] - u_i[1], u_f[2] - u_i[2]
    return (
        discrete_gradient(kind, u_i, f_i, u_f, f_f),
        hessian_times(kind, u_i, f_i, u_f, f_f, u_p),
        hessian_times(kind, u_i, f_i, u_f, f_f, change),
    )


@kernel
def forces(spring, u_f, u_p, f_f, g, s_g, s_d):
    """Q_m and Q_f on u, three numbers each; g is grad f(u_f)."""
    m, p, c = gradients(spring, u_f, u_p, f_f)
    return (
        (Q_m(m[0], p[0], s_g, s_d), Q_m(m[1], p[1], s_g, s_d), Q_m(m[2], p[2], s_g, s_d)),
        (Q_f(g[0], c[0], s_g, s_d), Q_f(g[1], c[1], s_g, s_d), Q_f(g[2], c[2], s_g, s_d)),
    )


@kernel
def _position(arm, q, i):
    return q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i]


@kernel
def _apart(spring, q):
    """x_L - x_K of a length; with changes of the vectors as q (n, 4, 3), its change."""
    on_k, on_l, q_k, q_l = spring["arm"][0], spring["arm"][1], q[spring.nodes[0]], q[spring.nodes[1]]
    return (
        _position(on_l, q_l, 0) - _position(on_k, q_k, 0),
        _position(on_l, q_l, 1) - _position(on_k, q_k, 1),
        _position(on_l, q_l, 2) - _position(on_k, q_k, 2),
    )


@kernel
def components(spring, q, p, y):
    """u and dt times its rate, from q and p (n, 4, 3); for an angle also fill y (2, 8, 3) with those of its nodes."""
    if spring.kind != ANGLE:
        return _apart(spring, q), _apart(spring, p)
    gather(spring, q, y[0])
    gather(spring, p, y[1])
    a, a_p = value_and_rate(spring, 0, y[0], y[1])
    b, b_p = value_and_rate(spring, 1, y[0], y[1])
    return (a, b, 0.0), (a_p, b_p, 0.0)


@kernel
def _push(spring, side, on_m, on_f, scale, force_m, force_f):
    """Add scale times the forces of a length, on_m and on_f at its point, to a body's ambient forces."""
    n, arm = spring.nodes[side], spring["arm"][side]
    for i in range(3):
        m, f = scale * on_m[i], scale * on_f[i]
        force_m[n, 0, i] += m
        force_f[n, 0, i] += f
        for a in range(3):
            force_m[n, 1 + a, i] += arm[a] * m
            force_f[n, 1 + a, i] += arm[a] * f


@kernel
def push(spring, y, on_m, on_f, scale, on_nodes):
    """Add scale times the forces on_m and on_f conjugate to u to the nodes' ambient forces, a `Forces`.

    y (3, 8, 3) : of an angle, the vectors of its nodes at t_i, at t_f, and dt times their rates there
    """
    force_m, force_f = on_nodes
    if spring.kind != ANGLE:
        _push(spring, 0, on_m, on_f, -scale, force_m, force_f)
        _push(spring, 1, on_m, on_f, scale, force_m, force_f)
        return
    for k in range(FORMS):
        s_g, s_d = composed(scale * on_m[k], scale * on_f[k])
        add_forces(spring, k, y[0], y[1], y[2], s_g, s_d, force_m, force_f)


@kernel
def _turn_of_step(axis, y_i, y_f, side):
    """Rotation angle of a node about ``axis`` (3,) in the step, in (-pi, pi)."""
    o = 4 * side + 1
    along, trace = 0.0, 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for i in range(3):
            trace += y_i[o + a, i] * y_f[o + a, i]
            along += axis[a] * (y_i[o + c, i] * y_f[o + b, i] - y_i[o + b, i] * y_f[o + c, i])
    return 2 * np.arctan2(along, 1 + trace)


@kernel
def near_strain(spring, y_i, y_f):
    """Estimate of the strain at t_f from the rotations of both nodes; vectors (8, 3) at the ends of the step."""
    if spring.kind != ANGLE:
        return spring.f_i
    of_l = _turn_of_step(spring["axis"][1], y_i, y_f, 1)
    return spring.f_i + of_l - _turn_of_step(spring["axis"][0], y_i, y_f, 0)


@kernel(void(record(SPRING)[::1], matrix, array3))
def begin_step(springs, history, q_i):
    """u, strain and extrapolated stresses at t_i; history (n, 2) determines whole revolutions."""
    y = np.empty((2, 8, 3))
    for n in range(springs.shape[0]):
        spring = springs[n]
        u, _ = components(spring, q_i, q_i, y)
        spring["u_i"][0], spring["u_i"][1], spring["u_i"][2] = u
        spring.f_i, _ = strain(spring.kind, u, history[n, 0])
        e = spring.f_i - spring.rest
        slack = spring.pulls and e < 0.0
        spring.viscous = 0.0 if slack else spring.damping
        spring.lin_g = 0.0 if slack else (spring.stiffness + spring.cubic * e * e) * e
        spring.lin_d = 0.0


@kernel
def _add_spring(spring, dt, motion, on_nodes, y):
    """`residual` of one spring; y (3, 8, 3) scratch."""
    q_i, q_f, p = motion
    u_f, u_p = components(spring, q_f, p, y[1:])
    if spring.kind == ANGLE:
        gather(spring, q_i, y[0])
    spring.near = near_strain(spring, y[0], y[1])
    spring.f_f, g = strain(spring.kind, u_f, spring.near)
    spring.f_p = dot(g, u_p)
    s_g, s_d = stress(spring, dt, spring.f_f, spring.f_p)
    on_m, on_f = forces(spring, u_f, u_p, spring.f_f, g, s_g, s_d)
    push(spring, y, on_m, on_f, dt * dt, on_nodes)


@kernel(void(record(SPRING)[::1], float64, Motion, Forces))
def residual(springs, dt, motion, on_nodes):
    """Add every spring's ambient forces; store strains for the energy balance and the tangent. springs (n,) records."""
    y = np.empty((3, 8, 3))
    for n in range(springs.shape[0]):
        _add_spring(springs[n], dt, motion, on_nodes, y)


@kernel
def _component_changes(spring, dq, dp, y):
    """Changes of u and of dt times its rate by dq and dp; y (4, 8, 3), its first two filled by `components`."""
    if spring.kind != ANGLE:
        return _apart(spring, dq), _apart(spring, dp)
    gather(spring, dq, y[2])
    gather(spring, dp, y[3])
    a, a_p = changes(spring, 0, y[0], y[1], y[2], y[3])
    b, b_p = changes(spring, 1, y[0], y[1], y[2], y[3])
    return (a, b, 0.0), (a_p, b_p, 0.0)


@kernel(void(record(SPRING)[::1], float64, array3, array3, array3, array3))
def extrapolate(springs, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses with the strains of the last tangent's iterate plus their change by (dq, dp)."""
    y = np.empty((4, 8, 3))
    for n in range(springs.shape[0]):
        spring = springs[n]
        u, u_p = components(spring, q_f, p, y[:2])
        by_u, by_p = _component_changes(spring, dq, dp, y)
        f, g = strain(spring.kind, u, spring.near)
        curved = hessian_times(spring.kind, u, f, u, f, by_u)
        spring.lin_g, spring.lin_d = stress(
            spring, dt, f + dot(g, by_u), dot(g, u_p) + dot(g, by_p) + dot(curved, u_p)
        )


@kernel
def pull_loss(e_i, e_j):
    """P_i - P_j - 2 max(e_j, 0) (e_i - e_j) with P = max(e, 0)^2, without cancellation."""
    if e_j > 0.0:
        return (e_i - e_j) ** 2 if e_i > 0.0 else e_j * (e_j - 2.0 * e_i)
    return max(e_i, 0.0) ** 2


@kernel(void(record(SPRING)[::1], float64, vector))
def energies(springs, dt, out):
    """Add the potential at t_f, the scheme's dissipation and the dampers' of the step to out (3,), J."""
    for n in range(springs.shape[0]):
        spring = springs[n]
        change = spring.f_f - spring.f_i
        lost, rest = jump(spring.f_i, spring.f_f, spring.f_p), spring.f_p - change
        e_i, (e_j, e_f) = spring.f_i - spring.rest, strains(spring, spring.f_f, spring.f_p)
        out[2] += spring.viscous * (change**2 + rest**2 / 3) / dt
        if spring.pulls:
            out[0] += 0.5 * spring.stiffness * max(e_f, 0.0) ** 2
            out[1] += 0.5 * spring.stiffness * pull_loss(e_i, e_j)
            continue
        out[0] += (0.5 * spring.stiffness + 0.25 * spring.cubic * e_f**2) * e_f**2
        out[1] += (
            0.5 * spring.stiffness + 0.25 * spring.cubic * (3 * e_j**2 + 2 * e_j * e_i + e_i**2)
        ) * lost**2


@kernel(void(record(SPRING)[::1], float64, matrix))
def store_history(springs, dt, history):
    """Fill history (n, 2): strain at t_f and its rate there."""
    for n in range(springs.shape[0]):
        history[n, 0], history[n, 1] = springs[n].f_f, springs[n].f_p / dt


@kernel(void(record(SPRING)[::1], matrix, matrix))
def outputs(springs, history, out):
    """Fill out (n, 3): length or angle, its rate, and tension or torque on K, from the history."""
    for n in range(springs.shape[0]):
        spring, value, rate = springs[n], history[n, 0], history[n, 1]
        e, force = value - spring.rest, 0.0
        if not (spring.pulls and e < 0.0):
            force = (spring.stiffness + spring.cubic * e * e) * e + spring.damping * rate
        if spring.kind == SQUARE:  # f = l^2/2: f' = l l', and s f' = (s l) l'
            value = np.sqrt(2.0 * value)
            rate, force = rate / value, force * value
        out[n, 0], out[n, 1], out[n, 2] = value, rate, force


@kernel(void(record(SPRING)[::1], matrix))
def stretches(springs, out):
    """Fill out (1, n) with the amounts of strain, from the natural length, of elements of cables at t_f.

    A slack element that cannot push has none.
    """
    for n in range(springs.shape[0]):
        spring = springs[n]
        strain = np.sqrt(spring.f_f / spring.rest) - 1.0
        out[0, n] = max(strain, 0.0) if spring.pulls else abs(strain)


@kernel(void(record(SPRING)[::1], array3, array3, matrix))
def measure(springs, q_i, q_f, out):
    """Fill out (2, n): |Du|/(|u_i| + |u_f|) of lengths, angle (rad) between the axes of torsion springs; else zero."""
    for s in range(springs.shape[0]):
        spring = springs[s]
        out[0, s] = out[1, s] = 0.0
        if spring.kind == LENGTH:
            u_i, u_f = _apart(spring, q_i), _apart(spring, q_f)
            change = u_f[0] - u_i[0], u_f[1] - u_i[1], u_f[2] - u_i[2]
            out[0, s] = length(change) / max(length(u_i) + length(u_f), TINY)
        elif spring.kind == ANGLE:
            cosine, (k, l) = 0.0, (spring.nodes[0], spring.nodes[1])
            for i in range(3):
                on_k, on_l = 0.0, 0.0
                for a in range(3):
                    on_k += spring["axis"][0, a] * q_f[k, 1 + a, i]
                    on_l += spring["axis"][1, a] * q_f[l, 1 + a, i]
                cosine += on_k * on_l
            out[1, s] = np.arccos(min(max(cosine, -1.0), 1.0))
