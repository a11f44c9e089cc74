"""All lubricated journals of a model: film data, calls of a step, dissipated energy, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.joints.lubricated import kernels

FILM = Output(
    "film",
    "film",
    (
        Quantity(
            "eccentricity",
            "m",
            "journal's centre from that of the bearing, across the axis",
            tuple(f"eccentricity {c}" for c in XYZ),
            "global",
        ),
        Quantity("eccentricity_ratio", "1", "its magnitude over the clearance of the radii"),
        Quantity(
            "film_force",
            "N",
            "pressure of the film on the journal",
            tuple(f"film_force {c}" for c in XYZ),
            "global",
            "mean",
        ),
        Quantity(
            "film_torque", "N m", "of the film's shear on the journal about the bearing's axis", within="mean"
        ),
    ),
)
AMOUNTS = columns("dissipation_viscous")


@dataclass(frozen=True, eq=False)
class FilmSpec:
    """Data of one film, for `LubricatedJournalKind`.

    k, l : centres of bearing and journal; axis : (3,) of the bearing, global axes, reference configuration; radius,
    length, clearance : m; viscosity : Pa s; thinnest : m
    """

    name: str
    k: Point
    l: Point
    axis: Array
    radius: float
    length: float
    clearance: float
    viscosity: float
    thinnest: float


class LubricatedJournalKind(PartKind):
    """All films. ``history`` (n, 7): eccentricity, force and torque of the last step, for output only."""

    label: ClassVar[str] = "film"
    recorded: tuple[Output, ...] = (FILM,)

    def __init__(self, specs: Sequence[FilmSpec], work: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.FILM)
        self.history: Array = np.zeros((count, 7))
        for record, spec, start in zip(self.records, self.specs, self.history, strict=True):
            work.put_points(record, spec.k, spec.l)
            record["axis"] = spec.k.node.rotation.T @ spec.axis
            record["clearance"] = spec.clearance
            record["squeeze"] = spec.viscosity * spec.radius * (spec.length / spec.clearance) ** 3
            record["shear"] = 2.0 * pi * spec.viscosity * spec.radius**3 * spec.length / spec.clearance
            record["largest"] = 1.0 - spec.thinnest / spec.clearance
            x = spec.l.position - spec.k.position
            start[:3] = x - spec.axis * (spec.axis @ x)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self._sums, self._outputs = np.zeros(1), np.zeros((count, 8))

    def neglect_friction(self) -> None:
        # a film has no force without motion
        self.records["squeeze"] = self.records["shear"] = 0.0

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        films = (self.records, work.step, work.x, work.r_i, work.q_i)
        after = (work.r_f, work.q_f, work.force_m, work.rows)
        return {
            "residual": [Call(kernels.residual, *films, *after)],
            "tangent": [Call(kernels.tangent, *films, work.w_m, work.lin_m, self.slots, work.data)],
            "ledger": [
                Call(kernels.energies, self.records, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, work.amounts),
            ],
            "accept": [Call(kernels.store_history, self.records, self.history)],
            "evaluate_outputs": [Call(kernels.outputs, self.records, self.history, self._outputs)],
        }

    def output_arrays(self) -> dict[str, Array]:
        """Per film (n, 8): eccentricity and its ratio at the accepted state, force and torque of the step before it."""
        return {FILM.name: self._outputs}

    def describe(self) -> list[dict[str, Any]]:
        names = "axis", "radius", "length", "clearance", "viscosity", "thinnest"
        return [pair_data(s, *names) for s in self.specs]
