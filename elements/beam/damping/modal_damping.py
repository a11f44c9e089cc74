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
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.damping import kernels
from fem_mbd.elements.beam.damping.modes import StrainMap, beam_modes
from fem_mbd.errors import InputError

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
    """Arrays of one damped beam, as of `kernels`."""

    elements: Any
    own: Indices
    modes: kernels.Modes
    amounts: Array
    scratch: kernels.Scratch
    lost: Array


def _beam_arrays(spec: ModalDampingSpec, work: Workspace) -> _BeamArrays:
    beam, own = spec.beam, np.array([node.index for node in spec.beam.nodes])
    nn, modes, n = beam.elements.shape[1], len(spec.rates), len(own)
    elements: Any = np.zeros(len(beam.elements), dtype=kernels.shape_dtype(nn))
    elements["nodes"] = beam.elements
    elements["shape"] = [element.shape for element in beam.specs]
    elements["slope"] = [element.slope for element in beam.specs]
    elements["offset"] = -work.centre[own][beam.elements]
    elements["axis"] = StrainMap(beam, work.centre[own]).axis.reshape(-1, nn - 1, 3)
    return _BeamArrays(
        elements, own, kernels.Modes(np.ascontiguousarray(spec.forces), np.array(spec.rates)), np.zeros((2, modes)),
        kernels.Scratch(np.zeros((2, modes)), np.zeros((5, n, 4, 3)), np.zeros((3, 12 * n))), np.zeros(1),
    )  # fmt: skip


class ModalDampingKind(PartKind):
    """Modal damping: a part is a beam, and couples all of its nodes."""

    label: ClassVar[str] = "modal damping"

    def __init__(self, specs: Sequence[ModalDampingSpec], work: Workspace):
        self.specs = list(specs)
        self.beams = [_beam_arrays(spec, work) for spec in self.specs]
        self.own = [beam.own for beam in self.beams]
        self.nodes = np.full((len(self.own), max(len(n) for n in self.own)), -1, dtype=np.int64)
        for row, n in zip(self.nodes, self.own, strict=True):
            row[: len(n)] = n
        self.multipliers = np.zeros(len(self.own), dtype=np.int64)

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        return {
            "residual": [
                Call(
                    kernels.residual, b.elements, b.own, b.modes, work.step, work.motion, work.forces, b.amounts,
                    b.scratch.shares, b.scratch.local,
                )
                for b in self.beams
            ],
            "tangent": self._tangent(work),
            "ledger": [
                call
                for b in self.beams
                for call in (
                    Call(kernels.loss, b.modes.coefficients, b.amounts, work.step, b.lost),
                    Call(add_amounts, b.lost, AMOUNTS, work.amounts),
                )
            ],
        }  # fmt: skip

    def _tangent(self, work: Workspace) -> list[Task]:
        return [
            Call(
                kernels.tangent, b.elements, b.own, b.modes, work.step, work.motion, work.maps, b.scratch, part,
                self.slots, work.data,
            )
            for part, b in enumerate(self.beams)
        ]  # fmt: skip

    def describe(self) -> list[dict[str, Any]]:
        return [{"name": spec.name, "beam": spec.beam.name, "modes": len(spec.rates)} for spec in self.specs]
