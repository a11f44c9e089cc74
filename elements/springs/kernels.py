"""Compiled springs with dampers: a scalar strain f(u), length or angle, of forms u_k of the vectors of two nodes.

With f_p = grad f(u_f).u_p, u_p = dt u'_f, the strain takes part in the scheme as those of beams do (`discrete_rule`):

    s_g = k [(f_j + f_f)/2 - f_0] + c Df/dt        s_d = k (f_f - f_j)/2 + c (f_p - Df)/dt

but f is not quadratic. Its forces on u are, with the discrete gradient G and the Hessian S of `springs.geometry`,

    Q_m = G (s_g - s_d/3) - S u_p s_g/6        Q_f = grad f(u_f) s_d/3 + S Du s_g/6

which is the rule with G in the place of B(qbar), S u_p and S Du in those of B(p) and of B's change. S is symmetric, so
Q_m.Du + Q_f.u_p = (s_g - s_d/3) Df + s_d/3 f_p = V_f - V_i + k (f_j - f_i)^2/2 + viscous loss exactly.
The mean force Q_m + Q_f is of third order: along a path with u_p - Du = dt^2 u''/2 the mean of grad f is its mean
along the chord less dt^2/12 S u'', which is G - S (u_p - Du)/6; for quadratic f it is the rule of the beams. The forms
u_k are linear or quadratic in the nodes' vectors: s_g' = Q_m + Q_f and s_d' = 3 Q_f act on them by that rule.
Source: docs/theory.md, section 2 (composition). Forces leave these kernels times dt^2.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.elements.springs.geometry import ANGLE, apply_hessian, discrete_gradient, strain
from fem_mbd.scheme.discrete_rule import Q_f, Q_m, composed, half_jump, jump, mean
from fem_mbd.scheme.form_kernels import add_forces, changes, form_fields, gather, value_and_rate

MAX_FORMS = 3
STEP = 1e-40  # of the complex step: derivatives exact to round-off

SPRING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("kind", "i8"),  # LENGTH or ANGLE
        ("forms", "i8"),
        *form_fields(MAX_FORMS),
        ("axis", "f8", (2, 3)),  # of an angle: axis 3 in the axes of K and of L
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("rest", "f8"),  # f_0, strain without force
        ("u_i", "f8", (MAX_FORMS,)),
        ("f_i", "f8"),
        # what the last evaluation found
        ("near", "f8"),  # estimate of f_f that decides between whole turns
        ("f_f", "f8"),
        ("f_p", "f8"),  # dt times the rate at t_f
        ("lin_g", "f8"),  # extrapolated stresses for the geometric stiffness
        ("lin_d", "f8"),
    ],
    align=True,
)


@bare_kernel
def _stress(spring, dt, u_f, u_p, grad):
    """f_f, f_p, s_g and s_d for the forms' values u_f and rates u_p (3,); fills grad f(u_f) (3,)."""
    f_i, f_f = spring.f_i, strain(spring.kind, u_f, spring.near, grad)
    f_p = 0.0 * f_f
    for k in range(spring.forms):
        f_p += grad[k] * u_p[k]
    change, viscosity = f_f - f_i, spring.damping / dt
    s_g = spring.stiffness * (mean(f_i, f_f, f_p) - spring.rest) + viscosity * change
    s_d = spring.stiffness * half_jump(f_i, f_f, f_p) + viscosity * (f_p - change)
    return f_f, f_p, s_g, s_d


@bare_kernel
def _force(spring, u_f, u_p, f_f, grad, s_g, s_d, scale, work, out):
    """Fill out (2, 3), scale times the stresses s_g' and s_d' on the forms; work (4, 3) scratch."""
    g, s_rate, s_change, v = work[0], work[1], work[2], work[3]
    kind, u_i, f_i = spring.kind, spring["u_i"], spring.f_i
    discrete_gradient(kind, u_i, f_i, u_f, f_f, g)
    for k in range(spring.forms):
        v[k] = u_f[k] - u_i[k]
    apply_hessian(kind, u_i, f_i, u_f, f_f, v, s_change)
    for k in range(spring.forms):
        v[k] = u_p[k] + 0.0 * s_g
    apply_hessian(kind, u_i, f_i, u_f, f_f, v, s_rate)
    for k in range(spring.forms):
        on_m, on_f = Q_m(g[k], s_rate[k], s_g, s_d), Q_f(grad[k], s_change[k], s_g, s_d)
        on_g, on_d = composed(on_m, on_f)
        out[0, k], out[1, k] = scale * on_g, scale * on_d


@bare_kernel
def find_forms(spring, y, p, u, u_p):
    """Fill values u and dt times rates u_p (3,) of the forms at the vectors y, which change by p (8, 3)."""
    for k in range(spring.forms):
        u[k], u_p[k] = value_and_rate(spring, k, y, p)


