"""Modes of a single beam clamped at its start, with their strains, for modal damping and fits of damping."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix, lil_matrix

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.kind import BEAM_KINDS, BeamSpec
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class BeamModes:
    """The lowest k modes of a beam clamped at its start, of unit modal mass; G Gauss points, node axes.

    omega : (k,) rad/s
    strains : (k, G, 6) of each mode
    stiffness : (G, 6, 6), weight : (G,) m
    """

    omega: Array
    strains: Array
    stiffness: Array
    weight: Array

    @property
    def forces(self) -> Array:
        """(k, G, 6) weight times stiffness times strains: their product with strains is twice the energy."""
        return np.asarray(np.einsum("g,gij,kgj->kgi", self.weight, self.stiffness, self.strains))


def beam_modes(model: Model, handle: BeamHandle, number: int, what: str) -> BeamModes:
    """The lowest `number` modes of a beam of a model, with the masses of its nodes, without gravity."""
    isolated = _isolated(model, handle)
    result = modes(isolated, number, undamped=True)
    omega = result.eigenvalues.imag
    if len(result) < number or np.any(omega <= 0.0):
        raise InputError(f"{what}: the isolated beam '{handle.name}' does not have {number} modes")
    strains = []
    z = StrainMap(handle, np.array([isolated.inertia[k + 1].centre for k in range(len(handle.nodes))]))
    reference = z.reference(handle)
    for shape in result.shapes.real:
        # the first node of a model is the ground
        change = np.zeros((len(handle.nodes), 4, 3))
        turns = shape[1:, 3:]
        rotations = np.array([node.rotation for node in handle.nodes])
        change[:, 1:] = np.cross(turns[:, None], np.swapaxes(rotations, 1, 2))
        change[:, 0] = shape[1:, :3] + np.einsum("na,nai->ni", z.centre, change[:, 1:])
        strains.append(strain_changes(z(reference), z(change), z.axis))
    stiffness = np.concatenate([spec.stiffness for spec in handle.specs])
    return BeamModes(
        omega, np.array(strains), stiffness, np.concatenate([spec.weight for spec in handle.specs])
    )


def _isolated(model: Model, handle: BeamHandle) -> Model:
    isolated = Model(name=f"{handle.name} by itself")
    copies = {}
    for node in handle.nodes:
        copy = isolated.node(node.position, node.rotation, node.name)
        isolated.inertia[copy.index] = model.inertia[node.index]
        copies[node.index] = copy
    for spec in handle.specs:
        element: BeamSpec = replace(spec, members=tuple(copies[node.index] for node in spec.members))
        isolated.registry.add(BEAM_KINDS[len(spec.members)], element)
    isolated.fix(copies[handle.start.index])
    return isolated


# -- strains in numpy, of all Gauss points of a beam at once -------------------------------------------------


class StrainMap:
    """z (G, 7, 3) of the kernels (`gauss_point`) at all Gauss points, linear in the ambient vectors (n, 4, 3).

    centre : (n, 3) mass centres of the beam's nodes in node axes

    Attributes
    ----------
    axis : (G, 3) unit tangents of the reference line, node axes
    """

    def __init__(self, handle: BeamHandle, centre: Array):
        self.centre = centre
        nn, count = handle.elements.shape[1], len(handle.elements)
        points = count * (nn - 1)
        matrix = lil_matrix((7 * points, 4 * len(handle.nodes)))
        for e, (spec, ids) in enumerate(zip(handle.specs, handle.elements, strict=True)):
            for g in range(nn - 1):
                row = 7 * (e * (nn - 1) + g)
                for m, n in enumerate(ids):
                    shape, slope = spec.shape[g, m], spec.slope[g, m]
                    matrix[row, 4 * n] = slope
                    for a in range(3):
                        matrix[row, 4 * n + 1 + a] -= slope * centre[n, a]
                        matrix[row + 1 + a, 4 * n + 1 + a] = shape
                        matrix[row + 4 + a, 4 * n + 1 + a] = slope
        self.matrix = csr_matrix(matrix)
        self.transposed = csr_matrix(self.matrix.T)
        at_rest = self(self.reference(handle))
        tangent = _vectors(at_rest, at_rest)[0]
        self.axis = tangent / np.linalg.norm(tangent, axis=1)[:, None]

    def __call__(self, q: Array) -> Array:
        return np.asarray(self.matrix @ q.reshape(-1, 3)).reshape(-1, 7, 3)

    def spread(self, force: Array) -> Array:
        """Ambient forces (n, 4, 3) of forces (G, 7, 3) on z."""
        return np.asarray(self.transposed @ force.reshape(-1, 3)).reshape(-1, 4, 3)

    def reference(self, handle: BeamHandle) -> Array:
        """Ambient vectors (n, 4, 3) of the reference configuration."""
        q = np.empty((len(handle.nodes), 4, 3))
        for k, node in enumerate(handle.nodes):
            q[k, 0], q[k, 1:] = node.position + node.rotation @ self.centre[k], node.rotation.T
        return q


def _scales(z: Array, axis: Array) -> tuple[Array, Array, Array]:
    """D n (G, 3), l (G,) and t (G,) of z (G, 7, 3), as in `gauss_point`; axis (G, 3)."""
    along = np.einsum("ga,gai->gi", axis, z[:, 1:4])
    return along, (along**2).sum(axis=1), 0.5 * ((z[:, 1:4] ** 2).sum(axis=(1, 2)) - 1.0)


def _vectors(z: Array, y: Array) -> tuple[Array, Array]:
    """Symmetric bilinear forms (G, 3) of the measures g and k of z and y (G, 7, 3); at y = z twice their values."""
    g, k = np.empty((len(z), 3)), np.empty((len(z), 3))
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        g[:, a] = (z[:, 0] * y[:, 1 + a] + y[:, 0] * z[:, 1 + a]).sum(axis=1)
        bend = z[:, 4 + b] * y[:, 1 + c] + y[:, 4 + b] * z[:, 1 + c]
        k[:, a] = 0.5 * (bend - z[:, 4 + c] * y[:, 1 + b] - y[:, 4 + c] * z[:, 1 + b]).sum(axis=1)
    return g, k


def strain_changes(z: Array, y: Array, axis: Array) -> Array:
    """(G, 6) change of the strains at z by y (G, 7, 3), to first order; axis (G, 3) : n of `gauss_point`."""
    (along, l, t), (g, k), (dg, dk) = _scales(z, axis), _vectors(z, z), _vectors(z, y)
    dl = 2.0 * np.einsum("gi,ga,gai->g", along, axis, y[:, 1:4])
    dt = (z[:, 1:4] * y[:, 1:4]).sum(axis=(1, 2))
    gamma = (dg - 0.25 * g * (dl / l)[:, None]) / np.sqrt(l)[:, None]
    kappa = (1 + 2 / t)[:, None] / 3 * dk - k / 3 * (dt / t**2)[:, None]
    return np.concatenate([gamma, kappa], axis=1)


def strain_force(z: Array, stress: Array, axis: Array) -> Array:
    """(G, 7, 3) force conjugate to z of a stress (G, 6): its power is stress times strain rate (`strain_changes`)."""
    (along, l, t), (twice_g, twice_k) = _scales(z, axis), _vectors(z, z)
    on_g, on_k = stress[:, :3] / np.sqrt(l)[:, None], (1 + 2 / t)[:, None] / 3 * stress[:, 3:]
    on_l = -0.25 * (on_g * twice_g).sum(axis=1) / l
    on_t = -(stress[:, 3:] * twice_k).sum(axis=1) / (3 * t**2)
    force = np.zeros_like(z)
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        g, k = on_g[:, a, None], 0.5 * on_k[:, a, None]
        force[:, 0] += g * z[:, 1 + a]
        force[:, 1 + a] += g * z[:, 0]
        force[:, 1 + a] += (2.0 * on_l * axis[:, a])[:, None] * along + on_t[:, None] * z[:, 1 + a]
        force[:, 4 + b] += k * z[:, 1 + c]
        force[:, 1 + c] += k * z[:, 4 + b]
        force[:, 4 + c] -= k * z[:, 1 + b]
        force[:, 1 + b] -= k * z[:, 4 + c]
    return force
