"""Modal damping of a beam: given damping ratios of its lowest modes, none of rigid-body motion.

Mode i of the isolated beam, clamped at its start, has frequency omega_i and strains eps_i (unit modal mass). From the
strains eps of any configuration its amplitude is q_i = (1/omega_i^2) int eps_i . C eps ds, and the damping is

    stress += sum_i a_i C eps_i int eps_i . C eps' ds,        a_i = 2 zeta_i / omega_i^3

whose power is 2 zeta_i omega_i q_i'^2 for each mode. Rigid-body motion causes no strains, so the rotation of a blade is
not damped, and the damping is frame-invariant. The stress enters the scheme like Kelvin-Voigt stress (`kernels`): int
eps_i . C (Deps, eps_p - Deps) over dt in place of the strain rates, so that the balance is exact and

    loss of a step = sum_i (a_i/dt) [D_i^2 + (d_i - D_i)^2/3],   D_i = int eps_i . C Deps,  d_i = int eps_i . C eps_p.

All nodes of the beam are coupled, so its matrix block is full. Prefer few elements, or damping proportional to
stiffness (`fit_damping`), for long transients. Modes beyond those given are not damped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.damping.modes import StrainMap, beam_modes, strain_force, strain_form
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class ModalDampingSpec:
    """forces (k, G, 6): weight times C eps_i, node axes; rates (k,): a_i."""

    name: str
    beam: BeamHandle
    forces: Array
    rates: Array


@arguments("beam ratios name")
@dataclass(frozen=True, eq=False)
class ModalDamping:
    """Damping ratios of the lowest modes of a beam: `model.add(ModalDamping(handle, (0.01, 0.01, 0.02)))`.

    Add it after all masses on the beam's nodes: the modes include these masses.

    Parameters
    ----------
    beam : its handle
    ratios : (k,) of critical damping, one for each of the lowest modes; none negative
    name : shown in messages

    Raises
    ------
    InputError
        For negative ratios, or when the beam has fewer modes.
    """

    beam: BeamHandle
    ratios: Sequence[float]
    _: KW_ONLY
    name: str = "modal damping"

    def build(self, model: Model) -> ModalDamping:
        """Called by `Model.add`."""
        what = f"modal damping '{self.name}'"
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"{what}: give the handle that Model.add(Beam(…)) returned")
        model.registry.node_of(self.beam.start, what)
        ratios = array(self.ratios, np.shape(self.ratios), f"{what}: ratios")
        if ratios.ndim != 1 or len(ratios) == 0 or np.any(ratios < 0.0):
            raise InputError(f"{what}: ratios are {ratios.tolist()}: give one for each mode, none negative")
        found = beam_modes(model, self.beam, len(ratios), what)
        spec = ModalDampingSpec(
            model.registry.unique_name(self.name), self.beam, found.forces, 2 * ratios / found.omega**3
        )
        model.registry.add(ModalDampingKind, spec)
        return self


@dataclass
class _Rates:
    """State of one damped beam: z at both ends and its rate, D_i and d_i (k,) of the module's heading over dt."""

    z_i: Array
    z_f: Array
    z_p: Array
    mean: Array
    linear: Array


