"""Derivatives of the springs' discrete gradient and Hessian by the end configuration, for the tangent (compiled).

With g the gradient at u_f, D = u_f - u_i, n = (u_i + u_f)/sigma and Df = f_f - f_i, for a length

    dG/du_f = [(1 + rho2/3)/sigma - Df/(3 sigma^2)] 1 + n x^T + D y^T
    x = 2 D/(3 sigma^2) - (1 + rho2) g/sigma,    y = -(1 - 2 Df/sigma) g/(3 sigma^2)
    d(S w)/du_f = -2 (n.w)/sigma^2 1 + (2/sigma^2) n [2 (n.w) g - w]^T - S w g^T/sigma

and for an angle, with r = |u_f|, rbar the mean of |u| and G = scale (-sin phi_m, cos phi_m),

    dG/du_f = G [h'/h g - u_f/(2 r rbar)]^T - scale/2 (cos phi_m, sin phi_m) g^T,    h = (Df/2)/sin(Df/2)
    d(S w)/du_f = S (w_2, -w_1) g^T - S w u_f^T/(r rbar).
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.elements.springs.geometry import (
    ANGLE,
    LENGTH,
    discrete_gradient,
    half_over_sine,
    hessian_times,
    radius,
)

# matrices (3, 3) that `change` fills: the Hessian at u_f, S, and the derivatives of G, of S u_p and of S D at fixed D
AT_END, MIDDLE, OF_GRADIENT, OF_RATE, OF_CHANGE = 0, 1, 2, 3, 4


@kernel
def _unit(i, j):
    return 1.0 if i == j else 0.0


@kernel
def _add_outer(a, b, out):
    """out (3, 3) += a b^T of three numbers each."""
    for j in range(3):
        out[0, j] += a[0] * b[j]
        out[1, j] += a[1] * b[j]
        out[2, j] += a[2] * b[j]


@kernel
def _scaled(c, v):
    return c * v[0], c * v[1], c * v[2]


@kernel
def _plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def _product_of_length(u_i, f_i, u_f, f_f, g, n, w, out):
    """Fill out (3, 3) with d(S w)/du_f of a length."""
    r, along = 1 / (f_i + f_f), dot(n, w)
    for i in range(3):
        for j in range(3):
            out[i, j] = -2 * r * r * along * _unit(i, j)
    _add_outer(n, _scaled(2 * r * r, _plus(_scaled(2 * along, g), _scaled(-1.0, w))), out)
    _add_outer(hessian_times(LENGTH, u_i, f_i, u_f, f_f, w), _scaled(-r, g), out)


@kernel
def _change_of_length(u_i, f_i, u_f, f_f, g, u_p, out):
    r, change = 1 / (f_i + f_f), f_f - f_i
    d = u_f[0] - u_i[0], u_f[1] - u_i[1], u_f[2] - u_i[2]
    n = r * (u_i[0] + u_f[0]), r * (u_i[1] + u_f[1]), r * (u_i[2] + u_f[2])
    rho2 = r * r * dot(d, d)
    for i in range(3):
        for j in range(3):
            one = _unit(i, j)
            out[AT_END, i, j], out[MIDDLE, i, j] = one / f_f, 2 * r * one
            out[OF_GRADIENT, i, j] = ((1 + rho2 / 3) * r - change * r * r / 3) * one
    _add_outer(g, _scaled(-1 / f_f, g), out[AT_END])
    _add_outer(n, _scaled(-2 * r, n), out[MIDDLE])
    _add_outer(n, _plus(_scaled(2 * r * r / 3, d), _scaled(-(1 + rho2) * r, g)), out[OF_GRADIENT])
    _add_outer(d, _scaled(-(1 - 2 * change * r) * r * r / 3, g), out[OF_GRADIENT])
    _product_of_length(u_i, f_i, u_f, f_f, g, n, u_p, out[OF_RATE])
    _product_of_length(u_i, f_i, u_f, f_f, g, n, d, out[OF_CHANGE])


@kernel
def _slope_over_value(d):
    """h'/h of `half_over_sine`."""
    if np.abs(d) < 1e-3:
        return d / 12 + d * d * d / 720
    return 1 / d - 0.5 / np.tan(0.5 * d)


@kernel
def _product_of_angle(u_i, f_i, u_f, f_f, g, outward, w, out):
    """Fill out (3, 3) with d(S w)/du_f of an angle; outward = 1/(r rbar)."""
    out[:] = 0.0
    # the derivative of S by the strain is S applied to the vector rotated by -90 degrees
    _add_outer(hessian_times(ANGLE, u_i, f_i, u_f, f_f, (w[1], -w[0], 0.0)), g, out)
    _add_outer(hessian_times(ANGLE, u_i, f_i, u_f, f_f, w), (-outward * u_f[0], -outward * u_f[1], 0.0), out)


@kernel
def _hessian_of_angle(u_i, f_i, u_f, f_f, out):
    """Fill out (3, 3) with S of an angle."""
    out[:] = 0.0
    for j in range(2):
        column = hessian_times(ANGLE, u_i, f_i, u_f, f_f, (_unit(0, j), _unit(1, j), 0.0))
        out[0, j], out[1, j] = column[0], column[1]


@kernel
def _change_of_angle(u_i, f_i, u_f, f_f, g, u_p, out):
    r, change, middle = radius(u_f), f_f - f_i, 0.5 * (f_i + f_f)
    rbar = 0.5 * (radius(u_i) + r)
    outward, ratio, half = 1 / (r * rbar), _slope_over_value(change), -0.5 * half_over_sine(change) / rbar
    _hessian_of_angle(u_f, f_f, u_f, f_f, out[AT_END])
    _hessian_of_angle(u_i, f_i, u_f, f_f, out[MIDDLE])
    out[OF_GRADIENT] = 0.0
    by_size = ratio * g[0] - 0.5 * outward * u_f[0], ratio * g[1] - 0.5 * outward * u_f[1], 0.0
    _add_outer(discrete_gradient(ANGLE, u_i, f_i, u_f, f_f), by_size, out[OF_GRADIENT])
    _add_outer((half * np.cos(middle), half * np.sin(middle), 0.0), g, out[OF_GRADIENT])
    _product_of_angle(u_i, f_i, u_f, f_f, g, outward, u_p, out[OF_RATE])
    d = u_f[0] - u_i[0], u_f[1] - u_i[1], 0.0
    _product_of_angle(u_i, f_i, u_f, f_f, g, outward, d, out[OF_CHANGE])


@kernel
def change(kind, u_i, f_i, u_f, f_f, g, u_p, out):
    """Fill out (5, 3, 3), see `AT_END`; g the gradient at u_f, u_p dt times the rate there."""
    if kind == LENGTH:
        _change_of_length(u_i, f_i, u_f, f_f, g, u_p, out)
    else:
        _change_of_angle(u_i, f_i, u_f, f_f, g, u_p, out)