@bare_kernel
def _turn_of_step(axis, y_i, y_f, side):
    """Angle about ``axis`` (3,) by which a node turned in the step, in (-pi, pi)."""
    o = 4 * side + 1
    along, trace = 0.0, 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for i in range(3):
            trace += y_i[o + a, i] * y_f[o + a, i]
            along += axis[a] * (y_i[o + c, i] * y_f[o + b, i] - y_i[o + b, i] * y_f[o + c, i])
    return 2 * np.arctan2(along, 1 + trace)


@bare_kernel
def _begin(spring, near, q_i, y, v):
    """`begin_step` of one spring, whose strain is near ``near``; y (8, 3) and v (2, 3) scratch."""
    gather(spring, q_i, y)
    find_forms(spring, y, y, spring["u_i"], v[0])
    spring.f_i = strain(spring.kind, spring["u_i"], near, v[1])
    spring.lin_g = spring.stiffness * (spring.f_i - spring.rest)
    spring.lin_d = 0.0


@kernel
def begin_step(springs, history, q_i):
    """Forms and strain at t_i; history (n, 2) tells the whole turns. Extrapolated stresses start from the one there."""
    y, v = np.empty((8, 3)), np.empty((2, 3))
    for n in range(springs.shape[0]):
        _begin(springs[n], history[n, 0], q_i, y, v)


@bare_kernel
def _add_spring(spring, dt, q_i, q_f, p, force_m, force_f, y, v):
    """`residual` of one spring; y (3, 8, 3) and v (9, 3) scratch."""
    y_i, y_f, y_p, u_f, u_p, grad, s = y[0], y[1], y[2], v[0], v[1], v[2], v[7:]
    gather(spring, q_i, y_i)
    gather(spring, q_f, y_f)
    gather(spring, p, y_p)
    find_forms(spring, y_f, y_p, u_f, u_p)
    spring.near = spring.f_i
    if spring.kind == ANGLE:
        spring.near += _turn_of_step(spring["axis"][1], y_i, y_f, 1)
        spring.near -= _turn_of_step(spring["axis"][0], y_i, y_f, 0)
    spring.f_f, spring.f_p, s_g, s_d = _stress(spring, dt, u_f, u_p, grad)
    _force(spring, u_f, u_p, spring.f_f, grad, s_g, s_d, dt * dt, v[3:7], s)
    for k in range(spring.forms):
        add_forces(spring, k, y_i, y_f, y_p, s[0, k], s[1, k], force_m, force_f)


@kernel
def residual(springs, dt, q_i, q_f, p, force_m, force_f):
    """Add every spring's ambient forces times dt^2; note strains for the energy balance and the tangent.

    springs (n,) records; q_i, q_f, p and force_m, force_f (nodes, 4, 3).
    """
    y, v = np.empty((3, 8, 3)), np.empty((9, 3))
    for n in range(springs.shape[0]):
        _add_spring(springs[n], dt, q_i, q_f, p, force_m, force_f, y, v)


@bare_kernel
def _extrapolate(spring, dt, q_f, p, dq, dp, y, v):
    """`extrapolate` of one spring; y (4, 8, 3) and v (3, 3), which is complex, scratch."""
    gather(spring, q_f, y[0])
    gather(spring, p, y[1])
    gather(spring, dq, y[2])
    gather(spring, dp, y[3])
    for k in range(spring.forms):
        u_f, u_p = value_and_rate(spring, k, y[0], y[1])
        by_f, by_p = changes(spring, k, y[0], y[1], y[2], y[3])
        v[0, k], v[1, k] = u_f + 1j * STEP * by_f, u_p + 1j * STEP * by_p
    _, _, s_g, s_d = _stress(spring, dt, v[0], v[1], v[2])
    spring.lin_g, spring.lin_d = s_g.real + s_g.imag / STEP, s_d.real + s_d.imag / STEP


@kernel
def extrapolate(springs, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses at the last tangent's iterate plus their first-order change by (dq, dp)."""
    y, v = np.empty((4, 8, 3)), np.empty((3, MAX_FORMS), np.complex128)
    for n in range(springs.shape[0]):
        _extrapolate(springs[n], dt, q_f, p, dq, dp, y, v)


@bare_kernel
def energies(springs, dt, out):
    """Add the potential at t_f, the scheme's dissipation and the dampers' of the step to out (3,), J."""
    for n in range(springs.shape[0]):
        spring = springs[n]
        change = spring.f_f - spring.f_i
        lost, rest = jump(spring.f_i, spring.f_f, spring.f_p), spring.f_p - change
        out[0] += 0.5 * spring.stiffness * (spring.f_f - spring.rest) ** 2
        out[1] += 0.5 * spring.stiffness * lost**2
        out[2] += spring.damping * (change**2 + rest**2 / 3) / dt


@bare_kernel
def remember(springs, dt, history):
    """Fill history (n, 2): strain at t_f and its rate there."""
    for n in range(springs.shape[0]):
        history[n, 0], history[n, 1] = springs[n].f_f, springs[n].f_p / dt
