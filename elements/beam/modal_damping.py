"""Modal damping of a beam: given damping ratios of its lowest modes, none of rigid-body motion.

Mode i of the isolated beam, clamped at its start, has frequency omega_i and strains eps_i (unit modal mass). From the
strains eps of any configuration its amplitude is q_i = (1/omega_i^2) int eps_i . C eps ds, and the damping is

    stress += sum_i a_i C eps_i int eps_i . C eps' ds,        a_i = 2 zeta_i / omega_i^3

whose power is 2 zeta_i omega_i q_i'^2 for each mode. Rigid-body motion causes no strains, so the rotation of a blade is
not damped, and the damping is frame-invariant. The stress enters the scheme like Kelvin-Voigt stress:
int eps_i . C (Deps, eps_p - Deps) over dt in place of the strain rates, so that the balance is exact and

    loss of a step = sum_i (a_i/dt) [D_i^2 + (d_i - D_i)^2/3],   D_i = int eps_i . C Deps,  d_i = int eps_i . C eps_p.

All nodes of the beam are coupled, so its matrix block is full. Prefer few elements, or damping proportional to
stiffness (`fit_damping`), for long transients. Modes beyond those given are not damped.

The kernels `damping_residual`, `damping_loss` and `damping_tangent` serve damping by modes and by shapes of whole beams
(`shape_damping`). A beam's k modes have forces (k, G, 6), weight times stiffness times strains at its G Gauss points,
and coefficients a (k,). In a step ``amounts`` (2, k) are the mean rates D/dt of the modes' products with the strains,
and the excess of the rates at t_f over them. Elements number nodes within the beam; ``beam_nodes`` (n,) are their
numbers in the model, ``local`` (5, n, 4, 3) q_i, q_f, p, force_m and force_f of these nodes. Forces are multiplied by
dt^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import (
    array3,
    array4,
    float64,
    indices,
    int64,
    matrix,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.compiled.vectors import inner, six
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Forces, Maps, Motion, Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.clamped_modes import StrainMap, beam_modes
from fem_mbd.elements.beam.gauss_point import (
    add_forces,
    add_measure_forces,
    forces_on_measures,
    interpolate,
    measures,
    measures_form,
    store_measures,
    strain_changes,
    strain_forces,
    strains,
)
from fem_mbd.errors import InputError


@cache
def shape_dtype(nn: int) -> np.dtype:
    """Record of the data of an element of nn nodes that measures and strains are computed from, as in `beam_dtype`."""
    return np.dtype(
        [
            ("nodes", "i8", (nn,)),
            ("shape", "f8", (nn - 1, nn)),
            ("slope", "f8", (nn - 1, nn)),
            ("offset", "f8", (nn, 3)),
            ("axis", "f8", (nn - 1, 3)),
            ("strain_0", "f8", (nn - 1, 6)),  # zero: only changes count
            ("measures_i", "f8", (nn - 1, 10)),
        ],
        align=True,
    )


class Modes(NamedTuple):
    """The k modes of a beam."""

    forces: Annotated[Any, array3]  # (k, G, 6) weight times stiffness times strains of a mode
    coefficients: Annotated[Any, vector]  # (k,) a_i of the module's docstring


class Scratch(NamedTuple):
    """Arrays that `damping_tangent` works in."""

    shares: Annotated[Any, matrix]  # (2, k)
    local: Annotated[Any, array4]  # (5, n, 4, 3)
    lines: Annotated[Any, matrix]  # (3, 12 n)


@kernel
def _gather(beam_nodes, motion, local):
    """Copy the vectors of the beam's nodes, and clear their forces."""
    q_i, q_f, p = motion
    for n in range(beam_nodes.shape[0]):
        for a in range(4):
            for i in range(3):
                local[0, n, a, i] = q_i[beam_nodes[n], a, i]
                local[1, n, a, i] = q_f[beam_nodes[n], a, i]
                local[2, n, a, i] = p[beam_nodes[n], a, i]
                local[3, n, a, i] = local[4, n, a, i] = 0.0


@kernel
def _find_amounts(elements, forces, dt, local, amounts):
    for k in range(forces.shape[0]):
        amounts[0, k] = amounts[1, k] = 0.0
    points = elements[0]["shape"].shape[0]
    for e in range(elements.shape[0]):
        for g in range(points):
            z_f = interpolate(local[1], elements[e], g)
            y_i = measures(elements[e], g, interpolate(local[0], elements[e], g))
            y_f = measures(elements[e], g, z_f)
            store_measures(elements[e], g, y_i)
            at_i, at_f = strains(elements[e], g, y_i), strains(elements[e], g, y_f)
            y_p = measures_form(elements[e], g, z_f, interpolate(local[2], elements[e], g))
            at_end = strain_changes(y_f, y_p)
            for k in range(forces.shape[0]):
                force = forces[k, points * e + g]
                mean = (inner(force, at_f) - inner(force, at_i)) / dt
                amounts[0, k] += mean
                amounts[1, k] += inner(force, at_end) / dt - mean


