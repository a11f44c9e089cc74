"""Beams in general position for tests of kernels, and an independent numpy computation of strains and energy."""

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.elements import Arc, Beam, BeamHandle, Section, Straight

ORDERS = (2, 3, 4)
SHAPES = ("straight", "curved")
LOBATTO = {2: (-1, 1), 3: (-1, 0, 1), 4: (-1, -np.sqrt(0.2), np.sqrt(0.2), 1)}


def section(scale: float = 100.0) -> Section:
    """Fully coupled stiffness, mass centre off the line, full inertia."""
    coupling = np.random.default_rng(7).normal(size=(6, 6))
    stiffness = scale * (np.diag([5.0, 3.0, 4.0, 2.0, 2.5, 3.5]) + 0.15 * (coupling + coupling.T))
    inertia = np.array([[0.3, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.25]])
    return Section(stiffness, 2.0, inertia, mass_centre=(0.1, -0.15))


def line(shape: str) -> Arc | Straight:
    if shape == "straight":
        return Straight((0.2, -0.1, 0.3), (1.6, 0.7, 1.1))
    return Arc((0.2, -0.1, 0.3), (0, 0.6, 0.8), (1, 0, 0), radius=2.0, angle=0.9, twist=lambda s: 0.5 * s * s)


def beam(
    order: int,
    shape: str = "curved",
    elements: Any = 2,
    damping: Any = 0.0,
    gravity: tuple[float, float, float] = (0, 0, 0),
    scale: float = 100.0,
) -> tuple[Model, BeamHandle]:
    """A free beam of two elements."""
    model = Model(gravity=gravity)
    part = Beam(section(scale), line=line(shape), elements=elements, order=order, damping=damping)
    return model, model.add(part)


# -- the same in numpy -----------------------------------------------------------------------------------------


def _shape(order: int) -> tuple[Array, Array, Array]:
    """Weights (g,), shape functions and slopes (g, n) at the Gauss points of [-1, 1]."""
    points, weights = np.polynomial.legendre.leggauss(order - 1)
    nodes = np.array(LOBATTO[order])
    values, slopes = [], []
    for k in range(order):
        others = np.delete(nodes, k)
        poly = Polynomial.fromroots(others) / np.prod(nodes[k] - others)
        values.append(poly(points))
        slopes.append(poly.deriv()(points))
    return weights, np.array(values).T, np.array(slopes).T


class Strains:
    """Strains (elements, g, 6) as functions of the ambient vectors (n, 4, 3) of all nodes, which may be complex."""

    def __init__(self, handle: BeamHandle, workspace: Workspace, stiffness: Array):
        self.order = handle.elements.shape[1]
        self.nodes = np.array([[handle.nodes[k].index for k in ids] for ids in handle.elements])
        self.half = handle.line.length / len(self.nodes) / 2
        self.weights, self.shape, self.slope = _shape(self.order)
        self.centre, self.stiffness = workspace.centre, stiffness
        self.reference = np.zeros((len(self.nodes), self.order - 1, 6))
        q = np.zeros((workspace.n, 4, 3))
        for node in handle.nodes:
            q[node.index, 0] = node.position + node.rotation @ workspace.centre[node.index]
            q[node.index, 1:] = node.rotation.T
        self.axis = np.eye(3)[np.zeros((len(self.nodes), self.order - 1), int)]
        tangent = self._vectors(q)[0]
        self.axis = tangent / np.linalg.norm(tangent, axis=-1)[..., None]
        self.reference = self(q)

    def __call__(self, q: NDArray) -> NDArray:
        """Of the normalised vectors d_a . x'/|D n| and (1 + 2/t) k/3, see theory.md, section 5."""
        stretch, bend, d = self._vectors(q)
        along = np.einsum("ega,egai->egi", self.axis, d)
        length = np.sqrt((along * along).sum(-1))[..., None]
        square = 0.5 * ((d * d).sum((-1, -2)) - 1.0)[..., None]
        return np.concatenate([stretch / length, (1 + 2 / square) / 3 * bend], axis=-1) - self.reference

    def _vectors(self, q: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """d_a . x', (d_b' . d_c - d_c' . d_b)/2 and the directors (elements, g, 3, 3), not normalised."""
        on_line = q[:, 0] - np.einsum("na,nai->ni", self.centre, q[:, 1:])
        slope = self.slope / self.half
        tangent = np.einsum("gk,eki->egi", slope, on_line[self.nodes])
        d = np.einsum("gk,ekai->egai", self.shape, q[self.nodes][:, :, 1:])
        d_s = np.einsum("gk,ekai->egai", slope, q[self.nodes][:, :, 1:])
        stretch = np.einsum("egai,egi->ega", d, tangent)
        pairs = np.einsum("egbi,egci->egbc", d_s, d)
        bend = 0.5 * np.stack(
            [pairs[..., b, c] - pairs[..., c, b] for b, c in ((1, 2), (2, 0), (0, 1))], axis=-1
        )
        return stretch, bend, d

    def rate(self, q: Array, p: Array) -> Array:
        """Derivative of the strains at q along p."""
        return np.asarray(self(q + 1e-40j * p).imag / 1e-40)

    def energy(self, strain: Array, other: Array | None = None) -> float:
        """Integral of strain . C other / 2."""
        other = strain if other is None else other
        return 0.5 * self.half * float(np.einsum("g,egi,ij,egj", self.weights, strain, self.stiffness, other))
