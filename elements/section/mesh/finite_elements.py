"""Triangles and quadrilaterals of first and second order: shape functions and integration points.

Corners are listed first, counter-clockwise, then the nodes in the middle of the edges in the same sense, as in meshio.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array

_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class ReferenceElement:
    """An element in its own coordinates: g integration points, k nodes.

    corners : 3 or 4; weights : (g,); values : (g, k) of the shape functions; slopes : (g, 2, k) along both coordinates
    """

    corners: int
    weights: Array
    values: Array
    slopes: Array


def _quadrilateral(nodes: int) -> ReferenceElement:
    x, w = np.polynomial.legendre.leggauss(2 if nodes == 4 else 3)
    r, s = (grid.ravel()[:, None] for grid in np.meshgrid(x, x, indexing="ij"))
    weights = np.outer(w, w).ravel()
    a, b = _CORNERS.T
    values = 0.25 * (1 + a * r) * (1 + b * s)
    slopes = 0.25 * np.stack([a * (1 + b * s), b * (1 + a * r)], axis=1)
    if nodes == 4:
        return ReferenceElement(4, weights, values, slopes)
    # nodes in the middle of the edges at (0, -1), (1, 0), (0, 1), (-1, 0)
    bubbles_r, bubbles_s = (1 - r**2), (1 - s**2)
    middle = 0.5 * np.hstack(
        [bubbles_r * (1 - s), bubbles_s * (1 + r), bubbles_r * (1 + s), bubbles_s * (1 - r)]
    )
    along_r = np.hstack([-r * (1 - s), 0.5 * bubbles_s, -r * (1 + s), -0.5 * bubbles_s])
    along_s = np.hstack([-0.5 * bubbles_r, -s * (1 + r), 0.5 * bubbles_r, -s * (1 - r)])
    middle_slopes = np.stack([along_r, along_s], axis=1)
    values = np.hstack([values - 0.5 * (middle + np.roll(middle, 1, axis=-1)), middle])
    corner_slopes = slopes - 0.5 * (middle_slopes + np.roll(middle_slopes, 1, axis=-1))
    return ReferenceElement(4, weights, values, np.concatenate([corner_slopes, middle_slopes], axis=-1))


def _triangle(nodes: int) -> ReferenceElement:
    """Three points for linear elements; six points of degree 4 for quadratic ones (Dunavant 1985)."""
    if nodes == 3:
        points, weights = np.array([[1, 1], [4, 1], [1, 4]]) / 6.0, np.full(3, 1 / 6)
    else:
        p, q = 0.445948490915965, 0.091576213509771
        points = np.array([[p, p], [1 - 2 * p, p], [p, 1 - 2 * p], [q, q], [1 - 2 * q, q], [q, 1 - 2 * q]])
        weights = 0.5 * np.repeat([0.223381589678011, 0.109951743655322], 3)
    barycentric = np.column_stack([1 - points.sum(axis=1), points])  # (g, 3)
    slopes = np.broadcast_to(np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), (len(points), 2, 3))
    if nodes == 3:
        return ReferenceElement(3, weights, barycentric, slopes)
    after = np.roll(barycentric, -1, axis=1)
    values = np.hstack([barycentric * (2 * barycentric - 1), 4 * barycentric * after])
    corner = (4 * barycentric - 1)[:, None] * slopes
    middle = 4 * (slopes * after[:, None] + barycentric[:, None] * np.roll(slopes, -1, axis=2))
    return ReferenceElement(3, weights, values, np.concatenate([corner, middle], axis=-1))


REFERENCE_ELEMENTS = {3: _triangle(3), 6: _triangle(6), 4: _quadrilateral(4), 8: _quadrilateral(8)}
