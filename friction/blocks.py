"""Common kernels of friction laws: regularised magnitude, updates of a bristle and of a slider, steady-state curves.

Vectors lie in the tangent plane, shape (3,), in m. Functions are generic in dtype: numbers may be complex for
complex-step derivatives; branches depend on real parts.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot

TINY = 1e-18  # m, rounds the norm of a slip: far below any real slip, far above a complex step
LARGEST_EXPONENT = 700.0
EXPONENTIAL, RATIONAL = 0, 1  # forms of the steady curve
TABLE_POINTS = 23  # largest number of points of a table


@kernel
def rounded_norm(a: np.ndarray) -> complex:
    """Norm of ``a``, rounded to ``TINY`` at zero."""
    return np.sqrt(dot(a, a) + TINY * TINY)


@kernel
def stretch(ratio: float, along: np.ndarray, vector: np.ndarray, out: np.ndarray) -> None:
    """Fill out (3,): ``vector`` with its part normal to ``along`` (unit) times ``ratio``; out may be ``vector``."""
    part = (1.0 - ratio) * dot(vector, along)
    for k in range(3):
        out[k] = ratio * vector[k] + part * along[k]


@kernel
def per_normal_force(classical: int, f_n: complex) -> complex:
    """Factor from stiffness and damping to those per unit normal force: 1/f_n for a classical law, 1 for the others."""
    return 1.0 / f_n if classical else 1.0 + 0.0 * f_n


@kernel
def exponential_decay(ratio: complex, exponent: float) -> complex:
    """exp(-ratio**exponent) for ratio > 0, zero where it underflows."""
    if ratio.real**exponent > LARGEST_EXPONENT:
        return 0.0 * ratio
    if exponent == 2.0:
        return np.exp(-ratio * ratio)
    return np.exp(-(ratio**exponent))


@kernel
def steady_curve(curve: float, mu_s: float, mu_k: float, v_s: float, gamma: float, speed: complex) -> complex:
    """Stribeck curve: Bo and Pavelescu's exponential, or Hess and Soom's 1/(1 + (v/v_s)**2)."""
    if curve == RATIONAL:
        ratio = speed / v_s
        return mu_k + (mu_s - mu_k) / (1.0 + ratio * ratio)
    return mu_k + (mu_s - mu_k) * exponential_decay(speed / v_s, gamma)


@kernel
def table_curve(table: np.ndarray, count: int, speed: complex) -> complex:
    """Monotone cubic through ``table`` = v, g, dg/dv of each of ``count`` points; constant outside."""
    if speed.real <= table[0]:
        return table[1] + 0.0 * speed
    for i in range(1, count):
        j = 3 * i
        if speed.real <= table[j]:
            width = table[j] - table[j - 3]
            x = (speed - table[j - 3]) / width
            rise = table[j + 1] - table[j - 2]
            start, end = width * table[j - 1], width * table[j + 2]
            return table[j - 2] + x * (
                start + x * (3.0 * rise - 2.0 * start - end + x * (start + end - 2.0 * rise))
            )
    return table[3 * count - 2] + 0.0 * speed


@kernel
def bristle_step(z: complex, drive: complex, b: complex) -> tuple[complex, complex]:
    """P1 Galerkin step of z' = drive/dt - b z/dt for one component: (z_f - z_i, mean of z).

    For b >= 0 the step takes (z_f**2 - z_i**2)/2 + b mean**2 + (>= 0) = mean . drive (Bauchau and Ju, eqs. 29, 32).
    """
    a = b / 6.0
    dz = (1.0 + a) * (drive - b * z) / (1.0 + a * (4.0 + 6.0 * a))
    return dz, z + (0.5 + a) / (1.0 + a) * dz


@kernel
def slide(z_i, s, cap, theta, z_f, elastic, plastic):
    """Spring in series with a slider that slips at deflection ``cap``; exact path for a straight slip ``s``.

    Fills z_f and the two parts of the mean deflection, while stuck (``elastic``) and while sliding (``plastic``); their
    sum is the mean. ``theta`` 1/2: exact mean while stuck; 1: end value, which adds numerical damping. Returns the
    fraction of the slip before sliding starts, 1 when the slider does not slip. With E = z.z/2: (elastic + plastic).s
    >= E_f - E_i for any cap >= 0 and theta >= 1/2, because a spring stretched beyond the cap first returns to it,
    losing energy, and the slider moves along the spring.
    """
    length2 = dot(z_i, z_i)
    shrink = 1.0 + 0.0 * cap
    if length2.real > cap.real * cap.real:
        shrink = cap / np.sqrt(length2)
        length2 = cap * cap
    z_s, s_s = shrink * dot(z_i, s), dot(s, s)
    if (length2 + 2.0 * z_s + s_s).real <= cap.real * cap.real:
        for k in range(3):
            z_f[k] = shrink * z_i[k] + s[k]
            elastic[k] = shrink * z_i[k] + theta * s[k]
            plastic[k] = 0.0
        return 1.0 + 0.0 * cap
    margin = cap * cap - length2
    root = np.sqrt(z_s * z_s + s_s * margin + TINY * TINY * TINY * TINY)
    tau = margin / (z_s + root) if z_s.real > 0.0 else (root - z_s) / s_s
    end2 = 0.0 * cap
    for k in range(3):
        z_f[k] = shrink * z_i[k] + s[k]
        end2 += z_f[k] * z_f[k]
    factor = cap / np.sqrt(end2 + TINY * TINY)
    for k in range(3):
        start, limit = shrink * z_i[k], shrink * z_i[k] + tau * s[k]
        z_f[k] = factor * z_f[k]
        elastic[k] = tau * (start + theta * (limit - start))
        plastic[k] = 0.5 * (1.0 - tau) * (limit + z_f[k])
    return tau


@kernel
def slide_along(z_s: complex, s_s: complex, s_a: complex, spring: np.ndarray) -> complex:
    """Component along a vector a of the mean deflection in `slide` with theta 1/2, from scalar products only.

    Parameters
    ----------
    z_s, s_s, s_a : z_i.s, s.s and s.a
    spring : (4,) data of z_i from `spring_along`
    """
    cap, length2, shrink, start = spring[0], spring[1], spring[2], spring[3]
    z_s, end2 = shrink * z_s, length2 + 2.0 * shrink * z_s + s_s
    if end2.real <= cap.real * cap.real:
        return start + 0.5 * s_a
    margin = cap * cap - length2
    root = np.sqrt(z_s * z_s + s_s * margin + TINY * TINY * TINY * TINY)
    tau = margin / (z_s + root) if z_s.real > 0.0 else (root - z_s) / s_s
    end = cap / np.sqrt(end2 + TINY * TINY) * (start + s_a)
    return tau * (start + 0.5 * tau * s_a) + 0.5 * (1.0 - tau) * (start + tau * s_a + end)


@kernel
def spring_along(z_i: np.ndarray, cap: complex, along: np.ndarray, out: np.ndarray) -> None:
    """Fill out (4,): cap, |z_i|**2 limited to the cap, factor that limits z_i, limited component along a vector."""
    length2 = dot(z_i, z_i)
    shrink = 1.0 + 0.0 * cap
    if length2.real > cap.real * cap.real:
        shrink = cap / np.sqrt(length2)
        length2 = cap * cap
    out[0], out[1], out[2], out[3] = cap, length2, shrink, shrink * dot(z_i, along)


@kernel
def narrow_bracket(low, f_low, high, f_high, side, root, value):
    """Narrow a bracket f_low < 0 < f_high by the ``value`` at ``root``: regula falsi of Anderson and Bjorck (1973).

    side: the end replaced by the last call, 1 upper, -1 lower, 0 none; the last number returned is the new side. The
    value at an end that is retained twice is scaled down, so that the other end is replaced soon.
    """
    if value > 0.0:
        if side > 0:
            scale = 1.0 - value / f_high
            f_low *= scale if scale > 0.0 else 0.5
        return low, f_low, root, value, 1
    if side < 0:
        scale = 1.0 - value / f_low
        f_high *= scale if scale > 0.0 else 0.5
    return root, value, high, f_high, -1


@kernel
def noise(seed: float, position: float) -> float:
    """Smooth random number in -1..1 of ``position``, independent from one whole number to the next."""
    cell = np.floor(position)
    x = position - cell
    x = x * x * (3.0 - 2.0 * x)
    return (1.0 - x) * _hashed(seed, cell) + x * _hashed(seed, cell + 1.0)


@kernel
def uniform(seed: float, count: float) -> float:
    """Random number in 0..1 that depends on ``seed`` and ``count`` only."""
    return 0.5 * (1.0 + _hashed(seed, count))


@kernel
def _hashed(seed: float, cell: float) -> float:
    """Hash of two whole numbers (splitmix64's finaliser) as a number in -1..1."""
    h = np.uint64(np.int64(cell)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(np.int64(seed)) * np.uint64(
        0xD1B54A32D192ED03
    )
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h = h ^ (h >> np.uint64(31))
    return float(h >> np.uint64(11)) / 4503599627370496.0 - 1.0
