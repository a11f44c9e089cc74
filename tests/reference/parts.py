"""What is stressed or constrained, for the reference program: quantities that are quadratic in the nodes' vectors.

A node's ambient vector is q = (u, d_1, d_2, d_3), shape (4, 3). A part picks vectors z = L q of its nodes,
(points, k, 3), and has strains eps = form(z, z)/2 + rest with a symmetric bilinear form; B(z)^T s is `force(z, s)`.
Any leading axes.
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

    def form(self, z: Any, y: Any) -> Any:
        """Stretch and shear d_a . x', twist and bending half of d_b' . d_c - d_c' . d_b, twice their quadratic part."""
        stretch = (z[..., :1, :] * y[..., 1:4, :] + y[..., :1, :] * z[..., 1:4, :]).sum(-1)
        turn = z[..., [5, 6, 4], :] * y[..., [3, 1, 2], :] + y[..., [5, 6, 4], :] * z[..., [3, 1, 2], :]
        back = z[..., [6, 4, 5], :] * y[..., [2, 3, 1], :] + y[..., [6, 4, 5], :] * z[..., [2, 3, 1], :]
        return np.concatenate([stretch, 0.5 * (turn - back).sum(-1)], axis=-1)

    def force(self, z: Any, s: Any) -> Any:
        """B(z)^T s on z."""
        n, m = s[..., :3, None], 0.5 * s[..., 3:, None]
        out = np.zeros(np.broadcast_shapes(z.shape, (*s.shape[:-1], 7, 3)), np.result_type(z, s))
        out[..., 0, :] = (n * z[..., 1:4, :]).sum(-2)
        out[..., 1:4, :] = n * z[..., :1, :]
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
