"""View of a beam: position, section forces and strains at any point along it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import attached
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import PartView
from fem_mbd.runs.results.views.part_table import PointLoads

# fraction of the length: a point nearer than this to an element boundary lies on the boundary
BOUNDARY_TOLERANCE = 1e-9


def lagrange_matrix(nodes: Array, positions: Array) -> Array:
    """Values (points, nodes) of the Lagrange polynomials on ``nodes`` at ``positions``."""
    out = np.ones((len(positions), len(nodes)))
    for i, node in enumerate(nodes):
        for node_k in np.delete(nodes, i):
            out[:, i] *= (positions - node_k) / (node - node_k)
    return out


class BeamView(PartView):
    """A beam; ``at`` is a fraction of its length, 0 at its start and 1 at its end, one number or several.

    Several points add an axis before the components. At element boundaries section quantities jump by the
    discretisation error: the mean of both sides is returned. Where a force, a mass, a joint … acts on a node of the
    beam, section forces jump by it: ``side`` chooses the limit from the start (-1, default there) or from the end (+1).
    Inside an element with such a node they are recovered from equilibrium (`part_table`).
    """

    section: Any = None  # of the beam, where its handle or its model is at hand

    def stress(self, at: float, section: Any = None) -> Any:
        """Stresses of the section at a fraction of the length: a `SectionStress`, with the time of a run as first axis.

        Parameters
        ----------
        at : from 0 to 1; of a `SectionTable` the station nearest to it
        section : `Section` or `SectionTable` from meshes or laminates; by default that of the beam, which results that
            are read from a file do not have

        Raises
        ------
        InputError
            When the section is not known, or does not come from a mesh.
        """
        return attached("BeamView.stress")(self, at, section)

    @property
    def gauss_at(self) -> Array:
        """(g,) fractions of the length at which section quantities are computed (Gauss points); elsewhere they are
        interpolated.
        """
        return np.concatenate(
            [a + 0.5 * (b - a) * (1 + np.array(p["gauss_at"])) for p, a, b in self._spans()]
        )

    @property
    def nodes_at(self) -> Array:
        """(n,) fractions of the length of the nodes."""
        at = [a + 0.5 * (b - a) * (1 + np.array(p["nodes_at"])[1:]) for p, a, b in self._spans()]
        return np.concatenate([[0.0], *at])

    def row_title(self, name: str, row: int) -> str:
        """Location of a row of a section quantity, e.g. "at 0.52 of its length"."""
        return f"at {self.gauss_at[row]:.3g} of its length"

    def __repr__(self) -> str:
        calls = ("section_force(at) [N, N m]", "section_strain(at) [1, 1/m]", "position(at) [m]")
        return "\n".join(
            [super().__repr__(), *(f"  {call}: anywhere along it, at = 0 to 1" for call in calls)]
        )

    def section_force(self, at: ArrayLike | None = None, side: int = 0) -> Array:
        """(…, 6) N, V2, V3 in N and T, M2, M3 in N m (elastic part), section axes; without ``at`` at `gauss_at`.

        Parameters
        ----------
        at : fraction of the length, or several
        side : where they jump, -1 for the limit from the start, +1 for that from the end; 0: see above
        """
        if side not in (-1, 0, 1):
            raise InputError(f"beam '{self.name}': side is {side!r}: give -1 (towards the start), 1 or 0")
        return self._section(("force", "moment"), at, side, recovered=True)

    def section_strain(self, at: ArrayLike | None = None) -> Array:
        """(…, 6) stretch, shear 2, shear 3, and twist, bending 2, bending 3 in 1/m, section axes."""
        return self._section(("strain", "curvature"), at)

    def position(self, at: ArrayLike | None = None) -> Array:
        """(…, 3) m, points of the reference line, global axes; without ``at`` the nodes (`nodes_at`)."""
        output = self._states.table.outputs["position"]
        values = self._states.values(output, output.quantities[0], self._entry.nodes)
        starts = np.cumsum([0, *(len(p["nodes"]) - 1 for p in self._entry.members)])
        return values if at is None else self._between(values, at, "nodes_at", list(starts))

    def _section(
        self, names: tuple[str, str], at: ArrayLike | None, side: int = 0, recovered: bool = False
    ) -> Array:
        values = np.concatenate([self.value(name) for name in names], axis=-1)
        starts = np.cumsum([0, *(len(p["gauss_at"]) for p in self._entry.members)])
        loads = self._point_loads if recovered and at is not None else None
        return values if at is None else self._between(values, at, "gauss_at", list(starts), side, loads)

    @cached_property
    def _point_loads(self) -> PointLoads:
        table = self._states.table
        return PointLoads(self.name, self._entry.members, table.model["nodes"], table.nodes_with_point_loads)

    def _between(
        self, values: Array, at: ArrayLike, points: str, starts: list[int], side: int = 0,
        loads: PointLoads | None = None,
    ) -> Array:  # fmt: skip
        """Values (…, points, c) at fractions of the length: by the polynomial of the element, at boundaries the mean of
        two, or that of one side; with ``loads`` recovered where point loads act inside the element.
        """
        positions = self._positions(at)
        values_at = [self._value_at(values, s, points, starts, side, loads) for s in np.atleast_1d(positions)]
        return values_at[0] if np.ndim(positions) == 0 else np.stack(values_at, axis=-2)

    def _value_at(
        self, values: Array, s: float, points: str, starts: list[int], side: int, loads: PointLoads | None
    ) -> Array:
        bounds = np.array([0.0, *(end for _, _, end in self._spans())])
        total: Any = 0.0
        elements = self._elements_at(bounds, s, side, loads)
        for element in elements:
            start, end = bounds[element : element + 2]
            member = self._entry.members[element]
            nodes, xi = np.array(member[points]), 2 * (s - start) / (end - start) - 1
            weights = lagrange_matrix(nodes, np.array([xi]))[0]
            first = starts[element]
            total = total + np.einsum("g,...gi->...i", weights, values[..., first : first + len(nodes), :])
            if loads is not None and loads.inside(element):
                nodes_at = np.array(member["nodes_at"])
                near = nodes_at[np.abs(nodes_at - xi).argmin()]
                xi = near if abs(near - xi) < BOUNDARY_TOLERANCE else xi
                total = total + loads.correction(values, starts, element, float(xi), side or -1)
        return np.asarray(total) / len(elements)

    def _elements_at(self, bounds: Array, s: float, side: int, loads: PointLoads | None) -> list[int]:
        """The elements at a fraction of the length: both at a boundary, unless one side is asked for or a load acts."""
        last = len(self._entry.members) - 1
        before, after = (
            int(np.clip(np.searchsorted(bounds, s + shift, side="right") - 1, 0, last))
            for shift in (-BOUNDARY_TOLERANCE, BOUNDARY_TOLERANCE)
        )
        if before == after:
            return [before]
        loaded = self._entry.members[after]["nodes"][0] in self._states.table.nodes_with_point_loads
        if side == 0 and (loads is None or not loaded):
            return [before, after]
        return [after] if side > 0 else [before]

    def _positions(self, at: ArrayLike) -> Array:
        positions = np.asarray(at, dtype=float)
        outside = ~((positions >= -BOUNDARY_TOLERANCE) & (positions <= 1 + BOUNDARY_TOLERANCE))
        if outside.any():
            raise InputError(
                f"beam '{self.name}': at = {float(positions[outside].flat[0]):g} is outside the beam: give a "
                "fraction of its length from 0 (start) to 1 (end)"
            )
        return np.clip(positions, 0.0, 1.0)

    def _spans(self) -> list[tuple[Any, float, float]]:
        if self._entry.several:
            raise InputError("positions along a beam: request one beam at a time")
        return [(part, *part["span"]) for part in self._entry.members]
