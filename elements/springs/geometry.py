"""Length and relative angle as scalar strains f(u) of a few components, with what the discrete rule needs of them.

Length: u = x_L - x_K (3 components), f = |u|. Angle: u = (A, B), A = e1K.e1L + e2K.e2L, B = e2K.e1L - e1K.e2L, so that
f = atan2(B, A) is the angle by which L is turned about axis 3 with respect to K (its twist, if the axes are not quite
parallel); whole turns are kept by choosing the value nearest to a given one.

The force of a stress s on u is s grad f. The rule (docs/theory.md, 2) needs over a step

    G   a discrete gradient, G.Du = f_f - f_i exactly, equal to the mean of grad f along the chord up to O(dt^4)
    S   the Hessian of f in the middle of the step, up to O(dt^2), symmetric

With sigma = |u_i| + |u_f| and rho2 = |Du|^2/sigma^2 the mean of grad |u| along the chord is

    [2 ubar (1 + rho2/3 + ...) - Du Df/sigma (1/3 + ...)]/sigma;

cut after the terms shown it is still an exact discrete gradient. That of the angle is, with phi_m the mean angle and
rbar the mean of |u|, (Df/2)/sin(Df/2) (-sin phi_m, cos phi_m)/rbar: exact for any |Df| < 2 pi.

All functions are generic in the type of u_f, so that the tangent can be had by complex step.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel

LENGTH, ANGLE = 0, 1
TURN = 2 * np.pi


@bare_kernel
def _norm(u, m):
    """|u| of the first m numbers of u (3,)."""
    s = u[0] * u[0]
    for i in range(1, m):
        s += u[i] * u[i]
    return np.sqrt(s)


@bare_kernel
def strain(kind, u, near, grad):
    """f(u), for angles the value nearest to ``near``; fills its gradient."""
    if kind == LENGTH:
        value = _norm(u, 3)
        for i in range(3):
            grad[i] = u[i] / value
        return value
    a, b = u[0], u[1]
    principal = np.arctan2(b.real, a.real)
    principal += TURN * np.round((near - principal) / TURN)
    c, s = np.cos(principal), np.sin(principal)
    size = a * a + b * b
    grad[0], grad[1] = -b / size, a / size
    # zero up to round-off in real arithmetic; it carries the derivative in complex arithmetic
    return principal + (b * c - a * s) / (a * c + b * s)


@bare_kernel
def _half_over_sine(d):
    """(d/2)/sin(d/2), regular at zero."""
    if np.abs(d.real) < 1e-3:
        return 1 + d * d / 24 + 7 * d * d * d * d / 5760
    return 0.5 * d / np.sin(0.5 * d)


@bare_kernel
def discrete_gradient(kind, u_i, f_i, u_f, f_f, out):
    """Fill out with G between u_i (strain f_i) and u_f (strain f_f)."""
    change = f_f - f_i
    if kind == LENGTH:
        sigma = f_i + f_f
        rho2 = 0.0 * sigma
        for i in range(3):
            rho2 += ((u_f[i] - u_i[i]) / sigma) ** 2
        for i in range(3):
            along = (u_i[i] + u_f[i]) * (1 + rho2 / 3)
            out[i] = (along - (u_f[i] - u_i[i]) * change / (3 * sigma)) / sigma
        return
    middle = 0.5 * (f_i + f_f)
    scale = 2 * _half_over_sine(change) / (_norm(u_i, 2) + _norm(u_f, 2))
    out[0], out[1] = -scale * np.sin(middle), scale * np.cos(middle)


@bare_kernel
def apply_hessian(kind, u_i, f_i, u_f, f_f, v, out):
    """Fill out (3,) with S v; u_i, u_f and v (3,), f_i and f_f the strains at both ends of the step."""
    if kind == LENGTH:
        # (1 - n n^T)/|u| with n = (u_i + u_f)/sigma, |u| = sigma/2: regular also where the middle is at zero
        sigma = f_i + f_f
        along = 0.0 * v[0]
        for i in range(3):
            along += (u_i[i] + u_f[i]) / sigma * v[i]
        for i in range(3):
            out[i] = 2 / sigma * (v[i] - (u_i[i] + u_f[i]) / sigma * along)
        return
    rbar = 0.5 * (_norm(u_i, 2) + _norm(u_f, 2))
    c, s = np.cos(f_i + f_f) / (rbar * rbar), np.sin(f_i + f_f) / (rbar * rbar)
    out[0], out[1] = s * v[0] - c * v[1], -c * v[0] - s * v[1]
