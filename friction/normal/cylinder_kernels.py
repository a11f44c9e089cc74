"""Force of a cylinder in a bore from its indentation: d = a F ln(B/F), solved for F without fail.

All published laws for parallel cylinders have this form (``cylinder.py``); a in m/N, B in N. With phi = F/B
and x = d/(a B) it reads -phi ln(phi) = x, of which phi = exp(W(-x)) is the solution that starts at zero, W
being Lambert's function on its lower branch. Newton's method for w + ln(-w) = ln(x) from the bound w = -1 -
sqrt(2u) - u, u = -1 - ln(x) (Chatzigeorgiou 2013), which lies left of the root of a rising concave function,
approaches it monotonically: no safeguard is needed.

The law ends at x = 1/e, where its stiffness is infinite. From F = B/5 on, at 0.875 of that indentation, the
force goes on along its tangent, so that any indentation has a force; ``validity.py`` reports it. Potential
V = F d/2 - a F**2/4. Over a step f = (V_f - V_i)/(d_f - d_i); for forces near each other, with m their mean
and x = (F_f - F_i)/(2m), both means over F are series in x**2 and nothing is divided by a difference:

    f = m [ln(B/m) - 1 - sum x**2k/((2k-1) 2k (2k+1))] / [ln(B/m) - 1 + sum x**2k/(2k (2k+1))],   k = 1, 2 ...
"""

from __future__ import annotations

import math

import numpy as np

from fem_mbd.compiled import kernel

END_FORCE = 0.2  # F/B from which the tangent replaces the law
END_DEPTH = END_FORCE * math.log(1.0 / END_FORCE)  # d/(a B) there
END_SLOPE = 1.0 / (math.log(1.0 / END_FORCE) - 1.0)  # d phi/dx there
END_ENERGY = 0.5 * END_FORCE * END_DEPTH - 0.25 * END_FORCE**2  # V/(a B**2) there
SERIES_LIMIT = 0.25
SERIES_TERMS = 30
MOST_ITERATIONS = 40
TINY, TINY_LOG = 1e-290, 674.2  # smaller x would lose digits to underflow; -ln(phi) there


@kernel
def cylinder_potential(compliance: float, scale: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m)."""
    if q.real >= 0.0:
        return 0.0 * q
    x = -q / (compliance * scale)
    if x.real <= END_DEPTH:
        phi = _force(x)
        return compliance * scale * scale * (0.5 * phi * x - 0.25 * phi * phi)
    beyond = x - END_DEPTH
    energy = END_ENERGY + (END_FORCE + 0.5 * END_SLOPE * beyond) * beyond
    return compliance * scale * scale * energy


@kernel
def cylinder_mean_force(compliance: float, scale: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        unit = compliance * scale
        return scale * _mean_closed(-q_i / unit, -q_f / unit)
    if q_f.real < 0.0:
        return cylinder_potential(compliance, scale, q_f) / q_f * (q_f / (q_i - q_f))
    if q_i.real < 0.0:
        return cylinder_potential(compliance, scale, q_i) / q_i * (q_i / (q_f - q_i))
    return 0.0 * (q_i + q_f)


@kernel
def _force(x: complex) -> complex:
    """phi of -phi ln(phi) = x for 0 < x <= ``END_DEPTH``; the last Newton step carries the complex part."""
    if x.real < TINY:
        return x / TINY_LOG
    log_x = np.log(x.real)
    u = -log_x - 1.0
    w = -1.0 - np.sqrt(2.0 * u) - u
    for _ in range(MOST_ITERATIONS):
        change = (w + np.log(-w) - log_x) * w / (w + 1.0)
        w -= change
        if abs(change) <= 1e-15 * abs(w):
            break
    phi = x.real / -w
    log_phi = np.log(phi)
    return phi - (x + phi * log_phi) / (log_phi + 1.0)


@kernel
def _mean_closed(x_i: complex, x_f: complex) -> complex:
    """Mean of phi between two indentations above zero, in the law, beyond its end or across it."""
    if x_i.real <= END_DEPTH and x_f.real <= END_DEPTH:
        return _mean_in_law(x_i, x_f)
    if x_i.real > END_DEPTH and x_f.real > END_DEPTH:
        return END_FORCE + END_SLOPE * (0.5 * (x_i + x_f) - END_DEPTH)
    low, high = x_i, x_f
    if x_i.real > x_f.real:
        low, high = x_f, x_i
    inside, beyond = END_DEPTH - low, high - END_DEPTH
    mean_beyond = END_FORCE + 0.5 * END_SLOPE * beyond
    return (inside * _mean_in_law(low, END_DEPTH + 0.0 * low) + beyond * mean_beyond) / (inside + beyond)


@kernel
def _mean_in_law(x_i: complex, x_f: complex) -> complex:
    phi_i, phi_f = _force(x_i), _force(x_f)
    mean = 0.5 * (phi_i + phi_f)
    if mean.real == 0.0:
        return mean
    x = 0.5 * (phi_f - phi_i) / mean
    if x.real * x.real >= SERIES_LIMIT * SERIES_LIMIT:
        v_i, v_f = 0.5 * phi_i * x_i - 0.25 * phi_i * phi_i, 0.5 * phi_f * x_f - 0.25 * phi_f * phi_f
        return (v_f - v_i) / (x_f - x_i)
    over = -np.log(mean) - 1.0
    under = over
    x2 = x * x
    power = 1.0 + 0.0 * x2
    for k in range(1, SERIES_TERMS):
        power = power * x2
        term = power / (2.0 * k * (2.0 * k + 1.0))
        under = under + term
        over = over - term / (2.0 * k - 1.0)
        if term.real < 1e-18 * under.real:
            break
    return mean * over / under