@kernel
def _stress(shares, forces, point):
    """Sum of the modes' forces at a Gauss point, times shares (k,): six numbers."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(forces.shape[0]):
        share, force = shares[k], forces[k, point]
        s0 += share * force[0]
        s1 += share * force[1]
        s2 += share * force[2]
        s3 += share * force[3]
        s4 += share * force[4]
        s5 += share * force[5]
    return s0, s1, s2, s3, s4, s5


@kernel
def _add_stresses(elements, forces, shares, scale, local):
    """Add scale times the forces of the stresses s_g and s_d, which are the modes' with shares (2, k)."""
    points = elements[0]["shape"].shape[0]
    for e in range(elements.shape[0]):
        for g in range(points):
            z_i, z_f = interpolate(local[0], elements[e], g), interpolate(local[1], elements[e], g)
            z_p = interpolate(local[2], elements[e], g)
            s_g, s_d = _stress(shares[0], forces, points * e + g), _stress(shares[1], forces, points * e + g)
            y_f, y_p = measures(elements[e], g, z_f), measures_form(elements[e], g, z_f, z_p)
            on_m, on_f = forces_on_measures(elements[e], g, y_f, y_p, s_g, s_d)
            add_forces(elements[e], g, (z_i, z_f, z_p), (on_m, on_f), scale, local[3], local[4])


@kernel(
    *(
        void(record(shape_dtype(nn))[::1], indices, Modes, float64, Motion, Forces, matrix, matrix, array4)
        for nn in (2, 3, 4)
    )
)
def damping_residual(elements, beam_nodes, modes, dt, motion, on_nodes, amounts, shares, local):
    """Add the ambient forces of a beam's damping to those of all nodes, and fill ``amounts``; shares (2, k) scratch."""
    (forces, coefficients), (force_m, force_f) = modes, on_nodes
    _gather(beam_nodes, motion, local)
    _find_amounts(elements, forces, dt, local, amounts)
    for k in range(forces.shape[0]):
        shares[0, k] = coefficients[k] * amounts[0, k]
        shares[1, k] = coefficients[k] * amounts[1, k]
    _add_stresses(elements, forces, shares, dt * dt, local)
    for n in range(beam_nodes.shape[0]):
        for a in range(4):
            for i in range(3):
                force_m[beam_nodes[n], a, i] += local[3, n, a, i]
                force_f[beam_nodes[n], a, i] += local[4, n, a, i]


@kernel(void(vector, matrix, float64, vector))
def damping_loss(coefficients, amounts, dt, out):
    """out[0] = energy that the modes dissipate in the step evaluated last, J."""
    out[0] = 0.0
    for k in range(coefficients.shape[0]):
        out[0] += dt * coefficients[k] * (amounts[0, k] * amounts[0, k] + amounts[1, k] * amounts[1, k] / 3)


@kernel
def _conjugate(beam_nodes, on_m, on_f, w_m, w_f, line):
    """line (12 n,) = forces on the unknowns of ambient forces (n, 4, 3); w_m, w_f (N, 3, 3, 6) maps of the directors.

    With d_q, d_p in place of the maps: the derivative of on_m . q_f + on_f . p by the unknowns.
    """
    for n in range(beam_nodes.shape[0]):
        first = 12 * n
        for i in range(3):
            line[first + i] = on_m[n, 0, i] + on_f[n, 0, i]
            line[first + 6 + i] = on_f[n, 0, i]
        for j in range(6):
            turn = 0.0
            for a in range(3):
                for i in range(3):
                    turn += (
                        w_m[beam_nodes[n], a, i, j] * on_m[n, 1 + a, i]
                        + w_f[beam_nodes[n], a, i, j] * on_f[n, 1 + a, i]
                    )
            line[first + (3 + j if j < 3 else 6 + j)] = turn


@kernel
def _rates_by_unknowns(elements, beam_nodes, forces, k, local, d_q, d_p, lines):
    """lines[0], lines[1] (12 n,) = derivatives of dt times the amounts of mode k by the beam's unknowns."""
    points = elements[0]["shape"].shape[0]
    along, across = local[3], local[4]  # of B(q_f) and of B(p) less that
    along[:, :, :] = 0.0
    across[:, :, :] = 0.0
    for e in range(elements.shape[0]):
        for g in range(points):
            z_f, axis = interpolate(local[1], elements[e], g), elements[e]["axis"][g]
            s = strain_forces(measures(elements[e], g, z_f), six(forces[k, points * e + g]))
            add_measure_forces(elements[e], g, axis, z_f, s, along)
            add_measure_forces(elements[e], g, axis, interpolate(local[2], elements[e], g), s, across)
    for n in range(beam_nodes.shape[0]):
        for a in range(4):
            for i in range(3):
                across[n, a, i] -= along[n, a, i]
    _conjugate(beam_nodes, across, along, d_q, d_p, lines[1])
    across[:, :, :] = 0.0
    _conjugate(beam_nodes, along, across, d_q, d_p, lines[0])


