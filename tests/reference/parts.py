"""What is stressed or constrained, for the reference program: quantities that are quadratic in the nodes' vectors.

A node's ambient vector is q = (u, d_1, d_2, d_3), shape (4, 3). A part picks vectors z = L q of its nodes,
(points, k, 3), and has quantities form(z, z)/2 with a symmetric bilinear form; B(z)^T s is `force(z, s)`. Those of a
beam are measures, of which its strains are functions (theory.md, section 5). Any leading axes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

# Gauss-Lobatto nodes and weights in -1..1, by the number of nodes
NODES: dict[int, Any] = {3: np.array([-1.0, 0.0, 1.0]), 4: np.array([-1.0, -(0.2**0.5), 0.2**0.5, 1.0])}
WEIGHTS: dict[int, Any] = {3: np.array([1.0, 4.0, 1.0]) / 3, 4: np.array([1.0, 5.0, 5.0, 1.0]) / 6}


def lagrange(nodes: Any, x: float) -> tuple[Any, Any]:
    """Values and derivatives at x of the polynomials that are 1 at one of the nodes and 0 at the others."""
    polynomials = [np.poly1d(np.poly(np.delete(nodes, k))) for k in range(len(nodes))]
    scale = [p(node) for p, node in zip(polynomials, nodes, strict=True)]
    values = np.array([p(x) for p in polynomials]) / scale
    return values, np.array([p.deriv()(x) for p in polynomials]) / scale


@dataclass
class Beam:
    """Elements with the same number of nodes; z = (x', d_1..3, d_1..3') at the Gauss points (equations.md, 5).

    nodes : (elements, nn); lengths : of the elements; stiffness : (6, 6); arm : (3,) mass centre -> reference line
    """

    nodes: Any
    lengths: Any
    stiffness: Any
    arm: Any

    def __post_init__(self) -> None:
        nn, total = self.nodes.shape[1], int(self.nodes.max()) + 1
        points, weights = np.polynomial.legendre.leggauss(nn - 1)
        rows, c = [], []
        for ids, length in zip(self.nodes, self.lengths, strict=True):
            for x, weight in zip(points, weights, strict=True):
                value, slope = lagrange(NODES[nn], x)
                row = np.zeros((7, total, 4))
                row[0, ids, 0] = slope * 2 / length
                row[0, ids, 1:] = np.outer(slope * 2 / length, self.arm)
                for a in range(3):
                    row[1 + a, ids, 1 + a] = value
                    row[4 + a, ids, 1 + a] = slope * 2 / length
                rows.append(row)
                c.append(self.stiffness * weight * length / 2)
        self.pick, self.c = np.array(rows).reshape(len(rows), 7, -1), np.array(c)
        self.rest: Any = 0.0

    def set_axis(self, z: Any) -> None:
        """n, the unit tangents in the directors' axes, from z of the reference configuration."""
        tangent = np.einsum("gai,gi->ga", z[..., 1:4, :], z[..., 0, :])
        self.axis = tangent / np.linalg.norm(tangent, axis=-1)[..., None]

    def form(self, z: Any, y: Any) -> Any:
        """Eight measures, twice their quadratic part: g = d_a . x', l = |D n|^2, k = (d_b' . d_c - d_c' . d_b)/2, t."""
        stretch = (z[..., :1, :] * y[..., 1:4, :] + y[..., :1, :] * z[..., 1:4, :]).sum(-1)
        turn = z[..., [5, 6, 4], :] * y[..., [3, 1, 2], :] + y[..., [5, 6, 4], :] * z[..., [3, 1, 2], :]
        back = z[..., [6, 4, 5], :] * y[..., [2, 3, 1], :] + y[..., [6, 4, 5], :] * z[..., [2, 3, 1], :]
        one, other = (np.einsum("ga,...gai->...gi", self.axis, q[..., 1:4, :]) for q in (z, y))
        scales = 2 * (one * other).sum(-1), (z[..., 1:4, :] * y[..., 1:4, :]).sum((-1, -2))
        return np.concatenate(
            [stretch, scales[0][..., None], 0.5 * (turn - back).sum(-1), scales[1][..., None]], -1
        )

    def measures(self, z: Any) -> Any:
        """The measures; t = (sum of d_a . d_a - 1)/2."""
        return self.form(z, z) / 2 - 0.5 * np.eye(8)[7]

    def strains(self, y: Any) -> Any:
        """g/sqrt(l), (1 + 2/t) k/3, without those at rest."""
        return np.concatenate(
            [y[..., :3] / np.sqrt(y[..., 3:4]), y[..., 4:7] * (1 + 2 / y[..., 7:8]) / 3], axis=-1
        )

    def strain_rates(self, y: Any, y_p: Any) -> Any:
        """Derivative of `strains` along y_p."""
        g, length, k, t = y[..., :3], y[..., 3:4], y[..., 4:7], y[..., 7:8]
        gamma = y_p[..., :3] / np.sqrt(length) - g * y_p[..., 3:4] / (2 * length**1.5)
        return np.concatenate(
            [gamma, y_p[..., 4:7] * (1 + 2 / t) / 3 - 2 / 3 * k * y_p[..., 7:8] / t**2], axis=-1
        )

    def on_measures(self, y_i: Any, y_f: Any, y_p: Any, s_g: Any, s_d: Any) -> tuple[Any, Any]:
        """Stresses s_g, s_d of the measures: those of `discrete_rule` twice, with exact work."""
        on_m, on_f = [], []
        # f = constant + factor w^-power
        for power, factor, constant, at in ((0.5, 1.0, 0.0, 0), (1.0, 2 / 3, 1 / 3, 4)):
            v, w = slice(at, at + 3), slice(at + 3, at + 4)
            g, d = (s[..., at // 4 * 3 : at // 4 * 3 + 3] for s in (s_g, s_d))
            mean, end, dy = g - d / 3, d / 3, y_f - y_i
            p_i, p_f = y_i[..., w] ** -power, y_f[..., w] ** -power
            f_i, f_f = constant + factor * p_i, constant + factor * p_f
            # (f_f - f_i)/(w_f - w_i) without a difference of nearby numbers
            secant = -factor * (p_i * p_f if power == 1.0 else (p_i * p_f) ** 2 / (p_i + p_f))
            first = -factor * power * p_i / y_i[..., w]
            second = factor * power * (power + 1) * p_i / y_i[..., w] ** 2
            slope_f = -factor * power * p_f / y_f[..., w]

            def bent(
                y: Any, v: Any = v, w: Any = w, g: Any = g, first: Any = first, second: Any = second
            ) -> Any:
                """Second derivative at t_i of s_g . f v, times y."""
                along = (g * y[..., v]).sum(-1, keepdims=True), (g * y_i[..., v]).sum(-1, keepdims=True)
                on_w = first * along[0] + second * along[1] * y[..., w]
                return np.concatenate([first * g * y[..., w], on_w], axis=-1)

            middle = 0.5 * (y_i[..., v] + y_f[..., v])
            by_m = np.concatenate(
                [0.5 * (f_i + f_f) * mean, secant * (mean * middle).sum(-1)[..., None]], axis=-1
            )
            by_f = np.concatenate([f_f * end, slope_f * (end * y_f[..., v]).sum(-1)[..., None]], axis=-1)
            on_m.append(by_m - bent(y_p) / 6)
            on_f.append(by_f + bent(dy) / 6)
        m, f = np.concatenate(on_m, axis=-1), np.concatenate(on_f, axis=-1)
        return m + f, 3 * f

    def force(self, z: Any, s: Any) -> Any:
        """B(z)^T s on z of forces s (..., 8) on the measures."""
        n, m = s[..., :3, None], 0.5 * s[..., 4:7, None]
        out = np.zeros(np.broadcast_shapes(z.shape, (*s.shape[:-1], 7, 3)), np.result_type(z, s))
        out[..., 0, :] = (n * z[..., 1:4, :]).sum(-2)
        out[..., 1:4, :] = n * z[..., :1, :] + s[..., 7, None, None] * z[..., 1:4, :]
        along = np.einsum("ga,...gai->...gi", self.axis, z[..., 1:4, :])
        out[..., 1:4, :] += 2 * s[..., 3, None, None] * self.axis[..., None] * along[..., None, :]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            k = m[..., a, :]
            out[..., 4 + b, :] += k * z[..., 1 + c, :]
            out[..., 1 + c, :] += k * z[..., 4 + b, :]
            out[..., 4 + c, :] -= k * z[..., 1 + b, :]
            out[..., 1 + b, :] -= k * z[..., 4 + c, :]
        return out


@dataclass
class Joint:
    """Constraints between two nodes: z are their eight vectors and three fixed ones, e_1, e_2, e_3.

    h : (m, 11, 11), the forms; conditions come from `point_on`, `axis_of` and `equal`, `square`
    """

    k: int
    l: int
    h: Any

    def form(self, z: Any, y: Any) -> Any:
        """Twice the quadratic part of the conditions."""
        return np.einsum("mab,...ai,...bi->...m", self.h, z, y)

    def force(self, z: Any, s: Any) -> Any:
        """B(z)^T s on z."""
        return np.einsum("mab,...m,...bi->...ai", self.h, s, z)


def point_on(side: int, offset: Any) -> Any:
    """(11,) weights of a point of K (0) or L (1), offset from the mass centre in the body's axes."""
    return np.concatenate([np.zeros(4 * side), [1.0], offset, np.zeros(6 - 4 * side + 1)])


def axis_of(side: int, direction: Any) -> Any:
    """(11,) weights of a direction fixed in K (0) or L (1)."""
    return np.concatenate([np.zeros(4 * side + 1), direction, np.zeros(6 - 4 * side + 1)])


def square(a: Any, b: Any) -> Any:
    """The condition a . b = 0, (1, 11, 11)."""
    return (np.outer(a, b) + np.outer(b, a))[None]


def equal(a: Any, b: Any) -> Any:
    """The conditions (b - a) . e_i = 0, (3, 11, 11)."""
    return np.concatenate([square(b - a, np.eye(11)[8 + i]) for i in range(3)])
