"""All beam elements of a model with the same number of nodes: data, calls of a step, energies, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, Split, Task
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.scheme.nodes.batches import MIN_BEAMS, in_batches
from fem_mbd.elements.beam import batches, forces, tangent as tangent_module
from fem_mbd.elements.quadrature import LOBATTO_NODES, gauss_rule

SECTION_AXES = "section"
AMOUNTS = columns("elastic", "dissipation_scheme", "dissipation_viscous")
OUTLINE_DIGITS = 7  # decimals, m: keeps result files small
SECTION_STRAIN = Output(
    "section_strain",
    "gauss_point",
    (
        Quantity("strain", "1", "stretch and shear", ("stretch", "shear2", "shear3"), SECTION_AXES),
        Quantity("curvature", "1/m", "twist and bending", ("twist", "bend2", "bend3"), SECTION_AXES),
    ),
    many=True,
    along=True,
)
SECTION_FORCE = Output(
    "section_force",
    "gauss_point",
    (
        Quantity("force", "N", "axial and shear, elastic part", ("N", "V2", "V3"), SECTION_AXES),
        Quantity("moment", "N m", "torsion and bending, elastic part", ("T", "M2", "M3"), SECTION_AXES),
    ),
    many=True,
    along=True,
)


@dataclass(frozen=True, eq=False, slots=True)
class BeamSpec:
    """Data of one element, in node axes; equal arrays of several elements are shared.

    Attributes
    ----------
    name : of the beam
    element : its number in the beam
    members : its nodes
    shape, slope, weight, stiffness : as in `beam_dtype`
    viscosity : (ng, 6, 6) stress per strain rate
    masses : (2,) kg/m, and kg m of rotation about the axis, means of the element
    turn : (3, 3) node axes to section axes
    span : fractions of the beam's length where the element begins and ends
    outlines : (2, k, 2) m, of the section at both ends, for drawings; (1, k, 2) where it is constant
    """

    name: str
    element: int
    members: tuple[Node, ...]
    shape: Array
    slope: Array
    weight: Array
    stiffness: Array
    viscosity: Array
    masses: Array
    turn: Array
    span: tuple[float, float]
    outlines: Array

    @property
    def nodes(self) -> list[int]:
        """Indices of its nodes."""
        return [node.index for node in self.members]


class BeamKind(PartKind):
    """Base of the three kinds; ``nn`` nodes per element."""

    label: ClassVar[str] = "beam"
    resists_rotation: ClassVar[bool] = True
    one_body: ClassVar[bool] = True
    turns_with_nodes: ClassVar[bool] = True
    slots_by_row: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (SECTION_STRAIN, SECTION_FORCE)
    view: ClassVar[str] = "beam"
    drawn: ClassVar[str] = "line"
    nn: ClassVar[int]

    def __init__(self, specs: Sequence[BeamSpec], workspace: Workspace):
        self.specs = list(specs)
        count, ng = len(self.specs), self.nn - 1
        self.records: Any = np.zeros(count, dtype=forces.beam_dtype(self.nn))
        self.nodes = np.array([spec.nodes for spec in self.specs])
        self.records["nodes"] = self.nodes
        for name in ("shape", "slope", "weight", "stiffness", "viscosity"):
            self.records[name] = [getattr(spec, name) for spec in self.specs]
        self.records["viscous"] = self.records["viscosity"].any(axis=(1, 2, 3))
        # node positions are on the reference line, their unknowns at the mass centre
        self.records["offset"] = -workspace.centre[self.nodes]
        self.multipliers = np.zeros(count, dtype=np.int64)
        self._set_reference_strains(workspace)
        self._strain, self._force = np.zeros((count * ng, 6)), np.zeros((count * ng, 6))
        # `np.allclose` with an absolute tolerance of 1e-15, in a tenth of its time
        turned = (np.abs(_distinct(self.specs, "turn") - np.eye(3)) > 1e-15 + 1e-5 * np.eye(3)).any()
        self._turns: Any = np.repeat([spec.turn for spec in self.specs], ng, axis=0) if turned else None
        outputs = (self._strain, self._force)
        self._section_outputs = outputs if self._turns is None else tuple(map(np.zeros_like, outputs))
        self._sums = np.zeros(3)
        self.measures = np.zeros((len(self.ranges), count * ng))

    def _set_reference_strains(self, workspace: Workspace) -> None:
        """Compute strains of the reference configuration by the same formulas: the initial shape is free of stress."""
        q = np.zeros((workspace.n, 4, 3))
        for node in {node.index: node for spec in self.specs for node in spec.members}.values():
            q[node.index, 0], q[node.index, 1:] = node.position, node.rotation.T
        for e in np.flatnonzero(workspace.centre[self.nodes].any(axis=(1, 2))):
            rotations = np.array([node.rotation for node in self.specs[e].members])
            positions = np.array([node.position for node in self.specs[e].members])
            q[self.nodes[e], 0] = positions + np.einsum(
                "nij,nj->ni", rotations, workspace.centre[self.nodes[e]]
            )
        forces.set_reference(self.records, q)

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        records, w = self.records, workspace
        sums = (w.force_m, w.force_f)
        batched = in_batches(len(records), MIN_BEAMS)
        module = batches if batched else forces
        tangent = batches.tangent if batched else tangent_module.tangent
        elements = (records, batches.as_numbers(records)) if batched else (records,)
        arrays: Any = (0, (1, "words")) if batched else (0,)  # with a row for each element
        slots = len(elements) + 6  # index of the tangent's argument
        split = Split(arrays, self.nodes)
        return {
            "begin_step": [Call(forces.begin_step, records, w.q_i, split=Split((0,), self.nodes))],
            "residual": [
                Call(
                    module.residual, *elements, w.step, w.q_f, w.p, *sums, split=split
                )
            ],
            "extrapolate": [
                Call(module.extrapolate, *elements, w.step, w.q_f, w.p, w.dq, w.dp, split=split)
            ],
            "tangent": [
                Call(
                    tangent, *elements, w.step, w.motion, w.rotations, w.maps, w.lin, w.column, self.slots, w.data,
                    split=Split((*arrays, slots), self.nodes),
                )
            ],
            "ledger": [
                Call(module.energies, *elements, w.step, w.q_f, w.p, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, w.amounts),
            ],
            "evaluate_measures": [Call(forces.evaluate, records, w.q_f, self.measures)],
            "evaluate_outputs": [
                Call(forces.section_state, records, w.q_i, self._strain, self._force),
                *self._turn_to_section_axes(),
            ],
        }  # fmt: skip

    def measured_parts(self) -> Indices:
        return np.repeat(np.arange(len(self.specs)), self.nn - 1)

    def extrapolated(self) -> list[Any]:
        return [self.records["lin_g"], self.records["lin_d"]]

    def strain_share(self, stresses: Sequence[Any]) -> float:
        strains = np.linalg.solve(self.records["stiffness"], stresses[0][..., None])[..., :3, 0]
        return float(np.linalg.norm(strains, axis=-1).max(initial=0.0)) / forces.MAX_STRAIN

    def too_stiff_to_buckle(self, stresses: Sequence[Any]) -> list[str]:
        r: Any = self.records
        ratio = forces.compression(r["stiffness"], r["axis"], stresses[0], r["weight"].sum(axis=1)).max(
            axis=1
        )
        limit, texts = forces.BUCKLES[self.nn], []
        for name in dict.fromkeys(spec.name for spec in self.specs):
            ratios = ratio[[spec.name == name for spec in self.specs]]
            if ratios.max() > limit:
                needed = int(np.ceil(len(ratios) * np.sqrt(ratios.max() / limit)))
                texts.append(
                    f"beam '{name}': N h^2/EI is {ratios.max():.3g} in an element of {self.nn} nodes, with an error "
                    f"above 2 % from {limit:g} on: give it {needed} elements"
                )
        return texts

    def too_coarse_to_vibrate(self, q: Array, rate: float) -> list[str]:
        r: Any = self.records
        strain, force = np.zeros_like(self._strain), np.zeros_like(self._force)
        forces.section_state(self.records, q, strain, force)
        masses = np.array([spec.masses for spec in self.specs])
        waves = forces.wave_numbers(r["stiffness"], r["axis"], force, masses, rate)
        halves = waves * r["weight"].sum(axis=1) / np.pi
        limit, texts = forces.VIBRATES[self.nn], []
        names = np.array([spec.name for spec in self.specs])
        for name in dict.fromkeys(names.tolist()):
            half_waves = halves[names == name]
            if half_waves.max() > limit:
                needed = int(np.ceil(len(half_waves) * half_waves.max() / limit))
                texts.append(
                    f"beam '{name}': an element has {half_waves.max():.2g} half-waves of this frequency, beyond "
                    f"{limit:g} for {self.nn} nodes: give it {needed} elements, or ask for fewer modes"
                )
        return texts

    def initial_energy(self, workspace: Workspace) -> None:
        forces.section_state(self.records, workspace.q_i, self._strain, self._force)
        weights = self.records["weight"].ravel()
        workspace.ledger["elastic"] += 0.5 * float(weights @ (self._strain * self._force).sum(axis=1))

    def output_arrays(self) -> dict[str, Array]:
        """Strains and elastic stress resultants (n_gauss, 6) at the accepted state, section axes."""
        return {"section_strain": self._section_outputs[0], "section_force": self._section_outputs[1]}

    def row_counts(self, output: Output) -> Sequence[int]:
        return [self.nn - 1] * len(self.specs)

    def _turn_to_section_axes(self) -> list[Task]:
        if self._turns is None:
            return []
        pairs = zip((self._strain, self._force), self._section_outputs, strict=True)
        return [Call(forces.to_section_axes, self._turns, values, turned) for values, turned in pairs]

    def describe(self) -> list[dict[str, Any]]:
        """Includes data for drawings: natural coordinates of nodes and Gauss points, range of the beam's length."""
        at = {"nodes_at": LOBATTO_NODES[self.nn].tolist(), "gauss_at": gauss_rule(self.nn)[0].tolist()}
        drawn = {id(a): a.round(OUTLINE_DIGITS).tolist() for a in _distinct(self.specs, "outlines")}
        parts: list[dict[str, Any]] = []
        for s in self.specs:
            part = {"name": s.name, "element": s.element, "span": list(s.span)} | at
            part["outlines"] = drawn[id(s.outlines)]
            if self._turns is not None:
                part["turn"] = s.turn.tolist()
            parts.append(part)
        return parts


def _distinct(specs: Sequence[BeamSpec], name: str) -> list[Array]:
    """The distinct arrays of that name; elements may share them."""
    return list({id(array): array for array in (getattr(spec, name) for spec in specs)}.values())


class TwoNodeBeams(BeamKind):
    nn = 2
    ranges = forces.beam_ranges(nn)


class ThreeNodeBeams(BeamKind):
    nn = 3
    ranges = forces.beam_ranges(nn)


class FourNodeBeams(BeamKind):
    nn = 4
    ranges = forces.beam_ranges(nn)


BEAM_KINDS: dict[int, type[BeamKind]] = {2: TwoNodeBeams, 3: ThreeNodeBeams, 4: FourNodeBeams}
