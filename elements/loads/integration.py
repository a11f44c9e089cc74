"""Consistent nodal loads: integrals of loads along a beam's reference line times the shape functions of its nodes.

A load w per length does on the interpolated line the work of the nodal loads

    W_n = int N_n(s) w(s) ds,

whose sum, and whose moment about any point, are those of w: the shape functions add up to one, and with the nodes'
positions to the line. Loads that are piecewise polynomials are integrated exactly, piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad_vec

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions.values import jumps_between
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.quadrature import LOBATTO_NODES, lagrange_values
from fem_mbd.errors import InputError

_PIECE = np.polynomial.legendre.leggauss(
    4
)  # exact to degree 7: cubic shape functions, a linear load at a linear arm
ACCURACY = 1e-12  # of the integral of a function, relative to its largest value
MAX_PIECES = 1000
SAMPLES = 1001  # of a function, for its largest value


@dataclass(frozen=True, eq=False)
class LinePoints:
    """Points at which a load is integrated exactly that is a polynomial between them.

    s : (k,) fractions of the beam's length
    weights : (k,) m
    shapes : (n, k) shape functions of the beam's nodes there
    """

    s: Array
    weights: Array
    shapes: Array

    def onto_nodes(self, values: Array) -> Array:
        """(n, …) integrals of values (k, …) per length at the points times the shape functions."""
        return np.asarray(np.tensordot(self.shapes * self.weights, values, axes=1))


def line_points(beam: BeamHandle, breaks: Array) -> LinePoints:
    """Points between the ends of the elements and the fractions ``breaks`` (k,) where a load has kinks or jumps."""
    inside = breaks[(breaks > 0.0) & (breaks < 1.0)]
    edges = np.unique(np.concatenate([beam.bounds, inside]))
    half = 0.5 * np.diff(edges)
    s = (0.5 * (edges[1:] + edges[:-1])[:, None] + half[:, None] * _PIECE[0]).ravel()
    weights = (half[:, None] * _PIECE[1]).ravel() * beam.line.length
    return LinePoints(s, weights, shape_functions(beam, s))


def shape_functions(beam: BeamHandle, s: Array) -> Array:
    """(n, k) shape functions of the beam's nodes at fractions s (k,) of its length."""
    order, bounds = beam.elements.shape[1], beam.bounds
    element = np.clip(np.searchsorted(bounds, s, side="right") - 1, 0, len(bounds) - 2)
    x = 2.0 * (s - bounds[element]) / (bounds[element + 1] - bounds[element]) - 1.0
    shapes = np.zeros((len(beam.nodes), len(s)))
    np.add.at(shapes, (beam.elements[element].T, np.arange(len(s))), lagrange_values(LOBATTO_NODES[order], x))
    return shapes


def integral_onto_nodes(beam: BeamHandle, function: Callable[[float], float], what: str) -> Array:
    """(n,) m, integrals of a function of the fraction of the length times the shape functions.

    Adaptive quadrature between the ends of the elements and the jumps of the function.

    Raises
    ------
    InputError
        Where the function varies too much to be integrated to `ACCURACY`.
    """
    jumps = np.array(jumps_between(function, 0.0, 1.0))
    edges = np.unique(np.concatenate([beam.bounds, jumps]))
    scale = max(abs(function(s)) for s in np.linspace(0.0, 1.0, SAMPLES))
    total = np.zeros(len(beam.nodes))
    for before, after in zip(edges[:-1], edges[1:], strict=True):
        # at a jump the function has the value behind it: the piece ends just before
        end = float(np.nextafter(after, before)) if after in jumps else float(after)
        part, error, info = quad_vec(
            lambda s: shape_functions(beam, np.array([s]))[:, 0] * function(float(s)),
            float(before), end, epsabs=ACCURACY * scale * (end - before), epsrel=ACCURACY, norm="max",
            limit=MAX_PIECES, full_output=True,
        )  # fmt: skip
        if not info.success and error > 1e3 * ACCURACY * scale:
            raise InputError(
                f"{what} cannot be integrated between s = {before:.4g} and {after:.4g}: it varies too fast"
            )
        total += part
    return total * beam.line.length