class ModalDampingKind(PartKind):
    """Modal damping in numpy: one part couples all nodes of a beam, and a model has few of them."""

    label: ClassVar[str] = "modal damping"

    def __init__(self, specs: Sequence[ModalDampingSpec], work: Workspace):
        self.specs = list(specs)
        own = [np.array([node.index for node in spec.beam.nodes]) for spec in self.specs]
        self.nodes = np.full((len(own), max(len(n) for n in own)), -1, dtype=np.int64)
        for row, n in zip(self.nodes, own, strict=True):
            row[: len(n)] = n
        self.own = own
        self.multipliers = np.zeros(len(own), dtype=np.int64)
        self.maps = [StrainMap(spec.beam, work.centre[n]) for spec, n in zip(self.specs, own, strict=True)]

    def _rates(self, k: int, work: Workspace) -> _Rates:
        z, n = self.maps[k], self.own[k]
        z_i, z_f, z_p = z(work.q_i[n]), z(work.q_f[n]), z(work.p[n])
        change = 0.5 * (strain_form(z_f, z_f) - strain_form(z_i, z_i))
        rest = strain_form(z_f, z_p) - change
        forces = self.specs[k].forces
        mean, linear = (np.einsum("kgi,gi->k", forces, e) / work.dt for e in (change, rest))
        return _Rates(z_i, z_f, z_p, mean, linear)

    def residual(self, work: Workspace) -> None:
        for k, spec in enumerate(self.specs):
            r = self._rates(k, work)
            stress_g = np.einsum("k,kgi->gi", spec.rates * r.mean, spec.forces)
            stress_s = np.einsum("k,kgi->gi", spec.rates * r.linear, spec.forces)
            for total, force in zip(
                (work.force_m, work.force_f), _forces(r, stress_g, stress_s), strict=True
            ):
                total[self.own[k]] += work.dt**2 * self.maps[k].spread(force)

    def tangent(self, work: Workspace) -> None:
        """Tangent of the stresses; their geometric stiffness, small for small ratios, is neglected."""
        for k, spec in enumerate(self.specs):
            r, n, z = self._rates(k, work), self.own[k], self.maps[k]
            block = np.zeros((12 * len(n), 12 * len(n)))
            none = np.zeros_like(spec.forces[0])
            for rate, force in zip(spec.rates, spec.forces, strict=True):
                along = z.spread(strain_force(r.z_f, force))
                across = z.spread(strain_force(r.z_p, force))
                mean = _pulled(work, n, along, 0.0 * along, work.d_q, work.d_p)
                linear = _pulled(work, n, across - along, along, work.d_q, work.d_p)
                for stresses, moved in (((force, none), mean), ((none, force), linear)):
                    on_m, on_f = (z.spread(f) for f in _forces(r, *stresses))
                    block += (
                        rate * work.dt * np.outer(_pulled(work, n, on_m, on_f, work.w_m, work.w_f), moved)
                    )
            width = len(block)
            np.add.at(work.data, self.slots[k][:width, :width], block)

    def ledger(self, work: Workspace) -> None:
        for k, spec in enumerate(self.specs):
            r = self._rates(k, work)
            work.ledger["dissipation_viscous"] += work.dt * float(spec.rates @ (r.mean**2 + r.linear**2 / 3))

    def describe(self) -> list[dict[str, Any]]:
        return [{"name": spec.name, "beam": spec.beam.name, "modes": len(spec.rates)} for spec in self.specs]


def _forces(r: _Rates, stress_g: Array, stress_s: Array) -> tuple[Array, Array]:
    """Forces Q_m and Q_f (G, 7, 3) conjugate to z by the discrete-derivative rule."""
    z_mean, change = 0.5 * (r.z_i + r.z_f), r.z_f - r.z_i
    on_m = strain_force(Q_m(z_mean, r.z_p, 1.0, 0.0), stress_g) + strain_force(
        Q_m(z_mean, r.z_p, 0.0, 1.0), stress_s
    )
    on_f = strain_force(Q_f(r.z_f, change, 1.0, 0.0), stress_g) + strain_force(
        Q_f(r.z_f, change, 0.0, 1.0), stress_s
    )
    return on_m, on_f


def _pulled(work: Workspace, n: Indices, on_m: Array, on_f: Array, w_m: Array, w_f: Array) -> Array:
    """(12 n,) generalised forces of ambient forces (n, 4, 3); w_m, w_f (all nodes, 3, 3, 6) maps of the directors.

    With D_q, D_p in place of the maps: derivative of on_m . q_f + on_f . p by the unknowns.
    """
    turn = np.einsum("naij,nai->nj", w_m[n], on_m[:, 1:]) + np.einsum("naij,nai->nj", w_f[n], on_f[:, 1:])
    both = on_m[:, 0] + on_f[:, 0]
    return np.concatenate([both, turn[:, :3], on_f[:, 0], turn[:, 3:]], axis=1).ravel()
