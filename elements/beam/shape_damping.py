"""Damping of a beam from given ratios: of prescribed bending shapes, or as Kelvin-Voigt times fitted to its modes.

`ShapeDamping`: bending shapes with damping ratios, as ElastoDyn gives them for towers and blades. For shapes with
curvature eps_l about one of its section axes the beam gets

    stress += sum_lm C eps_l (K^-1 D K^-1)_lm int eps_m . C eps' ds - eta_0 (the same with K in place of D)
    K_lm = int eps_l . C eps_m ds,    D_lm = 0.5 (eta_l + eta_m) K_lm

with eta_0 the Kelvin-Voigt time that the beam already has in this bending, so that a motion in the shapes with rates q'
causes the forces D q'. ElastoDyn's matrix, eta_m K_lm, is not symmetric where the eta differ; its symmetric part is
used, which has the same power; motions in the shapes that would gain energy from it are not damped. The eta are 2
zeta/omega of each shape. No motion gains energy: the second sum is never larger than the Kelvin-Voigt damping (Schwarz
inequality). Other motions are damped according to their components in these shapes. In the scheme it is
`modal_damping`, except for the tangent of a step: there it would couple all nodes of the beam, at a hundred times the
cost of a step. It is omitted from the tangent, and Newton's iteration converges linearly in it: each iteration reduces
the error by the factor zeta or less. Linear models include it (`far_damping`).

`fit_damping`: stiffness-proportional (Kelvin-Voigt) damping times from given damping ratios of a beam's modes. With
D = S C S, S = diag(sqrt(eta)), mode k of the isolated beam has, for small damping,

    zeta_k = (1/(2 omega_k)) int eps_k . D eps_k ds          (unit modal mass)

which is linear in eta except for the coupled entries of C; there sqrt(eta_i eta_j) is replaced by the mean of both for
the fit, and the ratios reported are those of the true D. Three non-negative times are fitted by least squares of the
relative errors: bending and shear along axis 2 (strains shear 2 and bend 3), along axis 3 (shear 3, bend 2), and
stretch with twist; or one for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy
from scipy.sparse import csr_matrix

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.base.validation import array
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.clamped_modes import StrainMap, beam_modes, strain_force
from fem_mbd.elements.beam.modal_damping import ModalDampingKind, ModalDampingSpec
from fem_mbd.elements.quadrature import gauss_rule
from fem_mbd.errors import InputError

STRAIN = {"bend2": 4, "bend3": 5}


@dataclass(frozen=True, eq=False)
class BendingShapes:
    """Bending shapes about one section axis, and their damping.

    Attributes
    ----------
    about : "bend2" or "bend3"
    coefficients : (k, p) of x^2, x^3, …, x^(p + 1), x from 0 at the start to 1 at the end: deflection, of any scale
    times : (k,) eta, s
    base : eta_0, s, Kelvin-Voigt time of the beam in this bending
    """

    about: Literal["bend2", "bend3"]
    coefficients: Array
    times: Array
    base: float = 0.0

    def curvatures(self, x: Array) -> Array:
        """(k, n) second derivatives at positions x (n,)."""
        powers = np.arange(2, 2 + self.coefficients.shape[1])
        return np.asarray(self.coefficients @ (powers * (powers - 1) * x[:, None] ** (powers - 2)).T)


@dataclass(frozen=True, eq=False)
class ShapeDamping:
    """Damping of a beam by bending shapes: `model.add(ShapeDamping(handle, shapes))`.

    Parameters
    ----------
    beam : its handle
    shapes : about one section axis
    name : shown in messages

    Raises
    ------
    InputError
        For negative times, or shapes that are linearly dependent.
    """

    beam: BeamHandle
    shapes: BendingShapes
    name: str = "shape damping"

    def build(self, model: Model) -> ShapeDamping:
        """Called by `Model.add`."""
        what = f"shape damping '{self.name}'"
        model.registry.node_of(self.beam.start, what)
        times = array(self.shapes.times, (len(self.shapes.coefficients),), f"{what}: times")
        if np.any(times < 0.0):
            raise InputError(f"{what}: times are {times.tolist()} s: none may be negative")
        strains, forces = self._on_gauss_points()
        elastic = np.einsum("kgi,lgi->kl", forces, strains)
        if np.linalg.matrix_rank(elastic, hermitian=True) < len(times):
            raise InputError(f"{what}: the shapes are not linearly independent")
        viscous = 0.5 * (times[:, None] + times) * elastic
        # D v = eta K v with v . K v = 1: K^-1 D K^-1 = sum of eta v v^T, K^-1 that of v v^T
        eta, vectors = scipy.linalg.eigh(viscous, elastic)
        rates = np.maximum(eta, 0.0) - self.shapes.base
        spec = ModalDampingSpec(
            model.registry.unique_name(self.name), self.beam, np.einsum("lk,lgi->kgi", vectors, forces), rates
        )
        if rates.any():
            model.registry.add(ShapeDampingKind, spec)
        return self

    def _on_gauss_points(self) -> tuple[Array, Array]:
        """(k, G, 6) strains of the shapes, and weight times stiffness times these; node axes."""
        beam = self.beam
        points = gauss_rule(beam.elements.shape[1])[0]
        x = np.concatenate([a + 0.5 * (b - a) * (1 + points) for a, b in (spec.span for spec in beam.specs)])
        section_strains = np.zeros((len(self.shapes.coefficients), len(x), 6))
        section_strains[:, :, STRAIN[self.shapes.about]] = self.shapes.curvatures(x)
        strains = section_strains @ np.kron(np.eye(2), beam.offset_rotation)
        stiffness = np.concatenate([spec.stiffness for spec in beam.specs])
        weight = np.concatenate([spec.weight for spec in beam.specs])
        return strains, np.einsum("g,gij,kgj->kgi", weight, stiffness, strains)


class ShapeDampingKind(ModalDampingKind):
    """Shape damping; in a step's matrix it occupies only the first node of its beam (see the module's docstring)."""

    label: ClassVar[str] = "shape damping"

    def __init__(self, specs: Sequence[ModalDampingSpec], workspace: Workspace):
        super().__init__(specs, workspace)
        self._all_nodes, self.nodes = self.nodes, self.nodes[:, :1].copy()
        self.maps = [
            StrainMap(spec.beam, workspace.centre[n])
            for spec, n in zip(self.specs, self.beam_nodes, strict=True)
        ]

    def nodes_read(self) -> Indices:
        """All nodes of each beam."""
        return self._all_nodes

    def _tangent(self, workspace: Workspace) -> list[Task]:
        return []  # see the module's docstring

    def far_damping(self, workspace: Workspace, only: Flags | None = None) -> csr_matrix:
        total = csr_matrix((6 * workspace.n, 6 * workspace.n))
        for k, spec in enumerate(self.specs):
            if only is None or only[k]:
                rows = csr_matrix(self._conjugate_rows(k, workspace))
                total = total + rows.T @ rows.multiply(spec.rates[:, None])
        return csr_matrix(total)

    def _conjugate_rows(self, k: int, workspace: Workspace) -> Array:
        """(shapes, 6 n) amplitudes of the shapes per motion of the nodes: displacement, then rotation in node axes."""
        spec, beam_nodes, q = self.specs[k], self.beam_nodes[k], workspace.q_i[self.beam_nodes[k]]
        rows = np.zeros((len(spec.rates), workspace.n, 6))
        for row, force in zip(rows, spec.forces, strict=True):
            ambient = self.maps[k].spread(strain_force(self.maps[k](q), force, self.maps[k].axis))
            row[beam_nodes, :3] = ambient[:, 0]
            # the directors are the columns of the node's rotation
            moment = np.cross(q[:, 1:], ambient[:, 1:]).sum(axis=1)
            row[beam_nodes, 3:] = np.einsum("nai,ni->na", q[:, 1:], moment)
        return rows.reshape(len(rows), -1)


GROUPS = ((1, 5), (2, 4), (0, 3))


@dataclass(frozen=True, eq=False)
class DampingFit:
    """Result of a damping fit; ``str(fit)`` is a table.

    Attributes
    ----------
    times : (6,) s, for the ``damping`` of the beam
    frequencies_hz : (k,) of the modes
    wanted, found : (k,) damping ratios
    """

    times: Array
    frequencies_hz: Array
    wanted: Array
    found: Array

    def __str__(self) -> str:
        rows = ["mode  frequency [Hz]  wanted    found"]
        pairs = zip(self.frequencies_hz, self.wanted, self.found, strict=True)
        rows += [f"{k + 1:4d}  {f:14.4f}  {w:.5f}  {z:.5f}" for k, (f, w, z) in enumerate(pairs)]
        return "\n".join([*rows, "times [s]: " + ", ".join(f"{t:.4g}" for t in self.times)])


def fit_damping(model: Model, beam: BeamHandle, ratios: Sequence[float], single: bool = False) -> DampingFit:
    """Fit the damping times of a beam to the damping ratios of its lowest modes.

    Modes are those of the undamped beam clamped at its start, with the masses on its nodes.

    Parameters
    ----------
    model : model of the beam
    beam : its handle
    ratios : (k,) of critical damping, above zero, one for each of the lowest modes
    single : fit one time for all strains

    Raises
    ------
    InputError
        For ratios that are not above zero, and more of them than the beam has modes.
    """
    what = f"fit_damping for '{beam.name}'"
    wanted = array(ratios, np.shape(ratios), f"{what}: ratios")
    if wanted.ndim != 1 or len(wanted) == 0 or np.any(wanted <= 0.0):
        raise InputError(
            f"{what}: ratios are {wanted.tolist()}: give one above zero for each of the lowest modes"
        )
    modes = beam_modes(model, beam, len(wanted), what)
    # section axes, to which the times refer
    turn = np.kron(np.eye(2), beam.offset_rotation)
    strains, stiffness = modes.strains @ turn.T, turn @ modes.stiffness @ turn.T
    energy = np.einsum("g,kgi,gij,kgj->kij", modes.weight, strains, stiffness, strains)
    shares = energy.sum(axis=2) / (2 * modes.omega[:, None])
    groups: tuple[tuple[int, ...], ...] = (tuple(range(6)),) if single else GROUPS
    columns = np.stack([shares[:, list(group)].sum(axis=1) for group in groups], axis=1)
    fitted, _ = scipy.optimize.nnls(columns / wanted[:, None], np.ones(len(wanted)))
    times = np.zeros(6)
    for group, value in zip(groups, fitted, strict=True):
        times[list(group)] = value
    root = np.sqrt(times)
    fitted_ratios = np.einsum("i,kij,j->k", root, energy, root) / (2 * modes.omega)
    return DampingFit(times, modes.omega / (2 * np.pi), wanted, fitted_ratios)
