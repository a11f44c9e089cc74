"""Strain measures of springs and cables: value, gradient, discrete gradient, Hessian (compiled).

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
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot, length

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
        one = 1.0 + 0.0 * f_f  # of the type of f_f
        return one * v[0], one * v[1], one * v[2]
    rbar = 0.5 * (radius(u_i) + radius(u_f))
    c, s = np.cos(f_i + f_f) / (rbar * rbar), np.sin(f_i + f_f) / (rbar * rbar)
    return s * v[0] - c * v[1], -c * v[0] - s * v[1], 0.0 * c