@kernel(
    *(
        void(
            record(shape_dtype(nn))[::1], indices, Modes, float64, Motion, Maps, Scratch, int64, slots, vector
        )
        for nn in (2, 3, 4)
    )
)
def damping_tangent(elements, beam_nodes, modes, dt, motion, maps, scratch, part, places, data):
    """Add the derivatives of `damping_residual` by the stresses; geometric stiffness, small for
    small ratios, is left out, and what strain rates owe to a change of the measures' factors.

    places[part] (12 n, 12 n) are those of the beam in the matrix values.
    """
    (forces, coefficients), (shares, local, lines), (w_m, w_f, d_q, d_p) = modes, scratch, maps
    _gather(beam_nodes, motion, local)
    size = 12 * beam_nodes.shape[0]
    for k in range(forces.shape[0]):
        _rates_by_unknowns(elements, beam_nodes, forces, k, local, d_q, d_p, lines)
        for which in range(2):  # the mean of the stress, its half-jump
            shares[:, :] = 0.0
            shares[which, k] = 1.0
            local[3, :, :, :] = 0.0
            local[4, :, :, :] = 0.0
            _add_stresses(elements, forces, shares, 1.0, local)
            _conjugate(beam_nodes, local[3], local[4], w_m, w_f, lines[2])
            for row in range(size):
                scaled = coefficients[k] * dt * lines[2, row]
                for column in range(size):
                    data[places[part, row, column]] += scaled * lines[which, column]


AMOUNTS = columns("dissipation_viscous")


@dataclass(frozen=True, eq=False)
class ModalDampingSpec:
    """forces (k, G, 6): weight times C eps_i, node axes; rates (k,): a_i."""

    name: str
    beam: BeamHandle
    forces: Array
    rates: Array


@arguments()
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
        modes = beam_modes(model, self.beam, len(ratios), what)
        spec = ModalDampingSpec(
            model.registry.unique_name(self.name), self.beam, modes.forces, 2 * ratios / modes.omega**3
        )
        model.registry.add(ModalDampingKind, spec)
        return self


@dataclass(frozen=True, eq=False)
class _BeamArrays:
    """Arrays of one damped beam, for the kernels."""

    elements: Any
    beam_nodes: Indices
    modes: Modes
    amounts: Array
    scratch: Scratch
    lost: Array


def _beam_arrays(spec: ModalDampingSpec, workspace: Workspace) -> _BeamArrays:
    beam, beam_nodes = spec.beam, np.array([node.index for node in spec.beam.nodes])
    nn, modes, n = beam.elements.shape[1], len(spec.rates), len(beam_nodes)
    elements: Any = np.zeros(len(beam.elements), dtype=shape_dtype(nn))
    elements["nodes"] = beam.elements
    elements["shape"] = [element.shape for element in beam.specs]
    elements["slope"] = [element.slope for element in beam.specs]
    elements["offset"] = -workspace.centre[beam_nodes][beam.elements]
    elements["axis"] = StrainMap(beam, workspace.centre[beam_nodes]).axis.reshape(-1, nn - 1, 3)
    return _BeamArrays(
        elements, beam_nodes, Modes(np.ascontiguousarray(spec.forces), np.array(spec.rates)), np.zeros((2, modes)),
        Scratch(np.zeros((2, modes)), np.zeros((5, n, 4, 3)), np.zeros((3, 12 * n))), np.zeros(1),
    )  # fmt: skip


class ModalDampingKind(PartKind):
    """Modal damping: a part is a beam, and couples all of its nodes."""

    label: ClassVar[str] = "modal damping"

    def __init__(self, specs: Sequence[ModalDampingSpec], workspace: Workspace):
        self.specs = list(specs)
        self.beams = [_beam_arrays(spec, workspace) for spec in self.specs]
        self.beam_nodes = [beam.beam_nodes for beam in self.beams]
        self.nodes = np.full((len(self.beam_nodes), max(len(n) for n in self.beam_nodes)), -1, dtype=np.int64)
        for row, n in zip(self.nodes, self.beam_nodes, strict=True):
            row[: len(n)] = n
        self.multipliers = np.zeros(len(self.beam_nodes), dtype=np.int64)

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        return {
            "residual": [
                Call(
                    damping_residual, b.elements, b.beam_nodes, b.modes, workspace.step, workspace.motion,
                    workspace.forces, b.amounts, b.scratch.shares, b.scratch.local,
                )
                for b in self.beams
            ],
            "tangent": self._tangent(workspace),
            "ledger": [
                call
                for b in self.beams
                for call in (
                    Call(damping_loss, b.modes.coefficients, b.amounts, workspace.step, b.lost),
                    Call(add_amounts, b.lost, AMOUNTS, workspace.amounts),
                )
            ],
        }  # fmt: skip

    def _tangent(self, workspace: Workspace) -> list[Task]:
        return [
            Call(
                damping_tangent, b.elements, b.beam_nodes, b.modes, workspace.step, workspace.motion,
                workspace.maps, b.scratch, part, self.slots, workspace.data,
            )
            for part, b in enumerate(self.beams)
        ]  # fmt: skip

    def describe(self) -> list[dict[str, Any]]:
        return [{"name": spec.name, "beam": spec.beam.name, "modes": len(spec.rates)} for spec in self.specs]
